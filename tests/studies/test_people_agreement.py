"""People among themselves, and two judges beside them."""

import math

import numpy as np

from conqret.studies.agreement.agreement_settings import AgreementSettings
from conqret.studies.compare.compare_judges import SharedUnits, compare_shared
from tests.studies.judged import study


def test_two_judges_are_compared_on_what_both_scored(tmp_path, rng):
    good, labels, _ = study(tmp_path, rng)
    lossy, _, _ = study(tmp_path, np.random.default_rng(0), lost=0.3)
    shared = SharedUnits.of({"good": good, "lossy": lossy}, labels, None, AgreementSettings())
    found = compare_shared(shared, shared.basis(labels, AgreementSettings()))
    row = found.dimensions["clarity"]
    assert row.judges["good"].scored == 80
    assert row.units == row.judges["lossy"].scored < 80
    assert found.lost == {"lossy": sum(80 - dimension.units for dimension in found.dimensions.values())}
    assert math.isfinite(row.pairs[0].difference.value)
