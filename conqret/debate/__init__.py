"""Debates: what comes of a debate between two sides, and whether it helps who judges."""
