"""Judges over HTTP and MCP, and runs in a browser."""
