"""Labeled arguments as examples in the prompt of ``listwise``."""

import pytest

import conqret
from conqret.errors import DeclarationError
from conqret.io import open_items
from conqret.io.labels import labels_of
from conqret.judging.instrument import filled
from conqret.judging.judge_folder import JudgeFolder
from conqret.judging.judge_options import JudgeOptions
from conqret.judging.judge_parts import JUDGES, Case
from conqret.judging.shots import draw_shots
from conqret.prompts import Library


@pytest.fixture
def items(tmp_path):
    labels = tmp_path / "labels.csv"
    labels.write_text(
        "item,annotator,clarity,cogency\n"
        + "".join(
            f"{n},{who},{rating},{rating}\n"
            for n, *ratings in ((0, 1, 2), (1, 3, 3), (2, 1, 1), (3, 2, 3))
            for who, rating in zip("ab", ratings, strict=True)
        ),
        encoding="utf-8",
    )
    topics = ("buses", "buses", "trams", "zoos")
    rows = [{"id": str(n), "topic": topic, "argument": f"Argument {n}."} for n, topic in enumerate(topics)]
    return rows, labels


def test_examples_are_on_other_topics_with_rounded_mean_ratings(items):
    rows, labels = items
    read = list(open_items(rows))
    shots = draw_shots(read, labels_of(labels), 2, seed=13)
    options = JudgeOptions(shots=2, examples=shots, order="reversed")
    (part,) = JUDGES["listwise"].judge_prompts
    for item in read:
        prompt = filled(Library()[part.prompt], part, Case(item, options))
        own = [f"Argument {other.id}." for other in read if other.topic == item.topic]
        assert prompt.user.count("<example>") == 2
        assert [text in prompt.user.partition("</examples>")[0] for text in own] == [False] * len(own)
    for example in shots:
        assert dict(example.ratings)["clarity"] == {"0": 2, "1": 3, "2": 1, "3": 3}[example.item]


def test_a_run_records_its_examples_and_they_make_another_judge(items, tmp_path):
    rows, labels = items
    plain = conqret.judge(rows, format="listwise")
    shown = conqret.judge(rows, format="listwise", shots=2, examples=labels, output=tmp_path / "run")
    again = conqret.judge(rows, replay=tmp_path / "run")
    assert plain.record.fingerprint != shown.record.fingerprint == again.record.fingerprint
    assert JudgeFolder(tmp_path / "run").record().judging["shots"] == 2


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"shots": 3}, "3 needs as many labeled arguments"),
        ({"shots": 0}, "go together"),
        ({"shots": 2, "examples": ()}, "go together"),
        ({"shots": 2, "format": "pointwise"}, "add --format listwise"),
    ],
)
def test_what_shots_need(items, settings, message):
    rows, labels = items
    with pytest.raises(DeclarationError, match=message):
        conqret.judge(rows, **{"format": "listwise", "examples": labels, **settings})
