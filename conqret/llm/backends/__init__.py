"""The routes to a model's answers, one module each: its ``BACKEND`` is found by the prefix of the model's name.

- ``offline``: the lexical baseline; ``no_model``: no model, for formats that only compute
- ``hosted``: models of providers and servers (the calls: ``conqret.llm.hosted``)
- ``local``: transformers on this machine
- ``decision``: decision models over HTTP (``decision_providers.toml``)
- ``function``: a Python function of the user's own; ``verdicts``: a log of verdicts given elsewhere
"""
