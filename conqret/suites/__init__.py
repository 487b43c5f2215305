"""Public test sets for judges: their items, their gold labels, and published figures of other judges.

- ``suite``: what a suite declares; ``catalog``: the suites that come with conqret
- ``suite_files``, ``suite_fetch``: how its files are read, and fetched
- ``suite_statistics``: statistics that suites share, and published figures recomputed
- ``suite_run``, ``result``: a judge on a suite, and its result; ``suite_report``, ``leaderboard_page``: many of them
- ``command``, ``suite_run_command``: ``conqret judges suites``, ``test`` and ``leaderboard``
"""
