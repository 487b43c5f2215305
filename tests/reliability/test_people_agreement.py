"""People among themselves, and two judges beside them."""

import json
import math

import numpy as np
import pytest

from conqret.studies.agreement.agreement_settings import AgreementSettings
from conqret.studies.agreement.annotator_agreement import agreement
from conqret.studies.compare.result import compare_judges
from tests.reliability.judged import study


def test_people_among_themselves(tmp_path, rng):
    _, labels, _ = study(tmp_path, rng)
    found = agreement(labels, settings=AgreementSettings())
    assert [row.name for row in found.rows] == ["clarity", "overall_quality"]
    assert found.average.value == found.rows[0].alpha.value
    assert found.together.n == 160
    assert sum(found.rows[0].values.values()) == 240
    json.loads(found.model_dump_json())


def test_two_judges(tmp_path, rng):
    good, labels, _ = study(tmp_path, rng, judge_noise=0.1)
    spoiled = rng.permutation(len(good))
    bad = [
        one.model_copy(update={"measures": good[place].measures, "fingerprint": "bad"})
        for one, place in zip(good, spoiled, strict=True)
    ]
    found = compare_judges({"good": good, "bad": bad}, labels, settings=AgreementSettings())
    row = found.dimensions["clarity"]
    (pair,) = row.pairs
    one, other = row.judges["good"], row.judges["bad"]
    assert pair.difference.low > 0
    assert pair.difference.value == pytest.approx(one.alpha.value - other.alpha.value)
    assert one.error < other.error
    assert pair.p < 0.01
    assert found.average.pairs[0].difference.low > 0
    same = compare_judges({"a": good, "b": good}, labels, settings=AgreementSettings()).dimensions["clarity"]
    assert same.pairs[0].difference.value == 0
    assert same.pairs[0].p == 1


def test_two_judges_are_compared_on_what_both_scored(tmp_path, rng):
    good, labels, _ = study(tmp_path, rng)
    lossy, _, _ = study(tmp_path, np.random.default_rng(0), lost=0.3)
    found = compare_judges({"good": good, "lossy": lossy}, labels, settings=AgreementSettings())
    row = found.dimensions["clarity"]
    assert row.judges["good"].scored == 80
    assert row.units == row.judges["lossy"].scored < 80
    assert found.lost == {"lossy": sum(80 - dimension.units for dimension in found.dimensions.values())}
    assert math.isfinite(row.pairs[0].difference.value)
