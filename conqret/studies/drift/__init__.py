"""Drift: the same anchors judged on dated waves, and whether the judge is still as it was."""
