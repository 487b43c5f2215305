"""Perspectives from surveys, statements, arguments and open questions: written, checked, and counted where left out."""

import csv
import json

import pytest
from pydantic import ValidationError

from conqret.errors import DeclarationError, ItemsError
from conqret.perspectives.perspective_files import (
    PerspectiveQuestion,
    QuestionPerspective,
    read_perspective_sources,
    read_perspectives,
)
from conqret.perspectives.perspective_writing import (
    TOGETHER,
    UNDEBATABLE,
    WRONG,
    BothSides,
    FromSurvey,
    Opposite,
)
from conqret.perspectives.perspectives_run import (
    INSPECTED,
    MadeFolder,
    inspection_form,
    make_perspectives,
    perspective_errors,
)
from conqret.runs.dry_run import Counted
from tests.server import FaultServer

ROWS = {
    "opinionqa": [
        {
            "key": "gun",
            "question": "How safe does a gun make you feel?",
            "references": "['Safer', 'Less safe', 'Refused']",
            "url": "https://example.org/gun",
            "license": "CC0",
        },
        {"key": "fired", "question": "Have you ever fired a gun?", "references": ["Yes", "No"]},
    ],
    "kialo": [
        {"id": "chat", "question": "Will chatbots harm us?", "statement": "Chatbots will harm us."},
        {"id": "best", "question": "What is the best town?", "answers": ["Bonn", "Ulm", "Kiel"]},
    ],
    "arguana": [{"argument": "Choice makes us sad. It is too much.", "counter_argument": "Choice is fine."}],
    "open": [{"question": "Who should pay for trams?", "subset": "mine"}],
}


def sources(tmp_path, kind, rows=None):
    file = tmp_path / f"{kind}.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows or ROWS[kind]), encoding="utf-8")
    return read_perspective_sources(file, kind)


@pytest.mark.parametrize("kind", ROWS)
def test_offline_it_makes_what_score_reads(tmp_path, kind):
    read = sources(tmp_path, kind)
    folder = MadeFolder(tmp_path / "out")
    file = tmp_path / f"{kind}.jsonl"
    summary = make_perspectives(file, source=kind, output=folder.path).summary
    perspectives = read_perspectives(folder.path / "perspectives.jsonl")
    assert {perspective.id for perspective in perspectives} == {debate.id for debate in read} - {"fired"}
    assert sum(subset.kept for subset in summary.subsets) == len(perspectives)
    with pytest.raises(Counted) as counted:
        make_perspectives(file, source=kind, dry_run=True)
    requests = 2 if kind == "arguana" else 1  # the question first, then its sides
    assert sum(cost.calls for cost in counted.value.costs) == requests * len(read) + len(perspectives)
    for perspective in perspectives:
        assert not any(view.text.endswith("?") for view in perspective.perspectives)
        assert perspective.sided == (perspective.id in ("gun", "chat", "arguana-1"))
    if kind == "opinionqa":
        wanted = ("https://example.org/gun", "CC0", "opinionqa")
        assert (perspectives[0].url, perspectives[0].licence, perspectives[0].subset) == wanted
        assert read[0].options == ("Safer", "Less safe")  # to refuse is no opinion
        assert summary.subsets[0].faults == {"it asks about own experience": 1}
        (left,) = csv.DictReader((folder.path / "left_out.csv").open(newline="", encoding="utf-8"))
        assert (left["id"], left["why"]) == ("fired", "it asks about own experience")
    if kind == "open":
        assert (perspectives[0].subset, len(perspectives[0].perspectives)) == ("mine", 2)


def test_what_the_check_finds_is_left_out_and_a_run_goes_on(tmp_path):
    def answer(body):
        shown = body["messages"][1]["content"]
        if "<statement number" in shown:
            # Of three statements the second is wrong, and of two the first, which leaves one.
            return {
                "explanation": "as it is",
                "debatable": "rain" not in shown,
                "wrong": [2] if "Ulm" in shown else [1] if "pay" in shown else [],
                "apart": "Chatbots" not in shown,
            }
        if "<answers>" in shown:
            return {"statements": ["Bonn is best.", "Ulm is best.", "Kiel is best."]}
        return {"explanation": "the point", "opposing": "It is not so."}

    rows = [
        *ROWS["kialo"],
        {"id": "trams", "question": "Do trams pay?", "statement": "Trams pay."},
        {"id": "rain", "question": "Did it rain?", "statement": "It did rain."},
    ]
    sources(tmp_path, "kialo", rows)
    folder = MadeFolder(tmp_path / "out")
    with FaultServer(answer=answer) as server:
        first, again = (
            make_perspectives(
                tmp_path / "kialo.jsonl", source="kialo", output=folder.path, model=options(server)
            )
            for _ in range(2)
        )
        assert len(server.requests) == 8
    assert again.session.kept == 4
    assert first.summary == again.summary
    (counts,) = first.summary.subsets
    assert (counts.kept, counts.perspectives, counts.dropped) == (1, 2, 1)
    assert counts.faults == {UNDEBATABLE: 1, TOGETHER: 1, WRONG: 1}
    (kept,) = read_perspectives(folder.path / "perspectives.jsonl")
    assert [perspective.text for perspective in kept.perspectives] == ["Bonn is best.", "Kiel is best."]
    left = {row["id"]: row for row in csv.DictReader((folder.path / "left_out.csv").open(encoding="utf-8"))}
    assert left.keys() == {"chat", "best", "trams", "rain"}
    assert left["best"]["perspectives"] == "Ulm is best."
    assert left["best"]["why"].endswith("(the question stays, without these)")
    assert left["trams"]["perspectives"] == "Trams pay. | It is not so."


def options(server):
    from conqret.llm.client_options import ClientOptions

    return ClientOptions("openai/author", api_base=server.url, api_key="sk-test", timeout=20.0)


@pytest.mark.parametrize(
    ("type_", "fields", "told"),
    [
        (Opposite, {"opposing": "Do trams pay?”"}, "this is a question"),
        (BothSides, {"supporting": "It is so", "opposing": "it is so."}, "the same words"),
        (
            FromSurvey,
            {"own_experience": False, "question": None, "supporting": None, "opposing": None},
            "are null only",
        ),
    ],
)
def test_answers_that_are_none(type_, fields, told):
    if "explanation" in type_.model_fields:
        fields = {"explanation": "so", **fields}
    with pytest.raises(ValidationError, match=told):
        type_.model_validate(fields)


@pytest.mark.parametrize(
    ("kind", "row", "told"),
    [
        ("opinionqa", {"question": "Q?", "options": ["Yes", "Refused"]}, "has 1 that are an opinion"),
        ("arguana", {"argument": "A."}, "the one that contradicts it"),
    ],
)
def test_faulty_rows(tmp_path, kind, row, told):
    with pytest.raises(ItemsError, match=told):
        sources(tmp_path, kind, [row])


def test_the_sheet_has_twenty_of_each_subset():
    views = (QuestionPerspective("=Yes."), QuestionPerspective("No."))
    kept = [PerspectiveQuestion(str(n), f"Is {n} much?", views, "mine") for n in range(INSPECTED + 5)]
    rows = list(csv.DictReader(inspection_form(kept).splitlines()))
    assert len({row["id"] for row in rows}) == INSPECTED
    assert {row["error"] for row in rows} == {""}
    assert all(row["perspectives"].startswith("'=") for row in rows)  # no spreadsheet calculates it


def test_errors_that_people_found_are_counted_by_subset(tmp_path):
    sheet = tmp_path / "inspect.csv"
    rows = ["a,no", "a,not faithful", "a,0", "a,yes", "a,", "b,no", "c,"]
    sheet.write_text("subset,error\n" + "\n".join(rows) + "\n", encoding="utf-8")
    first, second, third = perspective_errors(sheet)
    assert (first.inspected, first.errors, first.share.value, first.left) == (4, 2, 0.5, 1)
    assert (second.inspected, second.errors, third.share.value) == (1, 0, None)
    sheet.write_text("subset,error\na,\n", encoding="utf-8")
    with pytest.raises(DeclarationError, match="is not filled in"):
        perspective_errors(sheet)
