"""The judge card: what is known of one judge configuration, its limits, and whether it is still the same.

- ``result``: the card as data: made, read, and compared with a judge; ``page``: as HTML, Markdown and JSON
- ``methods``: the methods paragraphs and tables of a paper; ``methods_command``: ``conqret runs methods``
"""
