"""Tables, pages and charts of results, for terminals, browsers, Markdown and LaTeX.

- ``table``: a table declared once as columns over rows, printed in a terminal
- ``markup``: tables as Markdown and LaTeX
- ``charts``: line charts with intervals as SVG, matplotlib figures as files; ``forest``: forest plots
- ``report_page``: a page of sections, declared, as HTML, Markdown or SVG
- ``page``: HTML of any template, safe by policy
- ``visible_text``: texts from outside for display: hidden characters, cuts, citations, flagged passages
- ``words``: phrases and formats of numbers, p-values, money and times
"""
