"""Which items are labelled, and what that does to estimates of alpha and people's mean.

    python benchmarks/label_plans.py

Simulated, 400 data sets: 100 labels of 1,000 items on 20 topics (of 50 items, or of 5 to 95), or 60 labels of 120
items on 60 topics (of 2), labels from 1 to 5. The judge gives three samples an
item. On half of those with a low label, and on 15% of the others, it is unsure: its samples differ, and know
little of people's label. The plans are those of ``conqret labels sample``: its random sample, and
``--uncertain-first``, whose labels conqret refuses to estimate from. Beside the mean estimate stands how often the
95% interval over topics holds the truth.

Prints Markdown, as in docs/judge-card.md.
"""

from __future__ import annotations

import sys
from statistics import fmean

import numpy as np

from conqret.data import Item, Judgment, Measure, Status
from conqret.labels.sampling import plan_labels
from conqret.stats.agreement import alphas
from conqret.stats.estimate import Estimate
from conqret.stats.prediction_powered import prediction_powered_mean
from conqret.stats.resampling import leave_one_out

SIMULATIONS = 400
CASES = {"50 items": ([50], 20, 100), "5 to 95 items": ([5, 95], 20, 100), "2 items": ([2], 60, 60)}
"""Sizes of topics, how many topics there are, and how many items are labelled."""
PLANS = {"all items": None, "random sample": False, "uncertain first": True}
MANY = 20_000
"""Items from which the true alpha and mean are computed."""


def drawn(
    sizes: list[int], rng: np.random.Generator
) -> tuple[list[Item], list[Judgment], np.ndarray, np.ndarray, list[str]]:
    """Items, judgments, people's labels and the judge's scores, both in [0, 1], and topics."""
    items, judgments, people, scores, topics = [], [], [], [], []
    for topic, size in enumerate(sizes):
        middle = 3 + 0.4 * rng.normal()
        for number in range(size):
            label = int(np.clip(round(middle + rng.normal()), 1, 5))
            unsure = rng.random() < (0.5 if label < 3 else 0.15)
            spread = 1.5 if unsure else 0.2
            samples = (
                np.clip(3.3 + (0.2 if unsure else 1) * (label - 3) + spread * rng.normal(size=3), 1, 5) - 1
            ) / 4
            item = Item(id=f"{topic}-{number}", topic=f"{topic}?", argument="x")
            measure = Measure(
                status=Status.SCORED, value=float(samples.mean()), samples=tuple(samples.tolist())
            )
            judgments.append(
                Judgment(
                    item=item.id, topic=item.topic, stance="none", format="g-eval", model="m", fingerprint="f",
                    measures={"overall_quality": measure},
                )
            )  # fmt: skip
            items.append(item)
            people.append((label - 1) / 4)
            scores.append(round(float(samples.mean()), 1))
            topics.append(item.topic)
    return items, judgments, np.array(people), np.array(scores), topics


def estimates(
    people: np.ndarray, scores: np.ndarray, topics: list[str], known: np.ndarray
) -> dict[str, Estimate]:
    """Alpha on the items whose labels are known, people's mean from these alone, and with all judgments."""
    names = [topics[place] for place in np.flatnonzero(known).tolist()]
    others = [topics[place] for place in np.flatnonzero(~known).tolist()]
    (alpha,) = alphas(np.stack([people, scores])[None, :, known], "interval", leave_one_out(names))
    mean = prediction_powered_mean(
        people[known], scores[known], scores[~known], clusters=names, unlabelled_clusters=others
    )
    return {"alpha": alpha.estimate(), "labels alone": mean.labels, "with all judgments": mean.corrected}


def main() -> int:
    """Print the table; returns the exit code."""
    print(
        "| topics of | labelled | alpha | holds | mean of labels | holds | mean, prediction-powered | holds |"
    )
    print("|---|---|---|---|---|---|---|---|")
    for words, (sizes, count, labels) in CASES.items():
        rng = np.random.default_rng(3)
        _, _, people, scores, topics = drawn(sizes * (MANY // sum(sizes)), rng)
        truth = {
            name: estimate.value for name, estimate in estimates(people, scores, topics, people >= 0).items()
        }
        found: dict[str, list[dict[str, Estimate]]] = {name: [] for name in PLANS}
        for seed in range(SIMULATIONS):
            items, judgments, people, scores, topics = drawn(sizes * (count // len(sizes)), rng)
            for name, uncertain in PLANS.items():
                known = people >= 0
                if uncertain is not None:
                    plan = plan_labels(items, labels, judgments, uncertain_first=uncertain, seed=seed)
                    chosen = {entry.item.id for entry in plan.chosen}
                    known = np.array([item.id in chosen for item in items])
                found[name].append(estimates(people, scores, topics, known))
        for name, rows in found.items():
            cells = []
            for what, true in truth.items():
                ends = [row[what] for row in rows]
                held = [end.low <= true <= end.high for end in ends if None not in (end.low, end.high)]
                cells += [f"{fmean(end.value or 0 for end in ends):.3f}", f"{fmean(held):.1%}"]
            print(f"| {words} | {name} | {' | '.join(cells)} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
