"""Tables as text, Markdown and in notebooks: nothing vanishes, unknown is not zero, and no markup acts."""

import io

from rich.console import Console

from conqret.data import Call, Judgment, Measure, Reason, Status, Trace
from conqret.judging.summary import Summary
from conqret.judging.summary_tables import cost, metric_table, terminal
from conqret.judging.tally import summarise
from conqret.show import words
from conqret.show.markup import safe, tables_markdown
from conqret.show.table import Alarm, Column, Table
from conqret.stats.estimate import UNVARIED, Estimate, undefined


def judgment(measure: Measure, *calls: Call, metric: str = "groundedness") -> Judgment:
    fields = dict.fromkeys(("item", "topic", "stance", "format", "model", "fingerprint"), "x")
    return Judgment(**fields, measures={metric: measure}, trace=Trace(calls=calls))


def scored(value: float, **fields: object) -> Measure:
    return Measure(status=Status.SCORED, value=value, **fields)  # type: ignore[arg-type]


def printed(summary: Summary, width: int = 100) -> str:
    console = Console(file=io.StringIO(), width=width, color_system=None)
    console.print(*terminal(summary), sep="\n")
    return console.file.getvalue()  # type: ignore[attr-defined]


def test_bounds_stand_beside_a_mean_with_missing_items() -> None:
    summary = summarise(
        [judgment(scored(0.75)), judgment(scored(0.25)), judgment(Measure.missing(Reason.REFUSAL))]
    )
    table = metric_table(summary)
    assert table.header == ("Metric", "Mean", "SD", "n", "Worst to best case")
    # mean 1/2 over two; with a third item at 0 or 1: 1/3 and 2/3; deviation sqrt(2 * .25^2) = .354
    assert table.rows == (("Groundedness", "0.500", "0.354", "2 of 3", "0.333 to 0.667"),)
    assert "the model declined to answer" in printed(summary)


def test_an_unknown_price_is_never_zero() -> None:
    priced = Call(key="a", ask="x", attempts=1, finish_reason="stop", cost_usd=0.5)
    unpriced = Call(key="b", ask="x", attempts=1, finish_reason="stop")

    def said(*calls: Call) -> str:
        return cost(summarise([judgment(scored(1.0), *calls)]).usage)

    assert said(priced) == "$0.50"
    assert said(unpriced) == "unknown (no price for 1 answer)"
    assert said(priced, unpriced, unpriced) == "unknown, at least $0.50 (no price for 2 answers)"


def test_every_reason_has_words() -> None:
    assert {reason.value for reason in Reason} == set(words.REASONS)


def test_the_note_says_why_there_is_no_value_or_no_interval() -> None:
    row = (undefined("no overlap"), Estimate(0.5, reason="no interval: rare"), Estimate(0.1, 0.0, 0.2))
    assert Table("", ("a", "b", "c"), [row, row], note="Over topics.").note == (
        "Over topics. A dash means: no overlap. Where a value has no interval, none can be computed: rare."
    )
    assert Table("", ("a",), [row[2:]]).note == ""
    unvaried = Estimate(0.8, reason=UNVARIED)
    both = Table("", ("metric", "mean"), [("one", Estimate(1.0, 0.292, 1.0)), ("two", unvaried)])
    assert both.note.endswith("If all topics have 0, or all have 1, the interval is the exact binomial one.")


def test_columns_that_say_one_thing_are_a_sentence() -> None:
    rows = [("a", 1, None, "100.0%"), ("b", 2, None, "100.0%")]
    heads, foot = ("", "units", "people", "coverage"), [("all", "", None, "100.0%")]
    found = Table("t", heads, rows, foot=foot, note="N.", same=("people", "coverage", "units"))
    assert (found.header, found.rows) == (("", "units"), (("a", "1"), ("b", "2")))
    assert (found.foot, found.note) == (
        (("all", ""),),
        "In every row “people” is –. In every row “coverage” is 100.0%. N.",
    )
    assert Table("t", heads, rows, same=("units",)).header == heads


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


def test_text_from_outside_cannot_act() -> None:
    assert safe("a|b\n<i>&amp; \u202e") == "a\\|b &lt;i>&amp;amp; [U+202E]"
