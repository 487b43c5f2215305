"""Asking language models: one async client, its recordings, and the offline baseline.

Importing this package imports no LLM library; litellm and instructor are loaded by the first real call.
"""
