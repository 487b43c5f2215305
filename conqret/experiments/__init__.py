"""One file, one grid of systems: retrieve, generate, judge and perturb, resumed from what is done.

- ``config``: what the file may say; ``reading``: reads it and names every fault with its line
- ``job``: an experiment that is ready to run, and its folder; ``experiment``: runs and estimates it
- ``stages``: rank, generate, judge, perturb; ``scores``: all scores in one table, and the summary
- ``experiment_tables`` and ``page``: what is shown, and the page of any run; ``command``: ``conqret experiment``
"""
