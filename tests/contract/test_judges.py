"""What every registered format must pass; a new one is covered the moment it is registered."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from conqret import DeclarationError, Item, Judgment, Measure, judge
from conqret.judging.judge_options import JudgeOptions
from conqret.judging.judge_parts import JUDGES, Case, Judge, digest
from conqret.labels.task import TaskRequest
from conqret.labels.task_choice import screens_of, task_of
from conqret.prompts import Library
from tests.contract.items import HOSTILE, UNUSUAL, in_turn, referenced, with_text

formats = pytest.mark.parametrize("name", JUDGES)
asking = pytest.mark.parametrize("name", [name for name in JUDGES if JUDGES[name].judge_prompts])
computing = pytest.mark.parametrize("name", [name for name in JUDGES if JUDGES[name].computed])


@cache
def judged(name: str) -> tuple[Judgment, ...]:
    return tuple(judge(referenced()[:8], format=name, model="offline"))


ALWAYS_SCORED = {"citations", "nugget-assignments"}
"""Computed formats that find something to count in every item of these tests."""


def complete(name: str, judgment: Judgment) -> bool:
    """Whether all has a score; what is computed may find nothing to judge, and says so."""
    several = () if name in ALWAYS_SCORED else JUDGES[name].computed
    computed = {metric for one in several for metric in one.metrics}
    return all(
        measure.status == "scored" or (metric in computed and measure.reason == "nothing_to_judge")
        for metric, measure in judgment.measures.items()
    )


@formats
def test_offline_every_declared_metric_gets_a_score_and_nothing_else(name: str) -> None:
    for item, judgment in zip(referenced()[:8], judged(name), strict=True):
        assert judgment.item == item.id
        assert tuple(judgment.measures) == JUDGES[name].metrics
        assert complete(name, judgment)
        for measure in judgment.measures.values():
            assert (measure.value is None) == (measure.status != "scored")
            assert measure.value is None or 0 <= measure.value <= 1
            for part in measure.parts:
                assert part.value is None or 0 <= part.value <= 1
        assert len(judgment.trace.calls) == sum(1 + ask.both_orders for ask in JUDGES[name].judge_prompts)


SIEVES = {
    "two-sided": Item(id="odd", topic="Zoos"),
    "harmlessness": Item(id="odd", topic="Should zoos be closed?", argument="Keepers are vermin."),
}
"""What has to be told from the demo set by formats whose offline baseline gives all of that the same scores."""


@formats
def test_it_tells_items_apart(name: str) -> None:
    odd = tuple(judge([SIEVES[name]], format=name, model="offline")) if name in SIEVES else ()
    values = {tuple(m.value for m in judgment.measures.values()) for judgment in (*judged(name), *odd)}
    assert len(values) > 1, (
        f"offline, {name} gives all demo items the same scores: use more of case.evidence in its baseline, or, where "
        "that is right, add an item that is scored otherwise to SIEVES"
    )


@formats
def test_it_is_declared_in_full(name: str) -> None:
    found = JUDGES[name]
    assert found.name == name
    assert all(text.strip() for text in (found.summary, found.scale, found.score, found.source))
    for ask in found.judge_prompts:
        assert ask.needs <= {"documents", "argument", "second_argument", "nuggets"}
        assert ask.against <= {"reference"}
        assert ask.metrics
        assert ("preference" in ask.metrics) == ask.both_orders
    assert JUDGES[name.upper().replace("-", "_")] is found


def test_it_is_deterministic_whatever_the_hash_seed() -> None:
    code = (
        "from conqret import judge; from conqret.judging.judge_parts import JUDGES;"
        "from tests.contract.items import referenced;"
        "print([[j.model_dump(mode='json', exclude={'trace'}) for j in"
        " judge(referenced()[:1], format=f)] for f in JUDGES])"
    )
    seed = "1" if os.environ.get("PYTHONHASHSEED") == "2" else "2"
    elsewhere = subprocess.run(
        [sys.executable, "-c", code],
        cwd=Path(__file__).parents[2],
        env={**os.environ, "PYTHONHASHSEED": seed},
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    here = [[judged(name)[0].model_dump(mode="json", exclude={"trace"})] for name in JUDGES]
    assert elsewhere == f"{here}\n"


def fingerprint(judged: Judge, *instrument: Any) -> str:
    return digest(judged.identity(*instrument))


@computing
def test_what_is_computed_has_a_fingerprint_of_its_own(name: str) -> None:
    found, library = JUDGES[name], Library()
    base = fingerprint(found, JudgeOptions(), library, {"model": "no-model"})
    assert base == fingerprint(
        found, JudgeOptions(samples=2, seed=14, temperature=0.5), library, {"model": "no-model"}
    )
    other = replace(found, computed=tuple(replace(one, version=one.version + 1) for one in found.computed))
    assert base != fingerprint(other, JudgeOptions(), library, {"model": "no-model"})


@computing
def test_a_metric_that_raises_is_a_failure(name: str) -> None:
    def broken(item: Item) -> dict[str, Measure]:
        raise ZeroDivisionError("division by zero")

    found = JUDGES[name]
    other = replace(found, computed=tuple(replace(one, score=broken) for one in found.computed))
    for judgment in judge(referenced()[:2], format=other):
        assert judgment.status == "failed"
        assert {(measure.reason, measure.detail) for measure in judgment.measures.values()} == {
            ("judge_failed", "ZeroDivisionError: division by zero")
        }


@computing
def test_what_is_computed_asks_no_model(name: str) -> None:
    with pytest.raises(
        DeclarationError, match=f"the format {name} is computed from the items without a model"
    ):
        judge(referenced(), format=name, model="gpt-4o")
    (judgment,) = judge(referenced()[:1], format=name)
    assert (judgment.model, judgment.trace.calls) == ("no-model", ())


@asking
def test_the_fingerprint_names_the_instrument(name: str, tmp_path: Path) -> None:
    found, library, model = JUDGES[name], Library(), {"model": "m", "temperature": 0.0}
    base = fingerprint(found, JudgeOptions(), library, model)
    assert base == fingerprint(found, JudgeOptions(), Library(), dict(model))
    assert base == fingerprint(found, JudgeOptions(metrics=found.metrics), library, model)
    others = [
        fingerprint(found, JudgeOptions(), library, {**model, "model": "n"}),
        fingerprint(found, JudgeOptions(samples=2), library, model),
        fingerprint(found, JudgeOptions(seed=14), library, model),
        fingerprint(found, JudgeOptions(order="reversed"), library, model),
        fingerprint(found, JudgeOptions(relevant_from=4), library, model),
        fingerprint(found, JudgeOptions(temperature=0.5), library, model),
    ]
    prompt = library[found.judge_prompts[0].prompt]
    file = tmp_path / f"{prompt.id}.j2"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(prompt.text.replace("You ", "Thou ", 1), encoding="utf-8")
    changed = fingerprint(found, JudgeOptions(), Library(tmp_path), model)
    if "You " not in prompt.text:  # the words are in the shared blocks: change those
        shared = library.source("_blocks.j2")
        (tmp_path / "_blocks.j2").write_text(shared.replace("You ", "Thou ", 1), encoding="utf-8")
        changed = fingerprint(found, JudgeOptions(), Library(tmp_path), model)
    others.append(changed)
    assert base == fingerprint(found, JudgeOptions(metrics=found.judge_prompts[0].metrics), library, model)
    assert len({base, *others}) == len(others) + 1


@formats
def test_the_answer_schema_forbids_more_and_bounds_every_rating(name: str) -> None:
    for ask in JUDGES[name].judge_prompts:
        schema = ask.answer(Case(referenced()[0])).model_json_schema()
        for part in (schema, *schema.get("$defs", {}).values()):
            if part.get("type") == "object":
                assert part["additionalProperties"] is False
                assert set(part["required"]) == set(part["properties"])
            for field, inner in part.get("properties", {}).items():
                for kind in inner.get("anyOf", [inner]):
                    if kind.get("type") == "integer" and field not in ("document", "sentence", "nugget"):
                        assert {"minimum", "maximum"} <= set(kind), field


@pytest.mark.parametrize(("name", "payload"), in_turn(JUDGES, HOSTILE, 1))
def test_hostile_items_are_judged_and_flagged(name: str, payload: str) -> None:
    item = with_text(referenced()[0], HOSTILE[payload])
    if payload == "control characters":  # those are a fault of the items, before any judging
        item = with_text(referenced()[0], "<{{ x }}")
    (judgment,) = judge([item], format=name, model="offline")
    assert complete(name, judgment)
    where = {flag.where for flag in judgment.flags}
    assert {"topic", "argument", "second_argument", f"document:{item.documents[0].id}"} <= where


@pytest.mark.parametrize(
    ("name", "item"), in_turn(JUDGES, UNUSUAL, 1), ids=lambda one: getattr(one, "id", one)
)
def test_unusual_items_are_judged(name: str, item: Item) -> None:
    (judgment,) = judge([item], format=name, model="offline")
    poor = name == "rag-rubric" and item.id in ("no-words", "long-sentence")  # no 20 nuggets in them
    for metric, measure in judgment.measures.items():
        missing = measure.reason == "nothing_to_judge" or (poor and measure.reason == "invalid_answer")
        missing = missing or (metric == "snippets" and measure.reason == "cannot_judge")  # there may be none
        missing = missing or (item.id == "unicode" and measure.reason == "language")  # it is in Japanese
        assert measure.status == "scored" or missing, (metric, measure.reason, measure.detail)
    assert set(judgment.measures) == set(JUDGES[name].metrics)


def test_the_order_of_the_documents_is_free() -> None:
    item = referenced()[0].model_copy(update={"argument": "It is so.", "second_argument": "It is not so."})
    turned = item.model_copy(update={"documents": item.documents[::-1]})
    one, other = (
        {part.id: part.raw for part in judgment.measures["context_relevance"].parts}
        for version in (item, turned)
        for judgment in judge([version], format="rag-fine-grained")
    )
    assert one == other


@formats
def test_annotators_rate_by_it_or_it_is_refused_in_a_sentence(name: str) -> None:
    refused = ""
    try:
        screens = screens_of(task_of(name), referenced()[:2], TaskRequest())
    except DeclarationError as error:
        refused = str(error)
    if refused:
        assert "use a format with ratings" in refused
        assert len(refused.splitlines()) == 1
    else:
        assert all(screen.questions for screen in screens)
        assert {screen.item for screen in screens} == {item.id for item in referenced()[:2]}
