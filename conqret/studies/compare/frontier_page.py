"""What to buy, as tables, charts and a page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from conqret.show import words
from conqret.show.charts import Chart, ChartLine, Point, reach
from conqret.show.report_page import ReportPage, Section, section
from conqret.show.table import Column, Table
from conqret.studies.agreement.annotator_agreement import averaged_dimensions
from conqret.studies.agreement_tables import pairs_table
from conqret.studies.compare.frontier import ITEMS, Frontier, Offer
from conqret.studies.compare.result import quoted

TITLE = "Which judge gives the most agreement for its cost?"


def frontier_tables(frontier_result: Frontier) -> Iterator[Table]:
    """What each judge costs and how far it agrees, what that means, and every pair."""
    known = {name: count for name, count in frontier_result.units.items() if count}
    averaged = len(averaged_dimensions(dict.fromkeys(known, True)))
    units = " to ".join(map(words.count, sorted({min(known.values()), max(known.values())})))
    yield Table(
        "Cost of each judge, and its agreement with annotators",
        (
            "Judge",
            Column("Model", "text"),
            "Alpha",
            f"Price of {words.count(ITEMS)} items",
            "Time per item",
            "Tokens per item",
        ),
        [
            (
                offer.run,
                f"{offer.model} (a lexical baseline)" if offer.baseline else offer.model,
                offer.alpha,
                words.money(offer.usd),
                None if offer.seconds is None else words.seconds(offer.seconds),
                None if offer.tokens is None else words.count(round(offer.tokens)),
            )
            for offer in frontier_result.offers
        ],
        note=f"“Alpha” is Krippendorff's alpha with annotators, averaged over "
        f"{words.number(averaged, 'dimension')}, on "
        f"the {units} units per dimension that all judges scored and annotators labeled; brackets hold "
        f"{frontier_result.basis.intervals}. “Time per item” is the time from request to response.",
    )
    yield Table(
        "Compared with judges that cost no more",
        (Column("Judge", "name"), Column("For its price", "text"), Column("For its time", "text")),
        [(offer.run, offer.price, offer.time) for offer in frontier_result.offers],
        note=f"The Pareto frontier by price is {quoted(frontier_result.by_price)}, by time "
        f"{quoted(frontier_result.by_time)}: no judge that costs as little has a higher alpha. This compares estimates "
        "without a test.",
    )
    yield pairs_table(frontier_result.differences, frontier_result.basis)


def frontier_sheet(frontier_result: Frontier) -> ReportPage:
    """The page, with a chart of alpha against price and one against time."""
    prices = {offer.run: offer.usd for offer in frontier_result.offers}
    times = {offer.run: offer.seconds for offer in frontier_result.offers}
    quick = max((time for time in times.values() if time is not None), default=0.0) < 1
    if quick:
        times = {name: None if time is None else 1000 * time for name, time in times.items()}
    costs, *others = frontier_tables(frontier_result)
    charts = {
        "price": _chart(
            frontier_result,
            "Price",
            f"US dollars per {words.count(ITEMS)} items, log scale",
            prices,
            frontier_result.by_price,
        ),
        "time": _chart(
            frontier_result,
            "Time",
            f"{'Milliseconds' if quick else 'Seconds'} per item, log scale",
            times,
            frontier_result.by_time,
        ),
    }
    alike = [
        f"There is no chart of {name}, as the {name} of all judges is the same."
        for name, chart in charts.items()
        if _alike(chart)
    ]
    drawn = [chart for chart in charts.values() if chart.lines and not _alike(chart)]
    first = Section(costs.title, [*drawn[1:], costs], " ".join(alike))
    return ReportPage(
        "frontier",
        TITLE,
        [first, *map(section, others)],
        badges=words.floor_badges([offer.baseline for offer in frontier_result.offers]),
        answer=[frontier_result.verdict],
        picture=drawn[:1],
        facts=[
            ("Labels", frontier_result.basis.labels),
            ("Judges", words.count(len(frontier_result.offers))),
        ],
    )


def _chart(
    frontier_result: Frontier, title: str, x: str, costs: Mapping[str, float | None], chosen: Sequence[str]
) -> Chart:
    """A point with its interval for each judge whose costs are known, alike in each chart, and a line through the
    frontier."""
    points = {offer.run: _point(offer, costs[offer.run]) for offer in frontier_result.offers}
    lines = [
        ChartLine(name, [point], place)
        for place, (name, point) in enumerate(points.items())
        if point is not None
    ]
    through = [Point(point.x, point.y) for name in chosen if (point := points[name]) is not None]
    if len(through) > 1:
        lines.append(ChartLine("Pareto frontier by values alone", through, len(points), marked=False))
    ends = reach(lines, 0.0)
    return Chart(
        title, x, "Krippendorff's alpha with annotators", lines, logarithmic=True, ends=ends, levels=False
    )


def _alike(chart: Chart) -> bool:
    """Whether there is one cost, of several judges."""
    return len(chart.lines) > 1 and len({point.x for line in chart.lines for point in line.points}) == 1


def _point(offer: Offer, cost: float | None) -> Point | None:
    return None if cost is None or offer.alpha.value is None else Point.of(cost, offer.alpha)
