"""Pure functions on arrays: significance and intervals. No model, no file; randomness comes in as ``rng``."""
