"""Improve a judge from human labels, and measure on other topics whether it improved.

- ``learned``: examples and wordings from labeled items; ``improved_prompt``: a prompt with them
- ``improve_run``: variants, folds and the choice among them; ``improve_study``: the requests, stage by stage
- ``measuring``: what the chosen judge is worth; ``result``: the result and its page; ``command``: the command line
"""
