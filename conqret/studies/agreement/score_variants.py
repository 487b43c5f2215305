"""Names among the variants of a judge's scores."""

CALIBRATED = "calibrated"
"""What a calibration makes of a score."""
NOT_CALIBRATED = "no calibration was given"
"""Why there is none."""
