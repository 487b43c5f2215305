"""Judges and their runs: what a format is made of, how an item is judged, and the files of a run.

Public functions and settings:

- ``judge``: ``conqret.judge`` and ``ajudge``; ``session_judge``: a judge that is called many times, item by item
- ``judge_settings``: settings by keyword; ``judge_options``: how a judge is run (samples, order, temperature …)
- ``command``: ``conqret judge``; options with which other commands choose a judge, and their values in ``conqret.toml``

What a judge is:

- ``judge_parts``: `Judge`, `JudgePrompt`, computed and combined metrics
- ``responses``: the types of answers, and what makes an answer valid
- ``scales``: ratings as measures; samples and both orders combined
- ``dimensions``: the fifteen dimensions of argument quality
- ``metric_homes``: which format has a metric; several formats as one
- ``known_as``: names that other tools give metrics

Judges that users make:

- ``criteria``: prompt, response type and scores of criteria; the comparison of two arguments by a criterion
- ``rubrics``: judges made of several criteria, and of rubrics (weights, axes, importance)
- ``own_judge``: a Python function as a judge; ``verdict_log``: verdicts given elsewhere in place of a judge

The course of a judgment:

- ``setup``: the judge configuration with its fingerprint: finds format, prompts and model, checks items;
  ``recorded_call``: that of a replay
- ``instrument``: one item: prompt filled and trimmed (:mod:`conqret.llm.prompt_fitting`), requested, scored
- ``shots``: labeled examples in the prompt
- ``deciding``: judging by a decision model
- ``cascade``: the first of two judges keeps what it is sure of
- ``judgments``: all items of a run, resumable; ``cost``: the requests of a dry run counted

Files and reports:

- ``judge_folder``: the files of a run (``items.jsonl``, ``judgments.jsonl``, ``scores.parquet`` …), and tables of
  scores
- ``tally``: sums up judgments one by one
- ``summary``: means, intervals, bounds, cost
- ``summary_tables``: these as text
- ``page``: the report page; ``item_view``: one item on it; ``recorded_requests``: prompts as sent and raw responses
- ``build_gate``: ``--require`` on a run, ``gate.json``, and its JUnit XML and Markdown for a build

"""
