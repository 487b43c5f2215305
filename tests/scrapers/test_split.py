"""Groups of topics that share something, and their split."""

from collections import Counter

import pytest

from conqret.scrapers.corpus_building import split_topics


@pytest.mark.parametrize(("topics", "train"), [(98, 68), (12, 8), (10, 7), (90, 63), (2, 1), (1, 1), (3, 2)])
def test_the_share_of_single_topics(topics: int, train: int) -> None:
    """ConQRet, Table 2: 68 and 30 of 98."""
    split = split_topics([[f"t{n}"] for n in range(topics)], seed=13)
    if topics > 1:
        assert Counter(split.values()) == {"train": train, "test": topics - train}
    else:
        assert len(split) == 1
