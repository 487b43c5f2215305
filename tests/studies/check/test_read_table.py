"""Tables of verdicts and labels, as people have them: which column is what, and what its cells mean."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import polars
import pytest

from conqret.errors import DeclarationError
from conqret.studies.check.checked_table import CheckedTable
from conqret.studies.check.read_table import read_checked_table

NAN = math.nan


def read(tmp_path: Path, text: str, **options: Any) -> CheckedTable:
    file = tmp_path / "results.csv"
    file.write_text(text, encoding="utf-8")
    return read_checked_table(file, **options)


def rows(head: str, *cells: str) -> str:
    return "\n".join([head, *cells]) + "\n"


def fails(tmp_path: Path, text: str, **options: Any) -> str:
    with pytest.raises(DeclarationError) as error:
        read(tmp_path, text, **options)
    return str(error.value).replace(f"{tmp_path}/", "")


@pytest.mark.parametrize(
    ("passed", "failed", "human_passed", "human_failed"),
    [
        ("pass", "fail", "PASS", "FAIL"),
        ("1.0", "0.0", "good", "bad"),
        ("✓", "✗", "ja", "nein"),
        ("**PASS**", "Fail - no source", "y", "n"),
        ("Verdict: pass", "Verdict: fail", "1", "0"),
        ("faithful", "hallucinated", "relevant", "not_relevant"),
        ("PASS ✅", "❌ Fail", "yes.", "No!"),
        ("Conforme", "Non conforme", "sì", "no"),
    ],
)
def test_words_for_pass_and_fail(tmp_path, passed, failed, human_passed, human_failed):
    table = read(
        tmp_path,
        rows("id,judge,human", f"1,{passed},{human_failed}", f"2,{failed},{human_passed}", f"3,{passed},"),
    )
    assert table.kind == "pass_fail"
    assert table.judges[0].values.tolist() == [1, 0, 1]
    assert np.array_equal(table.labels[:, 0], [0, 1, NAN], equal_nan=True)


def test_words_for_no_label_are_named_with_their_number(tmp_path):
    cells = enumerate(("fail", "unsure", "n/a", "unsure", "", "null", "-"))
    table = read(tmp_path, rows("id,judge,human", *(f"{row},pass,{cell}" for row, cell in cells)))
    assert np.isnan(table.labels[:, 0]).tolist() == [False] + [True] * 6
    assert table.judges[0].failed == 0
    wanted = 'in \'human\', 5 cells say that there is no label ("unsure", "n/a", "null", "-"): such rows are unlabeled'
    assert wanted in table.notes


@pytest.mark.parametrize("failure", ["", "NaN", "parse error", "ParseError: no JSON", "Error: 429", "#N/A"])
def test_failed_verdicts_are_counted(tmp_path, failure):
    judge = read(tmp_path, rows("id,judge,human", "1,pass,fail", f'2,"{failure}",fail')).judges[0]
    assert (judge.failed, judge.failures) == (1, (f"line 3: {failure!r}" if failure else "line 3: empty",))


NAMES = (
    "Judge Verdict/human_label, LLM judge/gold, prediction/ground truth, llm_score/annotation, grade/expert, "
    "is_correct/human, judge/is_correct, y_pred/y_true, judgeVerdict/humanVerdict, result/expected, LLM/user_feedback, "
    "gpt-4o-mini/rater A, judge_score/oracle_label, LLM-Urteil/Gutachter, answer_correctness/human_correctness, "
    "évaluation LLM/évaluation humaine, llm_answer_ok/human_answer_ok, auto_eval/manual"
)


@pytest.mark.parametrize("names", NAMES.split(", "))
def test_names_of_columns(tmp_path, names):
    judge, human = names.split("/")
    head = f"id,input,{human},output,{judge},judge_reason"
    table = read(
        tmp_path,
        rows(head, "1,q,pass,a,fail,it is not so", "2,r,fail,b,pass,it is", "3,s,pass,c,pass,well"),
    )
    assert [column.name for column in table.judges] == [judge]
    assert table.annotators == (human,)
    texts = 'id is column "id", input "input", output "output", reason "judge_reason"'
    assert table.guessed == f'judge is column "{judge}", labels are column "{human}", {texts}'
    assert table.texts["reason"][0] == "it is not so"


@pytest.mark.parametrize(
    ("judged", "labeled", "kind", "scale"),
    [
        ("1 2 3 4 5", "2 2 3 5 5", "ratings", (1, 5)),
        ("4/5 3/5 1/5 2/5 5/5", "4.5 3 1 2 5", "ratings", (1, 5)),
        ("4-fair|5-good|1-bad|2-poor|3-ok", "4 5 1 2 3", "ratings", (1, 5)),
        ("0.1 0.25 0.9 0.5 1.0", "0.2 0.3 0.8 0.6 1", "scores", (0, 1)),
        ("10 85 70 33 99", "20 80 75 40 95", "scores", (0, 1)),
        ("bad ok good ok good", "good ok bad bad good", "ratings", (1, 3)),
        ("refund praise other other praise", "refund praise praise other other", "classes", (0, 1)),
    ],
)
def test_kinds(tmp_path, judged, labeled, kind, scale):
    cells = zip(judged.split("|" if "|" in judged else None), labeled.split(), strict=True)
    judged_cells = [f"{row},{judge.replace('-', ' - ')},{human}" for row, (judge, human) in enumerate(cells)]
    table = read(tmp_path, rows("id,judge,human", *judged_cells))
    assert (table.kind, table.scale) == (kind, scale)
    assert not np.isnan(table.labels).any()


def test_a_condition_of_pass_must_fit_its_column(tmp_path):
    text = rows("judge,human", "yes,1", "no,0")
    message = fails(tmp_path, text, passing="judge=maybe, human=1")
    assert message.startswith("results.csv: --pass 'judge=maybe, human=1' does not fit judge, human")
    message = fails(tmp_path, rows("judge,human", "5,pass", "3,fail", "four,fail"), passing=">=4")
    assert "1 cell cannot be read as a number (line 4: 'four')" in message
    unlabeled = read(tmp_path, rows("judge,human", "yes,", "no,"), passing="judge=no, human=no")
    assert unlabeled.judges[0].values.tolist() == [0, 1]


def test_scores_beside_labels_are_cut_and_kept_as_probabilities(tmp_path):
    table = read(tmp_path, "id;judge_score;human\n1;0,85;1\n2;0,2;0\n3;0,9;\n")
    assert table.judges[0].values.tolist() == [1, 0, 1]
    assert table.judges[0].probabilities.tolist() == [0.85, 0.2, 0.9]
    assert "count as a pass from 0.5 on" in table.notes[0]


def test_a_confidence_is_the_probability_of_the_verdict(tmp_path):
    text = rows("id,judge,judge_confidence,human", "1,pass,0.9,pass", "2,fail,0.75,pass")
    assert read(tmp_path, text).judges[0].probabilities.tolist() == [0.9, 0.25]


@pytest.mark.parametrize(
    ("judged", "labeled", "passing", "expected", "labels"),
    [
        ("5 4 3", "1 0 1", ">=4", [1, 1, 0], [1, 0, 1]),
        ("10 7 3", "5 4 2", "judge>=8, human>=4", [1, 0, 0], [1, 1, 0]),
        ("fine poor awful", "fine poor fine", "fine", [1, 0, 0], [1, 0, 1]),
        ("yes no no", "0.0 0 1", "judge=no, human=0", [0, 1, 1], [1, 1, 0]),
        ("fail fail fail", "no yes no", "judge=yes, human=no", [0, 0, 0], [1, 0, 1]),
        ("1 0 0", "0.0 0.0 1.0", "0", [0, 1, 1], [1, 1, 0]),
        ("0.9 0.2 0.1", "0 0 1", "<0.5", [0, 1, 1], [1, 1, 0]),
        ("ok error error", "error ok error", "ok", [1, 0, 0], [0, 1, 0]),
    ],
)
def test_pass_option(tmp_path, judged, labeled, passing, expected, labels):
    cells = zip(judged.split(), labeled.split(), strict=True)
    table = read(tmp_path, rows("judge,human", *map(",".join, cells)), passing=passing)
    assert (table.judges[0].values.tolist(), table.labels[:, 0].tolist()) == (expected, labels)


@pytest.mark.parametrize(
    ("head", "line", "judges", "runs"),
    [
        ("id,run1,run2,run3,human", "1,pass,fail,pass,fail", ["judge"], 3),
        (
            "id,gpt_run1,gpt_run2,claude_run1,claude_run2,human",
            "1,pass,fail,pass,pass,fail",
            ["gpt", "claude"],
            2,
        ),
        ("id,gpt-4o,claude,human", "1,pass,fail,fail", ["gpt-4o", "claude"], None),
    ],
)
def test_runs_and_several_judges(tmp_path, head, line, judges, runs):
    table = read(tmp_path, rows(head, line, line.replace("1,", "2,", 1)))
    assert [judge.name for judge in table.judges] == judges
    assert {judge.runs.shape[1] if judge.runs is not None else None for judge in table.judges} == {runs}


@pytest.mark.parametrize(
    ("by", "values", "judges", "annotators"),
    [
        ("run", "1 2 3", ["verdict"], ("label",)),
        ("judge", "gpt-4o claude", ["gpt-4o", "claude"], ("label",)),
        ("annotator", "ann bob", ["verdict"], ("ann", "bob")),
    ],
)
def test_long_tables_become_wide(tmp_path, by, values, judges, annotators):
    lines = [f"{row},{value},pass,fail" for row in range(4) for value in values.split()]
    table = read(tmp_path, rows(f"id,{by},verdict,label", *lines))
    assert [judge.name for judge in table.judges] == judges
    assert (table.annotators, len(table.texts["id"])) == (annotators, 4)
    assert (table.judges[0].runs is not None) == (by == "run")


@pytest.mark.parametrize(
    ("head", "lines"),
    [
        ("id,judge_ab,judge_ba,human", ["1,first,second,A", "2,first,first,A"]),
        ("id,judge,judge_swapped,human", ["1,left,right,A", "2,left,left,A"]),
        ("pair,order,judge,human", ["1,AB,first,A", "1,BA,second,A", "2,AB,first,A", "2,BA,first,A"]),
        (
            "id,pair_id,swapped,winner,human",
            ["1,x,no,first,A", "2,x,yes,second,A", "3,y,no,first,A", "4,y,yes,first,A"],
        ),
        ("id,model_a,model_b,judge_ab,judge_ba,human", ["1,x,y,x,x,x", "2,x,y,x,y,x"]),
    ],
)
def test_pairs_in_both_orders(tmp_path, head, lines):
    table = read(tmp_path, rows(head, *lines))
    assert table.kind == "pairs"
    assert table.judges[0].orders.tolist() == [[1, 1], [1, 0]]
    assert table.judges[0].values.tolist() == [1, 0.5]
    assert table.labels[:, 0].tolist() == [1, 1]


def test_rows_of_both_orders_without_a_counterpart(tmp_path):
    lines = [
        f"{row},{row // 2},{('AB', 'BA')[row % 2]},{('first', 'second')[row % 2]},A" for row in range(20)
    ]
    text = rows("id,match,order,judge,human", *lines)
    message = fails(tmp_path, text)
    assert message.endswith(" --columns id=match")
    assert read(tmp_path, text, columns={"id": "match"}).judges[0].orders.tolist() == [[1, 1]] * 10
    assert np.isnan(read(tmp_path, text, columns={"id": "id"}).judges[0].orders).sum() == 20
    alone = rows("id,order,judge,human", "1,AB,first,A", "2,BA,second,A")
    assert np.isnan(read(tmp_path, alone).judges[0].orders).sum() == 2
    assert fails(tmp_path, rows("order,judge,human", "AB,first,A", "BA,second,A")).endswith("id=COLUMN")


def test_what_a_names_on_swapped_answers(tmp_path):
    unlabeled = rows("id,judge_ab,judge_ba", *(f"{row},A,B" for row in range(20)))
    message = fails(tmp_path, unlabeled)
    assert message.endswith("results.csv --pass positions")
    assert read(tmp_path, unlabeled, passing="positions").judges[0].orders[0].tolist() == [1, 1]
    assert read(tmp_path, unlabeled, passing="answers").judges[0].orders[0].tolist() == [1, 0]
    labeled = rows("id,judge_ab,judge_ba,human", *["1,A,B,A", "2,B,A,B"] * 10)
    assert read(tmp_path, labeled, by="id").judges[0].orders[0].tolist() == [1, 1]
    biased = rows("id,judge_ab,judge_ba,human", *["1,A,B,A", "2,A,B,A", "3,A,B,B"] * 10)
    assert "the labels do not tell" in fails(tmp_path, biased, by="id")


def test_systems_chances_and_clusters(tmp_path):
    table = read(
        tmp_path,
        rows(
            "id,system,topic,judge,human,inclusion_probability",
            "1,old,x,pass,fail,0.5",
            "1,new,x,fail,fail,0.5",
            "2,old,,pass,,",
            "2,new,y,pass,pass,0.25",
        ),
        by="Topic",
    )
    assert table.systems == ("old", "new", "old", "new")
    assert table.clusters == ("x", "x", "line 4", "y")
    assert np.array_equal(table.chances, [0.5, 0.5, NAN, 0.25], equal_nan=True)
    message = fails(tmp_path, rows("id,run,judge", "1,1,pass", "1,2,fail"), by="judge")
    assert "'judge' holds verdicts or labels" in message


def test_labels_of_another_file(tmp_path):
    labels = tmp_path / "labels.jsonl"
    labels.write_text("".join(json.dumps({"id": name, "label": True}) + "\n" for name in ("q2", "q9")))
    table = read(tmp_path, rows("id,judge", "q1,pass", "q2,fail"), labels=labels)
    assert np.array_equal(table.labels[:, 0], [NAN, 1], equal_nan=True)
    assert "1 label without a row" in table.notes[0]
    exported = tmp_path / "labels.csv"
    exported.write_text(rows("item,dimension,annotator,value", "q1,pass,ann,1", "q1,pass,bob,0"))
    table = read(tmp_path, rows("id,judge", "q1,pass", "q2,fail"), labels=exported)
    assert table.annotators == ("ann", "bob")


RECORDS = [
    {"judge": {"verdict": row % 2 == 0, "reason": "so"}, "human": None if row else 1.0} for row in range(4)
]
FLAT = {"judge.verdict": [True, False, True, False], "human": [1.0, None, None, None]}
CELLS = [("judge.verdict", "human"), ("pass", "ja"), ("fail", ""), ("pass", ""), ("fail", "")]
FILES = {
    "list.json": json.dumps(RECORDS).encode(),
    "wrapped.json": json.dumps({"name": "nightly", "evaluations": RECORDS}).encode(),
    "lines.jsonl": "\n".join(map(json.dumps, RECORDS)).encode(),
    "columns.json": json.dumps(FLAT).encode(),
    "tabs.tsv": "\n".join(map("\t".join, CELLS)).encode(),
    "excel.csv": b"\xef\xbb\xbf" + "\r\n".join(map(";".join, CELLS)).encode(),
}


@pytest.mark.parametrize("shape", [*FILES, "table.parquet", "pandas", "polars", "dict", "list"])
def test_files_and_frames(tmp_path, shape):
    makers = {"pandas": pandas.DataFrame, "polars": polars.DataFrame, "dict": dict, "list": lambda _: RECORDS}
    source: Any = makers[shape](FLAT) if shape in makers else tmp_path / shape
    if shape in FILES:
        source.write_bytes(FILES[shape])
    elif shape == "table.parquet":
        polars.DataFrame(FLAT).write_parquet(source)
    table = read_checked_table(source)
    assert table.judges[0].name == "judge.verdict"
    assert table.judges[0].values.tolist() == [1, 0, 1, 0]
    assert np.array_equal(table.labels[:, 0], [1, NAN, NAN, NAN], equal_nan=True)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (rows("nr,foo,bar", "1,pass,fail", "2,fail,pass"), "results.csv --judge foo --human bar"),
        (rows("id,label,score", "1,pass,1", "2,fail,0"), "--judge score --human label"),
        (rows("judge,human", "sound,made up", "made up,sound"), "results.csv --pass 'made up'\n"),
        (rows("judge,human", *["pass,fail"] * 20, "pas,fail"), "(line 22: 'pas')"),
        (rows("judge,human", "10,1", "8,5", "1,2"), "--pass 'judge>=7, human>=4'"),
        (rows("id,judge,human", "1,pass,fail", "1,fail,fail"), "results.csv:3: id '1' has a second"),
        (rows("judge,human", ",fail", "ERROR,pass"), "holds no verdict"),
        (rows("judge_a,human_a,judge_b,human_b"), "has no rows"),
        (rows("judge_ok,human_ok,judge_tone,human_tone", "1,1,0,0"), "--judge judge_ok --human human_ok"),
        (rows("judge,human,inclusion_probability", "1,0,1.5"), "results.csv:2: inclusion_probability"),
        (rows("judge_toxicity,human_toxic", "0.9,1", "0.1,0"), "'judge_toxicity<0.5, human_toxic=0'"),
        (rows("id,judge,human", "1,1,0", "2,0,0", "Total,1,0"), "results.csv:4: the row (Total)"),
        (rows("judge,human", "-1,0", "0,1", "1,-1"), "--pass =1"),
        (rows("id,gpt-4o,Anna,Ben", "1,pass,fail,pass", "2,fail,pass,fail"), "--human Anna --human Ben"),
        (
            rows("llm_zeal,human_zeal", "yes,no", "no,no"),
            "\n  conqret check results.csv --pass 'llm_zeal=no, human_zeal=no'",
        ),
        (
            rows("model_decision,final_decision", "yes,no"),
            "--judge model_decision --human final_decision  # model_decision is the judge's\n",
        ),
        (rows("judge,human", *["4,5"] * 20, "44,1"), "beyond 5, the highest other (line 22: '44')"),
        (rows("judge_score,human_agrees", "4,yes", "2,no"), "'human_agrees' says whether the judge is right"),
        (rows("id,label", "1,pass", "2,fail"), "--labels results.csv"),
    ],
)
def test_errors_hold_the_command(tmp_path, text, expected):
    assert expected in fails(tmp_path, text)


@pytest.mark.parametrize(
    "text",
    [
        rows("id,judge,labels", "1,pass,\"['pass', 'fail']\"", "2,fail,\"['fail', 'pass']\""),
        rows("id,judge,,human_anna,human_ben,", "1,pass,,pass,fail,", "2,fail,,fail,pass,"),
        rows("Nr;Judge, GPT;Human, A;Human, B", "1;pass;pass;fail", "2;fail;fail;pass"),
        rows("item,source,value", "1,llm,1", "1,ann,1", "1,bob,0", "2,llm,0", "2,bob,1", "2,ann,0"),
    ],
)
def test_labels_in_lists_in_rows_and_between_empty_columns(tmp_path, text):
    table = read(tmp_path, text)
    assert table.judges[0].values.tolist() == [1, 0]
    assert table.labels.tolist() == [[1, 0], [0, 1]]


@pytest.mark.parametrize(
    ("column", "cells"),
    [
        ("human_agrees_with_judge", ("yes", "no", "")),
        ("Agree/Disagree", ("Agree", "Disagree", "")),
        ("Reviewer disagrees", ("FALSE", "TRUE", "")),
        ("judge_was_right", ("1", "0", "")),
    ],
)
def test_labels_follow_from_whether_the_judge_is_right(tmp_path, column, cells):
    text = rows(
        f"id,judge_verdict,{column}",
        *(f"{row},pass,{cell}" for row, cell in enumerate(cells)),
        f"9,fail,{cells[1]}",
    )
    table = read(tmp_path, text)
    assert np.array_equal(table.labels[:, 0], [1, 0, NAN, 1], equal_nan=True)
    assert f"labels follow from {column!r}" in table.notes[0]


TASKS = {
    "label_studio": {
        "data": {"judge": "pass"},
        "annotations": [
            {"result": [{"type": "choices", "from_name": "ok", "value": {"choices": ["fail"]}}]},
            {
                "was_cancelled": True,
                "result": [{"type": "choices", "from_name": "ok", "value": {"choices": ["pass"]}}],
            },
        ],
    },
    "argilla": {
        "id": "a",
        "ok.suggestion": "pass",
        "ok.responses": ["fail", "pass"],
        "ok.responses.users": ["u1", "u2"],
        "ok.responses.status": ["submitted", "draft"],
    },
    "argilla_json": {
        "id": "a",
        "fields": {"text": "t"},
        "responses": {"ok": [{"value": "fail", "user_id": "u1"}]},
        "suggestions": {"ok": {"value": "pass", "agent": "m"}},
    },
    "objects": {
        "judge": "pass",
        "annotations": [{"label": "fail", "annotator": "w1"}, {"label": "fail", "annotator": "w2"}],
    },
}


@pytest.mark.parametrize("tool", TASKS)
def test_labels_in_lists_of_objects(tool):
    last = {"annotations": []} if tool == "objects" else {}
    table = read_checked_table([TASKS[tool], TASKS[tool] | {"id": "b"}, {**TASKS[tool], "id": "c", **last}])
    assert table.judges[0].values.tolist() == [1, 1, 1]
    assert table.labels[:2].tolist() == [[0] * table.labels.shape[1]] * 2


@pytest.mark.parametrize(
    "content",
    [
        {f"q{row}": {"judge": "pass", "human": ("fail", "pass")[row % 2]} for row in range(3)},
        {"columns": ["id", "judge", "human"], "rows": [[f"q{row}", "pass", row % 2] for row in range(3)]},
    ],
)
def test_objects_by_id_and_rows_below_names(tmp_path, content):
    file = tmp_path / "results.json"
    file.write_text(json.dumps(content), encoding="utf-8")
    table = read_checked_table(file)
    assert (table.texts["id"], table.labels[:, 0].tolist()) == (("q0", "q1", "q2"), [0, 1, 0])


def test_thresholds_spreads_and_numbers_of_annotators_are_no_labels(tmp_path):
    head = "id,judge_score,judge_threshold,human_mean,human_std,human_n"
    table = read(tmp_path, rows(head, "1,4,3,4.5,0.5,3", "2,2,3,2,0,3"))
    assert ([judge.name for judge in table.judges], table.annotators) == (["judge_score"], ("human_mean",))
    table = read(
        tmp_path, rows("id,annotator,label,judge", "1,1,pass,fail", "1,2,fail,fail", "2,1,pass,pass")
    )
    assert table.annotators == ("1", "2")
    lettered = rows("id,annotator,rating,judge_score", "1,A,4,4", "1,B,5,4", "2,A,2,3", "2,B,1,3")
    assert read(tmp_path, lettered, human=["rating"]).annotators == ("A", "B")
    paired = rows("id,judge,annotator", "1,A,A", "2,B,A", "3,A,B", "4,B,B")
    assert read(tmp_path, paired).annotators == ("annotator",)


def test_one_column_holds_no_verdicts_and_labels_of_a_long_table(tmp_path):
    with pytest.raises(
        DeclarationError, match="'verdict' cannot hold the judge's verdicts and the human labels"
    ):
        read(tmp_path, rows("id,run,verdict", "1,1,pass", "1,2,fail"), judge=["verdict"], human=["verdict"])


def test_none_is_a_level_of_severity(tmp_path):
    table = read(tmp_path, rows("judge,human", "none,minor", "major,none", "critical,major"))
    assert table.labels[:, 0].tolist() == [2, 1, 3]


def test_no_labels_and_copies_are_said(tmp_path):
    table = read(tmp_path, rows("id,judge", "1,pass", "2,fail"))
    assert table.labels.shape == (2, 0)
    assert "--human COLUMN" in table.guessed
    assert read(tmp_path, rows("id,judge,human", "1,pass,", "2,fail,")).annotators == ()
    copied = read(tmp_path, rows("id,judge,human", *(f"{row},pass,yes" for row in range(10))))
    assert "equal the verdicts" in copied.notes[0]


def test_ids_and_texts_without_usual_names_are_recognized_or_named() -> None:
    story = "A long story of a river and of a town that lies on it, number"
    texts = [{"case ref": f"b-{n}", "story": f"{story} {n}", "judge comment": story * 3} for n in range(6)]
    rows = [{**row, "judge": n % 2, "human": 1} for n, row in enumerate(texts)]
    table = read_checked_table(rows)
    assert table.texts["id"][:2] == ("b-0", "b-1")
    assert table.texts["output"][2] == f"{story} 2"
    assert 'id is column "case ref", output "story", reason "judge comment"' in table.guessed
    named = read_checked_table(rows, columns={"input": "story"}, judge=["judge"])
    assert "output" not in named.texts
    assert named.texts["input"] == table.texts["output"]
    assert named.options == (("--judge", "judge"), ("--columns", "input=story"))
    with pytest.raises(DeclarationError, match="no text of a table"):
        read_checked_table(rows, columns={"topic": "story"})
