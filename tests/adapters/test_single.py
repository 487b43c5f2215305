"""One metric of one item, which the evaluators of other libraries ask for; none of them is needed here."""

import asyncio

import pytest

from conqret.adapters.single import SingleMetric, as_document, as_item, beyond, kept, told
from conqret.data import Item, Measure, Reason
from conqret.errors import DeclarationError

ITEM = as_item(
    "Should zoos be banned?", "Yes, for cages are small [1].", ["Cages are small.", "Keepers care."]
)


def test_a_metric_of_an_item():
    single = SingleMetric.of("rag-fine-grained", "context_relevance")
    judgment = single.judged(ITEM)
    assert single.name == "conqret rag-fine-grained context_relevance"
    assert single.measure(judgment).value is not None
    assert asyncio.run(single.ajudged(ITEM)).values == judgment.values
    told_more = kept(judgment, "context_relevance")
    assert [part["id"] for part in told_more["parts"]] == ["d1", "d2"]
    assert told_more["fingerprint"] == judgment.fingerprint


def test_what_has_no_score_says_why():
    lost = Measure.missing(Reason.TIMEOUT, "after 300 s")
    assert told(lost) == "no score: no answer came in time (after 300 s)"
    judgment = SingleMetric.of("controllability", "controllability").judged(ITEM)
    assert told(judgment.measures["controllability"]).startswith("no score: there was nothing to ask about")


def test_empty_fields_are_left_out():
    assert as_item("T", "", None, None) == {"topic": "T"}
    with pytest.raises(DeclarationError, match="the topic is empty"):
        as_item("", "A")


@pytest.mark.parametrize(
    ("format_", "metric", "settings", "wrong"),
    [
        ("dircet", "groundedness", {}, "did you mean 'direct'"),
        ("direct", "groundednes", {}, "did you mean 'groundedness'"),
        ("direct", "groundedness", {"smaples": 2}, "did you mean 'samples'"),
    ],
)
def test_wrong_metrics_are_told_when_they_are_made(format_, metric, settings, wrong):
    with pytest.raises(DeclarationError, match=wrong):
        SingleMetric.of(format_, metric, **settings)


def test_an_item_without_what_the_format_needs():
    with pytest.raises(DeclarationError, match="documents"):
        SingleMetric.of("direct", "groundedness").judged(as_item("T", "A"))


def test_what_another_library_has_no_place_for():
    documents = [{"id": "a", "text": "Cages.", "title": "Zoos"}, {"id": "b", "text": "Care."}]
    item = Item(id="i", topic="T", stance="con", documents=documents, reference="R", metadata={"part": 1})
    metadata = {"part": 1, "documents": {"a": {"title": "Zoos"}}}
    assert beyond(item, "reference") == {"id": "i", "stance": "con", "metadata": metadata}
    assert beyond(Item(id="i", topic="T", reference="R")) == {"id": "i", "reference": "R"}


def test_documents_of_other_libraries():
    assert as_document("Cages.", metadata={"source": "zoos.txt", "page": 3}) == {
        "text": "Cages.",
        "url": "zoos.txt",
    }
    assert as_document("Cages.", 7, {"file_name": "z"}) == {"id": "7", "text": "Cages.", "title": "z"}
