"""What the audits come to, as tables and as a page."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

FILE = Path(__file__).with_name("libraries.txt")
TEXT = Path(__file__).with_name("page.md")
CELLS = ((40, 12), (200, 12), (200, 40))
"""Pairs, and the topics that they are on."""
WANTED = (0.30, 0.68, 0.96)
"""The shares in which a first place that wins 60% is to be found."""
RATE = 0.6
ALPHA = 0.05
NOT_ASKED = {
    "judgesync": "nothing: it sets a judge's scores beside people's (kappa, correlation), and looks for no bias",
    "judgy": "nothing: it corrects a pass rate for a judge's errors by people's labels, and looks for no bias",
}
"""What is installed and has no check of position or length."""
ASKED = {
    "conqret": "`conqret bias`: four probes, corrected together; the primary row of each",
    "conqret, position and length": "the same with `--probe position --probe length`",
    "conqret, position": "the same with `--probe position`",
    "z test of pairs": "no library: pairs taken for independent, corrected for nothing",
    "judgecal": "probes `position` and `verbosity`; the flags of its card (q < .05 and off by 5 points)",
    "judge-audit": "`position_bias` is a rate alone: its `bootstrap_ci` of pairs, off .5; `length_bias`: t above 1.96",
    "judgemetry": "95% intervals of `slot1_preference` (off .5) and `verbosity_bias` (off 0), over pairs",
    "juryrig": "`position_bias` and `verbosity_bias`: `flagged`, by thresholds (flips above 20%)",
    "judicator": "its tests of position and verbosity, on these pairs, not its own items: FAIL (flips above 30%)",
    **NOT_ASKED,
}


@dataclass(frozen=True)
class Said:
    """What one auditor said of one judge, by what it looked for: ``alarm`` or True, None where it does not look."""

    by: str
    version: str
    pairs: int
    topics: int
    rate: float
    seed: int
    answers: Mapping[str, str | bool | None]

    def line(self) -> str:
        """As it is kept."""
        return json.dumps(asdict(self))

    def found(self, what: str) -> bool:
        """Whether an alarm was raised."""
        return self.answers.get(what) in (True, "alarm")


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


def page(kept: Sequence[Said], names: Sequence[str]) -> str:
    """The page of results."""
    versions = {one.by: one.version for one in kept}
    asked = "\n".join(
        f"| {name} | {versions[name] or '–'} | {ASKED[name]} |" for name in names if name in versions
    )
    return TEXT.read_text(encoding="utf-8").format(
        table=table(kept, names), asked=asked, allowed=most_allowed(1000), clear=_clear_table(kept)
    )


def table(kept: Sequence[Said], names: Sequence[str]) -> str:
    """False alarms and what is found, by auditor and cell."""
    head = " | ".join(f"{pairs} pairs, {topics} topics" for pairs, topics in CELLS)
    parts = [
        _part(kept, names, "A first place that wins 60% is found (position)", head, RATE, ("position",)),
        _part(kept, names, "False alarms: position", head, 0.5, ("position",)),
        _part(kept, names, "False alarms: length", head, 0.5, ("length",)),
        _part(kept, names, "False alarms: any", head, 0.5, ()),
    ]
    return "\n\n".join(parts)


def _part(
    kept: Sequence[Said], names: Sequence[str], title: str, head: str, rate: float, of: Sequence[str]
) -> str:
    rows = []
    for name in names:
        cells = [_share(kept, name, cell, rate, of) for cell in CELLS]
        if any(cells):
            rows.append(f"| {name} | {' | '.join(one or '–' for one in cells)} |")
    if rate == RATE:
        rows.append(f"| *wanted of conqret* | {' | '.join(f'*{one:.0%}*' for one in WANTED)} |")
    return f"**{title}**\n\n| who | {head} |\n|---|---:|---:|---:|\n" + "\n".join(rows)


def _share(kept: Sequence[Said], name: str, cell: tuple[int, int], rate: float, of: Sequence[str]) -> str:
    said = list(_of(kept, name, cell, rate))
    looked = [one for one in said if any(one.answers.get(what) is not None for what in of or one.answers)]
    if not looked:
        return ""
    count = sum(any(one.found(what) for what in of or one.answers) for one in looked)
    share = f"{count / len(looked):.1%}" if rate != RATE else f"{count / len(looked):.0%}"
    told = f"**{share}**" if rate != RATE and count > most_allowed(len(looked)) else share
    usual = 500 if rate == RATE else 1000
    return told if len(looked) == usual else f"{told} (of {len(looked):,})"


def _of(kept: Sequence[Said], name: str, cell: tuple[int, int], rate: float) -> Iterator[Said]:
    return (one for one in kept if (one.by, one.pairs, one.topics, one.rate) == (name, *cell, rate))


def _clear_table(kept: Sequence[Said]) -> str:
    rows = []
    for pairs, topics in CELLS:
        rightly, wrongly = (
            [one.answers["position"] == "clear" for one in _of(kept, "conqret", (pairs, topics), rate)]
            for rate in (0.5, RATE)
        )
        if rightly and wrongly:
            shares = f"{sum(rightly) / len(rightly):.0%} | {sum(wrongly) / len(wrongly):.1%}"
            rows.append(f"| {pairs} | {topics} | {shares} |")
    return (
        "| pairs | topics | position clear, where nothing is there | where 60% win |\n|---:|---:|---:|---:|\n"
        + "\n".join(rows)
    )
