"""Metrics of several formats in one run: which format each is from, their names, and what the run keeps."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import conqret
from conqret import Document, Item
from conqret.errors import UnknownNameError
from conqret.judging.metric_homes import judge_of_metrics
from tests.commands import Cli, run_conqret

ITEMS = [
    Item(
        id="token",
        topic="How do I rotate the API token?",
        documents=(
            Document(id="a", text="Choose Rotate next to the token. Owners alone can rotate tokens."),
        ),
        argument="Choose Rotate next to the token.",
        reference="Choose Rotate next to the token.",
    ),
    Item(
        id="port",
        topic="Which port does it use?",
        documents=(Document(id="b", text="The service listens on port 8080."),),
        argument="It mails the archive to all administrators.",
    ),
]


def homes(*metrics: str) -> Any:
    judge = judge_of_metrics(metrics)
    return (
        judge
        if judge is None or isinstance(judge, str)
        else [(m.judge.name, dict(m.names)) for m in judge.members]
    )


@pytest.mark.parametrize(
    ("item", "name"),
    [
        ({"topic": "When?", "argument": "At noon."}, "rag"),
        ({"topic": "When?", "argument": "At noon [1]."}, "rag-fine-grained"),
        ({"topic": "When?", "argument": "At noon.", "stance": "pro"}, "rag-fine-grained"),
    ],
)
def test_items_choose_the_format_where_none_is_named(item: dict[str, str], name: str) -> None:
    items = [{**item, "documents": [{"text": "It begins at noon."}]}]
    (judgment,) = conqret.judge(items, model="offline")
    assert judgment.format == name


def test_the_format_of_a_metric() -> None:
    assert homes() is None
    assert homes("groundedness") == homes("context_relevance", "groundedness") == "rag-fine-grained"
    assert homes("faithfulness", "context-relevance") == "rag"
    assert homes("context_recall") == "context-recall"
    assert homes("answer_correctness") == [("answer-correctness", {"correctness_f1": "answer_correctness"})]
    assert homes("faithfulness", "groundedness") == [
        ("rag", {"faithfulness": "faithfulness"}),
        ("rag-fine-grained", {"groundedness": "groundedness"}),
    ]
    both = homes("completeness", "answer-correctness/completeness")
    assert both == [
        ("rag", {"completeness": "rag.completeness"}),
        ("answer-correctness", {"completeness": "answer_correctness.completeness"}),
    ]
    with pytest.raises(UnknownNameError, match="did you mean 'faithfulness'"):
        homes("faithfullness")


def test_one_run_measures_all_and_a_format_alone_answers_its_part(tmp_path: Path) -> None:
    metrics = ["faithfulness", "answer_correctness"]
    both = conqret.judge(ITEMS, metrics=metrics, output=tmp_path / "both")
    alone = conqret.judge(ITEMS, format="rag", metrics=["faithfulness"])
    assert both.session.sent == 3
    assert both["token"].values == {"faithfulness": 1.0, "answer_correctness": 1.0}
    assert both["port"].reasons == {"answer_correctness": "nothing_to_judge"}
    assert both["port"].status == "scored"
    assert [each.value("faithfulness") for each in both] == [each.value("faithfulness") for each in alone]
    assert both["token"].formats["faithfulness"] == ("rag", alone.record.fingerprint)
    rows = both.scores()
    assert set(rows["format"]) == {"rag", "answer-correctness"}
    again = conqret.judge(ITEMS, format="rag", recordings=tmp_path / "both" / "recordings.sqlite")
    assert (again.session.sent, again.session.recorded) == (0, 2)
    assert conqret.judge(ITEMS, metrics=metrics, output=tmp_path / "both").session.kept == 2


def test_criteria_stand_beside_metrics(tmp_path: Path) -> None:
    criteria = ["polite: The answer is polite"]
    judged = conqret.judge(ITEMS, metrics=["faithfulness"], criteria=criteria, output=tmp_path / "r")
    assert list(judged["token"].measures) == ["faithfulness", "polite"]
    assert judged.record.format == "rag+criteria"
    only = conqret.judge(ITEMS, metrics=["polite"], criteria=criteria)
    assert only.record.format == "criteria"


@pytest.fixture
def cli(monkeypatch: pytest.MonkeyPatch) -> Cli:
    monkeypatch.setenv("COLUMNS", "100")
    return run_conqret


def test_a_gate_names_the_worst_items_everywhere(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "items.jsonl"
    path.write_text("".join(item.model_dump_json() + "\n" for item in ITEMS), encoding="utf-8")
    files = ("--junit", tmp_path / "junit.xml", "--markdown", tmp_path / "build.md")
    options = [
        part for name in ("faithfulness", "answer_correctness", "answered") for part in ("--metric", name)
    ]

    def required(*conditions: str, as_json: bool = False) -> Any:
        more = [part for condition in conditions for part in ("--require", condition)]
        more += ["--json"] * as_json
        return cli("judge", path, *options, "-o", tmp_path / "r", "-q", *files, *more)

    met = required("answer_correctness.coverage >= 1", "declined_wrongly <= 0", "faithfulness.max >= 1")
    assert met.code == 0, met.err
    done = required("faithfulness >= 0.8", "faithfulness.min >= 0.1")
    assert done.code == 1
    why = "0.00  port  not in documents: It mails the archive to all administrators."
    assert done.err.count(why) == 2
    assert f"conqret runs show {tmp_path / 'r'} ITEM" in done.err
    assert 'name="port">' in (tmp_path / "junit.xml").read_text()
    assert "| faithfulness >= 0.8 | port | 0.000 | not in documents" in (tmp_path / "build.md").read_text()
    gate = "<b>Conditions not met</b> <span><code>faithfulness &gt;= 0.8</code> not met (0.500);</span>"
    page = (tmp_path / "r" / "report.html").read_text()
    assert gate in page
    assert page.index("<bdi>port</bdi>") < page.index("<bdi>token</bdi>")  # the worst first
    outcome, *_ = json.loads(required("faithfulness >= 0.8", as_json=True).out)["requirements"]
    assert [(worst["item"], worst["score"]) for worst in outcome["items"]] == [("port", 0.0)]
    listed = cli("runs", "show", tmp_path / "r", "--worst", "faithfulness", "--json")
    assert [row["item"] for row in json.loads(listed.out)] == ["port", "token"]
    assert json.loads(cli("runs", "show", tmp_path / "r", "--declined", "--json").out) == []
    wrong = cli("judge", path, "--metric", "faithfulness", "--require", "declined_wrongly <= 0")
    assert (wrong.code, "add --metric answered" in wrong.err) == (2, True)


def test_offline_a_criterion_needs_a_model_and_the_others_are_scored(cli: Cli, tmp_path: Path) -> None:
    table = "question,contexts,answer,reference\nHow?,Choose Rotate next to the token.,Choose Rotate.,Rotate it.\n"
    (tmp_path / "items.csv").write_text(table)
    metrics = ("--metric", "faithfulness", "--criterion", "polite: The answer is polite")
    done = cli("judge", tmp_path / "items.csv", *metrics, "-o", tmp_path / "r")
    assert "1 item: 1 scored for some of the metrics, 0 for all, 0 for none" in done.out
    assert "without a model they are not scored" in done.err
    assert "these scores are word statistics of the offline baseline" in " ".join(done.err.split())
    assert "--columns second_argument=reference" in " ".join(done.err.split())
