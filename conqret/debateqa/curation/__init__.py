"""Benchmarks of debatable questions: which are kept, and the partial answers to them (DebateQA, section 3)."""
