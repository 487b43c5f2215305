"""Answers to debatable questions, in several ways: from a model alone, with retrieval, with an agent that searches."""
