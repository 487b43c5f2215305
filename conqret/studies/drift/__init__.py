"""Drift: waves (runs over the same items at different times), each compared with a reference wave.

- ``result``: waves read and compared, tables, sentences and page; ``command``: ``conqret judges drift``
"""
