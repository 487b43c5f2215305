"""Perspectives on a question, and how diverse a ranking is that shows them (BeRDS).

Commands: ``make_command`` (make, collect), ``score_command`` and ``command`` (detect, tune). Questions:
``perspective_files`` reads them, ``perspective_writing`` and ``perspectives_run`` make them, ``own_corpora`` collects a
corpus for each. Detection: ``detection`` (the grade), ``detection_study`` (the run), ``threshold`` (agreement with
labels), ``detector`` and ``detector_tuning`` (a local model). Scores: ``ranking_sources``, ``diversity_run`` (the
measures) and ``perspective_scores`` (the run). ``page`` has all tables.
"""
