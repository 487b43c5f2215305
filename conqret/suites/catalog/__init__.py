"""The suites that come with conqret, one file each with a ``SUITE``.

Each has the reader of its published files, its statistics, and the published figures that are recomputed from them.
"""
