"""Tables, pages and charts of results, for terminals, browsers, Markdown and LaTeX.

``table`` declares every table and prints it in a terminal, ``markup`` writes it as Markdown or LaTeX, ``charts`` and
``forest`` draw. ``page`` writes a template as a page, ``report_page`` is a page of sections that is declared.
``visible_text`` prepares texts from outside, and ``words`` has the phrases and number formats of all of these.
"""
