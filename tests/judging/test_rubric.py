"""Rubrics: read in every layout, refused with file and line, asked as criteria are, and put together by weight."""

from __future__ import annotations

import csv
import gzip
import json
import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest

import conqret
from conqret.data import Measure, Reason, Status
from conqret.data.criterion import Criterion
from conqret.errors import DeclarationError
from conqret.io.rubric_files import own_rubrics, rubrics_of
from conqret.io.rubric_set import RubricError
from conqret.io.source import open_items
from conqret.judging.rubrics import combined_score, judge_of_record, rubric_judge
from conqret.studies.card.result import differences
from tests.server import FaultServer

TOML = """
[[criteria]]
name = "sourced"
question = "It names a source"
weight = 3
importance = "vital"
axis = "Evidence"

[[criteria]]
name = "clarity"
question = "How clear is it?"
scale = [1, 5]
anchors = { 1 = "not at all", 5 = "at once" }
weight = 2
axis = "Style"

[[criteria]]
question = "It insults somebody"
weight = -4
axis = "Style"
"""
RUBRIC = [
    Criterion("sourced", "It names a source", weight=3, importance="vital", axis="Evidence"),
    Criterion("clarity", "How clear is it?", (1, 5), {1: "not at all", 5: "at once"}, weight=2, axis="Style"),
    Criterion("it_insults_somebody", "It insults somebody", weight=-4, axis="Style"),
]
ITEM = {"id": "a", "topic": "Should zoos be banned?", "argument": "Zoos should go."}


def judged(verdicts: Mapping[str, Any]) -> Callable[[Mapping[str, Any]], Any]:
    """Answers that give each criterion of a request the rating that stands for its words."""

    def answer(body: Mapping[str, Any]) -> dict[str, Any]:
        system = body["messages"][0]["content"]
        asked = re.findall(r"^(criterion_\d+): (.*)$", system, re.M)
        return {
            name: {"explanation": "Why.", "rating": verdicts[question]}
            for name, question in asked
            if question in verdicts
        }

    return answer


def asked(server: FaultServer, **settings: Any) -> dict[str, Any]:
    return {"model": "openai/m", "api_base": server.url, "api_key": "k", "max_attempts": 1, **settings}


def measure(value: float | None, reason: Reason = Reason.CANNOT_JUDGE) -> Measure:
    return (
        Measure.missing(reason)
        if value is None
        else Measure(status=Status.SCORED, value=value, explanation="Why.")
    )


@pytest.mark.parametrize(
    ("values", "score", "raw"),
    [
        # weights 3, 2 and -4: the best score is 5 points of 5
        ((1.0, 1.0, 0.0), 1.0, None),  # (3 + 2) / 5
        ((1.0, 0.5, 0.0), 0.8, None),  # (3 + 1) / 5; a rating of 3 on 1 to 5 is halfway
        ((1.0, 1.0, 1.0), 0.2, None),  # (3 + 2 - 4) / 5
        ((0.0, 0.5, 1.0), 0.0, -0.6),  # (1 - 4) / 5 is below 0
        ((None, 0.5, 0.0), 0.5, None),  # without the first: 1 / 2
        ((1.0, 0.25, None), 0.7, None),  # without the fault: 3.5 / 5
    ],
)
def test_points_by_hand(values: tuple[float | None, ...], score: float, raw: float | None) -> None:
    found = combined_score(
        [(one, measure(value)) for one, value in zip(RUBRIC, values, strict=True)], rows=True
    )
    assert found.value == pytest.approx(score)
    assert found.detail in ("", "1 of 3 criteria left out (cannot_judge 1)")
    assert found.raw == (None if raw is None else pytest.approx(raw))
    assert bool(found.detail) == (None in values)
    assert [part.value for part in found.parts] == list(values)
    brought = [None if v is None else one.points * v for one, v in zip(RUBRIC, values, strict=True)]
    assert [part.raw for part in found.parts] == brought


def test_what_failed_is_asked_again_and_faults_alone_are_no_score() -> None:
    found = combined_score([(RUBRIC[0], measure(1.0)), (RUBRIC[1], measure(None, Reason.TIMEOUT))])
    assert (found.value, found.reason) == (None, Reason.TIMEOUT)
    assert combined_score([(RUBRIC[2], measure(0.0))]).reason is Reason.NOTHING_TO_JUDGE
    # nothing that brings points is left: no made-up score
    found = combined_score(
        [(one, measure(value)) for one, value in zip(RUBRIC, (None, None, 1.0), strict=True)]
    )
    assert (found.value, found.reason, found.status) == (None, Reason.CANNOT_JUDGE, Status.UNSCORED)


def test_several_samples_make_several_scores() -> None:
    def sampled(*values: float) -> Measure:
        return Measure(
            status=Status.SCORED, value=sum(values) / len(values), samples=values, confidence={"stated": 0.5}
        )

    # 5 of 5 points; 3 of 5; and 3 - 4 of 5, which is -0.2 and counts as 0
    found = combined_score(
        [(RUBRIC[0], sampled(1, 1, 1)), (RUBRIC[1], sampled(1, 0, 0)), (RUBRIC[2], sampled(0, 0, 1))]
    )
    assert found.samples == pytest.approx((1.0, 0.6, 0.0))
    assert (found.value, found.raw) == (pytest.approx(1.6 / 3), pytest.approx(1.4 / 3))
    assert found.confidence == {"stated": 0.5}


def plain(criteria: Iterable[Criterion]) -> list[dict[str, Any]]:
    return [one.plain() for one in criteria]


TABLE = plain(RUBRIC)
YAML = """criteria:
- name: sourced
  question: It names a source
  weight: 3
  importance: vital
  axis: Evidence
- name: clarity
  question: How clear is it?
  scale: [1, 5]
  anchors: {1: not at all, 5: at once}
  weight: 2
  axis: Style
- question: It insults somebody
  weight: -4
  axis: Style
"""


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("r.toml", TOML),
        ("r.yaml", YAML),
        ("r.json", json.dumps({"criteria": TABLE})),
        ("r.jsonl", "\n".join(map(json.dumps, TABLE))),
    ],
)
def test_our_own_layout(tmp_path: Path, name: str, text: str) -> None:
    file = tmp_path / name
    file.write_text(text)
    assert plain(rubrics_of(file).shared) == TABLE


RESEARCH = {
    "qid": "683a",
    "domain": "STEM",
    "rubrics": [
        {
            "criterion": "The response expands acronyms, as evidence (e.g. AMC).",
            "weight": 4.0,
            "axis": "Communication Quality",
        },
        {"criterion": "The response has no diagram.", "weight": -3.0, "axis": "Implicit Criteria"},
    ],
}
HEALTH = {
    "prompt_id": "p1",
    "prompt": [{"role": "user", "content": "?"}],
    "rubrics": [
        {"criterion": "Tells to call a doctor", "points": 7, "tags": ["level:example", "axis:accuracy"]},
        {"criterion": "Frightens", "points": -5, "tags": ["axis:communication_quality"]},
    ],
}
DRAGUN = {
    "topic_id": "msmarco_v2.1_doc_1",
    "rubrics": [
        {
            "question_id": "msmarco_v2.1_doc_1-1",
            "question_text": "Who is the author?",
            "importance": "A: Have to Know",
            "short_answers": [
                {"answer_id": "1", "answer_text": "He edits a blog.", "references": ["x"]},
                {"answer_id": "2", "answer_text": "He is paid by an oil company."},
            ],
        },
        {
            "question_id": "msmarco_v2.1_doc_1-2",
            "question_text": "Is the date right?",
            "importance": "C: Nice to Know",
            "short_answers": [{"answer_id": "1", "answer_text": "Yes, June 2023."}],
        },
    ],
}


def test_as_they_are_published(tmp_path: Path) -> None:
    file = tmp_path / "r.jsonl.gz"
    file.write_bytes(gzip.compress("\n".join(map(json.dumps, (RESEARCH, HEALTH))).encode()))
    found = rubrics_of(file)
    research, health = found.by_key["683a"], found.by_key["p1"]
    assert [(one.points, one.axis) for one in research] == [
        (4, "Communication Quality"),
        (-3, "Implicit Criteria"),
    ]
    assert research[0].shows == ("answer", "question")  # although it speaks of evidence
    assert [(one.points, one.axis) for one in health] == [(7, "accuracy"), (-5, "communication quality")]


def test_short_answers_share_the_weight_of_their_question(tmp_path: Path) -> None:
    (tmp_path / "msmarco_v2.1_doc_1.json").write_text(json.dumps(DRAGUN, indent=1))
    for source in (tmp_path, tmp_path / "msmarco_v2.1_doc_1.json"):
        (criteria,) = rubrics_of(source).by_key.values()
        assert [one.points for one in criteria] == [2, 2, 1]
        assert {one.scale for one in criteria} == {(0, 2)}
        assert [one.importance for one in criteria] == ["vital", "vital", "okay"]
        assert "Who is the author?" in criteria[0].question
    # supports (1), partial (.5) and none (0): (4 * (1 + .5) / 2 + 1 * 0) / 5, as the track's script has it
    found = combined_score([(one, measure(value)) for one, value in zip(criteria, (1, 0.5, 0), strict=True)])
    assert found.value == pytest.approx(0.6)


@pytest.mark.parametrize(
    ("name", "text", "place"),
    [
        ("r.toml", '[[criteria]]\nquestion = "It is"\nweight = "heavy"\n', ":3 [weight]"),
        ("r.toml", '[[criteria]]\nquestion = "It is"\nwieght = 2\n', ":3 [wieght]"),
        ("r.yaml", "criteria:\n- question: It is\n  weight: .nan\n", ":3 [weight]"),
        (
            "r.jsonl",
            '{"qid": 1, "rubric": ["It is"]}\n{"qid": 2, "rubric": [{"criterion": "X", "points": "many"}]}',
            ":2 [rubric[1].points]",
        ),
        ("r.jsonl", '{"qid": 1, "rubric": ["It is"]}\n{"qid": 1, "rubric": ["It is not"]}', ":2 [qid]"),
        ("r.jsonl", '{"question": "It is", "name": "x"}\n{"question": "It was", "name": "x"}', ":2 "),
    ],
)
def test_faults_have_file_and_line(tmp_path: Path, name: str, text: str, place: str) -> None:
    file = tmp_path / name
    file.write_text(text)
    with pytest.raises(RubricError) as caught:
        rubrics_of(file)
    (line,) = str(caught.value).splitlines()[1:]
    assert line.startswith(f"  {file}{place}"), line


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("r.toml", "x = 1\n"),
        ("r.jsonl", '{"qid": 1, "rubric": ["It is"]}\n{"question": "It is"}'),
        ("r.toml", TOML.replace('name = "clarity"', 'name = "rubric_score"')),
    ],
)
def test_what_is_no_rubric_is_refused(tmp_path: Path, name: str, text: str) -> None:
    file = tmp_path / name
    file.write_text(text)
    with pytest.raises(DeclarationError):
        rubric_judge(rubrics_of(file))
    with pytest.raises(DeclarationError):
        rubrics_of(tmp_path / f"no{file.suffix}")


def test_a_few_lines_of_yaml_unpack_to_nothing_large(tmp_path: Path) -> None:
    file = tmp_path / "r.yaml"
    levels = [f"l{n}: &l{n} [{', '.join([f'*l{n - 1}'] * 9)}]" for n in range(1, 9)]
    file.write_text("\n".join(["l0: &l0 [x]", *levels, "criteria: [{question: It is, importance: *l8}]"]))
    with pytest.raises(DeclarationError, match=f"{re.escape(str(file))}:2 "):
        rubrics_of(file)


def test_weights_belong_to_a_rubric() -> None:
    with pytest.raises(DeclarationError):
        conqret.judge([ITEM], criteria=RUBRIC)
    for other in ({"criteria": ["It is"]}, {"format": "direct"}):
        with pytest.raises(DeclarationError):
            conqret.judge([ITEM], rubric=RUBRIC, metrics=["overall_quality"], **other)  # type: ignore[arg-type]


VERDICTS = {"It names a source": "yes", "How clear is it?": 3, "It insults somebody": "no"}


def test_one_rubric_for_all_items() -> None:
    with FaultServer(answer=judged(VERDICTS)) as server:
        found = conqret.judge([ITEM], rubric=RUBRIC, **asked(server))[0]
        assert len(server.requests) == 1
        assert found.values == pytest.approx(
            {
                "rubric_score": 0.8,
                "vital_score": 1.0,
                "axis_evidence": 1.0,
                "axis_style": 0.5,
                "sourced": 1.0,
                "clarity": 0.5,
                "it_insults_somebody": 0.0,
            }
        )
        assert [part.id for part in found.measures["rubric_score"].parts] == list(VERDICTS)
        alone = conqret.judge([ITEM], rubric=RUBRIC, metrics=["axis_evidence"], **asked(server))[0]
        assert alone.values == {"axis_evidence": 1.0}
        system = server.requests[-1].body["messages"][0]["content"]
        assert ("It names a source" in system, "How clear is it?" in system) == (True, False)


def test_the_fingerprint_holds_the_rubric_and_weights_need_no_new_answer(tmp_path: Path) -> None:
    heavier = [*RUBRIC[:2], Criterion("it_insults_somebody", "It insults somebody", weight=-1, axis="Style")]
    with FaultServer(answer=judged({**VERDICTS, "It insults somebody": "yes"})) as server:
        settings = asked(server, recordings=tmp_path / "store.sqlite")
        one = conqret.judge([ITEM], rubric=RUBRIC, **settings)[0]
        other = conqret.judge([ITEM], rubric=heavier, **settings)[0]
        assert len(server.requests) == 1
    assert one.fingerprint != other.fingerprint
    assert (one.value("rubric_score"), other.value("rubric_score")) == (0.0, pytest.approx(0.6))
    again = judge_of_record("rubric", json.loads(json.dumps({"rubric": rubrics_of(RUBRIC).plain()})))
    assert again.declared == rubric_judge(rubrics_of(RUBRIC)).declared
    assert (
        len(differences({"rubric": rubrics_of(RUBRIC).plain()}, {"rubric": rubrics_of(heavier).plain()}, "b"))
        == 1
    )


def test_a_rubric_for_each_topic_or_item() -> None:
    items = [
        {**ITEM, "id": "by-field", "qid": "q1"},
        {**ITEM, "id": "by-topic", "topic": "Should cars be banned?"},
        {**ITEM, "id": "none", "topic": "Should cats be banned?"},
    ]
    rubric = {
        "q1": [*RUBRIC, Criterion("more", "It says more", weight=1, axis="Style")],
        "Should cars be banned?": [Criterion("short", "It is short", weight=2, axis="Length")],
        "q9": ["It is never asked"],
    }
    verdicts = {**VERDICTS, "It says more": "no", "It is short": "yes"}
    with FaultServer(answer=judged(verdicts)) as server:
        found = conqret.judge(items, rubric=rubric, **asked(server, criteria_per_call=3))
        assert len(server.requests) == 3  # two for four criteria, one for the one, none without a rubric
    assert found["by-field"].values == pytest.approx(
        {"rubric_score": 4 / 6, "vital_score": 1.0, "axis_evidence": 1.0, "axis_style": 1 / 3}
    )
    assert found["by-topic"].values == {"rubric_score": 1.0, "axis_length": 1.0}
    assert found["none"].reason is Reason.NOTHING_TO_JUDGE
    assert len(found.notes) >= 2  # of the rubric of no item, and of the item without one
    assert found.to_polars()["rubric_score"].to_list() == pytest.approx([4 / 6, 1.0, None])
    assert found.summary.metrics["axis_length"].total == 1


def test_the_rubric_of_an_item_itself() -> None:
    items = [{**ITEM, "rubrics": HEALTH["rubrics"]}, {**ITEM, "id": "b"}]
    with FaultServer(answer=judged({"Tells to call a doctor": "yes", "Frightens": "yes"})) as server:
        found = conqret.judge([{**items[0], "source": "web"}, items[1]], format="rubric", **asked(server))
        other = conqret.judge(items, rubric=HEALTH["rubrics"], **asked(server))
    told = [
        [name for name in ("source", "rubrics") if f"'{name}'" in "".join(one.notes)]
        for one in (found, other)
    ]
    assert told == [["source"], ["rubrics"]], "kept as metadata is what is not judged by"
    assert found["a"].value("rubric_score") == pytest.approx(2 / 7)
    assert found["b"].reason is Reason.NOTHING_TO_JUDGE
    with pytest.raises(DeclarationError):
        conqret.judge([ITEM], format="rubric")
    with pytest.raises(RubricError):
        conqret.judge([{**ITEM, "rubric": [{"question": "It is", "weight": "x"}]}], format="rubric")


CROSSED = [{**ITEM, "id": "1", "qid": "2"}, {**ITEM, "id": "2", "qid": "1"}, {**ITEM, "id": "3"}]


@pytest.mark.parametrize(("column", "keys"), [("qid", ["2", "1", "3"]), ("item", ["1", "2", "3"])])
def test_ids_and_topics_are_told_apart(tmp_path: Path, column: str, keys: list[str]) -> None:
    file = tmp_path / "r.jsonl"
    file.write_text("\n".join(json.dumps({column: key, "rubric": [f"It is {key}"]}) for key in "123"))
    rubrics = rubrics_of(file)
    for each in (rubrics, rubrics_of(json.loads(json.dumps(rubrics.plain())))):
        assert [each.key_of(item) for item in open_items(CROSSED)] == keys


def test_no_item_is_judged_by_the_rubric_that_another_item_has() -> None:
    source = open_items([{**CROSSED[0], "rubric": ["It is"]}, CROSSED[1]])
    rubrics = own_rubrics(source)
    for each in (rubrics, rubrics_of(json.loads(json.dumps(rubrics.plain())))):
        assert [each.key_of(item) for item in source] == ["1", None]
    with pytest.raises(DeclarationError):  # named is an item that is not there, whatever its topic is called
        conqret.judge([CROSSED[0]], rubric=rubrics_of({"for": {"2": ["It is"]}, "items": ["2"]}))


def test_rubrics_in_the_cells_of_a_table(tmp_path: Path) -> None:
    file = tmp_path / "items.csv"
    with file.open("w", newline="") as handle:
        rubrics = [
            '["It is", {"question": "It was", "weight": -2}]',
            '[{"question": "It is", "weight": "x"}]',
        ]
        csv.writer(handle).writerows(
            [["id", "topic", "argument", "rubric"], *(["a", "?", "Yes.", cell] for cell in rubrics[:1])]
        )
    found = own_rubrics(open_items(file)).by_key["a"]
    assert [criterion.points for criterion in found] == [1, -2]
    with file.open("a", newline="") as handle:
        csv.writer(handle).writerow(["b", "?", "Yes.", rubrics[1]])
    with pytest.raises(RubricError) as caught:
        own_rubrics(open_items(file))
    assert f"{file}:3 [rubric[1].weight]" in str(caught.value)


def test_a_changed_item_keeps_its_rubric() -> None:
    change = [{"name": "padding", "level": 1.0, "original": "a", "seed": 1}]
    changed = conqret.Item(id="a~padding", topic="?", metadata={"perturbation": change})
    assert rubrics_of({"a": RUBRIC}).for_item(changed) == tuple(RUBRIC)


def test_one_invalid_rating_takes_nothing_from_the_others() -> None:
    with FaultServer(answer=judged({**VERDICTS, "How clear is it?": 9})) as server:
        found = conqret.judge([ITEM], rubric={"a": RUBRIC}, **asked(server))[0]
    measure = found.measures["rubric_score"]
    assert (measure.value, found.measures["axis_style"].value) == (1.0, None)
    assert "1 of 3" in measure.detail
    assert measure.parts[1].value is None


def test_trec_rag_2026(data_dir: Path) -> None:
    folder = data_dir / "trec_rag_2026"
    if not folder.is_dir():
        pytest.skip("CONQRET_DATA has no trec_rag_2026")
    found = rubrics_of(folder / "research-rubrics-dev-rubrics.jsonl.gz")
    assert (len(found.by_key), sum(map(len, found.each))) == (30, 755)
    assert len(rubric_judge(found).metrics) == 1 + 7
