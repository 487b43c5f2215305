"""Consensus of raters: against an implementation of its own by loops, and against a truth that is known."""

import math

import numpy as np
import pytest

from conqret.errors import DeclarationError
from conqret.stats.dawid_skene import ROUNDS, SMOOTHED, consensus_rates, dawid_skene


def by_loops(votes, categories, rounds):
    """The same estimate, one item and one rater at a time."""
    raters, items = len(votes), len(votes[0])
    belief = []
    for item in range(items):
        said = [votes[rater][item] for rater in range(raters) if votes[rater][item] >= 0]
        belief.append([said.count(one) / len(said) for one in range(categories)])
    for _ in range(rounds):
        share = [sum(row[one] for row in belief) + SMOOTHED for one in range(categories)]
        share = [one / sum(share) for one in share]
        tables = []
        for rater in range(raters):
            table = [[SMOOTHED] * categories for _ in range(categories)]
            for item in range(items):
                if votes[rater][item] >= 0:
                    for true in range(categories):
                        table[true][votes[rater][item]] += belief[item][true]
            tables.append([[cell / sum(row) for cell in row] for row in table])
        for item in range(items):
            voted = [rater for rater in range(raters) if votes[rater][item] >= 0]
            likely = [
                share[true] * math.prod(tables[rater][true][votes[rater][item]] for rater in voted)
                for true in range(categories)
            ]
            belief[item] = [document / sum(likely) for document in likely]
    return np.array(belief)


def raters(rng, items, rights, categories=3):
    truth = rng.integers(0, categories, size=items)
    wrong = (truth + rng.integers(1, categories, size=(len(rights), items))) % categories
    hit = rng.random((len(rights), items)) < np.array(rights)[:, None]
    return truth, np.where(hit, truth, wrong)


def test_it_is_what_loops_say():
    rng = np.random.default_rng(1)
    _, votes = raters(rng, 30, [0.9, 0.7, 0.5, 0.6])
    votes[2, :7] = -1
    found = dawid_skene(votes, 3)
    assert found.belief == pytest.approx(by_loops(votes.tolist(), 3, ROUNDS), abs=1e-4)
    assert found.belief.sum(axis=1) == pytest.approx(np.ones(30))
    assert found.confusion.sum(axis=2) == pytest.approx(np.ones((4, 3)))


def test_good_raters_are_found_among_bad_ones_and_outvote_them():
    rng = np.random.default_rng(2)
    truth, votes = raters(rng, 400, [0.95, 0.9, 0.45, 0.4, 0.4])
    found = dawid_skene(votes, 3)
    right = [float(np.mean([table[c, c] for c in range(3)])) for table in found.confusion]
    assert right == pytest.approx([0.95, 0.9, 0.45, 0.4, 0.4], abs=0.08)
    counts = (votes[:, :, None] == np.arange(3)).sum(axis=0)
    majority = (counts.argmax(axis=1) == truth).mean()
    assert (found.belief.argmax(axis=1) == truth).mean() > majority + 0.05


def test_an_item_without_votes_is_what_items_are_at_large():
    votes = np.array([[0, 0, 0, 1, -1]] * 3)
    found = dawid_skene(votes, 2)
    assert found.belief[4] == pytest.approx(found.share, abs=1e-3)
    assert found.share[0] > 0.7


@pytest.mark.parametrize(
    "votes", [[[0, 1], [0, 1]], [[-1, -1]] * 3, [[0, 2]] * 3, [[0, -2]] * 3, [0, 1, 1]], ids=str
)
def test_what_gives_no_consensus(votes):
    with pytest.raises(DeclarationError, match=r"at least|votes must be categories"):
        dawid_skene(votes, 2)


def test_how_often_a_label_is_the_true_one():
    rng = np.random.default_rng(4)
    truth = rng.integers(0, 3, 200)
    rates = (0.95, 0.8, 0.7, 0.4)
    right = rng.random((4, 200)) < np.array(rates)[:, None]
    labels = np.where(right, truth, (truth + rng.integers(1, 3, (4, 200))) % 3) + 1.0
    labels[3, :50] = np.nan
    found = consensus_rates(labels)
    assert found == pytest.approx(list(rates), abs=0.1)
    expected = dawid_skene(np.nan_to_num(labels, nan=0.0).astype(int) - 1, 3).belief
    assert found[0] == pytest.approx(expected[np.arange(200), labels[0].astype(int) - 1].mean())
    labels[3] = np.nan
    assert np.isnan(consensus_rates(labels)[3])
