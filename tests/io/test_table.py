"""CSV: documents in a cell, ragged and broken rows, the limits."""

import csv
import io
import json

import pytest

from conqret.io import open_items


def sheet(*rows: list[str], **options: str) -> str:
    out = io.StringIO(newline="")
    csv.writer(out, **options).writerows(rows)
    return out.getvalue()


@pytest.mark.parametrize(
    ("cell", "texts"),
    [
        *((json.dumps([{key: "a"}, {key: "b"}]), ["a", "b"]) for key in ("text", "page_content", "snippet")),
        ('["a", {"text": "b", "score": 0.5}]', ["a", "b"]),
        ("[{'text': 'a', 'score': nan}, {'text': 'b'}]", ["a", "b"]),
        ("['a'\n 'b']", ["a", "b"]),
        ("[Document(metadata={'source': 'x'}, page_content='a'), Document(page_content='b')]", ["a", "b"]),
        ("just text", ["just text"]),
    ],
)
def test_documents_in_a_cell(cell, texts, write):
    path = write("a.csv", sheet(["question", "contexts"], ["T?", cell]))
    (item,) = open_items(path)
    assert [document.text for document in item.documents] == texts


@pytest.mark.parametrize("cell", ["['a', ", "[__import__('os')]"])
def test_a_cell_that_is_no_list(cell, write, fault_of):
    fault = fault_of(write("a.csv", sheet(["question", "contexts"], ["T?", cell])))
    assert (fault.line, fault.field) == (2, "contexts")
    assert "begins like a list but is not valid JSON" in fault.problem
    assert "in CSV as JSON: [" in fault.remedy


@pytest.mark.parametrize(("delimiter", "before"), [(";", ""), ("\t", ""), ("|", "\ufeffsep=|\r\n")])
def test_other_delimiters(delimiter, before, write, fault_of):
    content = before + sheet(["topic", "argument"], ["T, or U?", "a; b"], delimiter=delimiter)
    (item,) = open_items(write("a.csv", content))
    assert (item.topic, item.argument) == ("T, or U?", "a; b")
    assert fault_of(write("b.csv", f"{content}x\n")).line == 3 + bool(before)


def test_the_index_of_a_frame_is_left_out(write):
    (item,) = open_items(write("a.csv", ",user_input,response\n0,T?,Yes.\n"))
    assert (item.topic, item.argument, item.metadata) == ("T?", "Yes.", {})


def test_rows_are_known_by_the_line_they_begin_on(write, fault_of):
    fault = fault_of(write("a.csv", 'topic,argument\n"T\n?",x\n\n\n"U\n?",y,z\nV?,w\n'))
    assert (fault.line, fault.problem) == (6, "has 3 cells where the head has 2")
    assert fault.remedy == "Quote cells that contain commas or line breaks"


def test_a_row_that_is_cut_off(write, fault_of):
    fault = fault_of(write("a.csv", "topic,argument\nT?,x\nU?"))
    assert fault.line == 3
    assert "looks cut off: write it again" in fault.remedy


def test_a_quote_that_never_ends(write, fault_of):
    fault = fault_of(write("a.csv", 'topic,argument\nT?,x\nU?,"abc\ndef\n'))
    assert fault.line == 3
    assert fault.problem == "the file looks cut off: a quoted cell never ends; 1 whole items precede it"


@pytest.mark.parametrize(
    ("head", "problem"),
    [("topic,topic", "the head names 'topic' twice"), ("topic,", "column 2 of the head has no name")],
)
def test_heads(head, problem, write, faults_of):
    fault = faults_of(write("a.csv", f"{head}\na,b\n"))[0]
    assert fault.problem.startswith(problem)


def test_cells_over_our_limit(write, fault_of, monkeypatch):
    monkeypatch.setenv("CONQRET_MAX_LINE", str(2**20))
    fault = fault_of(write("a.csv", sheet(["topic", "argument"], ["T?", f"{'x' * 999}\n" * 1100])))
    assert (fault.line, fault.problem) == (2, "has a cell of more than 1 MiB")
