"""Debates: whether texts keep to their side, what comes of a debate, and whether it helps who judges."""
