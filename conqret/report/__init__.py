"""What a run looks like to people: tables for the terminal, and one HTML page.

``conqret.report.tables`` sets a summary as text, ``conqret.report.html.write_report`` writes the page.
"""
