"""What came of judging debates, for people: Table 2 of Parrish et al. 2022, confidence, changes, and one sentence."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from conqret.debate.two_turn.anova import Anova, AnovaEffect, Subject
from conqret.debate.two_turn.payoffs import INSTRUCTIONS, STRENGTHS
from conqret.io.faults import listed
from conqret.show import words
from conqret.show.plots import Kind, drawn
from conqret.show.table import Cell, Column, Table
from conqret.stats.resampling import pooling

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from conqret.debate.two_turn.outcomes import BeliefChange, Outcome, Outcomes, Standing


POINTS = ("surely wrong", "wrong", "slightly wrong", "abstain", "slightly right", "right", "surely right")
"""The points of the slider from -3 to 3."""

SHOWN = {
    "PS": "passage + snippets",
    "PSA": "passage + snippets + arguments",
    "PSC": "passage + snippets and argument of one side",
    "S": "snippets",
    "SA": "snippets + arguments",
    "SC": "snippets and argument of one side",
}
"""What judges are shown in a condition."""

NTH = {1: "1st", 2: "2nd", 3: "3rd"}


def outcome_tables(found: Outcomes) -> Iterator[Table]:
    """Table 2's layout, accuracy and pay-off with intervals, the slider's points, its calibration, and changes."""
    yield _table_2(found)
    yield Table(
        "Accuracy where nobody abstained, and dollars an answer",
        (*_HEAD, "answers", "not given", "accuracy", "dollars"),
        [
            (*_name(one), sum(one.points.values()), one.missing, one.accuracy, one.payoff)
            for one in found.cells
        ],
        note=f"Intervals are over the {words.count(found.passages)} passages{pooling(found.passages)}.",
    )
    yield Table(
        "Where the slider stood, in percent",
        (*_HEAD, *POINTS),
        [(*_name(one), *(f"{share:.1%}".rstrip("%") for share in _shares(one))) for one in found.cells],
    )
    yield Table(
        "How often an answer was right, by its confidence",
        ("instruction", Column("slider", "name"), "answers", "right", "pays from"),
        [
            (one.instruction, STRENGTHS[one.strength], one.right.n, one.right, one.pays_from)
            for one in found.confidence
        ],
        note="Pays from: the chance of being right from which this answer earns most; where fewer are right, judges "
        "were too sure.",
    )
    if found.changes:
        yield Table(
            "What changes the accuracy",
            ("factor", Column("from", "name"), Column("to", "name"), "accuracy, from", "to", "difference"),
            [
                (one.factor, one.before, one.after, one.without, one.having, one.difference)
                for one in found.changes
            ],
            note="Means over all cells that differ in the factor alone.",
        )
    if any(one.consultant for one in found.followed):
        yield Table(
            "Whom judges go with, at the last judgment",
            (Column("who is heard", "name"), Column("who is followed", "name"), "answers", "share"),
            [
                (
                    "one side" if one.consultant else "both sides",
                    f"who argues for the {one.argued} option",
                    one.rate.n,
                    one.rate,
                )
                for one in found.followed
            ],
            note="Shares of the answers that take a side. To hear one side alone is consultancy: where the share for "
            "the wrong option is high, judges follow whoever speaks.",
        )


def standings_table(found: Iterable[Standing]) -> Table:
    """Judges beside each other: the model, and those that understand nothing."""
    return Table(
        "Beside judges that understand nothing",
        ("judge", "accuracy", "abstained", "dollars an answer"),
        [(one.judge, one.accuracy, one.abstained, one.payoff) for one in found],
    )


def verdict(found: Outcomes) -> str:
    """Whether debate helps these judges, and where one side was heard alone, whether both are better: a sentence each,
    with its interval."""
    judges = "this judge" if found.judges == 1 else f"these {words.count(found.judges)} judges"
    told = [_verdict(found.debate, "debate", judges, "with arguments", "without")]
    if found.consultancy is not None:
        told.append(_verdict(found.consultancy, "hearing both sides", judges, "so", "with one side alone"))
    return " ".join(told)


def _verdict(change: BeliefChange | None, what: str, judges: str, having: str, without: str) -> str:
    unsaid = f"Whether {what} helps {judges} cannot be said:"
    if change is None:
        return f"{unsaid} both conditions, with and without arguments, are needed."
    value, low, high = change.difference.value, change.difference.low, change.difference.high
    if value is None:
        return f"{unsaid} no answer takes a side in one of the conditions."
    if low is None or high is None:
        why = change.difference.reason.replace("cluster", "passage").replace("topics (or groups)", "passages")
        return f"{unsaid} {100 * value:+.1f} points, with {why}."
    says = "helps" if low > 0 else "harms" if high < 0 else "makes no clear difference to"
    shares = [f"{100 * (one.value or 0.0):.1f}%" for one in (change.having, change.without)]
    return (
        f"{what.capitalize()} {says} {judges}: {shares[0]} of the answers that take a side are right {having} and "
        f"{shares[1]} {without}, {100 * value:+.1f} points [{100 * low:+.1f}, {100 * high:+.1f}]."
    )


def confidence_plot(found: Outcomes, kind: Kind) -> bytes:
    """Figure 1: the share of answers at each point of the slider, a panel for each instruction and condition.

    Raises:
        MissingDependencyError: matplotlib is not installed.
    """
    panels = {
        (one.instruction, one.condition): [
            other
            for other in found.cells
            if (other.instruction, other.condition) == (one.instruction, one.condition)
        ]
        for one in found.cells
    }

    def draw(figure: Figure) -> None:
        axes = figure.subplots(len(panels), 1, squeeze=False, sharex=True, sharey=True)
        for (here,), ((instruction, condition), cells) in zip(axes, panels.items(), strict=True):
            width = 0.8 / len(cells)
            for place, cell in enumerate(cells):
                left = [point - 0.4 + width * (place + 0.5) for point in range(len(POINTS))]
                here.bar(left, _shares(cell), width, label=f"{NTH[cell.turn]} judgment")
            here.set_title(f"{instruction}: {SHOWN[condition]}", fontsize=9)
            here.set_xticks(range(len(POINTS)), POINTS, fontsize=7)
        axes[0][0].legend(fontsize=7)
        figure.supylabel("share of the answers")

    return drawn(draw, (6.5, 1.7 * len(panels) + 0.5), kind)


_HEAD = ("condition", Column("judgment", "name"), Column("instruction", "name"))


def _name(one: Outcome) -> tuple[str, str, str]:
    return one.condition, NTH[one.turn], one.instruction


def _table_2(found: Outcomes) -> Table:
    names = list(INSTRUCTIONS)
    present = {(one.turn, one.instruction) for one in found.cells}
    columns = sorted(present, key=lambda column: (column[0], names.index(column[1])))
    by_cell = {(one.condition, one.turn, one.instruction): one for one in found.cells}
    rows: list[tuple[Cell, ...]] = []
    for condition in dict.fromkeys(one.condition for one in found.cells):
        cells = [by_cell.get((condition, *column)) for column in columns]
        rows += [
            (SHOWN[condition],),
            ("correct", *(_percent(None if one is None else one.correct.value) for one in cells)),
            ("incorrect", *(_percent(None if one is None else one.incorrect.value) for one in cells)),
            ("abstain", *(_percent(None if one is None else one.abstained.value) for one in cells)),
            (
                "correct : incorrect",
                *(words.score(None if one is None else one.ratio.value, 1) for one in cells),
            ),
        ]
    return Table(
        "Correct, incorrect and abstaining, in percent of the answers given",
        ("", *(f"{NTH[turn]}, {instruction}" for turn, instruction in columns)),
        rows,
    )


def _percent(share: float | None) -> str:
    return words.score(None if share is None else 100 * share, 1)


def _shares(one: Outcome) -> list[float]:
    given = sum(one.points.values())
    return [count / given if given else 0.0 for count in one.points.values()]


def anova_tables(found: Iterable[Anova], subject: Subject) -> Iterator[Table]:
    """A table a measure: each effect with its F and p, and beside it the mixed model where subjects lack cells."""
    for one in found:
        by_name = {effect.name: effect for effect in one.effects}
        mixed = {effect.name: effect for effect in one.mixed}
        rows = [
            (name.replace(":", " x "), *_tested(by_name.get(name), "F"), *_tested(mixed.get(name), ""))
            for name in dict.fromkeys([*by_name, *mixed])
        ]
        columns = ("effect", "F", "p", "mixed: chi2", "p (mixed)")
        wide = len(columns) if one.mixed else 3
        yield Table(
            f"{one.measure}: {words.count(one.subjects)} {subject}s with all cells",
            (Column(columns[0], "text"), *columns[1:wide]),
            [row[:wide] for row in rows],
            note=_note(one, subject),
        )


def _tested(effect: AnovaEffect | None, letter: str) -> tuple[str, str]:
    """The statistic, with its degrees of freedom after the letter, and p."""
    if effect is None:
        return words.score(None), words.score(None)
    of = f"{letter}({','.join(map(str, effect.df))})=" if letter else ""
    return f"{of}{effect.statistic:.2f}", words.p_value(effect.p)


def _note(one: Anova, subject: Subject) -> str:
    lacking = len(one.lacking)
    parts = [
        f"No ANOVA: {one.reason}." if one.reason and not one.effects else one.reason and f"{one.reason}.",
        f"Without an answer in every cell, and only in the mixed model: {listed(one.lacking, 5)} "
        f"({words.count(lacking)} of {words.count(lacking + one.subjects)} {subject}s)." if lacking else "",
        "Mixed: all answers, a random intercept for each subject, Wald tests." if one.mixed else "",
        one.mixed_reason and f"Mixed model: {one.mixed_reason.rstrip('.')}.",
    ]  # fmt: skip
    return " ".join(filter(None, parts))
