"""What reruns of a judge would do to its alpha, foretold from the samples of one run."""

import numpy as np
import pytest

from conqret.errors import DeclarationError
from conqret.stats.agreement import alphas
from conqret.stats.rerun_noise import rerun_deviation


@pytest.mark.parametrize(("samples", "noise"), [(2, 0.15), (3, 0.1), (8, 0.2)])
def test_the_deviation_foretold_is_that_of_real_reruns(samples, noise):
    """Of one set of units with labels: alphas of 400 runs, beside what single runs foretell of them."""
    rng = np.random.default_rng(samples)
    worth = rng.uniform(0.3, 0.7, size=120)
    labels = worth + rng.normal(size=120) * 0.1

    def run():
        return worth + rng.normal(size=(samples, 120)) * noise

    pairs = np.stack([[run().mean(axis=0), labels] for _ in range(400)])
    true = np.std([one.value for one in alphas(pairs, "interval")], ddof=1)
    foretold = [rerun_deviation(run(), labels, "interval", rng) for _ in range(20)]
    assert np.mean(foretold) == pytest.approx(true, rel=0.15)


def test_a_judge_that_says_the_same_again_has_none():
    same = np.repeat(np.linspace(0.1, 0.9, 30)[None], 3, axis=0)
    assert rerun_deviation(
        same, np.linspace(0, 1, 30), "interval", np.random.default_rng(1)
    ) == pytest.approx(0.0, abs=1e-9)


def test_missing_samples_and_labels_are_left_out():
    rng = np.random.default_rng(2)
    samples = rng.random((4, 60))
    samples[1:, :20] = np.nan  # one sample: no noise is known
    samples[:, 20:25] = np.nan
    labels = rng.random(60)
    labels[50:] = np.nan
    some = rerun_deviation(samples, labels, "interval", np.random.default_rng(3))
    assert some is not None
    assert some > 0
    samples[1:, :45] = np.nan
    assert rerun_deviation(samples, labels, "interval", rng) is None
    assert rerun_deviation(np.full((3, 60), np.nan), labels, "interval", rng) is None
    with pytest.raises(DeclarationError, match="a label for each"):
        rerun_deviation(samples, labels[:10], "interval", rng)
