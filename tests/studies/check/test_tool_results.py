"""Files as other tools write them: which verdicts are a judge's, which are human labels, and what is no verdict."""

import json
import zipfile
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from conqret.errors import DeclarationError
from conqret.io.files import file_rows
from conqret.io.rows import Row
from conqret.studies.check.read_table import read_checked_table
from conqret.studies.check.tool_results import tool_records, tool_rows
from conqret.studies.check.tool_verdicts import ToolRows

FILES = Path(__file__).parent / "files"
RIGHT = {(1, 1): 2, (0, 0): 1, (1, 0): 1, (0, 1): 1}
"""How often each judge gave this verdict to that label in the files, all made of the same six answers."""


JUDGES = {
    "llm-rubric": ["promptfoo.json"],
    "Correctness": ["deepeval.json"],
    "model_graded_qa": ["inspect.json", "inspect.eval"],
    "supported": ["ragas.csv"],
    "correctness": [
        "mlflow.json",
        "langfuse.csv",
        "langsmith.csv",
        "langsmith.json",
        "phoenix.csv",
        "opik.json",
    ],
}
WITHOUT = {"promptfoo.json": (1, 0), "deepeval.json": (1, 1)}
"""Files in which the judge's model failed once, and on which answer."""


@pytest.mark.parametrize(
    ("file", "judge"), [(file, judge) for judge, files in JUDGES.items() for file in files]
)
def test_a_file_of_a_tool_is_a_table_of_verdicts_and_labels(file: str, judge: str) -> None:
    missing = [WITHOUT[file]] if file in WITHOUT else []
    table = read_checked_table(FILES / file)
    assert [column.name for column in table.judges] == [judge]
    assert table.annotators == ("human",)
    pairs = np.column_stack([table.judges[0].values, table.labels[:, 0]])
    counts = Counter((int(verdict), int(label)) for verdict, label in pairs[~np.isnan(pairs).any(axis=1)])
    assert counts == Counter(RIGHT) - Counter(missing)
    assert table.judges[0].failed == len(missing)
    assert np.isnan(table.labels[:, 0]).sum() == 1
    assert f"{judge} is the judge" in table.guessed


@pytest.mark.parametrize(
    "file", ["promptfoo.json", "inspect.eval", "mlflow.json", "opik.json", "deepeval.json"]
)
def test_texts_and_reasons_come_along(file: str) -> None:
    result = read(FILES / file)
    row = next(row for row in result.rows if "nuclear" in str(row["output"]))
    assert "Is nuclear power cheaper than wind?" in str(row["input"])
    assert str(row["reason"]).startswith("The answer claims more")


def write(folder: Path, name: str, content: object) -> Path:
    path = folder / name
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return path


def rows_of(path: Path, *columns: str) -> list[tuple[object, ...]]:
    return [tuple(row.get(column) for column in columns) for row in read(path).rows]


def read(path: Path) -> ToolRows:
    result = tool_rows(path)
    if result is None:
        records = [row.record for row in file_rows(path) if isinstance(row, Row)]
        result = tool_records(records, str(path))
    assert result is not None
    return result


def test_providers_of_promptfoo_are_systems_that_share_ids(tmp_path: Path) -> None:
    graded = {"pass": True, "assertion": {"type": "llm-rubric"}}
    tests = [
        {"testIdx": 0, "provider": {"id": name}, "gradingResult": {"componentResults": [graded]}}
        for name in "ab"
    ]
    path = write(tmp_path, "results.json", {"evalId": "e", "results": {"results": tests}})
    assert rows_of(path, "id", "system", "llm-rubric") == [("0", "a 0", "pass"), ("0", "b 0", "pass")]


def trace(number: int, *assessments: str) -> dict[str, Any]:
    """Return a trace of MLflow with assessments such as ``HUMAN ana tone 3``."""
    parts = [text.split() for text in assessments]
    return {
        "trace_id": f"t{number}",
        "assessments": [
            {
                "assessment_name": name,
                "source": {"source_type": side, "source_id": author},
                "feedback": {"value": json.loads(value)},
            }
            for side, author, name, value in parts
        ],
    }


def test_annotators_that_overlap_are_columns_and_metrics_are_kept_apart(tmp_path: Path) -> None:
    traces = [
        trace(1, "LLM_JUDGE m tone 4", "LLM_JUDGE m correct true", "HUMAN ana correct true"),
        trace(2, "LLM_JUDGE m tone 2", "LLM_JUDGE m correct true", "HUMAN ana correct false"),
        trace(3, "LLM_JUDGE m correct null", "HUMAN ben correct false", "HUMAN ana tone 3"),
        trace(4, "CODE length length 12"),
    ]
    path = write(tmp_path, "traces.json", traces)
    result = read(path)
    assert (result.judges, result.humans) == (("correct",), ("human",))
    assert [row["human"] for row in result.rows] == [True, False, False]
    assert result.rows[2]["correct"] == "ERROR: no verdict"
    assert "--judge tone --human human_tone" in result.note
    both = [trace(1, "LLM_JUDGE m ok 1", "HUMAN ana ok 1", "HUMAN ben ok 0")]
    result = read(write(tmp_path, "both.json", both))
    assert result.humans == ("human_ana", "human_ben")


def sample(number: int, epoch: int, output: str, **scores: object) -> dict[str, object]:
    return {"id": number, "epoch": epoch, "input": "Q", "output": {"completion": output}, "scores": scores}


def log(*samples: dict[str, object]) -> dict[str, object]:
    return {"version": 2, "eval": {"eval_id": "e"}, "samples": list(samples)}


def test_epochs_of_inspect_are_runs_only_where_the_output_is_the_same(tmp_path: Path) -> None:
    same = log(*(sample(1, epoch, "A", qa={"value": "C"}) for epoch in (1, 2)))
    assert rows_of(write(tmp_path, "same.json", same), "id", "run") == [("1", 1), ("1", 2)]
    other = log(*(sample(1, epoch, f"A{epoch}", qa={"value": "C"}) for epoch in (1, 2)))
    rows = rows_of(write(tmp_path, "other.json", other), "id", "sample", "run")
    assert rows == [("1 epoch 1", "1", None), ("1 epoch 2", "1", None)]


def test_scores_of_inspect_with_parts_halves_and_without_a_value(tmp_path: Path) -> None:
    parts = {"tone": 3, "facts": "C"}
    samples = log(
        sample(1, 1, "A", qa={"value": "P"}, rubric={"value": parts}, match={"value": "C"}),
        sample(2, 1, "B", qa={"value": "N"}, rubric={"value": float("nan")}, match={"value": "I"}),
    )
    path = write(tmp_path, "log.json", samples)
    rows = rows_of(path, "qa", "rubric tone", "rubric facts", "match")
    assert rows == [(0.5, 3, "pass", None), (0.0, "ERROR: unscored", "ERROR: unscored", None)]


def test_edits_that_all_change_the_score_are_said_to_be_one_sided(tmp_path: Path) -> None:
    edited = {"value": "I", "history": [{"value": "C"}, {"value": "I", "provenance": {"author": "ana"}}]}
    samples = log(sample(1, 1, "A", qa=edited), sample(2, 1, "B", qa={"value": "C"}))
    result = read(write(tmp_path, "log.json", samples))
    assert [row["human"] for row in result.rows] == ["fail", None]
    assert "every edit changed the score" in result.note


def test_ragas_metrics_meet_the_label_of_their_name(tmp_path: Path) -> None:
    header, row = (
        "user_input,response,retrieved_contexts,topic,faithfulness,answer_relevancy",
        "Q,A,['c'],tea,0.5,",
    )
    result = read(write(tmp_path, "scores.csv", f"{header},human_faithfulness\n{row},1\n"))
    assert (result.judges, result.humans) == (("faithfulness",), ("human",))
    assert result.rows[0]["topic"] == "tea"
    result = read(write(tmp_path, "one.csv", f"{header},human\n{row},1\n"))
    assert result.judges == ("faithfulness", "answer_relevancy")
    assert result.rows[0]["answer_relevancy"] == "ERROR: no value"


def test_a_table_in_memory_is_read_as_the_file() -> None:
    rows = [
        {"span_id": "1", "name": "ok", "annotator_kind": kind, "label": "pass"} for kind in ("LLM", "HUMAN")
    ]
    table = read_checked_table(rows)
    assert (table.judges[0].name, table.annotators) == ("ok", ("human",))
    with pytest.raises(DeclarationError, match=r"the rows: no row names the span .* reset_index"):
        read_checked_table([{name: row[name] for name in row if name != "span_id"} for row in rows])


def test_a_rating_in_the_csv_of_promptfoo_has_replaced_the_verdict() -> None:
    with pytest.raises(DeclarationError, match=r"promptfoo\.csv: a rating stands .* promptfoo export eval"):
        tool_rows(FILES / "promptfoo.csv")


@pytest.mark.parametrize(
    "text", ["id,judge,human\n1,pass,fail\n", '[{"judge": "pass"}]', '{"testCases": [1]}', ""]
)
def test_other_files_are_left_alone(tmp_path: Path, text: str) -> None:
    assert tool_rows(write(tmp_path, "table", text)) is None


@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, 93])
def test_a_log_is_not_unpacked_beyond_the_limits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, method: int
) -> None:
    path = FILES / "inspect.eval"
    if method != 93:
        path = tmp_path / "large.eval"
        with zipfile.ZipFile(path, "w", method) as archive:
            archive.writestr("samples/1.json", json.dumps(sample(1, 1, "A" * 5000)))
    monkeypatch.setenv("CONQRET_MAX_LINE", "100")
    with pytest.raises(DeclarationError, match=r"larger than 100 bytes.*CONQRET_MAX_LINE=200"):
        tool_rows(path)
    monkeypatch.setenv("CONQRET_MAX_UNPACKED", "100")
    with pytest.raises(DeclarationError, match="unpacks to more than 100 bytes"):
        tool_rows(path)


def test_a_log_that_hides_its_size_is_an_error(tmp_path: Path) -> None:
    content = (FILES / "inspect.eval").read_bytes()
    with zipfile.ZipFile(FILES / "inspect.eval") as archive:
        size = next(entry for entry in archive.infolist() if entry.filename.startswith("samples/")).file_size
    path = tmp_path / "hidden.eval"
    path.write_bytes(content.replace(size.to_bytes(4, "little"), (9).to_bytes(4, "little")))
    with pytest.raises(DeclarationError, match="cannot be unpacked"):
        tool_rows(path)


def test_two_providers_in_the_csv_of_promptfoo_are_systems_and_a_failed_grader_gives_no_verdict(
    tmp_path: Path,
) -> None:
    head = "question,[a] p,Status,Grader Reason,[b] p,Status,Grader Reason"
    text = f"{head}\nQ,yes,PASS,All assertions passed,no,FAIL,Could not extract JSON\n"
    rows = rows_of(write(tmp_path, "results.csv", text), "id", "system", "output", "assertions")
    assert rows == [
        ("1", "[a] p", "yes", "pass"),
        ("1", "[b] p", "no", "ERROR: Could not extract JSON"),
    ]
