"""How often the intervals of variance components hold the truth, where it is known: `conqret judges variance`.

    nice python benchmarks/components.py

Scores of 4 items a topic (unbalanced: 1 to 12) by 3 models, in 2 samples each, are drawn with the standard deviations
below, and the components estimated. A cell is coverage / median width of the interval of the standard deviation, and
the mean of the estimated variance over the true one. The table stands in docs/results/simulations.md.
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np

from conqret.stats.estimate import Estimate
from conqret.stats.variance_components import variance_components
from conqret.studies.variance.result import deviation

SD = {"topic": 0.1, "item": 0.12, "model": 0.06, "topic x model": 0.04, "item x model": 0.05, "sample": 0.07}
ITEMS, UNBALANCED, MODELS, SAMPLES = 4, (1, 2, 3, 5, 8, 12), 3, 2
GENERALIZABILITY = "generalizability of one score"


def drawn(rng: np.random.Generator, topics: int, balanced: bool):
    """Scores with their topics, items and models."""
    sizes = np.full(topics, ITEMS) if balanced else rng.choice(UNBALANCED, size=topics)
    of_item = np.repeat(np.arange(topics), sizes)
    item, model, _ = (index.ravel() for index in np.indices((len(of_item), MODELS, SAMPLES)))
    topic = of_item[item]
    codes = {"topic": topic, "item": item, "model": model, "topic x model": topic * MODELS + model,
             "item x model": item * MODELS + model, "sample": np.arange(len(item))}  # fmt: skip
    values = sum(SD[name] * rng.normal(size=code.max() + 1)[code] for name, code in codes.items())
    return values, topic.tolist(), item.tolist(), {"model": model.tolist()}


def true_values() -> dict[str, float]:
    """The standard deviation of each source, and what is to be estimated of them together."""
    noise = SD["topic x model"] ** 2 + SD["item x model"] ** 2 + SD["sample"] ** 2
    items = SD["topic"] ** 2 + SD["item"] ** 2
    return {**SD, GENERALIZABILITY: items / (items + noise)}


def estimated(topics: int, balanced: bool, seed: int) -> tuple[dict[str, Estimate], dict[str, float]]:
    """Of one sample: what has an interval, and the variances over the true ones."""
    return estimates(*drawn(np.random.default_rng([seed, topics, balanced]), topics, balanced))


def estimates(*scores: Any) -> tuple[dict[str, Estimate], dict[str, float]]:
    """The like of given scores with their topics, items and models."""
    one = variance_components(*scores)
    names = [effect.names[0] for effect in one.effects]
    found = {name: deviation(one.variance(place).estimate()) for place, name in enumerate(names)}
    ratios = {name: one.variances[place] / SD[name] ** 2 for place, name in enumerate(names)}
    return {**found, GENERALIZABILITY: one.generalizability().estimate()}, ratios


def cell(topics: int, balanced: bool, simulations: int) -> dict[str, str]:
    """What is found of each component."""
    truth = true_values()
    held, widths, found = ({name: [] for name in truth} for _ in range(3))
    for seed in range(simulations):
        of_sample, ratios = estimated(topics, balanced, seed)
        for name, ratio in ratios.items():
            found[name].append(ratio)
        for name, ends in of_sample.items():
            if ends.low is not None:
                held[name].append(ends.low <= truth[name] <= ends.high)
                widths[name].append(ends.high - ends.low)
    texts = {}
    for name in truth:
        covered = f"{np.mean(held[name]):.3f} / {np.median(widths[name]):.2f}" if held[name] else "none"
        texts[name] = covered + (f" ({np.mean(found[name]):.2f})" if found[name] else "")
    return texts


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--simulations", type=int, default=2000)
    args = parser.parse_args()
    cells = {
        f"{topics}{'' if balanced else ' u'}": cell(topics, balanced, args.simulations)
        for topics in (8, 20, 50)
        for balanced in (True, False)
    }
    print(f"| source | {' | '.join(cells)} |\n| --- |{' ---: |' * len(cells)}")
    for name in (*SD, GENERALIZABILITY):
        print(f"| {name} | {' | '.join(one[name] for one in cells.values())} |")


if __name__ == "__main__":
    main()
