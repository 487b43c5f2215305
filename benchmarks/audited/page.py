"""The audits as tables and as a page."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from simulated_pairs import NOTHING, inconsistent, spread_at

FILE = Path(__file__).with_name("libraries.txt")
TEXT = Path(__file__).with_name("page.md")
ICCS = (0.0, 0.02, 0.05, 0.10)
"""The intraclass correlations of place effects between pairs of one topic."""
RATE = 0.6
ALPHA = 0.05
JUDGMENTS = {"position": 2, "position and length": 4, "four probes": 12}
"""What is looked for, and the judgments of each pair that it takes."""
SIZES = ((40, 12), (200, 12), (200, 40))
"""Pairs, and the topics that they are on."""
BUDGET, FEW_TOPICS = 480, 12
"""Judgments of the table at one budget, and its topics."""
Z_TEST = "z test of pairs"
INCONSISTENCY = ("juryrig", "judicator")
"""What flags a share of inconsistent verdicts by a threshold: another estimand."""
SLOW = ("judgecal",)
"""What takes seconds for each judge, and gets fewer cells."""
SIZES_OF_BOTH = SIZES[:2]
SIZES_OF = dict.fromkeys(INCONSISTENCY, SIZES[:2]) | dict.fromkeys(SLOW, SIZES[1:2])
"""The sizes of an auditor that does not get all."""
NOT_ASKED = {
    "judgesync": "nothing: it compares a judge's scores with human ones (kappa, correlation), and looks for no bias",
    "judgy": "nothing: it corrects a pass rate for a judge's errors by human labels, and looks for no bias",
}
"""What is installed and has no check of position or length."""
ASKED = {
    "conqret": "`conqret bias` with `--probe` for each that is looked for, corrected together; the primary row of each",
    Z_TEST: "no library: pairs taken for independent, the position alone",
    "judgecal": "probes `position` and `verbosity`; the flags of its card (q < .05 and off by 5 points)",
    "judge-audit": "`position_bias` is a rate alone: its `bootstrap_ci` of pairs, off .5; `length_bias`: t above 1.96",
    "judgemetry": "95% intervals of `slot1_preference` (off .5) and `verbosity_bias` (off 0), over pairs",
    "juryrig": "`position_bias` and `verbosity_bias`: `flagged`, by thresholds (over 20% of the verdicts flip, or the "
    "first place wins 30 or 70%; padding lifts a score by .05 on average or by .15 once)",
    "judicator": "its tests of position and verbosity on these pairs, not on its own items: FAIL (over 30% of the "
    "verdicts flip; padded texts win 65%)",
    **NOT_ASKED,
}


@dataclass(frozen=True)
class Cell:
    """Judges of one kind: what is looked for in how many pairs on how many topics, and what is there."""

    design: str
    pairs: int
    topics: int
    icc: float
    rate: float


@dataclass(frozen=True)
class LibraryAnswer:
    """What one auditor said of one judge, by what it looked for: ``alarm`` or True, None where it does not look."""

    by: str
    version: str
    cell: Cell
    seed: int
    answers: Mapping[str, str | bool | None]

    def line(self) -> str:
        """As it is kept."""
        return json.dumps(asdict(self))

    @classmethod
    def read(cls, line: str) -> LibraryAnswer:
        """From a line that was kept."""
        row = json.loads(line)
        return cls(**row | {"cell": Cell(**row["cell"])})

    def found(self, what: str) -> bool:
        """Whether an alarm was raised."""
        return self.answers.get(what) in (True, "alarm")


def cells_of(name: str) -> list[Cell]:
    """What an auditor is asked about."""
    sizes = SIZES_OF.get(name, SIZES)
    kinds = [("position", *size, rate) for size in sizes for rate in (NOTHING, RATE)]
    if name not in (*INCONSISTENCY, Z_TEST):
        kinds += [("position and length", *size, NOTHING) for size in sizes if size in SIZES_OF_BOTH]
    for design in _designs_at_budget(name):
        pairs = BUDGET // JUDGMENTS[design]
        kinds += [(design, pairs, FEW_TOPICS, rate) for rate in (NOTHING, RATE)]
    iccs = (ICCS[0], ICCS[-1]) if name in SLOW else ICCS
    return [Cell(design, pairs, topics, icc, rate) for design, pairs, topics, rate in kinds for icc in iccs]


def _designs_at_budget(name: str) -> tuple[str, ...]:
    return {"conqret": tuple(JUDGMENTS), Z_TEST: ("position",)}.get(name, ())


def most_allowed(runs: int) -> int:
    """The largest number of false alarms that a one-sided binomial test at 5% does not call more than 5%."""
    chance = 0.0
    for count in range(runs + 1):
        if 1 - chance < ALPHA:
            return count - 1
        log = (
            math.lgamma(runs + 1) - math.lgamma(count + 1) - math.lgamma(runs - count + 1)
            + count * math.log(ALPHA) + (runs - count) * math.log1p(-ALPHA)
        )  # fmt: skip
        chance += math.exp(log)
    return runs


class Tables:
    """The tables of all that is kept. ``usual`` is the number of judges in most cells; others are named."""

    def __init__(
        self, kept: Sequence[LibraryAnswer], names: Sequence[str], usual: Mapping[float, int]
    ) -> None:
        self.names, self.usual = names, usual
        self.versions = {one.by: one.version for one in kept}
        self._by: dict[tuple[str, Cell], list[LibraryAnswer]] = {}
        for one in kept:
            self._by.setdefault((one.by, one.cell), []).append(one)

    def page(self) -> str:
        """The page of results."""
        asked = (f"| {name} | {self.versions[name] or '–'} | {ASKED[name]} |" for name in self.names)
        first = self.usual[NOTHING]
        return TEXT.read_text(encoding="utf-8").format(
            nulls=first,
            biased=self.usual[RATE],
            allowed=most_allowed(first),
            iccs=", ".join(f"{icc:g}" for icc in ICCS[:-1]) + f" and {ICCS[-1]:g}",
            spreads=", ".join(f"{spread_at(icc):.2f}" for icc in ICCS),
            inconsistent=f"{inconsistent(spread_at(ICCS[0])):.0%} to {inconsistent(spread_at(ICCS[-1])):.0%}",
            budget=BUDGET,
            position=self.position(),
            both=self.both(),
            at_budget=self.at_budget(),
            flips=self.flips(),
            clear=self.clear(),
            asked="\n".join(asked),
        )

    def all(self) -> str:
        """All tables, for a terminal."""
        return "\n\n".join([self.position(), self.both(), self.at_budget(), self.flips(), self.clear()])

    def position(self) -> str:
        """Both orders of each pair, and nothing else."""
        names = [name for name in self.names if name not in INCONSISTENCY]
        return "\n\n".join(
            _table(
                f"{_size('position', *size)}",
                ("false alarms", "found"),
                (
                    (name, [self._share(name, Cell("position", *size, icc, rate), ("position",))
                            for rate in (NOTHING, RATE) for icc in ICCS])
                    for name in names
                ),
            )
            for size in SIZES
        )  # fmt: skip

    def both(self) -> str:
        """Four judgments of each pair: false alarms for length, and any."""
        names = [name for name in self.names if name not in (*INCONSISTENCY, Z_TEST)]
        design = "position and length"
        return "\n\n".join(
            _table(
                f"{_size(design, *size)}",
                ("length", "position or length"),
                (
                    (name, [self._share(name, Cell(design, *size, icc, NOTHING), of)
                            for of in (("length",), ("position", "length")) for icc in ICCS])
                    for name in names
                ),
            )
            for size in SIZES_OF_BOTH
        )  # fmt: skip

    def at_budget(self) -> str:
        """The position, at the same number of judgments."""
        rows = []
        for name in ("conqret", Z_TEST):
            for design in _designs_at_budget(name):
                pairs = BUDGET // JUDGMENTS[design]
                cells = [
                    Cell(design, pairs, FEW_TOPICS, icc, rate) for rate in (NOTHING, RATE) for icc in ICCS
                ]
                who = f"{name}, {design}: {pairs} pairs"
                rows.append((who, [self._share(name, cell, ("position",)) for cell in cells]))
        return _table(f"{BUDGET} judgments, {FEW_TOPICS} topics", ("false alarms", "found"), rows)

    def flips(self) -> str:
        """How often a share of inconsistent verdicts is flagged, whether or not a place is favored."""
        rows = [
            (f"{name}, {pairs} pairs", [
                self._share(name, Cell("position", pairs, topics, icc, rate), ("position",), bold=False)
                for rate in (NOTHING, RATE) for icc in ICCS
            ])
            for name in INCONSISTENCY for pairs, topics in SIZES[:2]
        ]  # fmt: skip
        return _table(f"Flagged, {FEW_TOPICS} topics", ("no place favored", "first place wins 60%"), rows)

    def clear(self) -> str:
        """How often conqret rules a bias out."""
        rows = []
        for pairs, topics in SIZES:
            cells = [Cell("position", pairs, topics, icc, rate) for rate in (NOTHING, RATE) for icc in ICCS]
            said = [self._by.get(("conqret", cell), []) for cell in cells]
            if all(said):
                shares = [
                    sum(one.answers["position"] == "clear" for one in some) / len(some) for some in said
                ]
                rows.append((f"{pairs} pairs, {topics} topics", [f"{share:.1%}" for share in shares]))
        return _table("Position clear", ("no place favored", "first place wins 60%"), rows)

    def _share(self, name: str, cell: Cell, of: Sequence[str], *, bold: bool = True) -> str:
        looked = [
            one
            for one in self._by.get((name, cell), ())
            if any(one.answers.get(what) is not None for what in of)
        ]
        if not looked:
            return ""
        count = sum(any(one.found(what) for what in of) for one in looked)
        null = cell.rate == NOTHING
        share = f"{count / len(looked):.1%}" if null else f"{count / len(looked):.0%}"
        if null and bold and count > most_allowed(len(looked)):
            share = f"**{share}**"
        return share if len(looked) == self.usual[cell.rate] else f"{share} (of {len(looked)})"


def _size(design: str, pairs: int, topics: int) -> str:
    return f"{pairs} pairs, {pairs * JUDGMENTS[design]} judgments, {topics} topics"


def _table(title: str, halves: tuple[str, str], rows: Iterable[tuple[str, list[str]]]) -> str:
    head = " | ".join(f"{half}, ICC {icc:g}" for half in halves for icc in ICCS)
    lines = [f"| {who} | {' | '.join(cell or '–' for cell in cells)} |" for who, cells in rows if any(cells)]
    return f"**{title}**\n\n| who | {head} |\n|---|{'---:|' * 2 * len(ICCS)}\n" + "\n".join(lines)
