"""The pages on which people label."""
