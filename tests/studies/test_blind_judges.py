"""Judges that cannot see the damage are caught by the assertions on judges."""

import random
from collections.abc import Sequence

import pytest

from conqret.data import Item
from conqret.errors import DeclarationError
from conqret.pytest_plugin import assert_required
from conqret.studies.sensitivity.assertions import ModelJudge, why_claim_fails
from tests.contract.items import demo


def constant(items: Sequence[Item]) -> list[dict[str, float | None]]:
    return [{"context_relevance": 0.7, "groundedness": 0.7} for _ in items]


def chance(items: Sequence[Item]) -> list[dict[str, float | None]]:
    rngs = [random.Random(item.id) for item in items]
    return [{"context_relevance": rng.random(), "groundedness": rng.random()} for rng in rngs]


def length(items: Sequence[Item]) -> list[dict[str, float | None]]:
    documents = [sum(len(document.text) for document in item.documents) / 40_000 for item in items]
    return [
        {"context_relevance": min(1.0, size), "groundedness": min(1.0, len(item.argument or "") / 5000)}
        for size, item in zip(documents, items, strict=True)
    ]


@pytest.mark.parametrize(
    ("judge", "perturbation", "metric"),
    [
        (constant, "irrelevant", "context_relevance"),
        (chance, "hallucinate", "groundedness"),
        (length, "irrelevant", "context_relevance"),
    ],
)
def test_a_judge_that_sees_nothing_is_caught(
    judge: object, perturbation: str, metric: str, demo: list[Item]
) -> None:
    fault = why_claim_fails("falls", judge, demo, perturbation, (), metric)  # type: ignore[arg-type]
    said = "says neither" if judge is chance else "does not fall"
    assert f"{metric} of {judge.__name__} under {perturbation} {said}" in fault  # type: ignore[attr-defined]
    assert "Pearson" in fault


def test_a_judge_of_length_is_caught_by_padding(demo: list[Item]) -> None:
    fault = why_claim_fails("stands still", length, demo, "padding", (), "groundedness")
    assert "moves by +" in fault
    assert why_claim_fails("stands still", constant, demo, "padding", (), "groundedness") == ""


def test_a_judge_without_values_says_why(demo: list[Item]) -> None:
    def silent(items: Sequence[Item]) -> list[dict[str, float | None]]:
        return [{"groundedness": None} for _ in items]

    assert "24 of 24 items lack a value" in why_claim_fails(
        "falls", silent, demo, "hallucinate", (0, 5), "groundedness"
    )
    with pytest.raises(DeclarationError, match="0 judgments for 24 items"):
        why_claim_fails("falls", lambda items: [], demo, "hallucinate", (0, 5), "groundedness")


def test_conditions_hold_for_a_function_and_the_baseline_is_named() -> None:
    items = demo()[:4]

    def judge(judged: Sequence[Item]) -> list[dict[str, float | None]]:
        return [{"brief": float(item is not judged[0]), "polite": None} for item in judged]

    assert_required(judge, items, "brief >= 0.7", "polite.coverage <= 0")
    with pytest.raises(AssertionError, match=rf"not met: brief.min >= 1 \(0.000\)\n   0.00  {items[0].id}"):
        assert_required(judge, items, "brief.min >= 1")
    for verdict in ((0, "no link"), {"score": 0, "reason": "no link"}, {"overall_quality": (0, "no link")}):
        with pytest.raises(AssertionError, match=r"not met: overall_quality >= 1 .*\n.*no link"):
            assert_required(
                lambda judged, said=verdict: [said for _ in judged], items, "overall_quality >= 1"
            )
    with pytest.raises(DeclarationError, match=rf"the judge of {items[0].id}: brief is 3, but it must lie"):
        assert_required(lambda judged: [{"brief": 3} for _ in judged], items, "brief >= 1")
    with pytest.warns(pytest.PytestWarning, match="word statistics of the offline baseline decide"):
        assert_required(ModelJudge(format="direct"), items, "groundedness >= 0")
