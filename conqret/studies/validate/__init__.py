"""Judge-human agreement, and the judge card.

- ``validate``: the public function: validation, requirements and card written
- ``result``: the statistics as one typed result
- ``page``: tables, sentences and page; ``command``: ``conqret validate``
"""
