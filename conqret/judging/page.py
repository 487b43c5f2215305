"""Write the page of a run: one HTML file that loads nothing from a network."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from operator import attrgetter
from pathlib import Path
from types import SimpleNamespace as View
from typing import Any

from conqret.data import Item, Judgment
from conqret.errors import DeclarationError
from conqret.io.safe_files import write_files
from conqret.judging.dimensions import BY_NAME
from conqret.judging.instrument import whole
from conqret.judging.item_view import BETTER, KINDS, PREFERRED, Cell, cell, item_view, level
from conqret.judging.judge_folder import REQUESTS_FOLDER, JudgeFolder, JudgeRecord
from conqret.judging.judge_options import SINGLE
from conqret.judging.judge_parts import LOWER_IS_BETTER, Judge
from conqret.judging.setup import recorded_judge
from conqret.judging.summary import Summary
from conqret.judging.summary_tables import cost, mean_scores, usage_rows
from conqret.judging.tally import MAX_ITEMS, Tally, group_table
from conqret.show import words
from conqret.show.page import Ways, page
from conqret.show.visible_text import cut, visible

NO_PAGES: Mapping[Path, Iterator[str]] = {}


def write_report(
    run: JudgeFolder,
    to: Path | None = None,
    *,
    tally: Tally | None = None,
    pages: Mapping[Path, Iterator[str]] = NO_PAGES,
) -> Path:
    """Write the report page of ``run`` and return its path.

    Args:
        run: a run folder; for an unfinished run, the page says how many items are left.
        to: the file to write, by default ``report.html`` in the run folder. It is written as a whole or not
            at all.
        tally: the counts of judgments, if they were already read.
        pages: the pages of the requests of items, by the file to write.

    Raises:
        DeclarationError: ``run`` is not a run folder.
    """
    if tally is None:
        tally = counted(run)
    target = run.report_file if to is None else Path(to)
    write_files({**pages, target: report_page(run, tally, with_requests=bool(pages))})
    return target


def counted(run: JudgeFolder, max_items: int = MAX_ITEMS) -> Tally:
    """Read the judgments of a run so far and return their tally, with up to ``max_items`` to show in full.

    Unscored, failed and flagged judgments are shown first, then others in file order, or by the metric of the run's
    gate, the worst first.

    Raises:
        DeclarationError: ``run`` is not a run folder.
    """
    run.record()
    order: dict[str, int] = {}
    gate = run.gate
    tally = Tally(max_items, order, gate.metric, gate.lower_is_better(gate.metric))
    for number, item in enumerate(run.items(), start=1):
        order[item.id] = number
        tally.add_item(item)
    for judgment in run.judgments():
        tally.add(judgment)
    return tally


def report_page(
    run: JudgeFolder, tally: Tally, *, with_requests: bool = False, around: Ways = ()
) -> Iterator[str]:
    """Yield the report page in pieces of HTML.

    Args:
        run: the run folder.
        tally: the counts of its judgments.
        with_requests: whether each item has a page of its requests, to which it is linked.
        around: links to related pages.
    """
    record = run.record()
    summary = tally.summary().of_all(record.items_count, record.items_left_out)
    with contextlib.suppress(DeclarationError):  # the summary of a finished run has calibrated means
        means = dict[str, float]()
        for name, metric in run.result(run.summary_file, Summary).metrics.items():
            if metric.calibrated is not None:
                means[name] = metric.calibrated
        summary = summary.with_calibrated(means) if means else summary
    shown = tally.shown()
    wanted = set[str]()
    for _, judgment in shown:
        wanted.add(judgment.item)
    items: dict[str, Item] = {}
    for item in run.items() if wanted else ():
        if item.id in wanted:
            items[item.id] = item
        if len(items) == len(wanted):  # those behind the last of them are not read
            break
    if record.options.get("conversation") == "whole":
        items = {name: whole(item) for name, item in items.items()}
    gate = run.gate
    lower = frozenset(filter(gate.lower_is_better, summary.metrics))
    listed = item_list(shown, summary, lower)
    return page(
        "judgments.html.j2",
        scripts=["page.js"],
        around=around,
        listed=listed,
        groups=group_table(tally, listed.metrics),
        items=(item_view(items.get(judgment.item), judgment, lower) for _, judgment in shown),
        shown=len(shown),
        kinds=KINDS,
        figure={"width": WIDTH, "height": HEIGHT},
        requests=REQUESTS_FOLDER if with_requests else "",
        folder=str(run.path),
        gate=gate,
        worst_of=words.label(tally.worst_of).lower(),
        images=any(map(attrgetter("pictures"), items.values())),
        **overview(record, summary, tally, lower),
    )


MAX_HEADS = 7
"""Metrics that are listed with an item in the list, and in the table of groups."""


def item_list(
    shown: Sequence[tuple[int, Judgment]], summary: Summary, lower: Collection[str] = LOWER_IS_BETTER
) -> View:
    """Return the view of the list of judgments, in order; lower scores of the metrics in ``lower`` are better.

    ``columns`` holds (metric, label) of all metrics, ``metrics`` those shown in the list, and ``heads`` their
    places. ``data`` is the data that the page's script uses to filter and sort.
    """
    plain = plain_metrics(summary)
    ordered = [*plain, *filter(BY_NAME.__contains__, summary.metrics)]
    heads = ([*plain, SINGLE] if SINGLE in ordered else plain)[:MAX_HEADS]
    rows, facts = [], []
    for number, judgment in shown:
        cells, measures = [], judgment.measures
        for metric in heads:
            name, measure = words.label(metric), measures.get(metric)
            if measure is None:
                cells.append(Cell("", title=f"{name}: not judged"))
                continue
            value_text = words.item_score(measure.value)
            if measure.value is None:
                value_text = f"{measure.status.value}, {words.reason(measure.reason)}"
            verdict, title = PREFERRED.get(measure.label or "", ""), f"{name}: {value_text}"
            cells.append(cell(measure.value, verdict, title, lower_is_better=metric in lower))
        rows.append(View(number=number, judgment=judgment, heads=cells))
        facts.append(
            {
                "n": number,
                "id": cut(judgment.item, 200),
                "topic": cut(judgment.topic, 300),
                "stance": judgment.stance,
                "status": judgment.status.value,
                "flagged": bool(judgment.addressed),
                "trimmed": bool(judgment.trims),
                "values": list(map(judgment.value, ordered)),
            }
        )
    return View(
        columns=list(zip(ordered, map(words.label, ordered), strict=True)),
        rows=rows,
        metrics=heads,
        heads=list(map(ordered.index, heads)),
        data={"metrics": ordered, "rows": facts},
    )


WIDTH, HEIGHT = 240, 64
STEPS = 20
"""A score distribution has a bar for each step of 1/20 from 0 to 1: the ratings of usual scales have one each."""


def histogram(values: Sequence[float], mean: float | None, *, lower_is_better: bool = False) -> View:
    """Return the view of the histogram of one metric's scores in [0, 1], whose highest bar fills the figure.

    It has ``bars``, ``mean`` (the place of its mark; None without a mean) and a ``description`` in words.
    """
    counts = Counter[int]()
    for value in values:
        counts[round(value * STEPS)] += 1
    top, unit = max(counts.values(), default=1), WIDTH / (STEPS + 1)
    bars, descriptions = [], []
    for place, count in sorted(counts.items()):
        height = round(max(HEIGHT * count / top, 1.5), 2)
        bar = View(x=round(place * unit, 2), y=round(HEIGHT - height, 2), height=height, count=count)
        bar.width, bar.middle = round(unit - 2, 2), round((place + 0.5) * unit - 1, 2)
        bar.level = level(1 - place / STEPS if lower_is_better else place / STEPS)
        bar.counted = count == top
        bars.append(bar)
        descriptions.append(f"{words.count(count)} at {place / STEPS:.2f}")
    tick = None if mean is None else round((mean * STEPS + 0.5) * unit - 1, 2)
    return View(bars=bars, mean=tick, description=f"Items by score: {', '.join(descriptions) or 'none'}.")


def bar_segments(counts: Mapping[str, int], labels: Mapping[str, str]) -> list[View]:
    """Return the segments of a bar of shares, in the order of ``labels``, then others; empty ones are left
    out.

    ``x`` and ``width`` are percentages of the bar.
    """
    total, x, segments = sum(counts.values()), 0.0, []
    for name in dict.fromkeys([*labels, *counts]):
        if count := counts.get(name):
            width, label = 100 * count / total, labels.get(name, name)
            segments.append(View(name=name, label=label, count=count, x=round(x, 3), width=round(width, 3)))
            x += width
    return segments


LEFT_OUT = "left out: "
"""How notes of a run begin that say why items are left out."""


def overview(record: JudgeRecord, summary: Summary, tally: Tally, lower: Collection[str]) -> dict[str, Any]:
    """Return the variables of the page's summary sections, by name, computed from the summary and the
    tally; lower scores of the metrics in ``lower`` are better.
    """
    statuses = {"scored": summary.scored, "unscored": summary.unscored, "failed": summary.failed}
    statuses["inapplicable"] = summary.inapplicable
    figures = []
    for name in [*plain_metrics(summary), *filter(BY_NAME.__contains__, summary.metrics)]:
        metric = summary.metrics[name]
        figures.append(
            View(
                label=words.label(name),
                question=BY_NAME[name].question if name in BY_NAME else "",
                metric=metric,
                histogram=histogram(tally.values(name), metric.mean, lower_is_better=name in lower),
                lower_is_better=name in lower,
                verdicts=bar_segments(metric.labels, BETTER),
                compares=bool(BETTER.keys() & metric.labels),  # which of two arguments is better
            )
        )
    judge = judge_here(record)
    needs = frozenset[str]().union(*map(attrgetter("needs"), judge.parts() if judge else ()))
    return {
        "record": record,
        "answer": visible(mean_scores(summary, baseline=record.baseline)),
        "summary": summary,
        "tally": tally,
        "cost": cost(summary.usage),
        "created": words.moment(record.created),
        "judge": judge,
        "second_judged": judge is None or "second_argument" in needs,
        "figures": figures,
        "outstanding": max(record.items_count - summary.total, 0),
        "statuses": bar_segments(statuses, dict(zip(statuses, statuses, strict=True))),
        "missing": list(_missing(summary, record)),
        "usage": usage_rows(summary.usage),
        "settings": list(_settings(record, judge)),
    }


def plain_metrics(summary: Summary) -> list[str]:
    """Return the metrics that are not dimensions of argument quality, with preferences first."""
    compares, plain = list[str](), list[str]()
    for name, metric in summary.metrics.items():
        if name not in BY_NAME:
            (compares if BETTER.keys() & metric.labels else plain).append(name)
    return compares + plain


def _missing(summary: Summary, record: JudgeRecord) -> Iterable[tuple[str, str, str, str]]:
    """Yield for each reason, the most frequent first: its words, how many scores it cost, of which metrics, and an
    example (may be empty)."""
    by_reason: dict[str, dict[str, int]] = {}
    for name, metric in summary.metrics.items():
        for reason, count in metric.reasons.items():
            by_reason.setdefault(reason, {})[name] = count
    ranked = sorted(by_reason.items(), key=lambda pair: -sum(pair[1].values()))
    for reason, metrics in ranked:
        total = sum(metrics.values())
        if len(set(metrics.values())) == 1 and len(metrics) == len(summary.metrics):
            where = "every metric"
        else:
            where = words.counts({words.label(metric): n for metric, n in metrics.items()})
        yield words.reason(reason), words.count(total), where, visible(summary.examples.get(reason, ""))
    for reason, items in summary.without_judgment.items():
        faults = [note.removeprefix(LEFT_OUT) for note in record.notes if note.startswith(LEFT_OUT)]
        example = visible(faults[0]) if faults and reason == "left_out" else ""
        yield words.reason(reason), words.count(items * len(summary.metrics)), "every metric", example


def _settings(record: JudgeRecord, judge: Judge | None) -> Iterable[tuple[str, str]]:
    for name, value in {**record.options, **record.model_options}.items():
        if value not in (None, False, [], (), {}, ""):
            yield words.label(name), ", ".join(map(str, value)) if isinstance(value, list) else str(value)
    for part in judge.judge_prompts if judge else ():
        if part.both_orders and not set(part.metrics).isdisjoint(record.metrics):
            yield "Orders of the arguments", "both"
            break
    if judge and judge.declared:
        yield "Format", visible(judge.summary)
    for name, value in record.identity.items():
        if name.startswith("prompt "):
            yield words.label(name), str(value)
    if judge and judge.source not in ("", "own"):
        yield "Source of the format", judge.source
    yield "Judged with", f"conqret {record.conqret}"


def judge_here(record: JudgeRecord) -> Judge | None:
    """Return the judge of a run, for its scale, scoring rule and source; None if its format is unknown
    here.
    """
    try:
        return recorded_judge(record)
    except DeclarationError:
        return None
