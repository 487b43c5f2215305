"""Comparative judgment: the arguments of a topic ranked by comparisons of pairs."""
