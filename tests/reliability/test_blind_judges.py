"""Judges that cannot see the damage are caught by the assertions on judges."""

import random
from collections.abc import Sequence
from functools import partial

import pytest

from conqret.data import Item
from conqret.errors import DeclarationError
from conqret.perturb import PERTURBATIONS
from conqret.studies.sensitivity.assertions import ModelJudge, check


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


@pytest.mark.parametrize("judge", [constant, chance, length])
@pytest.mark.parametrize(
    ("perturbation", "metric"), [("irrelevant", "context_relevance"), ("hallucinate", "groundedness")]
)
def test_a_judge_that_sees_nothing_is_caught(
    judge: object, perturbation: str, metric: str, demo: list[Item]
) -> None:
    fault = check("falls", judge, demo, perturbation, (), metric)  # type: ignore[arg-type]
    said = "says neither" if judge is chance else "does not fall"
    assert f"{metric} of {judge.__name__} under {perturbation} {said}" in fault  # type: ignore[attr-defined]
    assert "Pearson" in fault
    assert "95% over topics" in fault


def test_chance_passes_no_more_often_than_it_may(demo: list[Item]) -> None:
    def tossing(seed: int, items: Sequence[Item]) -> list[dict[str, float | None]]:
        return [{"context_relevance": random.Random(f"{seed}/{item.id}").random()} for item in items]

    passed = 0
    for seed in range(40):
        judge = partial(tossing, seed)
        passed += not check("falls", judge, demo, "irrelevant", (0, 50, 100), "context_relevance")
    assert passed <= 5  # of 40 at 5%: one in 26 series has more


def test_a_judge_of_length_is_caught_by_padding(demo: list[Item]) -> None:
    fault = check("stands still", length, demo, "padding", (), "groundedness")
    assert "moves by +" in fault
    assert check("stands still", constant, demo, "padding", (), "groundedness") == ""


def test_the_offline_judge_passes_and_remembers(demo: list[Item]) -> None:
    judge = ModelJudge()
    assert check("falls", judge, demo[:12], "irrelevant", (0, 50, 100), "context-relevance") == ""
    known = len(judge._known)
    assert known == 36
    assert check("falls", judge, demo[:12], "irrelevant", (0, 50, 100), "predicted_precision") == ""
    assert len(judge._known) == known


def test_a_judge_without_values_says_why(demo: list[Item]) -> None:
    def silent(items: Sequence[Item]) -> list[dict[str, float | None]]:
        return [{"groundedness": None} for _ in items]

    assert "24 of 24 items lack a value" in check(
        "falls", silent, demo, "hallucinate", (0, 5), "groundedness"
    )
    with pytest.raises(DeclarationError, match="returned no 'clarity'"):
        check("falls", silent, demo, "hallucinate", (0, 5), "clarity")
    with pytest.raises(DeclarationError, match="0 judgments for 24 items"):
        check("falls", lambda items: [], demo, "hallucinate", (0, 5), "groundedness")


def test_a_rise_is_a_fall_of_the_opposite(demo: list[Item]) -> None:
    def doubt(items: Sequence[Item]) -> list[dict[str, float | None]]:
        return [{"doubt": 1 - (value["context_relevance"] or 0)} for value in seen(items)]

    def seen(items: Sequence[Item]) -> list[dict[str, float | None]]:
        originals = {item.topic: {document.id for document in item.documents} for item in demo}
        return [
            {
                "context_relevance": sum(d.id in originals[item.topic] for d in item.documents)
                / len(item.documents)
            }
            for item in items
        ]

    assert check("falls", seen, demo, "irrelevant", (), "context_relevance") == ""
    assert check("rises", doubt, demo, PERTURBATIONS["irrelevant"], (), "doubt") == ""
    assert "does not rise: it falls by" in check("rises", seen, demo, "irrelevant", (), "context_relevance")
