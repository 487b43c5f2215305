"""Qrels from markers, worked by hand; and properties of whole corpora."""

import pytest

from conqret.data import Debate, DebateArgument, Source
from conqret.data.corpus import LedgerEntry
from conqret.errors import DeclarationError
from conqret.scrapers.corpus_building import build_corpus


def debate(name: str, pro: str, con: str, sources: int, question: str = "") -> Debate:
    return Debate(
        id=name,
        url=f"https://x.example/{name}",
        title=name,
        question=question or f"Should {name} be?",
        pros=(DebateArgument(title="P", paragraphs=tuple(pro.split("|"))),),
        cons=(DebateArgument(title="C", paragraphs=tuple(con.split("|"))),),
        sources=tuple(Source(number=number, title=f"{name} {number}") for number in range(1, sources + 1)),
        layout="test",
    )


def ledger(*documents: str, ends: tuple[str, ...] = ()) -> list[LedgerEntry]:
    """``"a1=d7"``: the source 1 of a became document d7; ``ends``: ``"a2=robots"``."""
    found = []
    for text in (*documents, *ends):
        place, _, value = text.partition("=")
        entry = {"debate": place[0], "number": place[1:]}
        end = {"status": "ok", "document": value} if text in documents else {"status": value}
        found.append(LedgerEntry.model_validate({**entry, **end}))
    return found


def test_markers_become_pairs() -> None:
    debates = [
        debate("a", "one [1][2].|two [2, 3] and [9].", "no [3].", 5),
        debate("b", "so [1-2].", "not [2].", 2),
        debate("c", "yes [1].", "no [1].", 1),
    ]
    entries = ledger("a1=d1", "a2=d2", "a3=d3", "a4=d4", "b1=d5", "b2=d6", "c1=d7", ends=("a5=robots",))
    built = build_corpus(debates, entries, seed=13)
    by_topic = {
        stance: {
            topic.id: [
                pair.doc_id
                for pair in built.qrels[stance, topic.split]
                if pair.query_id == topic.id and pair.relevance
            ]
            for topic in built.topics
        }
        for stance in ("pro", "con", "all")
    }
    assert by_topic["pro"] == {"a": ["d1", "d2", "d3"], "b": ["d5", "d6"], "c": ["d7"]}
    assert by_topic["con"] == {"a": ["d3"], "b": ["d6"], "c": ["d7"]}
    assert by_topic["all"] == {"a": ["d1", "d2", "d3"], "b": ["d5", "d6"], "c": ["d7"]}
    assert built.statistics["citations"] == {"pro": 6, "con": 3, "both": 3, "marks_without_source": 1}
    assert built.statistics["sources"]["ok"] == 7
    assert built.statistics["sources"]["robots"] == 1
    assert sorted(topic.split for topic in built.topics) == ["test", "train", "train"]


def test_topics_that_share_a_document_or_a_question_stay_together() -> None:
    debates = [debate(name, "x [1].", "y [1].", 2) for name in "abcdef"]
    debates.append(debate("g", "x [1].", "y [1].", 2, question="should  F be"))
    shared = ledger(*(f"{name}1=d{name}" for name in "abcdefg"), "a2=shared", "b2=shared")
    for seed in range(10):
        built = build_corpus(debates, shared, seed=seed)
        split = {topic.id: topic.split for topic in built.topics}
        assert split["a"] == split["b"] == built.splits["shared"]
        assert split["f"] == split["g"]


def test_what_cannot_be_built() -> None:
    one = debate("a", "x [1].", "y.", 1)
    with pytest.raises(DeclarationError, match="more than once"):
        build_corpus([one, one], [])
    with pytest.raises(DeclarationError, match="corpus evidence"):
        build_corpus([one], [])
