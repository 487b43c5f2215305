"""Score tables that are written while rows come, their means, and the names of instruments."""

from types import SimpleNamespace

import pytest

from conqret.debateqa.score_table import (
    AWARENESS,
    DIVERSITY,
    ScoreRow,
    common_means,
    frame_of,
    read_tables,
    reasons,
    system_means,
    write_table,
)
from conqret.debateqa.scoring import AnswerCase, definition_of, diversity_instrument, diversity_rows
from conqret.errors import DeclarationError


def test_means_and_reasons():
    table = frame_of(
        [ScoreRow("s", "a", DIVERSITY, "i", None, reason="refusal"), ScoreRow("s", "b", DIVERSITY, "i", 4.0)]
    )
    (mean,) = system_means(table)
    assert (mean.mean, mean.scored, mean.total, reasons(table)) == (4.0, 1, 2, {"refusal": 1})
    assert (mean.low, mean.high) == (None, None)  # a sum of perplexities is no share


def test_a_share_has_an_interval_over_questions():
    table = frame_of([ScoreRow("s", str(n), AWARENESS, "i", float(n == 3)) for n in range(18)])
    (mean,) = system_means(table)
    assert mean.mean == pytest.approx(1 / 18)
    assert 0 < mean.low < mean.mean < mean.high < 0.5


@pytest.mark.parametrize(
    ("model", "definition", "wrapping", "name"),
    [
        ("openai-community/gpt2", "paper", 3, "gpt2, prompt 3, paper (1a2b3c4d)"),
        ("models/gpt2/", "released", 5, "gpt2, released (1a2b3c4d)"),
        ("models/gpt2/", "released", 2, "gpt2, prompt 2, released (1a2b3c4d)"),
    ],
)
def test_an_instrument_says_its_prompt(model, definition, wrapping, name):
    scorer = SimpleNamespace(
        model=model, definition=definition, wrapping=wrapping, fingerprint="1a2b3c4d5e6f7a8b"
    )
    assert diversity_instrument(scorer) == name
    assert definition_of(name) == definition


def test_means_over_the_questions_that_all_systems_have():
    values = {"a": {"x": 1.0, "y": 9.0, "z": 3.0}, "b": {"x": 2.0, "y": None, "z": 4.0}, "c": {"x": None}}
    rows = [
        ScoreRow(system, one, DIVERSITY, "i", value, n=3 if one == "x" else 5)
        for system, own in values.items()
        for one, value in own.items()
    ]
    (found,) = common_means(frame_of(rows), DIVERSITY).values()
    assert found.means == {"a": 2.0, "b": 3.0}
    assert (found.questions, found.left_out) == (2, 1)
    assert (found.scored, found.unscored) == (("a", "b"), ("c",))
    (alone,) = common_means(frame_of(rows), DIVERSITY, {"a"}).values()
    assert (alone.means, alone.questions, alone.left_out) == ({"a": pytest.approx(13 / 3)}, 3, 0)
    apart = [ScoreRow("a", "x", AWARENESS, "i", 1.0), ScoreRow("b", "y", AWARENESS, "i", 1.0)]
    (nothing,) = common_means(frame_of(apart), AWARENESS).values()
    assert (nothing.means, nothing.questions, nothing.left_out) == ({}, 0, 2)
    with pytest.raises(DeclarationError, match="contain no dispute_awareness"):
        common_means(frame_of(rows), AWARENESS)


def test_an_answer_that_stands_twice_is_refused(tmp_path):
    row = ScoreRow("a", "x", DIVERSITY, "i", 1.0)
    for name in ("one", "two"):
        write_table([row, ScoreRow(name, "x", DIVERSITY, "i", 1.0)], tmp_path / f"{name}.parquet")
    with pytest.raises(
        DeclarationError,
        match=r"two\.parquet:1 has .* a's answer x by i, .*already in .*one\.parquet. Give each",
    ):
        read_tables([tmp_path / "one.parquet", tmp_path / "two.parquet"])


def test_every_fault_of_a_table_is_listed(tmp_path):
    table = tmp_path / "scores.csv"
    table.write_text("system,id,metric,value,n\na,x,m,many,1\n,y,m,1,1\na,z,m,1,1.5\n")
    with pytest.raises(DeclarationError) as caught:
        read_tables([table])
    one, two, three = str(caught.value).splitlines()[1:]
    assert "scores.csv:2 [value] is 'many', and a finite number is expected" in one
    assert "scores.csv:3 [system] is missing" in two
    assert "scores.csv:4 [n] is '1.5', and a whole number is expected" in three
    table.write_text("system,id,metric\na,x,m\n")
    with pytest.raises(DeclarationError, match="is not a table of conqret debateqa score, as it lacks value"):
        read_tables([table])


def test_what_cannot_be_scored_keeps_its_place_with_a_reason():
    some = ("Zoos breed. Rare animals.", "Zoos cage. All animals.")
    texts = {"e1": " ", "q1": "Yes.", "none": "No.", "q2": "Perhaps.", "e2": ""}
    cases = [AnswerCase(name, "Why?", text, () if name == "none" else some) for name, text in texts.items()]
    asked = []

    def stream(pairs, *, store, on_context):
        for number, (answer, targets) in enumerate(list(pairs)):  # reads ahead, as the scorer does
            asked.extend([answer] if targets else [])  # without a target nothing is read
            on_context(number)
            yield [SimpleNamespace(perplexity=2.0, truncated=0, reason="") for _ in targets]

    scorer = SimpleNamespace(model="m", definition="paper", wrapping=1, fingerprint="1a2b3c4d", stream=stream)
    done = []
    rows = list(diversity_rows("s", cases, scorer, on_answer=done.append))
    empty, without = "the answer is empty", "the question has no partial answers"
    assert [(row.id, row.value, row.n, row.reason) for row in rows if row.metric == DIVERSITY] == [
        ("e1", None, 2, empty),
        ("q1", 4.0, 2, ""),
        ("none", None, 0, without),
        ("q2", 4.0, 2, ""),
        ("e2", None, 2, empty),
    ]
    assert [row.id for row in rows if row.metric != DIVERSITY] == ["e1", "q1", "none", "q2", "e2"]
    assert (asked, done) == (["Yes.", "Perhaps."], [0, 1, 2, 3, 4])
