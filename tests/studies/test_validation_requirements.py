"""Conditions on a validation."""

import pytest

from conqret.errors import DeclarationError, UnknownNameError
from conqret.studies.validate.result import validate
from conqret.studies.validate.validate import check_requirement, parse_requirement
from tests.studies.judged import study


def test_requirements(tmp_path, rng):
    judgments, labels, _ = study(tmp_path, rng)
    found = validate(judgments, labels)

    def outcome(text):
        return check_requirement(parse_requirement(text), found)

    assert outcome("alpha[overall_quality] >= 0.1").met
    assert outcome(" alpha [ Overall-Quality ]>=.1 ").met
    assert not outcome("alpha[overall_quality] >= 0.99").met
    assert outcome("alpha.low <= 0.9").met
    assert outcome("alpha.high[clarity] > -1").met
    assert outcome("coverage >= 1").met
    assert outcome("coverage[clarity] >= 1").met
    assert outcome("accuracy[clarity] < 1").value == found.dimensions["clarity"].statistics["accuracy"].value
    assert outcome("winning_rate[clarity] >= 0").met
    unmet = outcome("auroc[clarity] >= 0")
    assert not unmet.met
    assert "two labels" in unmet.reason
    with pytest.raises(UnknownNameError, match="validated dimension"):
        outcome("alpha[cogency] >= 0")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "alpha",
        "alpha >= ",
        "alpha = 1",
        "alpha >= nan",
        "__import__('os').system('x') >= 1",
        "alpha[x] >= 1; 1",
        "alpha[x] >= 1 or True",
        "0.4 <= alpha",
        "alpha >= 1e9e9",
        "kappa >= 0.3",
        "coverage.low >= 1",
        "beta[x] >= 1",
        "alpha[" + "x" * 500 + "] >= 1",
    ],
)
def test_requirements_that_cannot_be_read(text):
    with pytest.raises(DeclarationError):
        parse_requirement(text)
