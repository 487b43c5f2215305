"""Perspectives on a question, and how diverse a ranking is that shows them (BeRDS).

Questions:

- ``perspective_files``: questions with perspectives, and survey questions or arguments to make some of, as rows of
  files
- ``perspective_writing``: prompts and response types by which perspectives are written and checked
- ``perspectives_run``: a benchmark made as a run, and the errors that annotators found in it
- ``own_corpora``: a corpus for each question, of pages that a web search finds

Detection, whether a document contains a perspective:

- ``detection``: the grade by an LLM or offline
- ``detection_study``: detection as a run, by an LLM or a local detector
- ``threshold``: from which grade or probability it is a yes, and agreement with labels
- ``detector_models``: loads and applies a local detector; ``detector_tuning``: trains one

Scores of rankings:

- ``ranking_sources``: rankings from TREC runs, BeRDS's files with texts (``ctxs``) or conqret's systems; judged pairs
  from and to qrels
- ``diversity_run``: MRecall, precision, documents needed, leaning; intervals and paired tests
- ``perspective_scores``: the whole scoring as one run; ``page``: all tables

``command`` has the commands of ``conqret perspectives``.
"""
