"""Tables in notebooks."""

from conqret.show.table import Table
from conqret.stats.estimate import Estimate


def test_a_table_is_shown_and_escaped() -> None:
    rows = [("<script>\u202e", 0.5, ""), ("heading",), ("b", Estimate(0.5, 0.25, 0.75), "")]
    page = Table("<b>", ("Name", "Value", "Empty"), rows, note="that is all")._repr_html_()
    assert "<h2>&lt;b&gt;</h2>" in page
    assert ">&lt;script&gt;[U+202E]</th>" in page
    assert '0.500 <small class="ends"></small></td>' in page, "figures stand below each other"
    assert '0.500 <small class="ends">[0.250, 0.750]</small></td>' in page
    assert '<th scope="rowgroup" colspan="2"' in page
    assert '<th scope="col" class="t-figure t-ends">Value</th>' in page
    assert "Empty" not in page
    assert '<p class="note">that is all</p>' in page
    assert "<h2>" not in Table("", ("Name",), [])._repr_html_()
