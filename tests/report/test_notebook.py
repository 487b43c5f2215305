"""Tables in notebooks."""

from conqret.report.table import Table


def test_a_table_is_shown_and_escaped() -> None:
    page = Table("<b>", ("Name", "Value"), [("<script>\u202e", 0.5)], note="that is all")._repr_html_()
    assert "<h2>&lt;b&gt;</h2>" in page
    assert '<th scope="row">&lt;script&gt;[U+202E]</th><td>0.500</td>' in page
    assert "<p>that is all</p>" in page
    assert "<h2>" not in Table("", ("Name",), [])._repr_html_()
