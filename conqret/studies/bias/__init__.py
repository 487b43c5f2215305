"""Bias probes: whether a judge's scores change with what should not matter (``conqret bias``).

- ``contrast``: what a probe and its comparisons are; ``probes/``: the probes, a module for each kind
- ``bias_run``: the plan and the run; ``study_judging`` (in ``conqret.studies``) judges the versions
- ``bias_effects``: effects, intervals and verdicts of the comparisons, conditions of ``--require``, JUnit XML
- ``result``: the bias table, its tables, sentences and page (``report.html``, ``bias.md``)
- ``command``: the command
"""
