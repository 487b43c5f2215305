"""Elo and Bradley-Terry: by hand, and against the published quality scores of Webis-ArgQuality-20."""

import math
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from scipy.stats import t

from conqret.stats.paired_ranking import PairwisePreference, bradley_terry, elo


def ratings(standings):
    return {standing.player: standing.rating.value for standing in standings}


def test_elo_by_hand():
    # a beats b at even odds: +16 and -16. Then c beats a: a is expected to score 1 / (1 + 10^(-16/400)) = 0.52301,
    # so c gains 32 * 0.52301 = 16.7363. Then b and c tie: b (1484) is expected 1 / (1 + 10^(32.7363/400)) = 0.45304.
    games = [
        PairwisePreference("a", "b", 1),
        PairwisePreference("a", "c", 0),
        PairwisePreference("b", "c", 0.5),
    ]
    gain_c = 32 / (1 + 10 ** (-16 / 400))
    expected_b = 1 / (1 + 10 ** ((1500 + gain_c - 1484) / 400))
    found = elo(games)
    assert ratings(found) == pytest.approx(
        {
            "a": 1516 - gain_c,
            "b": 1484 + 32 * (0.5 - expected_b),
            "c": 1500 + gain_c - 32 * (0.5 - expected_b),
        }
    )
    assert [one.player for one in found] == ["c", "a", "b"]
    assert [one.rank for one in found] == [1, 2, 3]


def test_debateqa_procedure():
    """DebateQA, Appendix D.1: all ten pairs of five systems on each question, ranked by Elo."""
    order = ["gpt", "llama", "phi", "zephyr", "qwen"]
    games = [
        PairwisePreference(one, other, 1, cluster=question)
        for question in range(4)
        for place, one in enumerate(order)
        for other in order[place + 1 :]
    ]
    people = elo(games, np.random.default_rng(0), intervals=True)
    assert [annotator.player for annotator in people] == order
    assert all(annotator.rating.low < annotator.rating.value < annotator.rating.high for annotator in people)


def test_bradley_terry_of_two_players():
    # With a of n games won, and a prior that weighs next to nothing, s_a - s_b = log(a / (n - a)).
    games = [PairwisePreference("a", "b", 1)] * 3000 + [PairwisePreference("a", "b", 0)] * 1000
    found = ratings(bradley_terry(games))
    assert found["a"] - found["b"] == pytest.approx(math.log(3), abs=1e-3)
    assert sum(found.values()) == pytest.approx(0)


def test_a_tie_is_half_a_win_each():
    ties = ratings(
        bradley_terry([PairwisePreference("a", "b", 0.5)] * 2 + [PairwisePreference("a", "b", 1)] * 2)
    )
    halves = ratings(bradley_terry([PairwisePreference("a", "b", 1)] * 3 + [PairwisePreference("a", "b", 0)]))
    assert ties == pytest.approx(halves)


def test_where_a_strength_is_unbounded_none_has_an_interval():
    """On eight topics a beats b and c always, and these two beat d always and each other by turns."""
    games = [
        PairwisePreference(first, second, 1.0 if first + second != "bc" else float(topic % 2), topic)
        for topic in range(8)
        for first, second in combinations("abcd", 2)
    ]
    found = {one.player: one for one in bradley_terry(games)}
    wanted = {"a": "above", "b": "", "c": "", "d": "below"}
    assert {name: one.unbounded for name, one in found.items()} == wanted
    assert {(one.rating.low, one.rating.high) for one in found.values()} == {(None, None)}
    assert found["a"].rating.reason.startswith("no interval: unbounded above")
    assert found["d"].rating.reason.startswith("no interval: unbounded below")
    assert "'a', 'd'" in found["b"].rating.reason
    # a tie, or a loss, in one more topic bounds all of them
    for outcome in (0.5, 0.0):
        bounded = bradley_terry([*games, PairwisePreference("a", "d", outcome, 8)])
        assert all(
            not one.unbounded and one.rating.low < one.rating.value < one.rating.high for one in bounded
        )


@pytest.mark.parametrize("rate", [bradley_terry, lambda games: elo(games, intervals=True)])
def test_without_topics_there_is_no_interval_and_a_reason(rate):
    """Ten games on each of eight topics, all with one outcome, tell of eight topics, not of eighty games."""
    games = [PairwisePreference("a", "b", float(n % 8 < 5), cluster=n % 8) for n in range(80)]
    named = rate(games)[0].rating
    assert named.low < named.value < named.high
    unnamed = rate([replace(games[0], cluster=None), *games[1:]])[0].rating
    assert unnamed.value == pytest.approx(named.value)
    assert (unnamed.low, unnamed.high) == (None, None)
    assert unnamed.reason.startswith("no interval: 1 of 80 preferences name no topic (cluster)")


@pytest.mark.parametrize("rate", [bradley_terry, lambda games: elo(games, intervals=True)])
def test_leaving_out_a_topic_is_rating_without_its_games(rate):
    """The jackknife-t interval from all ratings without each topic, each computed anew."""
    rng = np.random.default_rng(3)
    games = [
        PairwisePreference(
            *rng.choice(["a", "b", "c", "d"], 2, replace=False).tolist(),
            float(rng.choice([0, 0.5, 1])),
            n % 7,
        )
        for n in range(90)
    ]
    found = {one.player: one.rating for one in rate(games)}
    without = np.array(
        [
            [ratings(rate([game for game in games if game.cluster != topic]))[name] for name in found]
            for topic in range(7)
        ]
    )
    half = t.ppf(0.975, 6) * np.sqrt(6 / 7 * ((without - without.mean(axis=0)) ** 2).sum(axis=0))
    assert [one.high - one.low for one in found.values()] == pytest.approx(2 * half, rel=1e-9)
