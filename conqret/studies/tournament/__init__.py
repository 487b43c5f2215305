"""Comparative judgment: the arguments of a topic ranked by comparisons of pairs.

- ``item_groups``: which items are compared with each other, and two of them as one item
- ``comparison``: the judge that compares two arguments by a criterion of the user
- ``ranking``: how many pairs, the ranking of items and systems from outcomes
- ``tournament_run``: the public function, and the requests, round by round (``rounds.json``)
- ``tournament_power``: reliability by the number of comparisons, simulated beforehand
- ``result``: the result with tables and page; ``command``: ``conqret tournament``
"""
