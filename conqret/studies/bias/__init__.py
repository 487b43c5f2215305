"""Is the judge consistent, and does it favour what it should not? One module of :mod:`.probes` a probe.

They are run by :mod:`conqret.studies.bias.bias_run`.
"""
