"""What to buy, as tables, charts and a page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from conqret.reliability.validation.frontier import ITEMS, Frontier, Offer
from conqret.report import words
from conqret.report.agreement_tables import pairs_table
from conqret.report.charts import Chart, Line, Point
from conqret.report.sheet import Section, Sheet, section
from conqret.report.table import Column, Table

TITLE = "Which judge is worth its price?"


def frontier_tables(found: Frontier) -> Iterator[Table]:
    """What each judge costs and how far it agrees, what that means, and every pair."""
    averaged = max(1, len(found.units) - ("overall_quality" in found.units))
    units = " to ".join(map(words.count, sorted({min(found.units.values()), max(found.units.values())})))
    yield Table(
        "What they cost, and how far they agree",
        (
            "judge",
            Column("model", "text"),
            "alpha",
            f"price of {words.count(ITEMS)} items",
            "time an item",
            "tokens an item",
        ),
        [
            (
                one.run,
                f"{one.model} (a floor, not a judge)" if one.baseline else one.model,
                one.alpha,
                words.money(one.usd),
                None if one.seconds is None else words.seconds(one.seconds),
                None if one.tokens is None else words.count(round(one.tokens)),
            )
            for one in found.offers
        ],
        note=f"Krippendorff's alpha with people, the mean over {words.number(averaged, 'dimension')}, on the "
        f"{units} units that all judges scored; {found.basis.intervals}. Time is the model's own.",
    )
    yield Table(
        "Is it worth it?",
        (Column("judge", "name"), Column("for its price", "text"), Column("for its time", "text")),
        [(one.run, one.price, one.time) for one in found.offers],
        note=f"By values alone, which is no verdict, {_named(found.by_price)} would be bought by price, and "
        f"{_named(found.by_time)} by time.",
    )
    yield pairs_table(found.differences, found.basis)


def frontier_sheet(found: Frontier) -> Sheet:
    """The page, with a chart of alpha against price and one against time."""
    prices = {one.run: one.usd for one in found.offers}
    times = {one.run: one.seconds for one in found.offers}
    costs, *others = frontier_tables(found)
    charts = [
        _chart(found, "Price", f"US dollars for {words.count(ITEMS)} items", prices, found.by_price),
        _chart(found, "Time", "seconds of the model's time an item", times, found.by_time),
    ]
    first = Section(costs.title, [*(one for one in charts if one.lines), costs])
    return Sheet(
        "frontier",
        TITLE,
        [first, *map(section, others)],
        lede=["What each judge costs, how long it takes, and how far it agrees with people."],
        facts=[("Labels", found.basis.labels), ("Judges", words.count(len(found.offers)))],
    )


def _chart(
    found: Frontier, title: str, x: str, costs: Mapping[str, float | None], chosen: Sequence[str]
) -> Chart:
    """A point with its interval for each judge whose costs are known, over a line through the frontier."""
    points = {one.run: _point(one, costs[one.run]) for one in found.offers}
    lines = [Line(name, [point]) for name, point in points.items() if point is not None]
    through = [Point(point.x, point.y) for name in chosen if (point := points[name]) is not None]
    if len(through) > 1:
        lines.insert(0, Line("frontier by values alone", through))
    return Chart(title, x, "alpha with people", lines, logarithmic=True)


def _point(offer: Offer, cost: float | None) -> Point | None:
    alpha = offer.alpha
    return None if cost is None or alpha.value is None else Point(cost, alpha.value, alpha.low, alpha.high)


def _named(names: Sequence[str]) -> str:
    return " and ".join([", ".join(names[:-1]), *names[-1:]] if len(names) > 1 else names) or "nobody"
