"""Abstention: thresholds on a judge's confidence, with a guarantee about the errors that are left.

- ``fit_abstention``: fits the thresholds of one judge, and that of a cascade of two judges
- ``result``: both results, and how they are applied to judgments; ``page``: their tables and pages
- ``command``: ``conqret judges abstain``
"""
