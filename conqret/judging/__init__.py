"""What judges: what a format is made of, how an item is judged, and what a run of judgments leaves."""
