"""The tables of the judge card."""

from __future__ import annotations

from collections.abc import Sequence

from conqret.data.digest import gathered
from conqret.judging.dimensions import DIMENSIONS
from conqret.judging.rubrics import identity_in_words
from conqret.show import words
from conqret.show.table import Alarm, Cell, Column, Table
from conqret.studies.agreement.annotator_agreement import OVERALL
from conqret.studies.agreement.statistics import CALIBRATED, STATISTICS
from conqret.studies.agreement_tables import AS_ONE, alpha_note, as_one_cells, average_note
from conqret.studies.card.result import Card
from conqret.studies.sensitivity.curves import Curve
from conqret.studies.sensitivity.sensitivity_tables import damage
from conqret.studies.variance.result import Repeatability

SHOWN = [statistic for statistic in STATISTICS.values() if statistic.on_card]
"""The statistics that a card shows."""


def agreement_rows(card: Card) -> Table:
    """The judge beside people, a row for each dimension; where one person labelled, without what takes several."""
    mapped = any(row.calibrated.value is not None for row in card.agreement)
    several = card.annotators > 1
    rows: list[tuple[Cell, ...]] = [
        (
            words.label(row.dimension),
            row.compared,
            row.alpha,
            *([row.calibrated] if mapped else []),
            *(several * as_one_cells(row)),
            *(row.statistics[statistic.name] for statistic in SHOWN),
        )
        for row in card.agreement
    ]
    foot: list[tuple[Cell, ...]] = []
    if (average := card.average) is not None:
        raw_and_mapped = [average.judge.get(name, "") for name in ("mean", *([CALIBRATED] if mapped else []))]
        people = several * as_one_cells(average)
        name = f"Average of {len(average.dimensions)}"
        foot = [(name, "", *raw_and_mapped, *people, *[""] * len(SHOWN))]
    return Table(
        "Krippendorff's alpha and other statistics",
        (
            "Dimension",
            "Units",
            "Judge and annotators",
            *(["Calibrated"] if mapped else []),
            *several * AS_ONE,
            *(statistic.title for statistic in SHOWN),
        ),
        rows,
        foot=foot,
        note=" ".join(
            (
                f"Columns without another name are Krippendorff's alpha. {alpha_note(card.basis, several)}",
                *(
                    [average_note(average.dimensions, {row.dimension: row.alpha for row in card.agreement})]
                    if average
                    else []
                ),
                *mapped
                * (
                    "“Calibrated” is the alpha of scores mapped to the labels' scale, with labels of other topics.",
                ),
                *(statistic.about for statistic in SHOWN if statistic.about),
            )
        ),
    )


def main_curves(card: Card) -> list[Curve]:
    """The curves to draw: all but those of single dimensions of quality, and those that are not as they should be."""
    single = {dimension.name for dimension in DIMENSIONS} - {OVERALL}
    return [row for row in card.sensitivity if row.verdict == "no" or row.metric not in single]


def verdict_rows(curves: Sequence[Curve]) -> Table:
    """What known damage should do to each metric, and what it does; a heading for each kind of damage."""
    rows: dict[str, list[tuple[Cell, ...]]] = {}
    for row in curves:
        levels = ", ".join(f"{point.level:g}" for point in row.points)
        heading = f"{row.perturbation} ({damage(row.perturbation)}), at {levels} {row.unit}"
        means = ", ".join(f"{point.mean:.3f}" for point in row.points)
        verdict_text = f"{row.verdict or 'nothing is expected'}: {row.words}"
        cells = (
            words.label(row.metric),
            row.expected or "",
            means,
            Alarm(verdict_text) if row.verdict == "no" else verdict_text,
        )
        rows.setdefault(heading, []).append(cells)
    columns = [Column(name, "text") for name in ("Metric", "Should", "Means", "As it should")]
    return Table(
        "All curves", columns, [line for head, row_group in rows.items() for line in ((head,), *row_group)]
    )


def repeatability_table(rows: Sequence[Repeatability]) -> Table:
    """How far the judge repeats itself; metrics that it repeats alike are one row."""
    alike = gathered(((row.scores, str(row.deviation), str(row.generalizability)), row) for row in rows)
    return Table(
        "Repeatability",
        (Column("Metric", "text"), "Scores", "Standard deviation", "Generalizability"),
        [
            (
                ", ".join(words.label(row.metric) for row in same),
                same[0].scores,
                same[0].deviation,
                same[0].generalizability,
            )
            for same in alike.values()
        ],
        note="“Standard deviation” is that of the scores of one item that is judged several times. “Generalizability” "
        "is the share of the variance of scores that is due to differences between items; it is 1 where the judge "
        "always gives an item the same score. Samples of a run may list the dimensions in another order; the bias "
        "probe of repeatability sends exactly the same request again.",
    )


def instrument_table(card: Card) -> Table:
    """What the fingerprint names."""
    parts = {**identity_in_words(card.run.identity), "metrics": ", ".join(map(words.label, card.run.metrics))}
    rows = [
        (
            name.replace("_", " "),
            ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value),
        )
        for name, value in parts.items()
        if value is not None
    ]
    return Table("Judge configuration", ("Part", Column("Value", "text")), rows)
