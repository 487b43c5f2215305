"""One rater against the mean of the others, by another way, and on published ratings."""

import csv
import gzip
import json
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import spearmanr

from conqret.stats.agreement import alphas
from conqret.stats.correlation import NO_RATER, one_against_others
from conqret.stats.resampling import leave_one_out


def rated(rng: np.random.Generator, topics: int, each: int, raters: int, noise: float) -> np.ndarray:
    """Ratings from 1 to 5: worth and noise in steps, topics differ."""
    worth = np.repeat(rng.normal(0, 0.55, topics), each) + rng.normal(0, 0.85, topics * each)
    return np.clip(np.round(3 + worth + rng.normal(0, noise, (raters, topics * each))), 1, 5)


def test_it_is_the_mean_of_spearmans_over_raters_with_enough_units():
    rng = np.random.default_rng(1)
    table = rated(rng, 10, 4, 5, 1.0)
    table[0, 19:] = np.nan  # nineteen units: too few
    table[1, :15] = np.nan
    each = [
        spearmanr(
            row[~np.isnan(row)], np.nanmean(np.delete(table, place, 0), axis=0)[~np.isnan(row)]
        ).statistic
        for place, row in enumerate(table)
    ]
    topics = np.repeat(range(10), 4).tolist()
    found = one_against_others(table, leave_one_out(topics))
    assert found.value == pytest.approx(np.mean(each[1:]))
    assert found.n == 4
    assert found.low < found.value < found.high
    assert one_against_others(table[:, :15]).reason == NO_RATER


def test_a_rater_of_few_topics_takes_no_interval_from_the_others():
    """Without one of the topics this rater's labels do not vary; the mean over the others stands there."""
    rng = np.random.default_rng(2)
    table = rated(rng, 8, 20, 3, 1.0)
    table[2, 40:] = np.nan
    table[2, 20:40] = 3.0
    found = one_against_others(table, leave_one_out(np.repeat(range(8), 20).tolist()))
    assert found.n == 3
    assert found.low is not None


def test_the_ceiling_of_published_ratings(data_dir: Path):
    """Opening speeches with 15 raters each (Sternlicht et al., EMNLP 2025)."""
    with gzip.open(data_dir / "debate_speeches" / "speeches.csv.gz", "rt", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    raters = sorted({rater for row in rows for rater in json.loads(row["labeler_ids"])})
    table = np.full((len(raters), len(rows)), np.nan)
    for column, row in enumerate(rows):
        for rater, label in zip(
            json.loads(row["labeler_ids"]), json.loads(row["goodopeningspeech"]), strict=True
        ):
            table[raters.index(rater), column] = label
    drawn = leave_one_out([row["topic_id"] for row in rows])
    ceiling = one_against_others(table, drawn)
    assert (ceiling.n, ceiling.value) == (64, pytest.approx(0.485, abs=5e-4))
    assert 0.4 < ceiling.low < ceiling.high < 0.6
    alpha = alphas(table[None], "ordinal", drawn)[0].estimate()
    assert alpha.value == pytest.approx(0.2353, abs=5e-5)
