"""What came of judging debates, as tables: Table 2 of Parrish et al. 2022, confidence, changes, and one sentence."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING

from conqret.data.digest import gathered
from conqret.debate.two_turn.slider_answers import END, INSTRUCTIONS, RESPONSES, STRENGTHS, PayoffInstruction
from conqret.errors import number
from conqret.show import words
from conqret.show.charts import PlotKind, drawn
from conqret.show.table import Cell, CellSource, Column, Table
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


def outcome_tables(results: Outcomes) -> Iterator[Table]:
    """Yield the tables of a study's results: Table 2 of the paper, accuracy and bonus, slider points,
    calibration, changes."""
    yield _table_2(results)
    yield Table(
        "Accuracy without abstentions, and dollars an answer",
        {
            **_HEAD,
            "answers": lambda cell: sum(cell.points.values()),
            "not given": "missing",
            "accuracy": "accuracy",
            "dollars": "payoff",
        },
        results.cells,
        note=f"Intervals are over the {words.count(results.passages)} passages{pooling(results.passages)}.",
    )
    yield Table(
        "Where the slider stood, in percent",
        {**_HEAD, **{name: partial(_percentage, place) for place, name in enumerate(POINTS)}},
        results.cells,
    )
    yield Table(
        "How often an answer was right, by its confidence",
        {
            "instruction": "instruction",
            Column("slider", "name"): lambda level: STRENGTHS[level.strength],
            "answers": ("right", "n"),
            "right": "right",
            "pays from": "pays_from",
        },
        results.confidence,
        note="Pays from: the chance of being right from which this answer earns most; where fewer are right, judges "
        "were too sure.",
    )
    if results.changes:
        yield Table(
            "What changes the accuracy",
            {
                "factor": "factor",
                Column("from", "name"): "before",
                Column("to", "name"): "after",
                "accuracy, from": "without",
                "to": "having",
                "difference": "difference",
            },
            results.changes,
            note="Means over all cells that differ in the factor alone.",
        )
    if any(change.consultant for change in results.followed):
        yield Table(
            "Whom judges go with, at the last judgment",
            {
                Column("who is heard", "name"): lambda rate: "one side" if rate.consultant else "both sides",
                Column("who is followed", "name"): lambda rate: f"who argues for the {rate.argued} option",
                "answers": ("rate", "n"),
                "share": "rate",
            },
            results.followed,
            note="Shares of the answers that take a side. To hear one side alone is consultancy: where the share for "
            "the wrong option is high, judges follow the one who speaks.",
        )


def standings_table(standings: Iterable[Standing]) -> Table:
    """Build the table of a model's scores next to those of uninformed baseline judges."""
    return Table(
        "Compared with judges that understand nothing",
        {"judge": "judge", "accuracy": "accuracy", "abstained": "abstained", "dollars an answer": "payoff"},
        standings,
    )


def verdict(results: Outcomes) -> str:
    """Return a sentence, with an interval, on whether debate helps these judges.

    Where one side was also shown alone, a second sentence says if both sides are better.
    """
    judges = "this judge" if results.judges == 1 else f"these {words.count(results.judges)} judges"
    sentences = [_verdict(results.debate, "debate", judges, "with arguments", "without")]
    if results.consultancy is not None:
        sentences.append(
            _verdict(results.consultancy, "hearing both sides", judges, "so", "with one side alone")
        )
    return " ".join(sentences)


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
    shares = [f"{100 * (estimate.value or 0.0):.1f}%" for estimate in (change.having, change.without)]
    return (
        f"{what.capitalize()} {says} {judges}: {shares[0]} of the answers that take a side are right {having} and "
        f"{shares[1]} {without}, {100 * value:+.1f} points [{100 * low:+.1f}, {100 * high:+.1f}]."
    )


def confidence_plot(results: Outcomes, kind: PlotKind) -> bytes:
    """Draw the share of answers at each slider point, one panel for each instruction and condition (Figure
    1).

    Returns:
        The bytes of the image file.

    Raises:
        MissingDependencyError: matplotlib is not installed.
    """
    panels = gathered(((cell.instruction, cell.condition), cell) for cell in results.cells)

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


_HEAD: Mapping[str | Column, CellSource] = {
    "condition": "condition",
    Column("judgment", "name"): lambda cell: NTH[cell.turn],
    Column("instruction", "name"): "instruction",
}


def _table_2(results: Outcomes) -> Table:
    columns = sorted(
        {(cell.turn, cell.instruction) for cell in results.cells},
        key=lambda column: (column[0], list(INSTRUCTIONS).index(column[1])),
    )
    by_cell = {(cell.condition, cell.turn, cell.instruction): cell for cell in results.cells}
    rows: list[tuple[Cell, ...]] = []
    for condition in dict.fromkeys(cell.condition for cell in results.cells):
        cells = [by_cell.get((condition, *column)) for column in columns]
        rows.append((SHOWN[condition],))
        for title, share in (("correct", "correct"), ("incorrect", "incorrect"), ("abstain", "abstained")):
            shares = [None if cell is None else _percent(getattr(cell, share).value) for cell in cells]
            rows.append((title, *shares))
        ratios = [None if cell is None else words.score(cell.ratio.value, 1) for cell in cells]
        rows.append(("correct : incorrect", *ratios))
    return Table(
        "Correct, incorrect and abstaining, in percent of the answers given",
        ("", *(f"{NTH[turn]}, {instruction}" for turn, instruction in columns)),
        rows,
    )


def _percentage(place: int, outcome: Outcome) -> str:
    """The share of the answers at one point of the slider."""
    return f"{_shares(outcome)[place]:.1%}".rstrip("%")


def _percent(share: float | None) -> str:
    return words.score(None if share is None else 100 * share, 1)


def _shares(outcome: Outcome) -> list[float]:
    total = sum(outcome.points.values())
    return [count / total if total else 0.0 for count in outcome.points.values()]


def payoff_tables(instruction: PayoffInstruction) -> Iterator[Table]:
    """Yield two tables for an instruction: each answer's bonus with its break-even confidence, and expected
    earnings."""
    pays = instruction.pays_from()
    wins = {strength: instruction.first_winner(strength) for strength in range(END + 1)}
    yield Table(
        f"{instruction.name}: dollars for an answer",
        ("answer", "right", "wrong", "pays from", "wins from (grid)"),
        [
            (
                STRENGTHS[strength],
                f"{float(instruction.bonus(strength)):+.2f}",
                f"{float(instruction.bonus(-strength)):+.2f}" if strength else "",
                f"{float(pays[strength]):.3f}" if strength in pays else "never",
                "never" if share is None else f"{share}%",
            )
            for strength, share in wins.items()
        ],
        note="Pays from: the confidence from which it earns more than any other answer. Wins from: the first share of "
        "the grid below at which nothing weaker earns more.",
    )
    rows: list[tuple[Cell, ...]] = []
    for strength in range(END + 1):
        cells = []
        for share in instruction.grid:
            chance = Fraction(share, 100)
            earned = f"{float(RESPONSES * instruction.expected(strength, chance)):.1f}"
            cells.append(f"{earned} *" if instruction.best(chance) == strength else earned)
        rows.append((f"always {STRENGTHS[strength]}", *cells))
    yield Table(
        f"{instruction.name}: dollars for {number(RESPONSES, 'answer')}, by the share that is right",
        ("strategy", *(f"{share}%" for share in instruction.grid)),
        rows,
        note="*: the strategy that earns most.",
    )
