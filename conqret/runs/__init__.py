"""One engine for all that calls a model."""
