"""One engine for all that asks a model."""
