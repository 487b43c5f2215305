"""Runs: judging many items, keeping what came of it, and summing it up."""
