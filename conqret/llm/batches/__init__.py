"""Batches: questions handed in together at half the price, and collected when they are answered."""
