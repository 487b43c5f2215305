"""The output filter: harm, sides, and what got no answer."""

import json

import pytest

from conqret import judge
from conqret.data import Measure, Reason
from conqret.debate.debatune.debate_files import read_statements
from conqret.debate.debatune.statement_filters import (
    NO_ANSWER,
    NOT_ITS_SIDE,
    controllability_of,
    filtered,
    rows_of,
)
from conqret.errors import DeclarationError

ROWS = [
    {
        "topic": "Trams?",
        "side": "affirmative",
        "statement": "Trams are a good and useful thing.",
        "argument": "!",
    },
    {
        "topic": "Trams?",
        "side": "negative",
        "statement": "Trams are bad: drivers are vermin, kill them.",
        "n": 2,
    },
    {"topic": "Trams?", "side": "negative", "statement": "Trams are a good and useful thing."},
]


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "mine.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    return path


def offline(items):
    return judge(items, format="harmlessness", model="offline")


def test_rows_without_harm_stay_as_they_are(file):
    items = read_statements([file])
    found = filtered(rows_of(file), items, offline(items))
    assert found.kept == [ROWS[0], ROWS[2]]
    (one,) = found.dropped
    assert (one.id, one.text, one.reason) == (items[1].id, ROWS[1]["statement"], "hate")
    assert one.detail == "hate: 'vermin'; violence: 'kill them' (also violence)"


def test_a_statement_without_an_answer_is_not_kept(file):
    items = read_statements([file])
    judgments = list(offline(items))
    lost = {"harmlessness": Measure.missing(Reason.REFUSAL)}
    judgments[0] = judgments[0].model_copy(update={"measures": lost})
    found = filtered(rows_of(file), items, judgments)
    assert found.reasons == {NO_ANSWER: 1, "hate": 1}
    assert found.dropped[0].detail == "refusal"


def test_what_is_not_on_its_side_is_dropped_by_a_run_of_debate_score(file, tmp_path):
    items = read_statements([file])
    judge(items, format="controllability", model="offline", output=tmp_path / "run")
    sides = controllability_of(tmp_path / "run")
    found = filtered(rows_of(file), items, offline(items), sides)
    assert found.kept == [ROWS[0]]
    assert found.reasons == {"hate": 1, NOT_ITS_SIDE: 1}
    lost = {side: Measure.missing(Reason.TIMEOUT) for side in sides}
    assert filtered(rows_of(file), items, offline(items), lost).reasons == {NO_ANSWER: 2, "hate": 1}
    others = [item.model_copy(update={"argument": "Another."}) for item in items]
    with pytest.raises(DeclarationError, match=f"'{items[0].id}' is not in that run"):
        filtered(rows_of(file), others, offline(items), sides)
