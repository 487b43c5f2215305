"""Windows cover every ranking, and every answer becomes a permutation."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from conqret.retrieval.rerank import RankingAnswer, repair, spans


def test_the_windows_of_rankgpt():
    assert spans(100)[:2] == [(80, 100), (70, 90)]
    assert spans(100)[-1] == (0, 20)
    assert len(spans(100)) == 9
    assert spans(25) == [(5, 25), (0, 15)]
    assert spans(7) == [(0, 7)]
    assert spans(1) == spans(0) == []
    assert spans(5, window=2, step=1) == [(3, 5), (2, 4), (1, 3), (0, 2)]


@given(st.lists(st.integers(-3, 30)), st.integers(1, 20))
def test_every_answer_becomes_a_permutation(ranking, count):
    order, found = repair(ranking, count)
    assert sorted(order) == list(range(count))
    assert found["duplicates"] + found["invented"] + count - found["missing"] == len(ranking)
    left_out = [place for place in range(count) if place + 1 not in ranking]
    assert list(order[count - found["missing"] :]) == left_out


READ = [
    ('{"ranking": [3, 1, 2]}', [3, 1, 2]),
    ('{"ranking": "[3] > [1] > [2]"}', [3, 1, 2]),
    ("Here you are: [3] > [1] > [2].", [3, 1, 2]),
    ("Of the 20 documents: 3 > 1 > 2", [3, 1, 2]),
    ("[3] > [3] > [99]", [3, 3, 99]),
]


@pytest.mark.parametrize(("text", "ranking"), READ)
def test_answers_that_are_understood(text, ranking):
    assert RankingAnswer.model_validate_json(text, context={"documents": 3}).ranking == ranking


@pytest.mark.parametrize("text", ["I cannot help with that.", '{"ranking": [7, 0]}', "{"])
def test_answers_that_are_not(text):
    with pytest.raises(ValidationError):
        RankingAnswer.model_validate_json(text, context={"documents": 3})
