"""TREC RAG reports: sentences with citations become arguments, requests their topics, and nothing is lost unsaid."""

import json

import pytest

from conqret.errors import ItemsError
from conqret.io import open_items
from conqret.io.reports import read_requests

DOCUMENTS = {one: {"id": one, "text": f"About {one}.", "title": one, "lang": "en"} for one in ("ash", "elm")}
REQUESTS = [{"request_id": 7, "title": "trees", "problem_statement": "Why?", "background": "A garden."}]
METADATA = {"team_id": "t", "run_id": "r1", "topic_id": "7", "description": None}


def report(*cited, **more):
    texts = ("Ash is hard.", "Elm is “soft.”", "So")
    said = [{"text": text, "citations": one} for text, one in zip(texts, cited, strict=False)]
    return {"metadata": METADATA, "responses": said, "documents": DOCUMENTS, **more}


def only(record, requests=REQUESTS):
    return next(iter(open_items([record], topics=requests)))


@pytest.mark.parametrize(
    ("cited", "more"),
    [
        ((["ash"], ["elm", "ash", "elm"]), {}),
        (({"ash": 0.4}, {"ash": 0.1, "elm": 0.9}), {}),
        (([1], [0, 1]), {"references": ["elm", "ash"]}),
    ],
)
def test_the_three_ways_to_cite(cited, more):
    item = only(report(*cited, **more))
    assert item.argument == "Ash is hard [1]. Elm is “soft [2][1].”"
    assert (item.id, [document.id for document in item.documents]) == ("r1:7", ["ash", "elm"])
    assert item.topic == "trees\nWhy?\nBackground: A garden."
    assert item.documents[0].title == "ash"
    assert item.metadata["run_id"] == "r1"
    assert item.metadata["topic_id"] == "7"
    assert ("citation_weights" in item.metadata) == isinstance(cited[0], dict)


def test_what_the_report_does_not_hold_is_cited_past_the_last_document():
    item = only(report(["oak"], [0, 9], None, references=["elm"]))
    assert item.argument == "Ash is hard [3]. Elm is “soft [2][4].” So"
    assert item.metadata["cited_without_text"] == ["oak", "references[9]"]


RAG_2024 = {
    "run_id": "r1",
    "topic_id": "7",
    "topic": "Why trees?",
    "references": ["elm#1", "ash#2", "oak#3"],
    "response_length": 5,
    "answer": [{"text": "Ash is hard.", "citations": [1, 0]}, {"text": "So.", "citations": [2]}],
}


@pytest.mark.parametrize("without", ["", "run_id"])
def test_reports_of_2024(without, write, fault_of):
    record = {name: value for name, value in RAG_2024.items() if name != without}
    item = only(record, None)
    assert (item.topic, item.argument) == ("Why trees?", "Ash is hard [2][1]. So [3].")
    assert item.id == ("7" if without == "run_id" else "r1:7")
    assert item.metadata["cited_without_text"] == ["ash#2", "elm#1", "oak#3"]
    assert only(record).topic == "trees\nWhy?\nBackground: A garden."
    fault = fault_of(write("a.json", json.dumps([record])), {"documents": "a format rates documents"})
    assert "the texts that the report cites by ids alone" in fault.remedy


def test_documents_are_cited_whatever_their_id_is_called():
    documents = [{"text": "About something else."}, {"docid": "elm", "segment": "About elm."}]
    item = only(report(["elm", "ash"], documents=documents))
    assert item.argument == "Ash is hard [2][3]."
    assert (item.documents[1].id, item.documents[1].text) == ("elm", "About elm.")
    assert item.metadata["cited_without_text"] == ["ash"]


@pytest.mark.parametrize(
    ("change", "where", "problem"),
    [
        ({"metadata": {"topic_id": "7"}}, "metadata.run_id", "is missing"),
        ({"metadata": METADATA | {"topic_id": "8"}}, "metadata.topic_id", "which is no known request"),
        ({"documents": {"ash": {"id": "ash"}}}, "documents[1].text", "is missing"),
    ],
)
def test_faulty_reports(change, where, problem):
    with pytest.raises(ItemsError) as raised:
        list(open_items([report(["ash"], **change)], topics=REQUESTS))
    (fault,) = raised.value.faults
    assert (fault.line, fault.field) == (1, where)
    assert problem in fault.problem


def test_requests_with_faults(tmp_path):
    path = tmp_path / "requests.jsonl"
    rows = [{"request_id": "1", "title": "a"}, {"request_id": "1", "title": "b"}, {"request_id": "2"}]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    with pytest.raises(ItemsError) as raised:
        read_requests(path)
    assert [(fault.line, fault.field) for fault in raised.value.faults] == [(2, "request_id"), (3, "title")]
