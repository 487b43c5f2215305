"""A small judge card of the offline judge, made with the package's own parts."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable
from pathlib import Path

from conqret.data import Item
from conqret.io.labels import read_labels
from conqret.judging.judge_folder import JudgeFolder
from conqret.judging.summary import Summary
from conqret.studies.agreement.agreement_settings import AgreementSettings
from conqret.studies.bias.bias_run import plan_bias, run_bias
from conqret.studies.bias.contrast import ProbeContext
from conqret.studies.bias.result import BiasTable
from conqret.studies.card.result import Card, make_card
from conqret.studies.validate.result import Validation, validate
from tests.contract.items import demo
from tests.judging.runs import execution, run

GOLD = Path(__file__).resolve().parents[2] / "fixtures" / "demo" / "labels.jsonl"
FORMAT = "rag-fine-grained"


def write_gold(path: Path, people: int = 1) -> Path:
    """The gold labels of the fixtures' arguments; further people agree in all but a few."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["item", "dimension", "annotator", "value"])
        for line, text in enumerate(GOLD.read_text(encoding="utf-8").splitlines()):
            record = json.loads(text)
            for place, (name, value) in enumerate(record["argument"]["quality"].items()):
                for person in range(people):
                    off = person and (line + place + person) % 5 == 0
                    writer.writerow([record["id"], name, f"p{person}", value if not off else 4 - value])
    return path


def bias_of(folder: Path, items: Iterable[Item] = (), probes: Iterable[str] = ("length",)) -> BiasTable:
    setup = execution(folder / "none", list(items) or demo(), name=FORMAT).setup
    plan = plan_bias(ProbeContext(tuple(items) or tuple(demo()), setup), probes)
    return run_bias(plan, folder / "bias")


def parts_of(folder: Path) -> tuple[Summary, Validation, list[Item]]:
    """Of a finished run what a card is made of: its numbers, its validation, and its items."""
    directory = JudgeFolder(folder / "run")
    labels = read_labels(write_gold(folder / "labels.csv", people=2), scales=["1:3"])
    validation = validate(
        directory.judgments(), labels, items=directory.items(), settings=AgreementSettings(), baseline=True
    )
    return directory.summary(), validation, list(directory.items())


def card_of(folder: Path, *, with_bias: bool = True) -> Card:
    run(folder / "run", demo(), name=FORMAT)
    record = JudgeFolder(folder / "run").record()
    return make_card(record, *parts_of(folder), bias=bias_of(folder) if with_bias else None)
