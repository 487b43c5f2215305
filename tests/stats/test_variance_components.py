"""Variance components: by hand, beside REML, from data whose components are known, and what a design leaves open."""

import warnings

import numpy as np
import pytest

from conqret.errors import DeclarationError
from conqret.stats.variance_components import MIN_TOPICS, variance_components

TRUTH = {
    "topic": 0.1,
    "item": 0.12,
    "model": 0.06,
    "topic x model": 0.04,
    "item x model": 0.05,
    "sample": 0.07,
}
"""Standard deviations."""


def drawn(rng, *, topics=8, items=4, models=3, samples=2):
    """Scores of every item by every model, with their topic, item and model."""
    normal = rng.normal
    scores = (
        normal(size=(topics, 1, 1, 1)) * TRUTH["topic"]
        + normal(size=(topics, items, 1, 1)) * TRUTH["item"]
        + normal(size=(1, 1, models, 1)) * TRUTH["model"]
        + normal(size=(topics, 1, models, 1)) * TRUTH["topic x model"]
        + normal(size=(topics, items, models, 1)) * TRUTH["item x model"]
        + normal(size=(topics, items, models, samples)) * TRUTH["sample"]
    )
    topic, item, model, _ = (index.ravel() for index in np.indices(scores.shape))
    return scores.ravel(), topic.tolist(), (topic * items + item).tolist(), {"model": model.tolist()}


def by_name(found):
    return dict(
        zip((" or ".join(effect.names) for effect in found.effects), found.variances.tolist(), strict=True)
    )


def test_samples_and_items_by_hand():
    # three items of one topic, two samples each: within (0.02 + 0.08 + 0) / 3, between 2 var(0.1, 0.2, 0.6)
    found = variance_components([0.2, 0.0, 0.4, 0.0, 0.6, 0.6], ["t"] * 6, list("aabbcc"), {})
    within = (0.02 + 0.08 + 0.0) / 3
    between = 2 * np.var([0.1, 0.2, 0.6], ddof=1)
    assert by_name(found) == pytest.approx({"item": (between - within) / 2, "sample": within})
    item = (between - within) / 2
    assert found.generalizability().value == pytest.approx(item / (item + within))
    assert found.score_error() == pytest.approx(within**0.5)
    assert found.mean_error(1) == pytest.approx((item / 3 + within / 3) ** 0.5)


def test_they_are_those_of_a_mixed_model():
    mixedlm = pytest.importorskip("statsmodels.formula.api").mixedlm
    import pandas as pd

    scores, topic, item, conditions = drawn(np.random.default_rng(3), topics=5, items=2)
    found = by_name(variance_components(scores, topic, item, conditions))
    assert min(found.values()) > 0  # where one is not, REML puts it at 0 and moves the others
    data = pd.DataFrame({"y": scores * 10, "t": topic, "i": item, "m": conditions["model"], "one": 1})
    data["tm"], data["im"] = data.t * 100 + data.m, data.i * 100 + data.m
    names = {"t": "topic", "i": "item", "m": "model", "tm": "topic x model", "im": "item x model"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fitted = mixedlm(
            "y ~ 1", data, groups="one", vc_formula={name: f"0 + C({name})" for name in names}
        ).fit(method=["lbfgs"])
    reml = {
        names[name]: value / 100 for name, value in zip(fitted.model.exog_vc.names, fitted.vcomp, strict=True)
    }
    assert found == pytest.approx({**reml, "sample": fitted.scale / 100}, rel=0.02, abs=2e-5)


def test_what_topics_say_nothing_of_has_no_interval():
    found = variance_components(*drawn(np.random.default_rng(1)))
    ends = {effect.names[0]: found.variance(place).estimate() for place, effect in enumerate(found.effects)}
    assert ends["model"].reason == "no interval: topics say nothing of other models"
    assert f"{MIN_TOPICS} are needed" in ends["topic"].reason
    assert ends["item"].low < ends["item"].value < ends["item"].high
    many = variance_components(*drawn(np.random.default_rng(1), topics=MIN_TOPICS))
    assert many.variance(0).estimate().low is not None


def test_what_a_design_cannot_tell_apart():
    scores, topic, item, conditions = drawn(np.random.default_rng(1), samples=1)
    once = variance_components(scores, topic, item, conditions)
    assert "item x model or sample" in by_name(once)
    one_each = variance_components(*drawn(np.random.default_rng(1), items=1))
    assert "topic or item" in by_name(one_each)
    nested = {"model": conditions["model"], "prompt": [place == 0 for place in conditions["model"]]}
    within = variance_components(scores, topic, item, nested)
    assert "model or model x prompt" in by_name(within)
    (model,) = (place for place, effect in enumerate(within.effects) if "model" in effect.names)
    assert within.effects[model].facets == {"model"}
    with pytest.raises(DeclarationError, match="model and prompt never vary independently"):
        variance_components(
            scores, topic, item, {"model": conditions["model"], "prompt": conditions["model"]}
        )


@pytest.mark.parametrize(
    ("values", "items", "models", "message"),
    [
        ([0.1, 0.2, np.nan], "abc", "mmm", "three finite values"),
        ([0.1, 0.2, 0.3], "abc", "mmm", "every item has only one score"),
        ([0.1, 0.2, 0.3], "aaa", "mno", "only one item"),
        ([0.1, 0.2, 0.3, 0.4], "aabb", "mmnn", "in more than one run"),
    ],
)
def test_what_cannot_be_analysed(values, items, models, message):
    with pytest.raises(DeclarationError, match=message):
        variance_components(values, ["t"] * len(values), list(items), {"model": list(models)})


def test_what_samples_have_in_common_is_not_averaged_by_other_conditions():
    normal = np.random.default_rng(3).normal
    each = normal(size=(12, 5, 1, 3)) * 0.08 + normal(size=(12, 5, 2, 3)) * 0.03
    scores = normal(size=(12, 5, 1, 1)) * 0.1 + each
    topic, item, model, order = (index.ravel() for index in np.indices(scores.shape))
    given = (scores.ravel(), topic.tolist(), (topic * 5 + item).tolist(), {"model": model.tolist()})
    found = variance_components(*given, order.tolist())
    variances = by_name(found)
    assert variances["item x order"] == pytest.approx(0.08**2, rel=0.3)
    assert variances["sample"] == pytest.approx(0.03**2, rel=0.3)
    assert abs(variances["item x model"]) < 0.0005


def test_scores_that_never_differ_have_no_generalizability():
    found = variance_components([0.5] * 8, list("ttttssss"), list("aabbccdd"), {})
    assert found.generalizability().estimate().reason == "no score differs"
    assert found.variance(1).estimate().value == 0
