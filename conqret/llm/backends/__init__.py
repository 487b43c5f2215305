"""The ways to have a model answer, one module each: its ``BACKEND`` is found by the prefix of the model's name."""
