"""Drift: waves (runs over the same items at different times), each compared with a reference wave."""
