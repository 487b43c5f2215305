"""One file, one grid of systems: retrieve, generate, judge and perturb, resumed from what is done.

- ``config``: the tables and fields of the file; ``reading``: reads it, and names every fault with its line
- ``job``: an experiment that is ready to run, ``run.json`` and the folder
- ``experiment``: runs it, or estimates its cost
- ``stages``: retrieve and rerank, generate, judge (juries too), perturb
- ``scores``: writes ``scores.parquet`` and ``summary.json``: means, differences, retrieval measures
- ``experiment_tables``: tables, pictures and the result in a sentence
- ``page``: ``report.html`` and ``tables.md`` of an experiment; the page of any run (``conqret runs report``)
- ``command``: ``conqret experiment`` and ``conqret runs report``
"""
