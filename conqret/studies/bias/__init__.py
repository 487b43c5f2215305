"""Bias probes: whether a judge's scores change with what should not matter (``conqret bias``).

- ``contrast``: probes and their comparisons; ``probes/`` has the probes, a module for each kind
- ``bias_run``: the plan and the run
- ``bias_effects``: effects, intervals and verdicts of the comparisons, conditions of ``--require``, JUnit XML
- ``result``: the bias table, its tables, sentences and page
"""
