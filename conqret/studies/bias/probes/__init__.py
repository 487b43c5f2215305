"""The probes: one module each, with its ``PROBE`` (see :mod:`conqret.studies.bias.contrast`)."""
