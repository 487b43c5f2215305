"""What judges cost beside their agreement, and which is worth its price."""

from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from conqret.data import Call, Measure, Reason, Trace
from conqret.io.labels import read_labels
from conqret.judging.summary import summarise
from conqret.studies.compare.page import comparison_answer, comparison_tables
from conqret.studies.compare.result import compare
from tests.reliability.judged import judgment, scored

TOPICS, ITEMS = 12, 5


@dataclass(frozen=True)
class Run:
    """What is read of a folder."""

    path: Path
    kept: list

    def record(self):
        return SimpleNamespace(format="listwise", model=self.kept[0].model, baseline=False)

    def summary(self):
        return summarise(self.kept)

    def finished(self):
        return iter(self.kept)


def truth(topics=TOPICS):
    return np.random.default_rng(5).uniform(0, 1, size=(topics, ITEMS))


def run(name, noise, usd, *, seconds=1.0, seed=1, topics=TOPICS, lost=(), metric="clarity"):
    """A judge that errs by ``noise``, at a price and in a time."""
    rng = np.random.default_rng(seed)
    kept = []
    for (topic, place), worth in np.ndenumerate(truth(topics)):
        item = f"i{topic}-{place}"
        value = float(np.clip(worth + noise * rng.normal(), 0, 1))
        call = Call(
            key=item, ask="x", attempts=1, prompt_tokens=90, completion_tokens=10, cost_usd=usd, seconds=seconds,
            finish_reason="stop",
        )  # fmt: skip
        measure = Measure.missing(Reason.REFUSAL) if item in lost else scored(value)
        one = judgment(item, {metric: measure}, topic=f"t{topic}", model=f"model <{name}>")
        kept.append(one.model_copy(update={"trace": Trace(calls=(call,))}))
    return Run(Path(name), kept)


@pytest.fixture(scope="module")
def labels(tmp_path_factory):
    file = tmp_path_factory.mktemp("labels") / "labels.csv"
    rows = [f"i{topic}-{place},clarity,ann,{value:.4f}" for (topic, place), value in np.ndenumerate(truth())]
    file.write_text("\n".join(["item,dimension,annotator,value", *rows]) + "\n", encoding="utf-8")
    return read_labels(file, scales=["0:1"], level="interval")


def test_a_dearer_judge_has_to_be_shown_to_be_better(labels):
    runs = [
        run("dear", 0.05, 0.01, seconds=4),
        run("cheap", 0.3, 0.001, seed=3),
        run("unpriced", 0.05, None, seed=5, seconds=0.1),
    ]
    found = compare(runs, labels)
    assert found.worth == "“dear” agrees significantly better than every judge that costs no more."
    assert found.worth in comparison_answer(found)
    cheap = found.costs["cheap"]
    assert (cheap.usd, cheap.seconds, cheap.tokens) == (pytest.approx(1.0), 1.0, 100)
    table = next(comparison_tables(found))
    shown = {row[0]: row[-3:] for row in table.rows}
    assert shown["dear"] == ("$10.00", "4.0 s", "100")
    assert shown["unpriced"][0] == "unknown"
    others = compare(runs[1:], labels)
    assert others.worth == ""


def test_where_nothing_is_shown_the_cheapest_is_named(labels):
    found = compare([run("good", 0.05, 0.002, topics=5), run("bad", 0.8, 0.001, topics=5)], labels)
    assert found.worth == (
        "No judge agrees significantly better than every judge that costs no more; “bad” costs the least."
    )
