"""Judge-human agreement, and the judge card."""
