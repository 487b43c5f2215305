"""The layouts of peers are recognised by their columns, and every field lands where it belongs."""

import json
from pathlib import Path

import pytest

from conqret.errors import ItemsError
from conqret.io import open_items

TOPIC, ANSWER, GOLD = "Should zoos be banned?", "Yes [1].", "No."

RECORDS = json.loads((Path(__file__).parent / "peers.json").read_text())
"""One item in the layout of each tool."""
FROM_TURNS = {"DeepEval conversations": "context-1", "ragas conversations": "tool-1", "Gemini": "tool-1"}
"""The id of the first document where it is no document of the record's own."""


@pytest.mark.parametrize("name", RECORDS)
def test_a_peers_record(name):
    source = open_items([RECORDS[name]])
    item = next(iter(source))
    assert source.layout.name == name == source.check().layout
    assert item.topic == TOPIC
    assert item.argument == (None if name in ("nuggetizer", "BEIR", "SQuAD") else ANSWER)
    assert item.reference == (GOLD if GOLD in str(RECORDS[name]) else None)
    assert item.second_argument is None
    texts = [document.text for document in item.documents]
    one = {
        "pyterrier-rag answers": ["[1] Cages."],
        **{one: ["Cages."] for one in ("pyterrier-rag", "SQuAD", "question and context", "BEIR")},
    }
    assert texts == one.get(name, ["Cages.", "Keepers."])
    assert item.documents[0].id == FROM_TURNS.get(name, "d1")
    reports = name in ("TREC RAG reports", "TREC RAG 2024 reports")
    if reports or "q1" in str(RECORDS[name]):
        assert item.id == ("q1:t" if reports else "q1")
    assert bool(item.metadata) == reports or item.metadata == {"grades": {"d1": 2}}


@pytest.mark.parametrize(
    ("topic", "documents", "reference"),
    [
        ("question", "contexts", "reference"),
        ("question", "documents", "ground_truth"),
        ("query", "passages", "ground_truths"),
    ],
)
def test_a_reference_is_found_under_each_of_its_names(topic, documents, reference, write):
    content = f'{topic},{documents},answer,{reference}\nT?,Cages.,Yes.,"[""No."", ""Never.""]"\n'
    (item,) = open_items(write("a.csv", content))
    assert (item.argument, item.reference) == ("Yes.", "No.")


def test_columns_in_capitals_and_with_spaces(write):
    content = 'Question,Contexts,Answer,Ground Truth,Id\nT?,"[""Cages.""]",Yes.,No.,q1\n'
    (item,) = open_items(write("a.csv", content))
    assert (item.id, item.topic, item.argument, item.reference) == ("q1", "T?", "Yes.", "No.")
    assert not item.metadata


TRACE = {"question": "T?", "contexts": [{"document.content": "Cages."}], "messages": [{"content": "Yes."}]}


@pytest.mark.parametrize("written", [TRACE, json.dumps(TRACE), str(TRACE)], ids=["object", "JSON", "printed"])
def test_dots_reach_into_an_object_and_a_text_that_holds_one(written):
    column = "attributes.input.value"
    mapping = {"topic": f"{column}.question", "documents": f"{column}.contexts"}
    (item,) = open_items([{column: written}], columns={**mapping, "argument": f"{column}.messages.0.content"})
    assert (item.topic, item.documents[0].text, item.argument, item.metadata) == ("T?", "Cages.", "Yes.", {})


def test_a_trace_says_that_dots_reach_into_it(fault_of):
    (note, *_) = open_items([{"input": json.dumps(TRACE), "output": "Yes."}]).check().notes
    assert "dots reach into it (--columns topic=input.question)" in note
    fault = fault_of([{"input": TRACE, "output": "Yes."}])
    assert "with dots, such as input.question" in fault.remedy


def test_documents_spread_over_columns_are_put_together(write, fault_of):
    path = write("a.csv", "question,doc 1,doc 2,doc 3\nT?,Cages.,,Keepers.\nU?,Only one.,,\n")
    source = open_items(path, columns={"topic": "question", "documents": "doc 1+doc 2+doc 3"})
    assert [[document.text for document in item.documents] for item in source] == [
        ["Cages.", "Keepers."],
        ["Only one."],
    ]
    assert not any(item.metadata for item in source)
    fault = fault_of(path, columns={"topic": "question", "documents": "doc 1+doc 4"})
    assert (fault.field, "is not a column" in fault.problem) == ("doc 4", True)


HITS = [{"id": 1, "body": {"content": "Cages."}}, {"id": 2, "body": {"content": "Keepers."}}]


@pytest.mark.parametrize(
    ("column", "field", "said"),
    [
        ("retrieval.hits", "retrieval.hits[1].body", "such as retrieval.hits.body.content"),
        (
            "retrieval.hits.bdy.content",
            "retrieval.hits.bdy.content",
            "correct --columns documents=retrieval.hits.bdy.content (each of 'retrieval.hits' holds 'id', 'body')",
        ),
    ],
)
def test_a_way_that_leads_nowhere_says_how_far_it_leads(column, field, said):
    source = open_items([{"topic": "T?", "retrieval": {"hits": HITS}}], columns={"documents": column})
    with pytest.raises(ItemsError) as refused:
        source.check({"documents": "a format rates documents"})
    fault = refused.value.faults[0]
    assert (fault.field, said in fault.remedy) == (field, True), fault


def test_other_columns_become_metadata_with_a_note():
    source = open_items([{**RECORDS["ragas v1"], "ground_truths": ["No.", "Never."], "empty": None}])
    assert next(iter(source)).metadata == {"ground_truths": ["No.", "Never."]}
    assert "columns kept as metadata: 'ground_truths' (line 1)" in source.check().notes


def test_a_mapped_column_that_no_record_has(faults_of):
    (fault,) = faults_of([RECORDS["ragas v1"]], columns={"stance": "side"})
    assert (fault.line, fault.field) == (0, "side")
    assert fault.problem == "is not a column of this input, although --columns names it for stance"


def test_a_layout_that_is_nearly_recognised_is_named_with_what_it_lacks(fault_of):
    fault = fault_of([{"user_input": "T?", "context": ["x"]}])
    assert (
        "nearly those of ragas v2 (it lacks 'reference' or 'response' or 'retrieved_contexts')"
        in fault.problem
    )
    assert "nuggetizer" not in fault.problem


@pytest.mark.parametrize(
    ("typed", "cell"),
    [
        ("||", "Cages. || Keepers."),
        (r"\n---\n", "Cages.\r\n---\r\nKeepers."),
    ],
)
def test_a_separator_parts_the_documents_of_one_cell(typed, cell):
    rows = [{"topic": TOPIC, "ctx": cell}, {"topic": "And cats?", "ctx": "Cats purr."}]
    columns = {"documents": "ctx"}
    checked = open_items(rows, columns=columns).check()
    assert any(f"add separator={typed} to --columns" in note for note in checked.notes), checked.notes
    source = open_items(rows, columns={**columns, "separator": typed})
    assert [document.text for document in next(iter(source)).documents] == ["Cages.", "Keepers."]
    assert (source.check().documents, "separator" in str(source.check().notes)) == (3, False)


def test_a_separator_that_no_cell_has_is_noted_and_of_many_cells_a_fault():
    columns = {"documents": "ctx", "separator": "||"}
    rows = [{"topic": f"{TOPIC} {n}", "ctx": "Cages. ### Keepers."} for n in range(10)]
    assert "separator '||' occurs in no row" in str(open_items(rows[:9], columns=columns).check().notes)
    with pytest.raises(ItemsError, match=r"\[ctx\] separator '\|\|' occurs in no row"):
        open_items(rows, columns=columns).check()
