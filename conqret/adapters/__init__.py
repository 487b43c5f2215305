"""Use conqret inside the pipelines of other libraries: one module for each library, which imports it
(docs/adapters.md).

``single`` is what most of them wrap: one metric of one item.
"""
