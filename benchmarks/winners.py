"""Does `conqret judges compare` crown copies of one prompt, does it find a better judge, and what is held-out alpha
worth? And what does `conqret judges jury` say of a jury that gains nothing, and of one that does?

    python benchmarks/winners.py 300            # with --juries: the table of juries alone

Judges of simulated items (the model of benchmarks/simulated_verdicts.py: worth that hangs together within topics, a
bias of each judge on each topic, five steps) are held against one person. What `compare` says stands beside what is
often done: the best of the new prompts is tested against the old one as if nothing else had been tried.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))

from simulated_verdicts import places, rated, worths

from conqret.io.label_set import LabelScale, Unit
from conqret.stats.agreement import alphas
from conqret.stats.effects import ALPHA
from conqret.stats.estimate import CONFIDENCE
from conqret.stats.resampling import leave_one_out
from conqret.studies.agreement.agreement_settings import AgreementSettings, Basis
from conqret.studies.compare.compare_judges import SharedUnits, UnitSides, compare_shared
from conqret.studies.jury.jury_run import rule_on

GOOD, BAD = 0.7, 1.2
"""Noise of a judge, and of a worse one, in standard deviations of the worth."""
JUDGES = {
    "two copies": (GOOD, GOOD),
    "four copies": (GOOD,) * 4,
    "eight copies": (GOOD,) * 8,
    "one better of two": (BAD, GOOD),
    "one better of four": (BAD, BAD, BAD, 0.3),
}
DESIGNS = [(topics, balanced) for topics in (8, 20, 40) for balanced in (True, False)]
MANY = 400
"""Topics by which the alpha is known that a choice has on new ones."""


def drawn(rng: np.random.Generator, topics: int, balanced: bool, noises: Sequence[float]) -> SharedUnits:
    """Judges and a person on the items of one data set."""
    which = places(rng, topics, balanced)
    worth = worths(rng, which)
    people = rated(rng, which, worth, GOOD)
    judges = np.stack([rated(rng, which, worth, noise) for noise in noises])
    side = UnitSides(
        people, judges, LabelScale("ordinal", 1.0, 5.0), (len(which),) * len(noises), placed=True
    )
    return SharedUnits(
        names=tuple(f"judge {place}" for place in range(len(noises))),
        units=tuple(Unit(str(place)) for place in range(len(which))),
        clusters=tuple(which.tolist()),
        clustered_by="topic",
        sides={"quality": side},
    )


def one(seed: int, topics: int, balanced: bool, noises: Sequence[float]) -> tuple[float, ...]:
    """Whether a winner is named, whether it is the better one, whether any pair is told apart, whether the best of the
    others beats the first as if alone, and the alphas of the best: on all topics, and of those chosen on others."""
    rng = np.random.default_rng([seed, topics, balanced, len(noises)])
    shared = drawn(rng, topics, balanced, noises)
    basis = Basis(
        labels="",
        layout="",
        notes=(),
        clustered_by="topic",
        clusters=topics,
        settings=AgreementSettings(seed=seed),
    )
    found = compare_shared(shared, basis)
    side = shared.sides["quality"]
    first, *others = side.alphas(side.judges, leave_one_out(shared.clusters))
    best = max(others, key=lambda other: other.value)
    naive = best.value > first.value and (best.minus(first).p() or 1.0) < ALPHA
    better = found.winner == shared.names[int(np.argmin(noises))]
    value = found.average.judges[found.judges[0]].alpha.value or 0.0
    told = any(pair.shown for pair in found.average.pairs)
    shown = float(bool(found.winner)), float(better), float(told), float(naive)
    return *shown, value, found.held_out.alpha.value or 0.0


def truth(noise: float, balanced: bool) -> float:
    """The alpha of a judge on very many topics."""
    shared = drawn(np.random.default_rng(0), MANY, balanced, (noise,))
    side = shared.sides["quality"]
    return alphas(np.stack([side.judges[0], side.labels])[None], "ordinal")[0].value


def rows(draws: int) -> Iterator[str]:
    """The table."""
    yield (
        "| judges | topics | sizes | winner | the better one | any pair, corrected | best over the first, uncorrected "
        "| alpha of the best | held out | in truth |"
    )
    yield "|---|---|---|---|---|---|---|---|---|---|"
    for name, noises in JUDGES.items():
        copies = len(set(noises)) == 1
        for topics, balanced in DESIGNS:
            found = np.mean([one(seed, topics, balanced, noises) for seed in range(draws)], axis=0)
            sizes = "5 items each" if balanced else "1 to 12 items"
            known = f"{truth(GOOD, balanced):.3f}" if copies else ""
            better = "" if copies else f"{found[1]:.3f}"
            yield (
                f"| {name} | {topics} | {sizes} | {found[0]:.3f} | {better} | {found[2]:.3f} | {found[3]:.3f} "
                f"| {found[4]:.3f} | {found[5]:.3f} | {known} |"
            )


def gain(seed: int, topics: int, balanced: bool, *, gains: bool) -> tuple[float, ...]:
    """Whether a jury of three copies is said to be better than its members on average, than each of them, and worse;
    and what it is above their average: their mean (``gains``), or a fourth copy in its place, which gains nothing."""
    rng = np.random.default_rng([seed, topics, balanced])
    four = drawn(rng, topics, balanced, (GOOD,) * 4)
    side = four.sides["quality"]
    members = replace(four, names=four.names[:3], sides={"quality": replace(side, judges=side.judges[:3])})
    said = side.judges[:3].mean(axis=0) if gains else side.judges[3]
    left_out = leave_one_out(four.clusters)
    means = side.alphas(np.vstack([side.judges[:3], said[None]]), left_out)
    found = rule_on(means, means[0], members, CONFIDENCE)
    better = found.shown in ("average", "each")
    return (
        float(better),
        float(found.shown == "each"),
        float(found.shown == "worse"),
        found.over_average.value or 0.0,
    )


def gain_rows(draws: int) -> Iterator[str]:
    """The table of juries."""
    yield "| jury | topics | sizes | better than the average | better than each | worse | mean difference |"
    yield "|---|---|---|---|---|---|---|"
    for name, gains in (("a fourth copy", False), ("the mean of three copies", True)):
        for topics, balanced in DESIGNS:
            found = np.mean([gain(seed, topics, balanced, gains=gains) for seed in range(draws)], axis=0)
            sizes = "5 items each" if balanced else "1 to 12 items"
            shares = " | ".join(f"{share:.3f}" for share in found[:-1])
            yield f"| {name} | {topics} | {sizes} | {shares} | {found[-1]:+.3f} |"


def main() -> None:
    """Print the tables, for docs/results/winners.md."""
    draws = int(sys.argv[1]) if len(sys.argv) > 1 else 300
    for table in (gain_rows,) if "--juries" in sys.argv else (rows, gain_rows):
        for row in table(draws):
            print(row, flush=True)


if __name__ == "__main__":
    main()
