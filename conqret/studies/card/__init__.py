"""The judge card: what is known of one instrument, its limits, and whether it is still the same."""
