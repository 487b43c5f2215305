"""Calibration: maps from judge scores to human labels.

- ``fit_calibration``: fits a map for each metric and tests it on held-out topics
- ``calibration_maps``: the kinds of map
- ``result``: the maps, how they are applied to a run, tables, page and reliability diagram
- ``command``: ``conqret judges calibrate``
"""
