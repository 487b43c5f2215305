"""Tables as Markdown: rectangular, and nothing from outside acts."""

from conqret.show.markup import safe, tables_markdown
from conqret.show.table import Alarm, Column, Table
from conqret.stats.estimate import Estimate, undefined


def test_cells_of_every_kind() -> None:
    table = Table(
        "A <title>",
        ("Name", "Value", Column("Why", "text")),
        [("part",), ("a|b", Estimate(0.5, 0.4, 0.6), ""), ("c", None, Alarm("no")), ("d", 0.25, "[x](y)")],
        foot=[("all", 1234, undefined("too few"))],
        note="p < .05",
    )
    assert tables_markdown([table], "##") == (
        "## A &lt;title>\n\n"
        "| Name | Value | Why |\n| --- | ---: | --- |\n"
        "| **part** |  |  |\n"
        "| a\\|b | 0.500 [0.400, 0.600] |  |\n"
        "| c | – | **no** |\n"
        "| d | 0.250 | [x\\](y) |\n"
        "| all | 1,234 | – |\n\n"
        "p &lt; .05 A dash means: too few.\n"
    )


def test_text_from_outside_cannot_act() -> None:
    assert safe("a|b\n<i>&amp; \u202e") == "a\\|b &lt;i>&amp;amp; [U+202E]"
