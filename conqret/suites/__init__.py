"""Public test sets for judges: their items, their gold labels, and published figures of other judges.

Suites:

- ``suite``: what a suite declares; ``catalog/``: the suites that come with conqret
- ``suite_fetch``: its files found or fetched, their layout and counts checked; ``suite_files``: these read, by
  published columns
- ``suite_statistics``: statistics that suites share, published figures recomputed, published judges' verdicts as
  results

Judges on suites:

- ``suite_run``: a judge on a suite; ``result``: the result as a file (``suite.json``)
- ``suite_report``: several judges compared over suites
- ``leaderboard_page``: tables and pages of suites and leaderboard
- ``command``: ``conqret judges suites`` and ``leaderboard``; ``suite_run_command``: ``conqret judges test``
"""
