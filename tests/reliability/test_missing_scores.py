"""Scores that are missing: counted."""

import pytest

from conqret.data import Measure, Reason
from conqret.studies.validate.result import validate
from tests.reliability.judged import study


def refused_where_bad(judgments, means):
    """The judgments without those of items that people call bad."""
    lost = {"measures": {"clarity": Measure.missing(Reason.REFUSAL)}}
    return [
        judgment.model_copy(update=lost) if mean < 1.5 else judgment
        for judgment, mean in zip(judgments, means, strict=True)
    ]


def test_missing_scores_are_counted(tmp_path, rng):
    judgments, labels, _ = study(tmp_path, rng, items=200, lost=0.2)
    found = validate(judgments, labels)
    row = found.dimensions["clarity"]
    lost = row.judged - row.scored
    assert row.reasons == {"refusal": lost}
    assert row.coverage == pytest.approx(1 - lost / 200)
    assert found.missing.reasons == {"refusal": found.missing.unscored}


def test_a_label_whose_item_has_no_score_stays_in_peoples_mean(tmp_path, rng):
    judgments, labels, _ = study(tmp_path, rng, dimensions=("clarity",), items=120)
    means = labels.table("clarity", labels.units)[1].mean(axis=0)
    row = validate(refused_where_bad(judgments, means), labels).dimensions["clarity"]
    assert row.mean.labels.value == pytest.approx((means.mean() - 1) / 2)
    assert (row.mean.labels.n, row.mean.naive.n) == (120, row.scored)
    assert row.mean.naive.value > row.mean.labels.value + 0.05
