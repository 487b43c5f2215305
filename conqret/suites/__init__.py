"""Public test sets for judges: what is judged, the gold beside it, and what was published of others."""
