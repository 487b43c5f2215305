"""A judge improved from labels: what is planted is found, what is chosen is measured elsewhere, and it can be used."""

from __future__ import annotations

import json
import pickle
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import conqret
from conqret.errors import DeclarationError
from conqret.io.labels import read_labels
from conqret.judging.instrument import filled
from conqret.judging.judge_folder import JudgeFolder
from conqret.judging.judge_parts import JUDGES, Case
from conqret.judging.setup import PROBE
from conqret.prompts import Library
from conqret.studies.improve.improve_study import improve_plan
from conqret.studies.improve.improved_prompt import (
    Anchor,
    ImprovedLibrary,
    Improvement,
    LabelledExample,
    improved_prompt,
)
from conqret.studies.improve.result import ImproveResult
from tests.contract.items import HOSTILE
from tests.server import FaultServer
from tests.studies.improving import CRITERION, LONGER, rule_model, write_case


def improved(server: FaultServer, items: Path, labels: Any, **how: Any) -> ImproveResult:
    asked = {"criteria": [CRITERION], "model": "openai/m", "api_base": server.url, "api_key": "k"}
    return conqret.improve(items, read_labels(labels, scales=["1:5"]), **{**asked, **how})


def reversed_labels(labels: Path, changed: Path, items: frozenset[str] | None = None) -> Path:
    """The labels, turned round for some items (default: for all)."""
    header, *rows = labels.read_text().splitlines()
    turned = [
        f"{row[:-1]}{6 - int(row[-1])}" if items is None or row.partition(",")[0] in items else row
        for row in rows
    ]
    changed.write_text("\n".join([header, *turned]) + "\n")
    return changed


@pytest.fixture(scope="module")
def server() -> Iterator[FaultServer]:
    with FaultServer(answer=rule_model) as running:
        yield running


@dataclass(frozen=True)
class Study:
    """Labeled items, and what became of the judge in ``folder``."""

    items: Path
    labels: Path
    folder: Path
    result: ImproveResult


@pytest.fixture(scope="module")
def cross_fitted(server: FaultServer, tmp_path_factory: pytest.TempPathFactory) -> Study:
    """Nine topics, each measured by what was learned from others."""
    folder = tmp_path_factory.mktemp("cross")
    items, labels = write_case(folder, "length", topics=9)
    return Study(items, labels, folder, improved(server, items, labels, output=folder / "out"))


def test_a_planted_difference_is_learned_without_the_labels_that_it_is_measured_on(
    server: FaultServer, cross_fitted: Study, tmp_path: Path
) -> None:
    others, more = write_case(tmp_path, "length", topics=8, first=100, seed=4)
    items, labels = cross_fitted.items, cross_fitted.labels
    result = improved(server, items, [labels, more], held_out=others, output=tmp_path / "out")
    assert result.improvement.wording == LONGER
    assert result.final.variant == "wording"
    assert result.shown
    assert result.shown_over_calibration
    assert result.observations == (f"They would say: {LONGER}",)
    assert result.agreement["improved"].alpha.value > 0.7
    recordings = tmp_path / "out" / "recordings.sqlite"
    used = conqret.judge(
        others,
        criteria=["quality: How good is this speech? 0-100"],
        model="openai/m",
        api_base=server.url,
        api_key="k",
        prompts=tmp_path / "out" / "prompts",
        output=tmp_path / "used",
        recordings=recordings,
    )
    assert used.session.sent == 0
    assert JudgeFolder(tmp_path / "used").record().fingerprint == result.improved_fingerprint
    card = (tmp_path / "out" / "card.md").read_text()
    assert LONGER in card
    assert "The improved judge agrees better" in card
    changed = reversed_labels(more, tmp_path / "changed.csv")
    other = improved(server, items, [labels, changed], held_out=others, recordings=recordings)
    assert other.session.sent == 0
    assert result.final == other.final
    assert result.improvement == other.improvement
    assert result.improved_fingerprint == other.improved_fingerprint
    assert result.agreement["improved"] != other.agreement["improved"]


def test_labels_of_a_fold_change_nothing_of_what_is_chosen_for_it(
    server: FaultServer, cross_fitted: Study, tmp_path: Path
) -> None:
    items, labels = cross_fitted.items, cross_fitted.labels
    plan = improve_plan(items, read_labels(labels, scales=["1:5"]), criteria=[CRITERION], model="openai/m")
    fold = frozenset(item.id for item in plan.items_in(frozenset({0})))
    moved = reversed_labels(labels, tmp_path / "moved.csv", fold)
    other = improved(server, items, moved, recordings=cross_fitted.folder / "out" / "recordings.sqlite")
    assert cross_fitted.result.choices[0] == other.choices[0]
    assert cross_fitted.result.choices[1:] != other.choices[1:]


def test_an_item_without_a_score_keeps_none_once_a_wording_was_proposed(tmp_path: Path) -> None:
    """A score that came later would be another question for a wording, and all that came of it be asked anew."""
    items, labels = write_case(tmp_path, "length", topics=9)
    first = json.loads(items.read_text().splitlines()[0])["argument"]

    def mute(body: Any) -> Any:
        user = str(body["messages"][1]["content"])
        return {"odd": 1} if f"<answer>\n{first.strip()}" in user else rule_model(body)

    how: dict[str, Any] = {"output": tmp_path / "out"}
    with FaultServer(answer=mute) as server:
        one = improved(server, items, labels, **how)
        assert one.unscored == 1
    with FaultServer(answer=rule_model) as server:
        other = improved(server, items, labels, **how)
        assert 0 < len(server.requests) <= 6  # by wordings without its fold, and without another, too
    assert other.improvement == one.improvement
    assert other.unscored == 1


def test_the_offline_baseline_is_calibrated_alone(tmp_path: Path) -> None:
    items, labels = write_case(tmp_path, "length")
    result = conqret.improve(items, read_labels(labels, scales=["1:5"]), format="listwise", metric="clarity")
    assert {one.variant for one in result.final.candidates} == {"as_it_is"}
    assert result.baseline


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"criteria": [CRITERION, "The answer is short"]}, "one criterion is improved at a time"),
        ({"criteria": ()}, "name what to improve"),
        ({"criteria": (), "format": "listwise"}, "name one with --metric"),
        ({"criteria": (), "format": "direct", "metric": "preference"}, "compares two"),
        ({"model": "offline"}, "no evidence for criteria"),
        ({"excerpt": 2}, "--excerpt is 2"),
        ({"held_out": "same"}, "held out and learned from"),
        ({"held_out": "same ids"}, r"60 ids \(such as 'i0'\)"),  # labels and ratings are found by id
        ({"topics": 8}, "9 topics are needed"),
        ({"scales": []}, "--scale"),
    ],
)
def test_what_cannot_be_improved_is_refused_before_anything_is_asked(
    tmp_path: Path, how: dict[str, Any], message: str
) -> None:
    items, labels = write_case(tmp_path, "length", topics=how.pop("topics", 12))
    read = read_labels(labels, scales=how.pop("scales", ["1:5"]))
    if "held_out" in how:
        others = tmp_path / "others.jsonl"
        topic = "Topic" if how["held_out"] == "same" else "Other"
        others.write_text(items.read_text().replace("Topic", topic))
        how["held_out"] = others
    with pytest.raises(DeclarationError, match=message):
        improve_plan(items, read, **{"criteria": [CRITERION], "model": "openai/m", **how})


@pytest.mark.parametrize("name", ["direct", "pointwise", "rag-fine-grained"])
def test_an_improvement_is_shown_in_the_prompt_of_a_format_and_acts_in_none(name: str) -> None:
    """What is learned stands as it is at the end of the instructions, whatever it says."""
    library, texts = Library(), list(HOSTILE.values())
    improvement = Improvement(
        subject="“clarity”",
        wording="Count the reasons. +++ {{ 7 * 7 }}",
        anchors=(Anchor(rating=1, meaning='None. "quoted" \\ back'),),
        examples=tuple(
            LabelledExample(item="i", question=text, side="for", text=f"{text}\n+++\nTail.", label="3.0")
            for text in texts
        ),
    )
    for ask in JUDGES[name].judge_prompts:
        changed = ImprovedLibrary(library, ask.prompt, improved_prompt(library, ask.prompt, improvement))
        again = pickle.loads(pickle.dumps(changed))
        case = Case(PROBE)
        before, after = (filled(one[ask.prompt], ask, case) for one in (library, again))
        assert after.user == before.user
        assert after.system.startswith(before.system.removesuffix("</"))
        assert "Count the reasons. +++ {{ 7 * 7 }}" in after.system
        assert after.system.count("</example>") == len(texts)
        assert after.system.count("</text>") == len(texts)
        assert again[ask.prompt].digest != library[ask.prompt].digest
        with pytest.raises(DeclarationError, match="already an improved one"):
            improved_prompt(changed, ask.prompt, improvement)
