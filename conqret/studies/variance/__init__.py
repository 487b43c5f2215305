"""Variance components of a judge's scores.

- ``result``: the components and repeatability of runs, their tables and page (formulas:
  ``conqret.stats.variance_components``)
- ``command``: ``conqret judges variance``
"""
