"""How often does ``conqret bias`` find a first place that wins 60 %, and how often does it raise an alarm at nothing?

    python benchmarks/auditors.py --nulls 1000 --biased 300 > docs/results/auditors.md

A judge of pairs is simulated: an argument is better than its rival by q ~ N(0, 1), each verdict errs by N(0, 1), and
the first place has a bonus. The bonus differs between topics by N(0, .35), so that the first place wins 40 to 60 % in
two topics of three even where there is no bias at all: whoever takes pairs for independent is misled. What is added to
a text (padding, references, an instruction) moves its quality by N(0, .35) a topic, and by nothing on average.
Everything behind the judgments is what the command does: comparisons, primary rows, tests.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Mapping
from statistics import NormalDist

import numpy as np

from conqret import __version__
from conqret.data import Item, Judgment, Measure
from conqret.judging.base import JudgeOptions
from conqret.judging.own_judge import own_judge
from conqret.judging.setup import set_up
from conqret.llm.options import ClientOptions
from conqret.reliability.bias.contrast import ONE_ORDER, Ground, Key
from conqret.reliability.bias.run import BiasPlan, plan_bias
from conqret.reliability.bias.table import bias_rows

CELLS = ((40, 12), (200, 12), (200, 40))
"""Pairs, and the topics that they are on."""
WANTED = (0.30, 0.68, 0.96)
"""The shares in which a first place that wins 60 % is to be found."""
PROBES = ("position", "length", "authority", "injection")
"""What can be asked of pairs without documents and labels."""
QUALITY, NOISE, TOPIC = 1.0, 1.0, 0.35
RATE = 0.6
ALPHA = 0.05
NAIVE = "pairs taken for independent"
Z = NormalDist().inv_cdf(1 - ALPHA / 2)
SWAPPED = "+swapped"
SAID = {
    value: Judgment.model_construct(
        measures={"preference": Measure.model_construct(value=value, label=label)}
    )
    for value, label in ((0.0, "second"), (0.5, "tie"), (1.0, "first"))
}


def plan(pairs: int, topics: int) -> BiasPlan:
    """The comparisons on so many pairs, spread evenly over the topics."""
    items = tuple(
        Item(
            id=f"pair-{n}",
            topic=f"Topic {n % topics}?",
            argument=f"It is right [1]. Reason {n} says so. It works elsewhere.",
            second_argument=f"It is wrong. Reason {n + pairs} says so.",
        )
        for n in range(pairs)
    )
    setup = set_up(own_judge(["preference"]), ClientOptions("offline"), JudgeOptions(("preference",)))
    return plan_bias(Ground(items, setup), PROBES)


def bonus(rate: float) -> float:
    """What the first place is given, where it wins so often over all pairs."""
    return NormalDist().inv_cdf(rate) * math.sqrt(QUALITY**2 + NOISE**2 + TOPIC**2)


def judged(found: BiasPlan, rate: float, rng: np.random.Generator) -> dict[Key, Judgment]:
    """What the simulated judge says of every version, asked in every way."""
    quality = {item.id: rng.normal(0, QUALITY) for item in found.ground.items}
    topics = {item.topic for item in found.ground.items}
    first = {topic: bonus(rate) + rng.normal(0, TOPIC) for topic in topics}
    moved: dict[tuple[str, str], float] = {}
    readings = {}
    errors = iter(rng.normal(0, NOISE, 2 * found.judgments).tolist())
    for way, versions in found.versions.items():
        for item in versions:
            original, _, change = item.id.partition("+")
            better = quality[original]
            if item.id.endswith(SWAPPED):
                better = -better
            elif change:
                better += moved.setdefault((item.topic, change), rng.normal(0, TOPIC))
            given = better + first[item.topic] + next(errors) > 0
            if way == ONE_ORDER:
                value = float(given)
            else:  # both orders, of which a flip is a tie
                other = -better + first[item.topic] + next(errors) > 0
                value = 0.5 if given == other else float(given)
            readings[way, item.id] = SAID[value]
    return readings


def alarms(found: BiasPlan, rate: float, seed: int) -> Mapping[str, str]:
    """The verdict on each probe of one simulated judge."""
    readings = judged(found, rate, np.random.default_rng([seed, round(1000 * rate)]))
    said: dict[str, str] = {
        row.probe: row.verdict for row in bias_rows(found.contrasts, readings, seed=seed) if row.primary
    }
    return said | {NAIVE: naive(found, readings)}


def naive(found: BiasPlan, readings: Mapping[Key, Judgment]) -> str:
    """The answer of whoever takes pairs for independent, and looks at the position alone: a z test at 5 %."""
    (position,) = (one for one in found.contrasts if one.mirrored)
    said = [
        [readings[key].value("preference") or 0.0 for key in (one.base, one.changed)]
        for one in position.pairs
    ]
    off = np.array(said).sum(axis=1) - 1
    return "found" if abs(off.mean()) > Z * off.std(ddof=1) / math.sqrt(len(off)) else "not found"


def most_allowed(runs: int) -> int:
    """The largest number of false alarms that a one-sided binomial test at 5 % does not call more than 5 %."""
    chance, total = 0.0, 0
    for count in range(runs + 1):
        log = (
            math.lgamma(runs + 1) - math.lgamma(count + 1) - math.lgamma(runs - count + 1)
            + count * math.log(ALPHA) + (runs - count) * math.log1p(-ALPHA)
        )  # fmt: skip
        if 1 - chance < ALPHA:
            return total
        chance, total = chance + math.exp(log), count
    return runs


def main() -> None:
    """Print the tables."""
    reader = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    reader.add_argument("--nulls", type=int, default=1000, help="data sets without a bias, in each cell")
    reader.add_argument(
        "--biased", type=int, default=300, help="data sets with a first place that wins 60 %%"
    )
    asked = reader.parse_args()
    rows = []
    for (pairs, topics), wanted in zip(CELLS, WANTED, strict=True):
        found = plan(pairs, topics)
        nothing = [alarms(found, 0.5, seed) for seed in range(asked.nulls)]
        false = sum("alarm" in one.values() for one in nothing)
        own = sum(one["position"] == "alarm" for one in nothing)
        clear = sum(one["position"] == "clear" for one in nothing)
        misled = sum(one[NAIVE] == "found" for one in nothing)
        biased = [alarms(found, RATE, seed) for seed in range(asked.biased)]
        right = sum(one["position"] == "alarm" for one in biased)
        wrongly = sum(one["position"] == "clear" for one in biased)
        rows.append(
            f"| {pairs} | {topics} | {false} ({false / asked.nulls:.1%}) | {own} | {misled} | {clear} | "
            f"{right / asked.biased:.0%} | {wanted:.0%} | {wrongly} |"
        )
    allowed = most_allowed(asked.nulls)
    table = "\n".join(rows)
    print(
        f"# What an audit finds, and what it raises at nothing\n\n"
        f"`python benchmarks/auditors.py --nulls {asked.nulls} --biased {asked.biased}`, conqret {__version__}. A "
        "judge of pairs is simulated whose first place wins 50 % (nothing is there to be found) or 60 %; in both cases "
        "how often it wins differs between topics (40 to 60 % in two of three, where it wins 50 % of all), so that "
        f"pairs of a topic are alike. {len(PROBES)} probes are made ({', '.join(PROBES)}), corrected together. What "
        "the judge is made of stands in the benchmark.\n\n"
        f"| pairs | topics | any false alarm, of {asked.nulls:,} | of them position | position, by a z test of "
        f"pairs | position clear, rightly | 60 % found | wanted | clear, wrongly, of {asked.biased} |\n"
        f"|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n{table}\n\n"
        f"Up to {allowed} false alarms of {asked.nulls:,} are not more than 5 % by a one-sided binomial test at 5 %. "
        "A z test takes pairs for independent, and is corrected for nothing. Other libraries are not in this table yet."
    )


if __name__ == "__main__":
    main()
