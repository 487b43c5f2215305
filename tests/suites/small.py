"""A small suite of our own, with files and a reader, for tests."""

from __future__ import annotations

import csv
import gzip
import io
from pathlib import Path

from conqret.data import Item
from conqret.errors import Fault, ItemsError
from conqret.suites.suite import PublishedFigure, Suite, SuiteData, SuiteFile, SuiteStatistic
from conqret.suites.suite_files import suite_file
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


def read(folder: Path) -> SuiteData:
    path = suite_file(folder, "pairs.csv")
    with gzip.open(path, "rt", newline="") if path.suffix == ".gz" else path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    if not rows or set(rows[0]) != {"id", "topic", "first", "second", "better"}:
        raise ItemsError([Fault(str(path), 1, "better", "is missing", "Fetch the file again")])
    for line, row in enumerate(rows, 2):
        if row["better"] not in ("first", "second"):
            raise ItemsError([Fault(str(path), line, "better", "is no answer", "Fetch the file again")])
    items = tuple(
        Item(id=row["id"], topic=row["topic"], argument=row["first"], second_argument=row["second"])
        for row in rows
    )
    longer = {item.id: float(len(item.argument or "") > len(item.second_argument or "")) for item in items}
    return SuiteData(
        items,
        {"preference": {row["id"]: float(row["better"] == "first") for row in rows}},
        {row["id"]: row["topic"] for row in rows},
        logs={LONGER: {"preference": longer}},
    )


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
