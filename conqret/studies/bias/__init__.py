"""Is the judge consistent, and does it favor what it should not? The probes are in :mod:`.probes`.

They are run by :mod:`conqret.studies.bias.bias_run`.
"""
