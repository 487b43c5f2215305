"""Perplexity of a text given another, on a local transformers model. Nothing here imports torch before it is used."""
