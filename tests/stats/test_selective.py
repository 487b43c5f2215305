"""The thresholds of a cascade: paired differences over topics, tested in turn."""

import numpy as np
import pytest

from conqret.stats.selective import cascade_curve, trusted_from

TOPICS = [place // 10 for place in range(120)]


def column(*wrong):
    errors = np.zeros(120)
    errors[list(wrong)] = 1
    return errors.reshape(-1, 1)


def curve_of(confidence, cheap, llm, topics=TOPICS, **more):
    return cascade_curve(
        np.asarray(confidence, dtype=float), cheap, llm, topics, **{"margin": 0.05, "delta": 0.05, **more}
    )


def test_differences_are_counted_by_hand():
    """In each topic the surest six are kept from .9 on; of those three are wrong, and the last judge errs in two."""
    confidence = np.tile(np.repeat([0.9, 0.5], [6, 4]), 12)
    cheap, llm = column(0, 10, 20, 6, 7), column(0, 33)
    first, second = curve_of(confidence, cheap, llm)
    assert (first.threshold, first.share) == (0.9, 0.6)
    assert first.extra[0].value == pytest.approx((3 - 2) / 120)  # items 0, 10 and 20, less 0 and 33
    assert (second.threshold, second.share) == (0.5, 1.0)
    assert second.extra[0].value == pytest.approx((5 - 2) / 120)
    assert first.extra[0].low < first.extra[0].value < first.extra[0].high
    assert [step.holds for step in (first, second)] == [True, False]
    assert trusted_from((first, second)) == 0.9
    assert second.topics > 12
    silent = np.where(np.arange(120) < 60, np.nan, confidence)  # without a confidence nothing is kept
    assert curve_of(silent, cheap, llm)[0].share == pytest.approx(0.3)
    unlabelled = np.where(np.arange(120).reshape(-1, 1) < 60, np.nan, cheap)
    assert curve_of(confidence, unlabelled, llm)[-1].extra[0].value == pytest.approx(0)


def test_every_metric_has_to_hold():
    confidence, good, bad = np.full(120, 0.9), column(), column(*range(0, 120, 7))
    assert curve_of(confidence, np.hstack([good, good]), np.hstack([good, good]))[0].holds
    (step,) = curve_of(confidence, np.hstack([good, bad]), np.hstack([good, good]))
    assert step.holds is False
    assert step.topics is None  # one item in seven is more than allowed, however many topics there are
    assert [extra.value for extra in step.extra] == pytest.approx([0, 18 / 120])


def test_few_labels_without_an_error_show_little():
    """Of 60 scores none is an error: up to 4.9% may be, by the binomial distribution. Heaped errors count for more."""
    confidence, none = np.full(60, 0.9), np.zeros((60, 1))
    topics = TOPICS[:60]
    assert curve_of(confidence, none, none, topics)[0].holds
    assert not curve_of(confidence, none, none, topics, margin=0.048)[0].holds
    assert not curve_of(confidence[:50], none[:50], none[:50], topics[:50])[0].holds  # five topics
    spread, heaped = column(0, 20, 40, 60), column(0, 1, 2, 3)
    llm = column(90)
    everything = np.full(120, 0.9)
    assert curve_of(everything, spread, llm, margin=0.06)[0].holds
    assert not curve_of(everything, heaped, llm, margin=0.06)[0].holds


def test_the_promise_holds_in_most_draws():
    """An overconfident judge, twelve topics; docs/results/cascade.md has 4,000 draws of nine such cells."""

    def drawn(topics, rng):
        stated = np.abs(rng.normal(0, 0.8, (topics, 1)) + rng.normal(0, 1.4, (topics, 8))) * 2 + 0.3
        sure, right = 1 / (1 + np.exp(-stated)), 1 / (1 + np.exp(-stated / 2.7))
        first = (rng.random(sure.shape) > right).astype(float)
        last = (rng.random(sure.shape) < 0.05 + 0.24 * (1 - sure)).astype(float)
        return sure.ravel(), first.reshape(-1, 1), last.reshape(-1, 1)

    sure, first, last = drawn(20_000, np.random.default_rng(0))
    rng, topics = np.random.default_rng(1), [place // 8 for place in range(96)]
    broken, saved = [], []
    for _ in range(100):
        threshold = trusted_from(curve_of(*drawn(12, rng), topics, margin=0.03))
        kept = sure >= (np.inf if threshold is None else threshold)
        broken.append((kept * (first - last).ravel()).mean() > 0.03)
        saved.append(kept.mean())
    assert np.mean(broken) <= 0.05 + 2 * np.sqrt(0.05 * 0.95 / 100)
    assert np.mean(saved) > 0.08
