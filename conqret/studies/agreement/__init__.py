"""Judgments beside people's labels: joined, compared dimension by dimension, and held to requirements."""
