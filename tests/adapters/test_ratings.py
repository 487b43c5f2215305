"""What pipelines want of judgments, without any of them installed."""

import pytest

import conqret
from conqret.data import Measure, Part, Reason, Status
from conqret.io import open_items
from conqret.studies.systems.ranked_systems import (
    compared_runs,
    document_grades,
    nuggets,
    run_leaderboard,
)
from tests.adapters.reports import REQUESTS, reports


@pytest.fixture(scope="module")
def items():
    return list(open_items(reports(), topics=REQUESTS))


def judged(items, format_, **changes):
    found = conqret.judge(items, format=format_)
    return [
        one.model_copy(update={"measures": {**one.measures, **changes.get(one.item, {})}}) for one in found
    ]


LOST = Measure.missing(Reason.TIMEOUT)


def test_a_leaderboard_has_what_has_a_score_and_nothing_else(items):
    found = judged(items, "direct", **{"alpha:rain": {"groundedness": LOST}})
    board = run_leaderboard("direct", items, found)
    assert board.measures == ("context_relevance", "groundedness")
    assert "alpha" not in board.on("groundedness", "rain")
    mine = [board.on("groundedness", topic)["alpha"] for topic in ("leaf", "bee")]
    assert board.on("groundedness")["alpha"] == pytest.approx(sum(mine) / 2)
    assert board.gaps() == ["direct: alpha has no groundedness for 'rain'"]


def rated(raw):
    parts = tuple(Part(id=id_, value=one / 5, raw=one) for id_, one in raw.items())
    return {"context_relevance": Measure(status=Status.SCORED, value=0.5, parts=parts)}


def test_ratings_are_averaged_and_mapped_and_holes_are_named(items):
    given = {
        "alpha:leaf": rated({"leaf-1": 5, "leaf-2": 0}),
        "beta:leaf": rated({"leaf-1": 4}),
        "gamma:leaf": {"context_relevance": LOST},
        "alpha:rain": {"context_relevance": LOST},
    }
    leaf = [item for item in items if item.metadata["topic_id"] == "leaf"] + [items[1]]
    found = judged(leaf, "rag-fine-grained", **given)
    grades, holes = document_grades(leaf, found)
    assert {(grade.query_id, grade.doc_id): grade.relevance for grade in grades} == {
        ("leaf", "leaf-1"): 5,
        ("leaf", "leaf-2"): 0,
    }
    assert holes == [("rain", "rain-1"), ("rain", "rain-2")]
    assert document_grades(items, judged(items, "query-rubric"))[0] == []
    mapped, _ = document_grades(leaf, found, 1, 4)
    assert [one.relevance for one in mapped] == [4, 1]  # 1 + 4.5 / 5 * 3 is 3.7


def test_nuggets_stand_once_with_their_coverage_by_each_system(items):
    parts = (Part(id="A  point", value=0.5, raw=3), Part(id="Another", label="first"))
    own = {"groundedness": Measure(status=Status.SCORED, value=0.5, parts=parts)}
    leaf = [item for item in items if item.metadata["topic_id"] == "leaf"]
    found = nuggets(leaf, [one.model_copy(update={"measures": own}) for one in judged(leaf, "direct")])
    assert [(one.text, one.coverage) for one in found["leaf"]] == [
        ("A point", {"groundedness": {"alpha": 0.5, "beta": 0.5, "gamma": 0.5}}),
        ("Another", {}),
    ]


def test_each_report_beside_another(items):
    following = {one.id: one.second_argument for one in compared_runs(items)}
    own = {item.id: item.argument for item in items}
    assert [following[f"{name}:leaf"] for name in ("alpha", "beta", "gamma")] == [
        own[f"{name}:leaf"] for name in ("beta", "gamma", "alpha")
    ]
    fixed = {one.id: one.second_argument for one in compared_runs(items, "alpha")}
    assert fixed["gamma:leaf"] == fixed["beta:leaf"] == own["alpha:leaf"]
    assert fixed["alpha:leaf"] == own["beta:leaf"]
    assert compared_runs(items[:1])[0].second_argument is None
