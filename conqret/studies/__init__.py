"""Studies of judges, a folder each.

With human labels: ``agreement``, ``validate``, ``compare``, ``jury``, ``calibrate``, ``abstain``, ``improve``,
``systems``. Without labels: ``bias``, ``sensitivity``, ``drift``, ``diff``, ``variance``, ``tournament``. ``power``
plans sample sizes, and ``card`` is the judge card. ``study_judging`` is the run of studies that judge items.
"""
