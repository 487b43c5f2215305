"""What changed between two runs.

- ``difference``: how items are paired, the differences, and what labels say of them
- ``result``: the result with tables, sentences and page
- ``command``: ``conqret runs diff``, its ``--require`` and ``--junit``
"""
