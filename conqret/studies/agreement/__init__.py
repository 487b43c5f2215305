"""Judgments beside human labels: joined, compared dimension by dimension, and held to requirements."""
