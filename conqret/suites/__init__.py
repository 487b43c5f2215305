"""Public test sets for judges: what is judged, the gold labels, and what was published of others."""
