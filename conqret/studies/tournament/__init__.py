"""Comparative judgment: the arguments of a topic ranked by comparisons of pairs.

- ``item_groups``: which items are compared with each other; ``ranking``: how many pairs, and strengths from outcomes
- ``tournament_run``: the requests, round by round; ``tournament_power``: reliability simulated beforehand
- ``result``: the result and its page; ``command``: the command line
"""
