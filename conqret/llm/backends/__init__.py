"""The routes to a model's answers, one module each: its ``BACKEND`` is found by the prefix of the model's name."""
