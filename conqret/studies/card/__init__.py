"""The judge card: what is known of one judge configuration, its limits, and whether it is still the same."""
