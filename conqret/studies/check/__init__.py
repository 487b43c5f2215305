"""``conqret check``: how good a judge is, from one table of its verdicts and human labels.

The file as a table of texts:

- ``text_table``: any file, frame or list as columns of texts; exports of Label Studio and Argilla
- ``tool_results``: one reader for each other tool (promptfoo, DeepEval, logs of inspect_ai, ragas, MLflow, Opik,
  Langfuse, Phoenix, LangSmith)
- ``tool_verdicts``: what those readers find, and the table of rows that is made of it, whichever the tool
- ``table_shapes``: long tables made wide, labels of other files joined

Columns and cells:

- ``read_table``: the whole reading, from a table of texts to a checked one; ``checked_table``: its type
- ``column_roles``: which columns hold verdicts, labels, texts, groups, by name and content
- ``verdict_values``: columns as numbers, and ``--pass``
- ``word_columns``: the distinct cells, and errors for unknown ones
- ``verdict_words``: single words of names and cells (``words.toml``)

Figures:

- ``figures``: all figures of all judges of a table, with notes; which judge is best, and how judges and systems differ
- ``kind_figures``: those of one judge, by the kind of verdicts
- ``label_view``: annotators combined to one label, and whether labeled rows may stand for all

What is shown:

- ``result``: the result as data; ``answers``: its sentences; ``next_step``: what to do next, with the command
- ``screen``: the lines in a terminal; ``page``: the report page
- ``api``: ``conqret.check``, ``--require`` on the figures; ``command``: the command line
"""
