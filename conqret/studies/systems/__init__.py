"""System-level evaluation: rank correlation of judge and human rankings of systems.

- ``meta_evaluation``: coefficients of each judge's leaderboard and the reference, with intervals and differences
- ``ranked_systems``: leaderboard, grades of documents and nuggets from a judged run (used by the adapters of
  AutoJudge and nuggetizer)
- ``result``: the result with tables, sentences and page; ``command``: ``conqret judges systems``
"""
