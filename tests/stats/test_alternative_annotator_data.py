"""The alternative annotator test on the authors' own annotations (Calderon et al., ACL 2025)."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import numpy as np
import pytest

from conqret.stats.alternative_annotator import EPSILON, alternative_annotator_test


def test_each_of_thousands_of_items_counts_by_itself(data_dir: Path) -> None:
    """Put together into 400 groups at random, the items of "framing" turned the published pass of Llama-3.1 (a winning
    rate of .5) into 0."""
    folder = data_dir / "alttest" / "framing"
    people, models = (
        json.loads(gzip.decompress((folder / f"{name}_annotations.json.gz").read_bytes()))
        for name in ("human", "llm")
    )
    items = sorted({item for labels in people.values() for item in labels})
    values = sorted({label for labels in people.values() for label in labels.values()})

    def row(labels: dict[str, str]) -> list[float]:
        return [values.index(labels[item]) if labels.get(item) in values else np.nan for item in items]

    found = alternative_annotator_test(
        np.array(row(models["llama-31"])), np.array([row(labels) for labels in people.values()]), list(people),
        "nominal", epsilon=EPSILON["skilled"],
    )  # fmt: skip
    assert len(items) == 2552
    assert found.winning_rate == pytest.approx(0.5)
    assert found.passed


def test_a_mean_over_more_clusters_than_are_pooled_is_that_of_the_closed_form() -> None:
    from conqret.stats.resampling import MOST_CLUSTERS, mean

    values = np.random.default_rng(5).exponential(size=2 * MOST_CLUSTERS)
    found = mean(values)
    without = (values.sum() - values) / (len(values) - 1)
    assert found.value == pytest.approx(values.mean())
    assert np.allclose(found.without, without)
    assert found.clusters == len(values)
