"""Judgments and labels made for validation: a judge and people who see the same truth, each with their own noise."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from conqret.data import Item, Judgment, Measure, Reason, Status
from conqret.io.labels import read_labels
from conqret.judging.judge_folder import JudgeRecord
from conqret.judging.scales import combine_samples

PEOPLE = ("ann", "ben", "cat")


@dataclass(frozen=True)
class Run:
    """What is read of a folder."""

    path: Path
    kept: list
    prompt: str = "1"

    def record(self):
        one = self.kept[0]
        return JudgeRecord(
            format="listwise",
            model=one.model,
            baseline=False,
            fingerprint=one.fingerprint,
            metrics=["clarity"],
            identity={"format": "listwise", "model": one.model, "prompt listwise": self.prompt, "samples": 2},
            options={},
            model_options={},
            items_name="items",
            items_layout="",
            items_count=24,
            items_digest="d",
        )

    def finished(self):
        return iter(self.kept)

    judgments = finished

    def items(self):
        return (Item(id=one.item, topic=one.topic, argument=f"<b>{one.item}</b>") for one in self.kept)


def judgment(item, measures, *, topic="t", model="m", fingerprint="f"):
    return Judgment(
        item=item,
        topic=topic,
        stance="pro",
        format="listwise",
        model=model,
        fingerprint=fingerprint,
        measures=measures,
    )


def scored(value, **more):
    return Measure(status=Status.SCORED, value=value, **more)


def study(
    folder,
    rng,
    *,
    dimensions=("clarity", "overall_quality"),
    items=80,
    labelled=None,
    noise=0.5,
    samples=1,
    lost=0.0,
    judge_noise=0.5,
):
    """Judgments of ``items`` items under ten topics, and labels (1 to 3) by three people of the first ``labelled``."""
    rows, judgments = ["item,dimension,annotator,value"], []
    for number in range(items):
        measures = {}
        for dimension in dimensions:
            quality = 2 + 0.8 * rng.normal()
            if number < (items if labelled is None else labelled):
                rows.extend(
                    f"i{number},{dimension},{person},{rating(quality + noise * rng.normal())}"
                    for person in PEOPLE
                )
            values = [(rating(quality + judge_noise * rng.normal()) - 1) / 2 for _ in range(samples)]
            measures[dimension] = combine_samples([scored(value) for value in values])
            if rng.random() < lost:
                measures[dimension] = Measure.missing(Reason.REFUSAL)
        judgments.append(judgment(f"i{number}", measures, topic=f"topic {number % 10}"))
    file = folder / "labels.csv"
    file.write_text("\n".join(rows) + "\n", encoding="utf-8")
    return judgments, read_labels(file, scales=["1:3"]), file


def rating(value):
    return int(np.clip(round(value), 1, 3))


def labels_of(tmp_path, text, **options):
    file = tmp_path / "l.csv"
    file.write_text(text, encoding="utf-8")
    return read_labels(file, **options)
