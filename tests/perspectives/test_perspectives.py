"""Perspective measures on hand-worked examples, and typed detection."""

import ir_measures
import pytest

from conqret.data import Reason
from conqret.errors import DeclarationError
from conqret.io.pairs import Pair
from conqret.llm import retry
from conqret.llm.client_options import ClientOptions
from conqret.perspectives.detection import GRADES, YES_FROM, Detection, Graded, baseline_grade
from conqret.perspectives.measures import MRecall, PerspectiveP
from conqret.perspectives.ranking_diversity import (
    ceiling,
    documents_needed,
    leaning,
    mrecall,
    precision,
    preference,
)
from tests.perspectives.detected import detect
from tests.server import FaultPlan, FaultServer

HOLDERS = {"yes": {"d1", "d4"}, "no": {"d4", "d6"}}
RANKING = ["d1", "d2", "d3", "d5", "d7", "d6"]


def test_mrecall_and_precision_at_5_by_hand():
    # The first five hold only "yes" (d1): not both, and one of five documents holds any perspective.
    assert mrecall(RANKING, HOLDERS, 5) == 0.0
    assert precision(RANKING, HOLDERS, 5) == 0.2
    # With d6 in sixth place both are held.
    assert mrecall(RANKING, HOLDERS, 6) == 1.0
    assert precision(RANKING, HOLDERS, 6) == pytest.approx(2 / 6)
    # One document that holds both is enough.
    assert mrecall(["d4"], HOLDERS, 5) == 1.0
    assert precision(["d4"], HOLDERS, 5) == 0.2


def test_with_more_perspectives_than_documents_as_many_as_documents_are_wanted():
    holders = {f"p{n}": {f"d{n}"} for n in range(7)}
    ranking = [f"d{n}" for n in range(7)]
    assert mrecall(ranking, holders, 5) == 1.0
    assert mrecall(["d0", "d0x", *ranking[1:]], holders, 5) == 0.0
    assert mrecall(["all"], {f"p{n}": {"all"} for n in range(7)}, 5) == 1.0


def test_a_perspective_that_nothing_holds_cannot_be_recalled():
    assert mrecall(["d1", "d4", "d6"], HOLDERS | {"else": set()}, 5) == 0.0


def test_as_measures_of_ir_measures():
    qrels = [
        ir_measures.Qrel(topic, document, relevance, perspective)
        for topic, perspective, document, relevance in [
            ("q1", "yes", "d1", 1), ("q1", "no", "d1", 0), ("q1", "yes", "d2", 0), ("q1", "no", "d2", 1),
            ("q2", "yes", "d1", 1), ("q2", "no", "d1", 0), ("q2", "no", "d2", 0),
            ("q3", "yes", "d9", 1),
        ]
    ]  # fmt: skip
    run = [
        ir_measures.ScoredDoc(topic, document, score)
        for topic, document, score in [
            ("q1", "d1", 3.0),
            ("q1", "x", 2.0),
            ("q1", "d2", 1.0),
            ("q2", "d1", 2.0),
            ("q2", "d2", 1.0),
        ]
    ]
    values = {
        (metric.query_id, str(metric.measure)): metric.value
        for metric in ir_measures.iter_calc(
            [MRecall @ 5, MRecall @ 2, PerspectiveP @ 5, PerspectiveP @ 1], qrels, run
        )
    }
    assert values["q1", "MRecall@5"] == 1.0
    assert values["q1", "MRecall@2"] == 0.0
    assert values["q2", "MRecall@5"] == 0.0  # its "no" is known by its zeros
    assert values["q1", "PerspectiveP@5"] == pytest.approx(2 / 5)
    assert values["q2", "PerspectiveP@1"] == 1.0
    assert values["q3", "MRecall@5"] == 0.0  # nothing was retrieved
    mean = ir_measures.calc_aggregate([MRecall @ 5], qrels, run)
    assert mean[MRecall @ 5] == pytest.approx(1 / 3)


def test_a_grade_may_be_the_relevance():
    grades = [("yes", "d1", 3), ("yes", "d2", 1), ("no", "d1", 0), ("no", "d2", 2)]
    qrels = [ir_measures.Qrel("q", document, grade, perspective) for perspective, document, grade in grades]
    run = [ir_measures.ScoredDoc("q", "d2", 2.0), ir_measures.ScoredDoc("q", "d1", 1.0)]
    wanted = {MRecall(rel=2) @ 2: 1.0, MRecall(rel=YES_FROM) @ 2: 0.0, PerspectiveP(rel=YES_FROM) @ 2: 0.5}
    assert ir_measures.calc_aggregate(list(wanted), qrels, run) == wanted


def test_ceiling_and_documents_needed():
    assert ceiling([["d1"], ["d6"]], HOLDERS) == 1.0
    assert ceiling([["d1"], ["x", "d6"]], HOLDERS, depth=1) == 0.0
    assert documents_needed(RANKING, HOLDERS) == 6
    assert documents_needed(RANKING, HOLDERS, depth=5) is None
    assert documents_needed(["d4", "d1"], HOLDERS) == 1


def test_preference_and_leaning():
    yes, no = HOLDERS["yes"], HOLDERS["no"]
    assert preference(RANKING, yes, no) == "supporting"
    assert preference(RANKING, yes, no, cut=6) == "both"
    assert preference(["d6"], yes, no) == "opposing"
    assert preference(["x"], yes, no) == "neither"
    assert leaning(["d1", "d6", "x", "x", "x"], yes, no) == 0.0
    assert leaning(["d1", "x", "x", "x", "x"], yes, no) == 0.2


@pytest.mark.parametrize(
    "call",
    [
        lambda: mrecall([], {}, 5),
        lambda: precision([], HOLDERS, 0),
        lambda: leaning([], set(), set(), 0),
    ],
)
def test_what_has_no_value(call):
    with pytest.raises(DeclarationError):
        call()


def options(server, **more):
    return ClientOptions("openai/judge", api_base=server.url, api_key="sk-test", timeout=20.0, **more)


def test_detection_is_graded_and_failures_are_no_grades(monkeypatch):
    monkeypatch.setattr(retry, "BACKOFF_BASE", 0.01)
    pairs = [Pair("1", "Trams are cheap.", "Trams are cheap."), Pair("2", "Cats sleep.", "Trams are cheap.")]
    with FaultServer(
        answer=lambda body: {
            "explanation": "so it is",
            "grade": 1 if "Cats" in body["messages"][1]["content"] else 4,
        }
    ) as server:
        found = detect(pairs, options(server))
    assert [(one.id, one.grade, one.contains()) for one in found] == [("1", 4, True), ("2", 1, False)]
    assert found[0].explanation == "so it is"
    with FaultServer(FaultPlan(always="server_error")) as server:
        failed = detect(pairs[:1], options(server, max_attempts=1))
    assert (failed[0].grade, failed[0].contains(), failed[0].reason) == (None, None, Reason.SERVER_ERROR)


@pytest.mark.parametrize("grade", [5, -1, 2.5, "high", None, True])
def test_what_is_no_grade_is_no_answer(grade):
    with FaultServer(answer=lambda body: {"explanation": "so it is", "grade": grade}) as server:
        found = detect([Pair("1", "Trams.", "Trams are cheap.")], options(server, max_attempts=1))
    assert (found[0].grade, found[0].reason) == (None, Reason.INVALID_ANSWER)


def test_the_schema_shows_the_range_and_asks_for_the_reason_first():
    fields = Graded.model_json_schema()["properties"]
    assert list(fields) == ["explanation", "grade"]
    assert (fields["grade"]["minimum"], fields["grade"]["maximum"]) == (0, len(GRADES) - 1)


def test_the_threshold_says_from_which_grade_on_it_is_a_yes():
    graded = [Detection(id=str(grade), grade=grade) for grade in range(len(GRADES))]
    assert [document_id.contains() for document_id in graded] == [False, False, False, True, True]
    assert [document_id.contains(2) for document_id in graded] == [False, False, True, True, True]


@pytest.mark.parametrize(
    ("document", "perspective", "grade"),
    [
        ("A tram line is cheap. Cities build trams.", "Trams are cheap for cities.", 4),
        ("Trams are safe.", "Trams are not safe for cities of all sizes.", 2),
        ("Cats sleep all day.", "Trams are cheap for cities.", 1),
        ("Trams are safe for cities.", "Trams are not safe for cities.", 0),
        ("Trams are never safe in cities.", "Trams are not safe for cities.", 4),
        ("", "Trams are safe.", 1),
    ],
)
def test_the_baseline(document, perspective, grade):
    assert baseline_grade(document, perspective)[0] == grade
