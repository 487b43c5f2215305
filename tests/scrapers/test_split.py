"""Groups of topics that share something, and their split."""

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conqret.scrapers.corpus_building import groups, split_topics

LINKS = st.dictionaries(
    st.integers(0, 30).map(lambda n: f"t{n:02}"),
    st.lists(st.integers(0, 40).map(str), max_size=4),
    min_size=1,
)


@settings(deadline=None)
@given(LINKS, st.integers(0, 5))
def test_no_topic_and_nothing_shared_in_both(links: dict[str, list[str]], seed: int) -> None:
    split = split_topics(groups(links), seed=seed)
    assert set(split) == set(links)
    sides: dict[str, set[str]] = {}
    for topic, things in links.items():
        for thing in things:
            sides.setdefault(thing, set()).add(split[topic])
    assert all(len(side) == 1 for side in sides.values())
    assert split == split_topics(groups(dict(reversed(links.items()))), seed=seed)


@pytest.mark.parametrize(("topics", "train"), [(98, 68), (12, 8), (10, 7), (90, 63), (2, 1), (1, 1), (3, 2)])
def test_the_share_of_single_topics(topics: int, train: int) -> None:
    """ConQRet, Table 2: 68 and 30 of 98."""
    split = split_topics([[f"t{n}"] for n in range(topics)], seed=13)
    if topics > 1:
        assert Counter(split.values()) == {"train": train, "test": topics - train}
    else:
        assert len(split) == 1


def test_groups_are_put_together_to_the_nearest_size() -> None:
    parts = [["a", "b", "c", "d"], ["e", "f", "g"], ["h", "i", "j"]]  # 7 of 10: the first and one other
    for seed in range(5):
        assert Counter(split_topics(parts, seed=seed).values()) == {"train": 7, "test": 3}
