"""Several judges as one: how scores come together, what that gains over the best of them, and where they differ."""
