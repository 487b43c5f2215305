"""The routes to a model's answers, one module each: its ``BACKEND`` is found by the prefix of the model's name.

``offline`` is the lexical baseline, ``no_model`` stands for none, ``hosted`` for models of providers and servers,
``local`` for transformers; ``function``, ``server`` and ``verdicts`` are judges of the user's own.
"""
