"""Analysing texts: words, sentences, citations, numbers and stances, for baseline, retrieval and generation alike."""
