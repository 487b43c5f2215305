"""Is the judge consistent, and does it favour what it should not? One module a probe.

They are run by :mod:`conqret.reliability.bias.run`.
"""
