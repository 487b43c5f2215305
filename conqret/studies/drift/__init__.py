"""Drift: the same anchors judged on dated occasions, and whether the judge is still as it was."""
