"""A small suite of our own, with files and a reader, for tests."""

from __future__ import annotations

import csv
import io
from pathlib import Path

from conqret.io.checks import filled, identifier
from conqret.suites.suite import PublishedFigure, Suite, SuiteData, SuiteFile, SuiteStatistic
from conqret.suites.suite_files import data_of_rows, published, published_rows, word
from conqret.suites.suite_statistics import preference_accuracy

TOPICS = 8
LONGER = "the longer one"


def table(pairs: int = 5) -> bytes:
    """A table of pairs by topic: the better one is the one with reasons, which is mostly the longer one."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["id", "topic", "first", "second", "better"])
    for topic in range(TOPICS):
        for number in range(pairs):
            good = f"Buses {topic} should run {number} times an hour, because people wait for {number + 2} minutes."
            bad = (
                "No."
                if (topic + number) % 4
                else f"No, no, no, and once more no, whatever it is for {topic}: {'no ' * 9}"
            )
            first = (topic + number) % 2 == 0
            texts = (good, bad) if first else (bad, good)
            writer.writerow([f"{topic}-{number}", f"Topic {topic}?", *texts, "first" if first else "second"])
    return out.getvalue().encode()


PAIR = published(
    id=("id", identifier),
    topic=("topic", filled),
    argument=("first", filled),
    second_argument=("second", filled),
    preference=("better", word({"first": 1.0, "second": 0.0})),
)


def read(folder: Path) -> SuiteData:
    rows = [{**row, "cluster": row["topic"]} for row in published_rows(folder, "pairs.csv", PAIR)]
    longer = {row["id"]: float(len(row["argument"]) > len(row["second_argument"])) for row in rows}
    return data_of_rows(rows, "preference", logs={LONGER: {"preference": longer}})


def suite(pairs: int = 5, **more: object) -> Suite:
    """The suite; ``more`` goes over its fields."""
    fields: dict[str, object] = {
        "name": "small",
        "title": "Small",
        "question": "Which is better?",
        "source": "made up",
        "license": "CC0-1.0: do as you like",
        "files": (SuiteFile("pairs.csv", "owner/name", "v1", "data/pairs.csv"),),
        "public_since": "2026-01",
        "task": "preference",
        "read": read,
        "metrics": ("preference",),
        "judging": {"format": "direct"},
        "statistics": (
            SuiteStatistic("accuracy", "share of pairs", preference_accuracy, scale="share", chance=0.5),
        ),
        "published": (
            PublishedFigure(LONGER, "accuracy", 75.0, 1, "Table 1", LONGER, times=100),
            PublishedFigure("a model", "accuracy", 0.9, 1, "Table 2", note="no verdicts were released"),
        ),
        "whole": {"items": TOPICS * pairs},
    }
    return Suite(**{**fields, **more})  # type: ignore[arg-type]


def write(folder: Path, pairs: int = 5) -> Path:
    """A folder with the suite's file."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "pairs.csv").write_bytes(table(pairs))
    return folder
