"""Items as requests of nuggetizer, its nuggets as ours."""

import pytest

pytest.importorskip("nuggetizer.core.types", reason="the extra nuggetizer is not installed")

from nuggetizer.core.metrics import calculate_nugget_scores
from nuggetizer.core.types import AssignedScoredNugget, Document, Nugget, Query

from conqret.adapters.nuggetizer import as_requests, nuggets_of

WORDS = ("support", "partial_support", "not_support")


def test_items_as_requests():
    item = {
        "id": "zoos",
        "topic": "Should zoos be banned?",
        "argument": "Yes.",
        "documents": [{"id": "cages", "text": "Cages are small.", "title": "Zoos"}, "Keepers care."],
    }
    (request,) = as_requests([item])
    assert request.query == Query("zoos", "Should zoos be banned?")
    assert request.documents == [
        Document("cages", "Cages are small.", "Zoos"),
        Document("d2", "Keepers care.", None),
    ]


def test_assignments_count_as_in_nuggetizers_own_scores():
    assigned = [AssignedScoredNugget(word, "vital", word) for word in WORDS]
    found = nuggets_of(assigned, "run")
    values = [one.coverage["support"]["run"] for one in found]
    assert [one.text for one in found] == list(WORDS)
    assert sum(values) / 3 == calculate_nugget_scores("q", [vars(one) for one in assigned]).all_score


def test_what_is_not_assigned_has_no_value():
    failed = AssignedScoredNugget("b", "okay", "failed")
    assert [nugget.coverage for nugget in nuggets_of([Nugget("a"), failed], "run")] == [{}, {}]
