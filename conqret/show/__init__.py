"""What a reader sees of a run: tables in terminals, on pages and in Markdown; pages; plots.

``table.Table`` is every table, ``page.page`` every page and ``plots.drawn`` every plot; the other modules say what
stands in them, beginning with ``html.write_report`` for a judge's run and ``tables.terminal`` for its summary.
"""
