"""Severities of annotators and the judge in sentences, a table and a picture."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from conqret.show import words
from conqret.show.forest import Forest, ForestRow
from conqret.show.report_page import PageRemarks, Section
from conqret.show.table import Cell, Column, Table
from conqret.stats.rater_severity import TOO_FEW
from conqret.studies.agreement.raters import RaterPlace, Raters

MOST_ROWS = 25
"""Annotators that a terminal shows over all dimensions; of more, outliers and those at either end."""
MOST_DRAWN = 12
"""Annotators in a picture; of more, half of them from either end."""
MOST_NAMED = 5
"""Outliers that a sentence names; of more, only how many they are."""
ENDS = 3
"""Annotators at either end that stand for many, where there is one dimension; else one."""
MOST_OPEN = 3
"""Dimensions up to which a page shows this part without being asked."""

ByDimension = Mapping[str, Raters]


def raters_answer(raters: ByDimension, confidence: float) -> Iterator[str]:
    """Where the judge and the annotators stand, as a paragraph; nothing where nobody is placed."""
    if said := " ".join(_sentences(raters, confidence)):
        yield said


def _sentences(raters: ByDimension, confidence: float) -> list[str]:
    known = _placed(raters)
    sentences: list[str] = []
    if len(known) == 1:
        ((name, found),) = known.items()
        on = f"on {words.label(name).lower()}"
        sentences = [*_judge_sentence(found, on, confidence), *_annotators_sentence(found, on)]
    elif known:
        judged = [found for found in known.values() if found.judge is not None]
        of = words.number(len(judged), "dimension")
        lower, higher = (
            sum(found.judge is not None and found.judge.side == side for found in judged)
            for side in ("lower", "higher")
        )
        if judged:
            sentences.append(
                f"The judge rates the same units lower than the average annotator on {lower or 'none'} of {of} and "
                f"higher on {higher or 'none'} (each with p below .05, not corrected)."
            )
        apart = [
            f"{rater.name} on {words.label(name).lower()}"
            for name, found in known.items()
            for rater in found.annotators
            if rater.apart
        ]
        shown = sum(any(rater.side for rater in found.placed) for found in known.values())
        sentences.append(
            "An annotator is shown to rate lower or higher than the average annotator on "
            f"{shown or 'none'} of {words.number(len(known), 'dimension')}."
        )
        if apart:
            sentences.append(f"Outliers among the annotators: {'; '.join(apart)}.")
    for name, found in _unordered(raters).items():
        rate = None if found.judge is None else found.judge.consensus
        if rate is not None and rate.value is not None:
            better = sum((rater.consensus.value or 0.0) > rate.value for rater in found.placed)
            sentences.append(
                f"On {words.label(name).lower()}, the judge's label is the true one with a probability of "
                f"{words.with_interval(rate)}, by Dawid and Skene's model of the annotators' labels: "
                f"{better or 'none'} of {len(found.placed)} annotators {'reaches' if better < 2 else 'reach'} more."
            )
    return sentences


def _judge_sentence(raters: Raters, on: str, confidence: float) -> Iterator[str]:
    judge, many = raters.judge, len(raters.placed)
    if judge is None or judge.severity.value is None:
        return
    lower, higher = raters.beyond("lower"), raters.beyond("higher")
    if judge.side:
        low, high = sorted(abs(end) for end in (judge.severity.low, judge.severity.high) if end is not None)
        first = (
            f"The judge rates the same units {abs(judge.severity.value):.2f} points {judge.side} than the average "
            f"annotator {on} ({confidence:.0%} CI {low:.2f} to {high:.2f})"
        )
    else:
        first = (
            f"The data do not show that the judge rates lower or higher than the average annotator {on} (severity "
            f"{words.with_interval(judge.severity)} points)"
        )
    yield (
        f"{first}: of {many} annotators {lower or 'none'} {'rates' if lower == 1 else 'rate'} lower than the judge and "
        f"{higher or 'none'} higher."
    )


def _annotators_sentence(raters: Raters, on: str) -> Iterator[str]:
    lower, higher = (sum(rater.side == side for rater in raters.placed) for side in ("lower", "higher"))
    many = len(raters.placed)
    spread = (
        ""
        if raters.spread is None
        else f" (standard deviation of their severities {raters.spread:.2f} points)"
    )
    if many > 2:
        yield (
            f"Of {many} annotators {lower or 'none'} {_is(lower)} shown to rate lower than their average {on} and "
            f"{higher or 'none'} higher{spread}."
        )
    outliers = [rater for rater in raters.annotators if rater.apart]
    if outliers:
        named = [
            f"{rater.name} ({abs(rater.severity.value or 0.0):.2f} points {rater.side})" for rater in outliers
        ]
        what = "is an outlier" if len(outliers) == 1 else "are outliers"
        more = len(named) - MOST_NAMED
        tail = [f"{more} more"] if more > 0 else []
        yield f"{words.listed([*named[:MOST_NAMED], *tail])} {what} among them."


def _is(count: int) -> str:
    return "is" if count < 2 else "are"


def raters_tables(raters: ByDimension, *, whole: bool = True) -> Iterator[Table]:
    """Annotators and the judge by dimension: their severities, and for labels without an order how often their label is
    the true one. Unless ``whole``, of many annotators outliers and those at either end."""
    if severities := _placed(raters):
        yield _severity_table(severities, whole)
    if unordered := _unordered(raters):
        yield _consensus_table(unordered)


def _placed(raters: ByDimension) -> ByDimension:
    """Those dimensions on which annotators are placed by severity."""
    return {name: found for name, found in raters.items() if found.groups and found.ordered}


def _unordered(raters: ByDimension) -> ByDimension:
    return {name: found for name, found in raters.items() if not found.ordered}


def _consensus_table(raters: ByDimension) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for name, found in raters.items():
        rows.append((words.label(name),))
        rows += [
            (
                words.capitalised(rater.name) if rater is found.judge else rater.name,
                rater.labels,
                rater.consensus,
            )
            for rater in (*found.annotators, *filter(None, [found.judge]))
        ]
    return Table(
        "How often a rater's label is the true one, where labels have no order",
        ("Rater", "Units", "Probability"),
        rows,
        note="Probability: that a label of this rater is the true one, by the model of Dawid and Skene (1979), which "
        "estimates from the annotators' labels what is true of each unit, and how each annotator errs. It takes "
        "annotators to err independently: where most of them make the same error, that counts as true. The judge has "
        "no say in what is true.",
    )


def _severity_table(known: ByDimension, whole: bool) -> Table:
    """Annotators and the judge by dimension, the most severe first; unless ``whole``, of many annotators those that
    stand apart and those at either end."""
    judged = any(found.judge is not None for found in known.values())
    grouped = any(len(found.groups) > 1 for found in known.values())
    whole = whole or sum(len(found.annotators) for found in known.values()) <= MOST_ROWS
    rows: list[tuple[Cell, ...]] = []
    ends, hidden = ENDS if len(known) == 1 else 1, 0
    for name, found in known.items():
        shown = [
            rater
            for place, rater in enumerate(found.annotators)
            if whole or rater.apart or place < ends or len(found.placed) - ends <= place < len(found.placed)
        ]
        hidden += len(found.annotators) - len(shown)
        if found.judge is not None:
            at = found.judge.severity.value or 0.0
            before = sum(rater.group == 0 and (rater.severity.value or 0.0) > at for rater in shown)
            shown.insert(before, found.judge)
        if len(known) > 1:
            rows.append((f"{words.label(name)} ({found.scale})",))
        rows += [_row(rater, grouped) for rater in shown]
    only, found = next(iter(known.items()))
    on = f": {words.label(only).lower()} ({found.scale})" if len(known) == 1 else ""
    return Table(
        f"Severity of annotators{' and the judge' if judged else ''}{on}",
        (
            "Rater",
            *([Column("Group", "figure")] if grouped else []),
            "Units",
            "Severity",
            Column("Shown", "text"),
            "Order",
        ),
        rows,
        note=_note(judged, grouped, hidden),
    ).compact()


def _row(rater: RaterPlace, grouped: bool) -> tuple[Cell, ...]:
    group: Cell = "" if rater.group is None else rater.group + 1
    return (
        words.capitalised(rater.name) if rater.name == "the judge" else rater.name,
        *([group] if grouped else []),
        rater.labels,
        rater.severity,
        _shown(rater),
        rater.order,
    )


def _shown(rater: RaterPlace) -> str:
    """What is shown of a rater's severity."""
    return ", ".join(filter(None, (rater.side and f"rates {rater.side}", rater.apart * "outlier")))


def _note(judged: bool, grouped: bool, hidden: int) -> str:
    note = (
        "“Severity” is how many points of the labels' scale a rater rates lower than the average annotator on "
        "the same units; a negative severity means higher ratings. “Shown” says that a rater rates significantly "
        "lower or higher (severity differs from 0), or is an outlier among five annotators or more (severity far "
        "from those of the others), each with p below .05, corrected for the number of annotators after Holm. With "
        "fewer than six topics (or items), or with two annotators, severity is not tested. “Order” is Spearman's "
        "correlation of a rater's labels with the mean of the other annotators, corrected for their severities: 1 "
        "means that the rater ranks units as the others do, and 0 that the rankings are unrelated."
    )
    if judged:
        note += (
            " The row of the judge uses its scores, mapped to the labels' scale; the judge is not part of the "
            "average annotator, its tests are not corrected, and its “Order” is averaged over the annotators whose "
            "place it takes."
        )
    if grouped:
        note += (
            "  Annotators of different groups have no units in common, so severities can be compared only within a "
            "group" + ("; the judge stands among group 1." if judged else ".")
        )
    if hidden:
        note += f" {words.number(hidden, 'row')} {'is' if hidden == 1 else 'are'} left out here; "
        note += "--json and pages have all."
    return note


def raters_section(raters: ByDimension, confidence: float) -> Section | None:
    """The part of a page: a picture for each dimension, and the table; why there is none where nobody is placed; None
    where there is nobody to place."""
    if not raters:
        return None
    tables = list(raters_tables(raters))
    if not tables:
        return Section(
            "Severity of annotators", [PageRemarks([f"It is not estimated: every annotator has {TOO_FEW}."])]
        )
    pictures = [raters_picture(name, found, confidence) for name, found in _placed(raters).items()]
    sentences = _sentences(raters, confidence)
    said = [PageRemarks(sentences)] if sentences else []
    return Section(tables[0].title, [*pictures, *said, *tables], folded=len(pictures) > MOST_OPEN)


def raters_picture(name: str, raters: Raters, confidence: float) -> Forest:
    """The severities of one dimension, the most severe first; of many annotators, those at either end."""
    shown = raters.placed
    cut = ""
    if len(shown) > MOST_DRAWN:
        half = MOST_DRAWN // 2
        cut = f" (the {half} most and {half} least severe of {len(shown)})"
        shown = [*shown[:half], *shown[-half:]]
    if raters.judge is not None:
        shown = sorted([*shown, raters.judge], key=lambda rater: -(rater.severity.value or 0.0))
    return Forest(
        f"{words.label(name)}: severity{cut}",
        f"Points lower than the average annotator, {confidence:.0%} CI",
        [
            ForestRow(
                words.capitalised(rater.name) if rater is raters.judge else rater.name,
                rater.severity.value,
                rater.severity.low,
                rater.severity.high,
                verdict="alarm" if rater.apart else "",
                word="outlier" if rater.apart else "",
            )
            for rater in shown
            if rater.severity.value is not None
        ],
    )
