"""Debates: whether texts keep to their side, what comes of a debate, and whether it helps who judges.

- ``judging_command``: what commands share that judge statements and arguments of debates as items
- ``debatune/``: debates between models, and training on them; ``two_turn/``: debates on which of two options is right
"""
