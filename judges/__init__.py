"""The judges: one file a format, and what all formats share.

``base.py`` says what a judge is, ``judging.py`` runs one over an item, ``registry.py`` finds them by name.
"""
