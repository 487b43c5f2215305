"""What a calibration changes, by kind of map, on topics kept back: simulated judges, and real arguments.

    python benchmarks/calibration.py

Simulated are 200 judges of pure noise and 200 that squeeze people's labels (one metric beside a second, as noisy one),
at 8 and at 20 topics of five items. With CONQRET_DATA naming the folder that holds ``webis-argquality20/``, the offline
model also judges its 1,271 arguments (format listwise); people's labels are the fifths of the four published scores.
Beside the maps stands gradient boosting on all metrics, which conqret does not offer.

Prints Markdown, as in docs/results/agreement.md.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from harness import csv_rows, data, has_data, print_table
from webis_items import WEBIS

import conqret
from conqret.data import Item, Judgment, Measure, Status
from conqret.io.labels import LabelSet, read_labels
from conqret.studies.calibrate.fit_calibration import calibrate
from conqret.studies.calibrate.result import Calibration

SIMULATIONS = 200
SHOWN = ("mean", "isotonic", "calibrated")
QUALITIES = {
    "cogency": "Logical Quality",
    "effectiveness": "Rhetorical Quality",
    "reasonableness": "Dialectical Quality",
    "overall_quality": "Combined Quality",
}
Scores = Callable[[float, np.random.Generator], dict[str, float]]


def noise(quality: float, rng: np.random.Generator) -> dict[str, float]:
    return {"clarity": rng.random(), "other": rng.random()}


def squeezing(quality: float, rng: np.random.Generator) -> dict[str, float]:
    """Two looks at the same quality (around 0), each to the third power of what a line would give."""
    seen = quality + 0.5 * rng.normal(size=2)
    first, second = (0.5 * np.clip((seen + 2) / 4, 0, 1) ** 3).tolist()
    return {"clarity": first, "other": second}


def simulated(scores: Scores, topics: int, each: int, rng: np.random.Generator, folder: Path) -> Calibration:
    """One study: labels from 1 to 5, a tenth of the variance of quality between topics."""
    rows, judgments = [], []
    for topic in range(topics):
        between = 0.3 * rng.normal()
        for number in range(each):
            quality = between + 0.95 * rng.normal()
            name = f"{topic}-{number}"
            rows.append((name, "clarity", "ann", int(np.clip(round(3 + quality + 0.4 * rng.normal()), 1, 5))))
            measures = {
                metric: Measure(status=Status.SCORED, value=value)
                for metric, value in scores(quality, rng).items()
            }
            judgments.append(
                Judgment(
                    item=name, topic=f"t{topic}", stance="pro", format="f", model="m", fingerprint="x",
                    measures=measures,
                )
            )  # fmt: skip
    return calibrate(judgments, written(folder / "labels.csv", rows))


def written(file: Path, rows: Iterable[Sequence[object]]) -> LabelSet:
    with file.open("w", encoding="utf-8", newline="") as out:
        csv.writer(out).writerows([("item", "dimension", "annotator", "value"), *rows])
    return read_labels(file, scales=["1:5"])


def simulations(folder: Path) -> None:
    rows = []
    for scores in (noise, squeezing):
        for topics in (8, 20):
            rng = np.random.default_rng([23, topics])
            found = [simulated(scores, topics, 5, rng, folder).checked["clarity"] for _ in range(SIMULATIONS)]
            above = np.mean([one.gain.low is not None and one.gain.low > 0 for one in found])
            below = np.mean([one.gain.high is not None and one.gain.high < 0 for one in found])
            means = [f"{np.mean([one.alpha[name].value or 0 for one in found]):.2f}" for name in SHOWN]
            rows.append((scores.__name__, topics, *means, f"{above:.1%}", f"{below:.1%}"))
    print_table(("judge", "topics", *SHOWN, "gains", "loses"), rows)


def webis(folder: Path) -> None:
    """The offline model's scores of real arguments, held against people's scores in fifths."""
    place = data(WEBIS) / WEBIS
    topics = {row["Topic ID"]: row["Long Query"].strip() for row in csv_rows(place / f"{WEBIS}-topics.csv")}
    rows = [
        row
        for row in csv_rows(place / f"{WEBIS}-arguments.csv")
        if row["Is Argument?"] == "True" and row["Premise"].strip()
    ]
    kept = {f"{row['Topic ID']}/{row['Discussion ID']}-{row['Argument ID']}": row for row in rows}
    labels: list[tuple[object, ...]] = []
    for dimension, column in QUALITIES.items():
        values = np.array([float(row[column]) for row in kept.values()])
        fifths = 1 + np.searchsorted(np.quantile(values, [0.2, 0.4, 0.6, 0.8]), values)
        labels += [(name, dimension, "crowd", fifth) for name, fifth in zip(kept, fifths, strict=True)]
    items = [
        Item(id=name, topic=topics[row["Topic ID"]], argument=row["Premise"].strip())
        for name, row in kept.items()
    ]
    judgments = list(conqret.judge(items, format="listwise"))
    read = written(folder / "webis.csv", labels)
    show(calibrate(judgments, read, items=items))


def show(calibration: Calibration) -> None:
    rows = []
    for maps in calibration.maps.values():
        one = calibration.checked[maps.dimension]
        alphas = [f"{one.alpha[name].value:.3f}" for name in (*SHOWN, "length")]
        rows.append((maps.dimension, one.units, *alphas, one.gain, maps.kinds))
    print_table(("dimension", "units", *SHOWN, "length", "gain", "map"), rows)


def main() -> None:
    with TemporaryDirectory() as scratch:
        simulations(Path(scratch))
        if has_data(WEBIS):
            webis(Path(scratch))


if __name__ == "__main__":
    main()
