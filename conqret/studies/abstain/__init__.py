"""Abstention: thresholds on a judge's confidence, with a guarantee about the errors that are left."""
