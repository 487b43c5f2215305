"""Tables of agreement, for terminals and pages: people among themselves, a judge beside them, what costs nothing, and
several judges."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from conqret.reliability.validation.calibration import Calibration
from conqret.reliability.validation.calibration_maps import KINDS
from conqret.reliability.validation.judge_comparison import JudgeComparison, Pair
from conqret.reliability.validation.people import PeopleAgreement
from conqret.reliability.validation.settings import Basis
from conqret.reliability.validation.statistics import STATISTICS
from conqret.reliability.validation.trivial import TRIVIAL
from conqret.reliability.validation.validate import Validation
from conqret.reliability.validation.variants import CALIBRATED
from conqret.report import words
from conqret.report.table import Cell, Column, Table
from conqret.stats.estimate import FEWEST_TESTED, Estimate, undefined
from conqret.stats.isotonic import FOLDS

SHOWN = ("mean", CALIBRATED, *TRIVIAL)
"""The judge, and what stands beside it, in this order."""
NOT_EVERYWHERE = "it has no value on some of the judge's units"


def people_table(found: PeopleAgreement) -> Table:
    """How far people agree, a row for each dimension or topic."""
    shared = len({row.level for row in found.rows}) == 1
    level = "" if not shared else f", {found.rows[0].level} level"
    names = list(found.rows[0].statistics)
    rows = [
        (
            row.name,
            *(() if shared else (row.level,)),
            row.annotators,
            row.units,
            "" if row.most_frequent is None else f"{row.most_frequent:.0%}",
            row.alpha,
            *row.statistics.values(),
        )
        for row in found.rows
    ]
    titles = [STATISTICS[name].title for name in names]
    empty, blank = [""] * len(names), [""] * (1 if shared else 2)
    foot: list[tuple[Cell, ...]] = []
    if len(rows) > 1:
        foot.append(("average", *blank, "", "", found.average, *empty))
        if found.together is not None:
            foot.append(("all together", *blank, found.together.n, "", found.together, *empty))
    return Table(
        f"{found.basis.layout}{level}: {found.basis.intervals}",
        (found.by, *(() if shared else ("level",)), "people", "units", "top", "alpha", *titles),
        rows,
        foot=foot,
        note="top: the share of the most frequent label.",
    )


def comparison_tables(found: JudgeComparison) -> Iterator[Table]:
    """Several judges beside the same people: in the mean, by pairs, and by dimension."""
    average, held_out = found.average, found.held_out
    yield Table(
        f"Alpha with people, {found.basis.intervals}",
        ("judge", "alpha", "p", "error", "best without"),
        [
            (
                name,
                one.alpha,
                words.p_value(found.over.get(name)),
                one.error,
                f"{held_out.chosen[name]} of {held_out.folds}",
            )
            for name in found.judges
            for one in [average.judges[name]]
        ],
        foot=[("chosen on other topics", held_out.alpha, "", "", "")],
        note="Krippendorff's alpha, the mean over dimensions without overall quality, and error, the mean distance "
        "from people's label in [0, 1], on what all judges scored. p: of the first judge over this one. The best of "
        f"several looks better than it is: best without says for how many of {held_out.folds} parts of the "
        f"{found.basis.clustered_by}s a judge is the best on the others; the last row holds whoever is chosen so "
        "against the part that had no say. Scores are taken as they are: a judge that uses its scale otherwise than "
        "people do loses by that alone (conqret calibrate).",
    )
    yield pairs_table(average.pairs, found.basis)
    yield Table(
        "Alpha by dimension",
        ("dimension", "units", *found.judges),
        [
            (name, row.units, *(row.judges[judge].alpha for judge in found.judges))
            for name, row in found.dimensions.items()
        ],
        note=_by_dimension(found),
    )


def _by_dimension(found: JudgeComparison) -> str:
    """What differs on single dimensions."""
    shown = [
        f"{name}: {pair.shown} over {({pair.first, pair.second} - {pair.shown}).pop()} ({pair.difference})"
        for name, row in found.dimensions.items()
        for pair in row.pairs
        if pair.shown
    ]
    return f"Shown to differ, corrected over dimensions and pairs: {'; '.join(shown) or 'none'}."


def pairs_table(pairs: Sequence[Pair], basis: Basis) -> Table:
    """The differences of the mean alphas of all pairs of judges."""
    return Table(
        "Differences of alphas",
        (Column("judge", "name"), Column("minus", "name"), "difference", "p"),
        [(one.first, one.second, one.difference, words.p_value(one.p)) for one in pairs],
        note=f"Paired by {basis.clustered_by}; p is corrected for all pairs together (signs of whole "
        f"{basis.clustered_by}s are flipped, maxT), none below {FEWEST_TESTED} of them.",
    )


def agreement_table(found: Validation) -> Table:
    """A judge beside people, on each dimension and in the mean."""
    rows = [
        (name, row.compared, row.alpha, row.as_person, row.person, row.people, f"{row.coverage:.1%}")
        for name, row in found.dimensions.items()
    ]
    average = found.average
    whole = (
        average.judge["mean"], average.as_person, average.person, average.people, f"{found.coverage:.1%}",
    )  # fmt: skip
    return Table(
        f"Krippendorff's alpha, {found.basis.intervals}",
        ("dimension", "units", "judge and people", "judge as one", "one person", "people", "coverage"),
        rows,
        foot=[("average", "", *whole)],
        note="One person: with the others; judge as one: in that person's place, with the same others. The average is "
        "without overall quality.",
    )


def trivial_table(alphas: Mapping[str, Mapping[str, Estimate]], average: Mapping[str, Estimate]) -> Table:
    """The judge's alpha beside that of what costs nothing, by dimension, and in words where it is not shown to be
    better."""
    names = [name for name in SHOWN if any(name in one for one in alphas.values())]
    none = undefined(NOT_EVERYWHERE)
    rows: list[tuple[Cell, ...]] = [
        (dimension, *(one.get(name, none) for name in names)) for dimension, one in alphas.items()
    ]
    return Table(
        "Alpha beside what costs nothing",
        ("dimension", *("judge" if name == "mean" else name for name in names)),
        rows,
        foot=[("average", *(average.get(name, none) for name in names))],
        note="Length is put onto people's scale by the labels of other topics; the constant is people's mean.",
    )


def beside_table(found: Validation) -> Table:
    """:func:`trivial_table` of a validation."""
    alphas = {name: row.variants for name, row in found.dimensions.items()}
    return trivial_table(alphas, found.average.judge)


def calibration_tables(found: Calibration) -> Iterator[Table]:
    """What a calibration changes: alpha by kind of map and chosen, what costs nothing, error, and whether what is said
    means what people mean."""
    kinds = [name for name in KINDS if any(name in one.alpha for one in found.checked.values())]
    taken = {maps.dimension: maps.kinds for maps in found.maps.values()}
    rows: list[tuple[Cell, ...]] = [
        (
            name,
            one.units,
            one.alpha["mean"],
            *(one.alpha.get(kind, undefined(one.missed.get(kind, ""))) for kind in kinds),
            one.alpha[CALIBRATED],
            one.gain,
            taken[name],
        )
        for name, one in found.checked.items()
    ]
    none = undefined("a dimension has none")
    means = (found.average.get(name, none) for name in ("mean", *kinds, CALIBRATED))
    yield Table(
        f"Alpha with people, cross-fitted, {found.basis.intervals}",
        ("dimension", "units", "judge", *kinds, "calibrated", "gain", Column("map", "text")),
        rows,
        foot=[("average", "", *means, found.average_gain, "")],
        note=f"Scores are mapped by the labels of other {found.basis.clustered_by}s ({FOLDS} folds); calibrated: by "
        "the kind of map with the least squared error on these. Map: the kind for items to come. The average is "
        "without overall quality.",
    )
    yield trivial_table({name: one.alpha for name, one in found.checked.items()}, found.average)
    shown = ("mean", *kinds, CALIBRATED, *TRIVIAL)
    names = [name for name in shown if any(name in one.error for one in found.checked.values())]
    yield Table(
        "Mean distance from people's label, in [0, 1]",
        ("dimension", *("judge" if name == "mean" else name for name in names)),
        [
            (
                dimension,
                *(
                    one.error[name].value
                    if name in one.error
                    else undefined(one.missed.get(name, NOT_EVERYWHERE))
                    for name in names
                ),
            )
            for dimension, one in found.checked.items()
        ],
        note="Intervals are in the file.",
    )
    bands: list[tuple[Cell, ...]] = [
        ("judge" if name == "mean" else name, band.units, band.said, band.people)
        for name in ("mean", CALIBRATED)
        for band in found.bands[name]
    ]
    yield Table(
        "Does what is said mean what people mean? All dimensions, in bands of what is said",
        ("", "units", "says", "people say"),
        bands,
        note="All in [0, 1]. Where both agree, a score can be read as people's mean label.",
    )
