"""Variance components of a judge's scores."""
