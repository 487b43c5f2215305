"""Rankings scored over perspectives: BeRDS's measures on two questions worked out by hand."""

import json
from dataclasses import replace

import pytest

from conqret.debateqa.curation.check_verdicts import VerdictRow
from conqret.errors import DeclarationError, ItemsError
from conqret.perspectives.diversity_run import ALL, _side_test, leaning_name, measures_of, score
from conqret.perspectives.page import diversity_tables
from conqret.perspectives.perspective_files import perspective_lines, read_perspectives
from conqret.perspectives.perspective_scores import subjects, with_sides
from conqret.perspectives.ranking_sources import named, pooled, qrels_lines, queries, ranked, read_judged
from conqret.retrieval.evaluate import MeasureScore, family
from conqret.retrieval.systems import SystemRun
from conqret.stats.resampling import mean_interval
from tests.commands import run_conqret

ROWS = [
    {
        "id": "q1",
        "question": "Do trams pay?",
        "subset": "survey",
        "perspectives": [
            {"text": "Trams pay.", "side": "supporting"},
            {"text": "Trams do not pay.", "side": "opposing"},
        ],
    },
    {
        "id": "q2",
        "question": "Which animal is best?",
        "subset": "open",
        "perspectives": ["Cats are.", "Dogs are.", "Cows are."],
    },
]
QRELS = (
    "q1 1 a 1, q1 2 a 0, q1 1 b 0, q1 2 b 1, q1 1 c 0, q1 2 c 0, "
    "q2 1 a 1, q2 2 a 0, q2 3 a 0, q2 1 b 0, q2 2 b 2, q2 3 b 0"
).split(", ")


@pytest.fixture
def questions(tmp_path):
    file = tmp_path / "questions.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in ROWS), encoding="utf-8")
    return read_perspectives(file)


@pytest.fixture
def judged(tmp_path, questions):
    file = tmp_path / "judgments.qrels"
    file.write_text("\n".join(QRELS) + "\n", encoding="utf-8")
    return read_judged(file, questions)


def value(found, system, measure, view=ALL):
    one = found.score(view, system, measure)
    return None if one is None else one.interval.value


def test_measures_by_hand(questions, judged):
    first = SystemRun("first", {"q1": ["a", "c", "b"], "q2": ["a", "b"]})
    other = SystemRun("other", {"q1": ["b", "c"], "q1:supporting": ["a", "c"], "q1:opposing": ["b", "c"]})
    found = score(questions, [first, other], judged, cuts=(2, 3), depth=3)
    # q1: a and c show one of two sides; with b both. q2: two of three animals, so all that fit into two documents.
    assert value(found, "first", "MRecall@2") == 0.5
    assert value(found, "first", "MRecall@3") == 0.5
    assert value(found, "first", "P@2") == (0.5 + 1) / 2
    assert value(found, "first", "P@1") == 1.0
    assert value(found, "other", "MRecall@2") == 0.0  # nothing is ranked for q2: 0 there
    assert found.unranked == {"other": ("q2",)}
    # One question has two sides.
    sides = ("both", "supporting", "opposing", "neither")
    assert [value(found, "first", f"{what}@2") for what in sides] == [0, 1, 0, 0]
    assert value(found, "first", "both@3") == 1.0
    assert value(found, "first", leaning_name("", 2)) == 0.5
    wanted = [-0.5, 0.5, -0.5]
    assert [value(found, "other", leaning_name(side, 2)) for side in ("", "supporting", "opposing")] == wanted
    assert value(found, "first", leaning_name("supporting", 2)) is None  # it was not asked so
    # All of q1's perspectives are seen after three documents; a cow is nowhere.
    assert (value(found, "first", "covered@3"), value(found, "first", "documents@3")) == (0.5, 3.0)
    assert found.ceiling[ALL].value == 0.5
    assert [value(found, "first", "MRecall@2", view) for view in ("open", "survey")] == [1.0, 0.0]


def test_subsets_have_a_macro_average(questions, judged):
    run = SystemRun("run", {"q1": ["c", "a", "b"], "q2": ["a", "b"]})
    found = score(
        [*questions, replace(questions[0], id="q3")], [run], judged | {"q3": judged["q1"]}, depth=10
    )
    rows = {table.title: table.rows for table in diversity_tables(found)}
    assert rows["Precision of the first document by subset"] == (("run", "0.000", "1.000", "0.500"),)
    assert rows["The ceiling by subset"] == (("all together", "0.500", "0.000", "0.250"),)
    assert value(found, "run", "P@1") == pytest.approx(1 / 3)  # over questions: two are in one subset


def test_no_interval_leaves_the_range_of_its_measure():
    counts = dict(zip("abcdefghijkl", [1, 1, 1, 1, 2, 2, 2, 3, 3, 10, 14, 20], strict=True))
    measures = measures_of([2], 20)
    for name, values in (
        ("documents@20", counts),
        ("leaning@2", {count: -1.0 + (count == "a") for count in counts}),
    ):
        (found,) = family(ALL, name, {"one": values}, "one", {}, ends=measures[name].ends)
        low, high = measures[name].ends
        assert low < found.interval.low < found.interval.value < found.interval.high < high
        assert found.interval.value == pytest.approx(sum(values.values()) / len(values))


def test_which_side_alone_is_tested_by_signs():
    """Two questions of twelve show one side alone, the same: no evidence, which t would overstate."""
    known = [
        MeasureScore(
            ALL, "run", f"{side}@5", mean_interval([0.0]), {str(n): float(n < many) for n in range(12)}
        )
        for side, many in (("supporting", 2), ("opposing", 0))
    ]
    assert _side_test(known, "run", 5) == 0.5
    few = [replace(one, by_topic=dict(list(one.by_topic.items())[:5])) for one in known]
    assert _side_test(few, "run", 5) is None


def test_what_was_not_judged_has_no_value_and_is_counted(questions, judged):
    run = SystemRun("run", {"q1": ["a", "unknown"], "q2": ["a", "b"]})
    found = score(questions, [run], judged, cuts=(1, 2), depth=2)
    assert set(found.score(ALL, "run", "P@2").by_topic) == {"q2"}
    assert set(found.score(ALL, "run", "P@1").by_topic) == {"q1", "q2"}
    assert found.unjudged == {"q1": 1}
    with pytest.raises(DeclarationError, match="judgments down to the depth of 2"):
        score(questions[:1], [SystemRun("run", {"q1": ["unknown", "a"]})], judged, cuts=(2,), depth=2)


def test_no_measure_where_a_ranking_was_cut_off(questions, judged):
    run = SystemRun("run", {"q1": ["a", "b"], "q2": ["a"]}, depth=2)
    found = score(questions, [run], judged, cuts=(2, 5), depth=5)
    assert value(found, "run", "MRecall@2") == 0.5
    assert "retrieved to 2 documents only" in found.score(ALL, "run", "MRecall@5").interval.reason


def test_sides_are_told_where_nobody_said_them(tmp_path):
    file = tmp_path / "questions.csv"
    file.write_text(
        "question,perspectives\nDo trams pay?,\"['Trams do not pay.', 'Trams pay.']\"\n", encoding="utf-8"
    )
    (question,) = read_perspectives(file)
    (subject,) = subjects([question])
    assert (subject.id, subject.baseline()["supports"]) == (
        "1",
        2,
    )  # the one that denies as often as the question
    (sided,) = with_sides([question], [VerdictRow(id="1", answer={"supports": 2})])
    assert (sided.place("supporting"), sided.place("opposing")) == (1, 0)
    assert [topic for topic, _ in queries([sided])] == ["1", "1:supporting", "1:opposing"]
    (lost,) = with_sides([question], [VerdictRow(id="1", reason="refusal")])
    assert not lost.sided
    again = tmp_path / "again.jsonl"
    again.write_text(perspective_lines([sided]), encoding="utf-8")
    assert read_perspectives(again) == (sided,)


def test_judgments_are_written_as_they_are_read(tmp_path, questions, judged):
    file = tmp_path / "again.qrels"
    file.write_text("".join(qrels_lines(questions, judged)), encoding="utf-8")
    assert read_judged(file, questions) == judged
    run = SystemRun("run", {"q1": ["a", "b"], "q1:opposing": ["c"]})
    assert pooled(questions, [run], 1)["q1"] == ["a", "c"]


@pytest.mark.parametrize(
    ("row", "told"),
    [
        ('{"question": "Q?", "perspectives": ["One.", "one."]}', "the same perspective twice"),
        (
            '{"question": "Q?", "perspectives": [{"text": "One.", "side": "supporting"}, "Two."]}',
            "names the sides",
        ),
    ],
)
def test_faulty_questions(tmp_path, row, told):
    file = tmp_path / "questions.jsonl"
    file.write_text(row + "\n", encoding="utf-8")
    with pytest.raises(ItemsError, match=told):
        read_perspectives(file)


def test_faulty_rankings_and_judgments(tmp_path, questions, judged):
    wrong = tmp_path / "wrong.qrels"
    wrong.write_text("q1 3 a 1\n", encoding="utf-8")
    with pytest.raises(DeclarationError, match="the perspective's number"):
        read_judged(wrong, questions)
    run = tmp_path / "mine.res"
    run.write_text("other Q0 a 1 1.0 t\n", encoding="utf-8")
    assert named([str(run)]) == [f"mine={run}"]
    with pytest.raises(DeclarationError, match="ranks nothing for any of the 2 questions"):
        ranked(named([str(run)]), questions, 5)
    with pytest.raises(DeclarationError, match="each must lie between 1 and the depth"):
        score(questions, [SystemRun("run", {})], judged, cuts=(5,), depth=3)


def test_rankings_with_texts_as_the_released_evaluation_reads_them(tmp_path):
    """A file of BeRDS's layout alone: questions, texts, and judgments; a passage that is there twice counts twice."""
    pay, lose, cat = (
        {"title": "On trams", "text": "They pay."},
        {"text": "They cost too much."},
        {"title": "", "text": "Cats sleep."},
    )
    rows = [
        {
            "question": "Do trams pay?",
            "perspectives": ["Trams pay.", "Trams do not pay."],
            "ctxs": [
                {**pay, "mistral-preds": [True, False]},
                {**pay, "mistral-preds": [True, False]},
                {**cat, "mistral-preds": [False, False]},
                {**lose, "mistral-preds": [False, True]},
            ],
        }
    ]
    file = tmp_path / "retrieved.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    options = ("--perspectives", file, "-k", "2,4", "--json", "-o")
    done = run_conqret("perspectives", "score", file, "--judgments", file, *options, tmp_path / "out")
    assert done.code == 0, done.err
    means = {score["measure"]: score["mean"] for score in json.loads(done.out)["scores"]}
    assert (means["P@2"], means["P@4"], means["MRecall@2"], means["MRecall@4"]) == (1.0, 0.75, 0.0, 1.0)
    (written,) = map(json.loads, (tmp_path / "out" / "ctxs" / "retrieved.jsonl").read_text().splitlines())
    assert written["perspectives"] == rows[0]["perspectives"]
    assert [(passage["text"], passage["preds"]) for passage in written["ctxs"]] == [
        (passage["text"], passage["mistral-preds"]) for passage in rows[0]["ctxs"]
    ]
    # Without judgments a model is asked, and no corpus is needed: the texts are in the file.
    done = run_conqret("perspectives", "score", file, "--detector", "one-shot", *options, tmp_path / "asked")
    assert done.code == 0, done.err
    detected = (tmp_path / "asked" / "detections" / "detections.csv").read_text()
    assert "They pay. On trams" in detected
