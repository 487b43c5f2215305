"""How often an improvement is claimed where there is none, and how often one is found that is there.

    python benchmarks/improving.py [--runs 200]

A stand-in for the model gives scores of which the truth is known: each item has a quality, the judge and each of its
variants rate it with noise of their own, and annotators' labels are the quality with noise, or, shuffled over items,
nothing at all. What is chosen and measured of them is what ``conqret judges improve`` chooses and measures; no prompt
is made. Labels are on an interval scale, so that maps are isotonic: they take an eighth of the time of ordinal ones,
and fit chance more closely.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import numpy as np

from conqret.data import Item, Judgment, Measure, Status
from conqret.io.label_set import Label, LabelScale, LabelSet, Scales, Unit
from conqret.studies.agreement.agreement_settings import DEFAULT_SETTINGS
from conqret.studies.improve.improve_run import ImprovePlan
from conqret.studies.improve.improved_prompt import AS_IT_IS, LabelledItems
from conqret.studies.improve.measuring import outcome

VARIANTS = (AS_IT_IS, "examples", "wording", "both")
TOPICS, EACH, ANNOTATORS = 12, 5, 5
HELD_OUT = 20
"""Topics that are held out, where some are."""
STEPS = 4
"""Steps of the labels' scale beyond the first."""


@dataclass(frozen=True)
class Case:
    """``noise`` is that of each variant's scores around the quality, ``level`` what its scores lie off, ``shuffled``
    whether labels are dealt to other items, and ``held`` whether topics are held out."""

    name: str
    noise: dict[str, float]
    level: float = 0.0
    shuffled: bool = False
    held: bool = False
    errs: float | None = None


SAME = dict.fromkeys(VARIANTS, 0.2)
CASES = (
    Case("labels shuffled, each fold in turn", SAME, shuffled=True, errs=0.05),
    Case("labels shuffled, topics held out", SAME, shuffled=True, held=True, errs=0.05),
    Case("labels shuffled, a severe judge", SAME, level=-0.3, shuffled=True, held=True, errs=0.05),
    Case("no variant is better, each fold in turn", SAME, errs=0.05),
    Case("no variant is better, topics held out", SAME, held=True, errs=0.05),
    Case("a severe judge, as good in rank", SAME, level=-0.3, held=True),
    Case("a better wording, each fold in turn", {**SAME, "wording": 0.08, "both": 0.08}),
    Case("a better wording, topics held out", {**SAME, "wording": 0.08, "both": 0.08}, held=True),
)


@dataclass(frozen=True)
class Drawn(ImprovePlan):
    """A plan whose model draws its scores."""

    case: Case = CASES[0]
    quality: dict[str, float] = field(default_factory=dict)
    seed: int = 0

    @property
    def variants(self) -> tuple[str, ...]:
        """One more than the command tries, so that more is claimed by chance."""
        return VARIANTS[1:]

    def setup_of(self, variant: str, out: frozenset[int]) -> Any:
        """A name in place of the judge."""
        return SimpleNamespace(variant=variant, fingerprint=f"{variant} {sorted(out)}")

    def judgments(self, setup: Any, items: Iterable[Item]) -> dict[str, Judgment]:
        """A score for each item, always the same."""
        return {item.id: self._judgment(setup, item) for item in items}

    def _judgment(self, setup: Any, item: Item) -> Judgment:
        key = [self.seed, *f"{setup.fingerprint} {item.id}".encode()]
        noise = np.random.default_rng(key).normal() * self.case.noise[setup.variant]
        level = self.case.level if setup.variant == AS_IT_IS else 0.0
        score = round(float(np.clip(self.quality[item.id] + level + noise, 0, 1)), 2)
        return Judgment(
            item=item.id, topic=item.topic, stance="pro", format="criteria", model="drawn",
            fingerprint=setup.fingerprint,
            measures={"quality": Measure(status=Status.SCORED, value=score)},
        )  # fmt: skip


def drawn(case: Case, seed: int) -> Drawn:
    """One data set with its judge."""
    rng = np.random.default_rng([seed, 7])
    topics = TOPICS + (HELD_OUT if case.held else 0)
    items = [
        Item(id=f"{topic}-{number}", topic=f"Topic {topic}", stance="pro", argument="So it is.")
        for topic in range(topics)
        for number in range(EACH)
    ]
    shift = np.repeat(rng.normal(size=topics) * 0.05, EACH)
    quality = np.clip(0.55 + shift + rng.normal(size=len(items)) * 0.2, 0, 1)
    labelled = rng.permutation(quality) if case.shuffled else quality
    labels = [
        Label(Unit(item.id), "quality", f"a{who}", 1 + float(np.clip(round(value * STEPS + error), 0, STEPS)))
        for item, value in zip(items, labelled.tolist(), strict=True)
        for who, error in enumerate(rng.normal(size=ANNOTATORS) * 0.8)
    ]
    scales = Scales(LabelScale("interval", 1, 1 + STEPS, whole=False))
    cut = TOPICS * EACH
    data = LabelledItems(
        tuple(items[:cut]),
        tuple(items[cut:]),
        LabelSet("drawn", "drawn", tuple(labels), scales),
        "quality",
        "quality",
    )
    setup: Any = SimpleNamespace(variant=AS_IT_IS, fingerprint=f"{AS_IT_IS} []")
    return Drawn(
        setup,
        data,
        DEFAULT_SETTINGS.model_copy(update={"seed": seed}),
        case=case,
        quality=dict(zip([item.id for item in items], quality.tolist(), strict=True)),
        seed=seed,
    )


def claims(case: Case, seed: int) -> tuple[bool, bool, str, float]:
    """Whether a gain over the judge as it is, and over a calibration alone, is claimed; what is chosen; the gain."""
    plan = drawn(case, seed)
    _, found = outcome(plan)
    gains = [found[name].alpha for name in ("gain", "over_calibration")]
    one, other = (gain.low is not None and gain.low > 0 for gain in gains)
    return one, other, found["final"].chosen.name, gains[0].value or 0.0


def main() -> None:
    """Print a line a case."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--runs", type=int, default=200)
    given = parser.parse_args()
    for case in CASES:
        found = [claims(case, seed) for seed in range(given.runs)]
        over, beyond = (float(np.mean([one[index] for one in found])) for index in (0, 1))
        kept = float(np.mean([one[2].startswith("as it is") for one in found]))
        gain = float(np.mean([one[3] for one in found]))
        allowed = "" if case.errs is None else f" (at most {case.errs:.0%})"
        print(
            f"{case.name:42} gain claimed in {over:6.1%}{allowed}, over a calibration {beyond:6.1%}; "
            f"no variant chosen in {kept:6.1%}; mean gain {gain:+.3f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
