"""Texts in any language, without a model.

``words``, ``sentences``, ``citations``, ``numbers`` and ``language`` find what their names say; ``lexicons`` has the
word lists of ``words.toml``; ``analysis`` and ``boilerplate`` are what the offline baseline sees of a text,
``text_passages`` and ``stance_detection`` what the stance baseline sees of it.
"""
