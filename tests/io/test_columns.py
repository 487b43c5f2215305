"""The layouts of peers are recognised by their columns, and every field lands where it belongs."""

import json

import pytest

from conqret.errors import ItemsError
from conqret.io import open_items
from conqret.io.columns import recognise

TOPIC, ANSWER, GOLD = "Should zoos be banned?", "Yes [1].", "No."

RECORDS = {
    "conqret": {
        "id": "q1",
        "topic": TOPIC,
        "documents": [{"id": "d1", "text": "Cages."}, "Keepers."],
        "argument": ANSWER,
        "reference": GOLD,
    },
    "statements": {
        "topic": TOPIC,
        "side": "affirmative",
        "documents": ["Cages.", "Keepers."],
        "response": ANSWER,
        "reference": GOLD,
    },
    "ragas v2": {
        "user_input": TOPIC,
        "retrieved_contexts": ["Cages.", "Keepers."],
        "response": ANSWER,
        "reference": GOLD,
    },
    "ragas v1": {
        "question": TOPIC,
        "contexts": ["Cages.", "Keepers."],
        "answer": ANSWER,
        "ground_truth": GOLD,
    },
    "DeepEval": {
        "input": TOPIC,
        "actual_output": ANSWER,
        "retrieval_context": ["Cages.", "Keepers."],
        "expected_output": GOLD,
    },
    "TruLens": {"record_id": "q1", "input": TOPIC, "output": ANSWER, "contexts": ["Cages.", "Keepers."]},
    "RAGChecker": {
        "query_id": "q1",
        "query": TOPIC,
        "gt_answer": GOLD,
        "response": ANSWER,
        "retrieved_context": [{"doc_id": "d1", "text": "Cages."}, {"doc_id": "d2", "text": "Keepers."}],
    },
    "nuggetizer": {
        "query": {"qid": "q1", "text": TOPIC},
        "candidates": [
            {"docid": "d1", "doc": {"segment": "Cages."}, "judgment": 2},
            {"docid": "d2", "doc": {"segment": "Keepers."}},
        ],
    },
    "pyterrier-rag": {
        "qid": "q1",
        "query": TOPIC,
        "docno": "d1",
        "text": "Cages.",
        "score": 3.5,
        "qanswer": ANSWER,
    },
    "pyterrier-rag answers": {"qid": "q1", "query": TOPIC, "qcontext": "[1] Cages.", "qanswer": ANSWER},
    "TREC RAG reports": {
        "metadata": {"run_id": "q1", "topic_id": "t", "narrative": TOPIC},
        "responses": [{"text": "Yes.", "citations": ["d1"]}],
        "documents": {"d1": {"id": "d1", "text": "Cages."}, "d2": {"id": "d2", "text": "Keepers."}},
    },
    "LlamaIndex": {
        "query": TOPIC,
        "response": ANSWER,
        "reference_answer": GOLD,
        "source_nodes": [
            {"node": {"id_": "d1", "text": "Cages.", "metadata": {"file_name": "zoo.txt"}}, "score": 0.3},
            {"node": {"id_": "d2", "text": "Keepers."}},
        ],
    },
    "SQuAD": {
        "title": "Zoos",
        "paragraphs": [
            {"context": "Cages.", "qas": [{"id": "q1", "question": TOPIC, "answers": [{"text": GOLD}]}]},
        ],
    },
    "question and context": {
        "id": "q1",
        "question": TOPIC,
        "context": "Cages.",
        "answer": ANSWER,
        "answers": {"text": [GOLD, "N"]},
    },
    "BEIR": {"_id": "q1", "text": TOPIC, "documents": [{"id": "d1", "text": "Cages."}], "grades": {"d1": 2}},
    "query and contexts": {
        "query": TOPIC,
        "response": ANSWER,
        "contexts": ["Cages.", "Keepers."],
        "ground_truth": GOLD,
    },
    "messages": {
        "id": "q1",
        "documents": [{"id": "d1", "text": "Cages."}, "Keepers."],
        "ideal": GOLD,
        "messages": [{"role": "user", "content": TOPIC}, {"role": "assistant", "content": ANSWER}],
    },
    "ALCE": {
        "question": TOPIC,
        "docs": [{"text": "Cages."}, {"text": "Keepers."}],
        "output": ANSWER,
        "answer": GOLD,
    },
    "TREC RAG 2024 reports": {
        "run_id": "q1",
        "topic_id": "t",
        "topic": TOPIC,
        "references": ["d1", "d2"],
        "response_length": 1,
        "answer": [{"text": "Yes.", "citations": [0]}],
        "documents": {"d1": {"id": "d1", "text": "Cages."}, "d2": {"id": "d2", "text": "Keepers."}},
    },
    "Gemini": {
        "contents": [
            {"role": "user", "parts": [{"text": TOPIC}]},
            {"role": "model", "parts": [{"functionCall": {"name": "look", "args": {}}}]},
            {
                "role": "user",
                "parts": [{"functionResponse": {"name": "look", "response": {"result": "Cages."}}}],
            },
            {
                "role": "user",
                "parts": [{"functionResponse": {"name": "look", "response": {"result": "Keepers."}}}],
            },
            {"role": "model", "parts": [{"text": "Hm.", "thought": True}, {"text": ANSWER}]},
        ],
        "expected_response": GOLD,
    },
    "DeepEval conversations": {
        "turns": [
            {"role": "user", "content": TOPIC},
            {"role": "assistant", "content": ANSWER, "retrieval_context": ["Cages.", "Keepers."]},
        ],
        "expected_outcome": GOLD,
    },
    "inspect_ai": {
        "id": "q1",
        "epoch": 1,
        "target": GOLD,
        "attachments": {"a1": ANSWER},
        "metadata": {"documents": [{"id": "d1", "text": "Cages."}, "Keepers."]},
        "messages": [
            {"role": "user", "content": TOPIC},
            {"role": "assistant", "content": [{"type": "text", "text": "attachment://a1"}]},
        ],
    },
    "ragas conversations": {
        "user_input": [
            {"type": "human", "content": TOPIC},
            {"type": "ai", "content": "", "tool_calls": [{"name": "look", "args": {"at": "zoos"}}]},
            {"type": "tool", "content": "Cages."},
            {"type": "tool", "content": "Keepers."},
            {"type": "ai", "content": ANSWER},
        ],
    },
}
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


@pytest.mark.parametrize("name", ["reference", "ground_truth", "ground_truths"])
@pytest.mark.parametrize(
    "columns", [("question", "contexts"), ("question", "context"), ("query", "contexts")]
)
def test_a_reference_is_found_under_each_of_its_names(columns, name, write):
    topic, documents = columns
    content = f'{topic},{documents},answer,{name}\nT?,Cages.,Yes.,"[""No."", ""Never.""]"\n'
    (item,) = open_items(write("a.csv", content))
    assert (item.argument, item.reference) == ("Yes.", "No.")


CAPITALS = ["Question,Contexts,Answer,Ground Truth,ID", "question,Contexts,answer,groundTruth,Id"]


@pytest.mark.parametrize("head", CAPITALS)
def test_columns_in_capitals_and_with_spaces(head, write):
    (item,) = open_items(write("a.csv", f'{head}\nT?,"[""Cages.""]",Yes.,No.,q1\n'))
    assert (item.id, item.topic, item.argument, item.reference) == ("q1", "T?", "Yes.", "No.")
    assert not item.metadata


TRACE = {"question": "T?", "contexts": [{"document.content": "Cages."}], "messages": [{"content": "Yes."}]}


@pytest.mark.parametrize("written", [TRACE, json.dumps(TRACE), str(TRACE)], ids=["object", "JSON", "printed"])
@pytest.mark.parametrize("column", ["input", "attributes.input.value"])
def test_dots_reach_into_an_object_and_a_text_that_holds_one(written, column):
    mapping = {"topic": f"{column}.question", "documents": f"{column}.contexts"}
    (item,) = open_items([{column: written}], columns={**mapping, "argument": f"{column}.messages.0.content"})
    assert (item.topic, item.documents[0].text, item.argument, item.metadata) == ("T?", "Cages.", "Yes.", {})


def test_a_trace_says_that_dots_reach_into_it(fault_of):
    (note, *_) = open_items([{"input": json.dumps(TRACE), "output": "Yes."}]).check().notes
    assert "dots reach into it (--columns topic=input.question)" in note
    fault = fault_of([{"input": TRACE, "output": "Yes."}])
    assert "with dots, such as input.question" in fault.remedy


def test_of_several_references_the_first_is_kept_with_a_note():
    source = open_items([RECORDS["question and context"]])
    assert "of several references the first is kept (answers.text in line 1)" in source.check().notes
    assert next(iter(open_items([{**RECORDS["question and context"], "answers": []}]))).reference is None


def test_a_cell_with_one_text_or_a_printed_list(write):
    one = next(iter(open_items(write("a.csv", "query,response,contexts\nT?,x,Cages.\n"))))
    two = next(iter(open_items(write("b.csv", "query,response,contexts\nT?,x,\"['Cages.', 'Keepers.']\"\n"))))
    assert [len(item.documents) for item in (one, two)] == [1, 2]


SPREAD = "question,doc 1,doc 2,doc 3\nT?,Cages.,,Keepers.\nU?,Only one.,,\n"


def test_documents_spread_over_columns_are_put_together(write, fault_of):
    path = write("a.csv", SPREAD)
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
        (
            "retrieval.hts",
            "retrieval.hts",
            "correct --columns documents=retrieval.hts ('retrieval' holds 'hits')",
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


def test_columns_can_be_mapped():
    record = {"question": TOPIC, "ctx": ["Cages."], "system": {"text": ANSWER}}
    mapping = {"topic": "question", "documents": "ctx", "argument": "system.text"}
    source = open_items([record], columns=mapping)
    item = next(iter(source))
    assert source.layout.name == "conqret with topic=question, documents=ctx, argument=system.text"
    assert (item.topic, item.documents[0].text, item.argument) == (TOPIC, "Cages.", ANSWER)
    assert not item.metadata


def test_a_mapping_goes_over_what_is_recognised():
    source = open_items([{**RECORDS["ragas v1"], "human": "Perhaps."}], columns={"second_argument": "human"})
    item = next(iter(source))
    assert source.layout.name == "ragas v1 with second_argument=human"
    assert (item.second_argument, item.reference, item.metadata) == ("Perhaps.", GOLD, {})


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


def test_samples_of_inspect_ai_are_told_from_records_with_an_input_and_an_output():
    there = ["id", "epoch", "input", "target", "messages", "output", "scores", "metadata"]
    assert recognise(there).name == "inspect_ai"
    assert recognise(["input", "output"]).name != "inspect_ai"
