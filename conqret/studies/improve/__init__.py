"""Improve a judge from human labels, and measure on other topics whether it improved.

- ``improved_prompt``: examples and a model's proposal of a wording, from labeled items; the prompt with them, its files
- ``improve_run``: the plan: variants, folds of topics, and the choice among variants
- ``improve_study``: the public function, and the requests, stage by stage
- ``measuring``: what the chosen judge is worth on topics that it has not seen
- ``result``: the result with tables and page; ``command``: ``conqret judges improve``
"""
