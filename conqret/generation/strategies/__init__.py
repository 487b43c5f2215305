"""The ways to answer: one module each, with its ``STRATEGY`` (see :mod:`conqret.generation.generation_strategy`)."""
