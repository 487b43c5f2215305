"""Judge cards side by side."""
