"""The fitted weights: what the file says, what they do to a text, and what they reach on topics left out."""

import math
import os
import sys
from pathlib import Path
from types import ModuleType

import pytest

from conqret.baseline.text_quality import ENOUGH_WORDS, FITTED, WIDEST, LinearModel, fitted, logistic, surface
from conqret.text.analysis import Text

MODELS = ("preference", *FITTED)
PLAIN = (
    "Uniforms cost parents a good deal of money, since each has to be bought anew when children grow. "
    "Schools that dropped them report neither more bullying nor worse results."
)


@pytest.mark.parametrize("name", MODELS)
def test_every_model_weighs_every_feature_with_the_sign_that_a_reader_expects(name: str) -> None:
    model = fitted()[name]
    assert set(model.weights) == set(surface(Text(PLAIN))) == set(model.mean) == set(model.sd)
    assert all(sd > 0 for sd in model.sd.values())
    rising = {feature for feature, weight in model.weights.items() if weight > 0}
    assert rising == {"log_words", "word_length"}


@pytest.mark.parametrize("name", MODELS)
def test_more_than_two_hundred_words_add_nothing(name: str) -> None:
    words = "Uniforms help."
    long = " ".join([words] * (ENOUGH_WORDS // 2))
    score = fitted()[name].score
    assert score(surface(Text(long + " " + long))) == score(surface(Text(long)))
    assert score(surface(Text(words))) < score(surface(Text(long)))


def test_surface_by_hand() -> None:
    found = surface(Text("You are wrong! why do I pay?"))
    assert found["log_words"] == math.log(7)
    assert found["word_length"] == pytest.approx(20 / 7)
    assert (found["questions"], found["exclamations"], found["small_starts"]) == (0.5, 0.5, 0.5)
    assert found["first_person"] == found["second_person"] == pytest.approx(100 / 7)
    assert found["rude_words"] == 0


def test_a_score_by_hand_and_what_is_far_out() -> None:
    model = LinearModel(0.5, {"a": 2.0, "b": -1.0}, {"a": 1.0, "b": 0.0}, {"a": 2.0, "b": 1.0})
    assert model.score({"a": 2.0, "b": 0.25}) == pytest.approx(0.5 + 2 * 0.5 - 0.25)
    assert logistic(model.score({"a": 1.0, "b": 0.5})) == 0.5
    assert model.score({"a": 1e9, "b": 0.5}) == 2 * WIDEST == -model.score({"a": -1e9, "b": 0.5})
    with pytest.raises(KeyError, match="b"):
        model.score({"a": 1.0})


@pytest.fixture(scope="module")
def fitting() -> ModuleType:
    """The script that fits, where the shared data is there."""
    if not Path(os.environ.get("CONQRET_DATA", "/nowhere"), "ukpconvarg1").is_dir():
        pytest.skip("CONQRET_DATA names no folder with ukpconvarg1/")
    sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))
    try:
        import fit_offline
    finally:
        sys.path.pop(0)
    return fit_offline


def test_the_file_is_what_the_script_makes(fitting: ModuleType) -> None:
    data, rated = fitting.pairs(), fitting.rated()
    scale = fitting.Scale.of(rated.text)
    weights = fitting.fit_preference(scale.of_texts(data.first) - scale.of_texts(data.second), data.label)
    held = fitted()["preference"]
    assert dict(zip(scale.names, weights, strict=True)) == pytest.approx(dict(held.weights), abs=1e-3)
    assert dict(zip(scale.names, scale.mean, strict=True)) == pytest.approx(dict(held.mean))
