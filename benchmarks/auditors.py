"""How often ``conqret bias`` finds a first place that wins 60%, and how often it raises an alarm at nothing, beside a
z test that takes pairs for independent.

    python benchmarks/auditors.py            # the tables of docs/results/auditors.md; 20 minutes of one core

Both get the same simulated judges (simulated_pairs.py), by the same seeds. Of conqret everything behind the judgments
is what the command does: comparisons, primary rows, tests.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
from scipy.stats import binom

sys.path.insert(0, str(Path(__file__).parent))
from harness import arguments, table
from simulated_pairs import NOTHING, SimulatedJudge

from conqret.data import Judgment, Measure
from conqret.studies.bias.bias_effects import bias_rows
from conqret.studies.bias.bias_run import BiasPlan
from conqret.studies.bias.contrast import ONE_ORDER, Key
from conqret.studies.bias.probes.changed_requests import SWAPPED
from conqret.studies.power.bias_power import pairs_plan

Z = 1.959964
"""Beyond which a standard normal value lies in 5% of cases."""
PROBES = ("position", "length", "authority", "injection")
"""What can be asked of pairs without documents and labels."""
DESIGNS = {"position": PROBES[:1], "position and length": PROBES[:2], "four probes": PROBES}
"""The probes that are made together, and corrected together."""
JUDGMENTS = {"position": 2, "position and length": 4, "four probes": 12}
"""The judgments of each pair that a design takes."""
ICCS = (0.0, 0.02, 0.05, 0.10)
"""The intraclass correlations of place effects between pairs of one topic."""
RATE, ALPHA = 0.6, 0.05
SIZES = ((40, 12), (200, 12), (200, 40))
"""Pairs, and the topics that they are on."""
BUDGET, FEW_TOPICS = 480, 12
"""Judgments of the table at one budget, and its topics."""
JUDGED = {
    value: Judgment.model_construct(
        topic="", measures={"preference": Measure.model_construct(value=value, label=label)}
    )
    for value, label in ((0.0, "second"), (0.5, "tie"), (1.0, "first"))
}
Auditor = Callable[[Sequence[SimulatedJudge], str], Iterator[str]]
"""What is said of the position of each judge with the probes of a design: ``alarm``, ``clear`` or something else."""


def judged(plan: BiasPlan, judge: SimulatedJudge) -> dict[Key, Judgment]:
    """What the simulated judge says of every version, asked in every way."""
    verdicts: dict[str, list[tuple[bool, bool]]] = {}
    readings = {}
    for way, versions in plan.versions.items():
        for item in versions:
            original, _, change = item.id.removesuffix(SWAPPED).partition("+")
            if change not in verdicts:
                orders = judge.first_wins(change), judge.first_wins(change, swapped=True)
                verdicts[change] = list(zip(*(wins.tolist() for wins in orders), strict=True))
            given, swapped = verdicts[change][int(original.removeprefix("pair-"))]
            if way == ONE_ORDER:
                value = float(swapped if item.id.endswith(SWAPPED) else given)
            else:  # both orders, of which a flip is a tie
                value = (given + 1 - swapped) / 2
            readings[way, item.id] = JUDGED[value]
    return readings


def audited(judges: Sequence[SimulatedJudge], design: str) -> Iterator[str]:
    """What ``conqret bias`` says with the probes of this design."""
    found = pairs_plan(judges[0].pairs, judges[0].topics, DESIGNS[design])
    for judge in judges:
        rows = bias_rows(found.contrasts, judged(found, judge), seed=judge.seed)
        yield next(row.verdict for row in rows if row.primary and row.probe == "position")


def z_test(judges: Sequence[SimulatedJudge], design: str) -> Iterator[str]:
    """The answer of whoever takes pairs for independent: a z test at 5%."""
    for judge in judges:
        off = judge.first_wins() * 1.0 + judge.first_wins(swapped=True) - 1
        yield "alarm" if abs(off.mean()) > Z * off.std(ddof=1) / np.sqrt(len(off)) else ""


AUDITORS: Mapping[str, Auditor] = {"conqret": audited, "z test of pairs": z_test}


class Audits:
    """The verdicts of auditors on ``usual`` judges of each kind, by the rate at which their first place wins."""

    def __init__(self, usual: Mapping[float, int]) -> None:
        self.usual = usual
        self._kept: dict[tuple[object, ...], Counter[str]] = {}

    def shares(self, who: str, design: str, pairs: int, topics: int, verdict: str = "alarm") -> list[str]:
        """How often a verdict is given, at each rate and correlation; false alarms in bold where they are too many."""
        shown = []
        for rate, count in self.usual.items():
            for icc in ICCS:
                key = (who, design, pairs, topics, icc, rate)
                if key not in self._kept:
                    judges = [SimulatedJudge(pairs, topics, icc, rate, seed) for seed in range(count)]
                    self._kept[key] = Counter(AUDITORS[who](judges, design))
                    print(*key, dict(self._kept[key]), file=sys.stderr)
                number = self._kept[key][verdict]
                null = rate == NOTHING
                share = f"{number / count:.1%}" if null else f"{number / count:.0%}"
                bold = null and verdict == "alarm" and number > binom.isf(ALPHA, count, ALPHA)
                shown.append(f"**{share}**" if bold else share)
        return shown

    def tables(self) -> Iterator[str]:
        """The position alone, at one budget of judgments, and how often a bias is ruled out."""
        halves = ("false alarms", "found")
        for pairs, topics in SIZES:
            rows = [(who, self.shares(who, "position", pairs, topics)) for who in AUDITORS]
            yield titled(f"{pairs} pairs, {2 * pairs} judgments, {topics} topics", halves, rows)
        rows = [
            (f"{who}, {design}: {BUDGET // each} pairs", self.shares(who, design, BUDGET // each, FEW_TOPICS))
            for who in AUDITORS
            for design, each in JUDGMENTS.items()
            if who == "conqret" or design == "position"
        ]
        yield titled(f"{BUDGET} judgments, {FEW_TOPICS} topics", halves, rows)
        rows = [
            (f"{pairs} pairs, {topics} topics", self.shares("conqret", "position", pairs, topics, "clear"))
            for pairs, topics in SIZES
        ]
        yield titled("Position clear", ("no place favored", "first place wins 60%"), rows)


def titled(title: str, halves: tuple[str, str], rows: Iterable[tuple[str, list[str]]]) -> str:
    heads = [f"{half}, ICC {icc:g}" for half in halves for icc in ICCS]
    lines = table(("who", *heads), [(who, *cells) for who, cells in rows])
    return "\n".join([f"**{title}**\n", *lines])


def main() -> None:
    reader = arguments(__doc__)
    reader.add_argument("--nulls", type=int, default=500, help="judges without a bias, in each cell")
    reader.add_argument("--biased", type=int, default=250, help="judges whose first place wins 60%%")
    asked = reader.parse_args()
    for shown in Audits({NOTHING: asked.nulls, RATE: asked.biased}).tables():
        print(shown, end="\n\n", flush=True)


if __name__ == "__main__":
    main()
