"""Models with distances, logits or states of their own: equal to one pair at a time, or refused."""

import pytest

from conqret.errors import DeclarationError
from conqret.local.scorer import ConditionalPerplexity
from tests.local.reference import Naive
from tests.local.small_models import CHANGES_AT, PAIRS

CLOSE = 1e-4


@pytest.mark.parametrize("kind", ["gemma2", "mpt"])
def test_prefixes_of_different_lengths_read_together_change_nothing(folder, kind):
    reference = Naive(folder(kind))
    expected = [
        reference.perplexity(reference.context(answer), target)
        for answer, targets in PAIRS
        for target in targets
    ]
    for size in (1, 7, 32):
        rows = ConditionalPerplexity(folder(kind), batch_size=size, token_budget=10**6).score(PAIRS)
        assert [row.perplexity for row in rows] == pytest.approx(expected, rel=CLOSE), size


def test_a_rotation_that_changes_with_the_length_ends_the_window(folder):
    reference = Naive(folder("phi3"))
    scorer = ConditionalPerplexity(folder("phi3"), batch_size=32)
    assert scorer.window == CHANGES_AT
    trimmed = []
    for (answer, targets), rows in zip(PAIRS, scorer.stream(PAIRS), strict=True):
        whole = reference.context(answer)
        for target, row in zip(targets, rows, strict=True):
            assert row.context_tokens == len(whole) - row.truncated
            expected = reference.perplexity(whole[row.truncated :], target)
            assert row.perplexity == pytest.approx(expected, rel=CLOSE)
            trimmed.append(row.truncated > 0)
    assert any(trimmed)
    assert not all(trimmed)


def test_a_model_without_a_plain_cache_is_refused(folder):
    with pytest.raises(DeclarationError, match="no plain key-value cache"):
        ConditionalPerplexity(folder("mamba"))
