"""Calibration: maps from judge scores to human labels."""
