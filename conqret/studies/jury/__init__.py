"""Several judges as one: how scores come together, what that gains over the best of them, and where they differ.

- ``jury_run``: scores combined by mean or median as a run with ``jury.json``; compared with each member
- ``result``: the result with tables and page; ``command``: ``conqret judges jury``
"""
