"""The alternative annotator test on the authors' own annotations (Calderon et al., ACL 2025).

The winning rates and advantage probabilities are those that the authors' notebook prints (nitaytech/AltTest,
``alt_test_example.ipynb``): nine data sets, 52 rates. The tenth, KiloGram, is not among them: its labels are free
texts, compared by embeddings.
"""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import numpy as np
import pytest

from conqret.stats.agreement import AlternativeAnnotator, alternative_annotator_test

MODELS = ("gemini_flash", "gemini_pro", "gpt-4o", "llama-31", "gpt-4o-mini", "mistral-v03")
FOUR = ("gemini_flash", "gemini_pro", "gpt-4o", "gpt-4o-mini")
PUBLISHED = {
    "wax": ("nominal", 0.1, MODELS, (0.38, 0.5, 0.5, 0, 0, 0), (0.69, 0.74, 0.73, 0.57, 0.59, 0.5)),
    "lgbteen": ("nominal", 0.2, MODELS, (0.25, 0, 0.75, 0, 0.75, 0.25), (0.71, 0.67, 0.77, 0.72, 0.76, 0.75)),
    "mtbench": ("nominal", 0.2, MODELS, (0, 0, 0, 0, 0, 0), (0.72, 0.76, 0.77, 0.69, 0.74, 0.68)),
    "framing": ("nominal", 0.15, MODELS, (1, 1, 1, 0.5, 1, 0.25), (0.83, 0.91, 0.92, 0.8, 0.87, 0.8)),
    "cebab_aspects": (
        "nominal",
        0.1,
        MODELS,
        (0.7, 0.9, 0.9, 0.6, 0.5, 0.1),
        (0.91, 0.94, 0.93, 0.89, 0.9, 0.81),
    ),
    "summeval": ("interval", 0.2, MODELS, (0, 0, 0, 0, 0, 0), (0.46, 0.44, 0.48, 0.58, 0.54, 0.62)),
    "10k_prompts": (
        "interval",
        0.15,
        MODELS,
        (0.31, 0.08, 0.69, 0.15, 0.92, 0.15),
        (0.67, 0.63, 0.76, 0.67, 0.8, 0.67),
    ),
    "cebab_stars": (
        "interval",
        0.1,
        MODELS,
        (0.6, 0.8, 0.9, 0.6, 0.9, 0.5),
        (0.82, 0.87, 0.9, 0.85, 0.89, 0.83),
    ),
    "lesion": ("interval", 0.15, FOUR, (0.17, 1, 0, 0.67), (0.71, 0.81, 0.62, 0.73)),
}
"""By data set the level of its labels, epsilon, the models, their winning rates, and their advantage probabilities."""


def alternative_tests(
    folder: Path, level: str, epsilon: float, models: tuple[str, ...]
) -> list[AlternativeAnnotator]:
    """The test of each model, each item by itself."""
    people, judges = (
        json.loads(gzip.decompress((folder / f"{name}_annotations.json.gz").read_bytes()))
        for name in ("human", "llm")
    )
    items = sorted({item for labels in people.values() for item in labels})
    said = {str(label) for labels in (*people.values(), *judges.values()) for label in labels.values()}
    codes = {label: float(code) for code, label in enumerate(sorted(said))}

    def row(labels: dict[str, str | float]) -> list[float]:
        known = [labels.get(item) for item in items]
        if level == "nominal":
            return [np.nan if label is None else codes[str(label)] for label in known]
        return [np.nan if label is None else float(label) for label in known]

    annotators = np.array([row(labels) for labels in people.values()])
    return [
        alternative_annotator_test(
            np.array(row(judges[model])), annotators, list(people), level, epsilon=epsilon
        )
        for model in models
    ]


@pytest.mark.parametrize("name", PUBLISHED)
def test_all_published_rates_come_out(data_dir: Path, name: str) -> None:
    level, epsilon, models, rates, advantages = PUBLISHED[name]
    found = alternative_tests(data_dir / "alttest" / name, level, epsilon, models)
    assert [round(test.winning_rate, 2) for test in found] == list(rates)
    assert [test.passed for test in found] == [rate >= 0.5 for rate in rates]
    assert [round(test.advantage, 2) for test in found] == list(advantages)
