"""Ways to answer, step by step: what each searches for, what it shows, and where it stops."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyterrier", reason="the extra retrieval is not installed: pyterrier is missing")

from conqret.data import Reason
from conqret.debateqa.answering.answering_run import Answering
from conqret.debateqa.answering.rag_session import ANSWER_STRATEGIES, AnswerPlan, RagSession
from conqret.debateqa.answering.retrieved_chunks import CHARACTERS, ChunkSearch
from conqret.debateqa.curation.curation_requests import NoValidResponse
from conqret.debateqa.curation.page_sources import TrustedDomains
from conqret.errors import DeclarationError
from conqret.io.questions import SourcedQuestion
from conqret.llm.client_options import ClientOptions
from conqret.llm.replies import Rejection, read_reply
from conqret.llm.request import Answer, Completion, Request
from conqret.prompts import Library

QUESTION = SourcedQuestion("buses", "Should buses be free?")
TEXTS = {
    "riders": "Free buses bring more riders. Buses that are free are full.",
    "cost": "Free buses cost the city a fortune, and the money is missing elsewhere.",
    "air": "Where buses are free the air gets cleaner.",
    "zoo": "The zoo has a new elephant, and nobody rides it.",
    "trams": "Trams are no buses, and their tracks are dear.",
}


class Scripted:
    """A model that says what it is told to, and keeps what it was asked."""

    context_window = None
    model_id = "offline"

    def __init__(self, *replies: object) -> None:
        self.replies = list(replies)
        self.asked: list[Request[Any]] = []

    def count_tokens(self, text: str) -> int:
        return len(text.split())

    def count_as_usable(self, answer: Answer[Any]) -> None:
        """Nothing is counted."""

    async def request(self, request: Request[Any]) -> Answer[Any]:
        self.asked.append(request)
        said = self.replies.pop(0)
        text = said if isinstance(said, str) else json.dumps(said)
        reply = read_reply(Completion(text), request.response, request.context)
        if isinstance(reply, Rejection):
            return Answer(None, (), reason=reply.reason, detail=reply.fault)
        return Answer(reply, ())


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("corpus")
    write(
        folder,
        [
            {"id": name, "title": "", "text": text, "url": f"https://{name}.example.org/"}
            for name, text in TEXTS.items()
        ],
    )
    return folder


@pytest.fixture(scope="module")
def search(corpus: Path) -> ChunkSearch:
    return ChunkSearch(corpus)


def write(folder: Path, records: Sequence[Mapping[str, str]]) -> None:
    text = "".join(json.dumps(record) + "\n" for record in records)
    (folder / "documents.jsonl").write_text(text, encoding="utf-8")


def session_for(
    name: str, search: ChunkSearch | None, answerer: Scripted, agent: Scripted, **plan: Any
) -> RagSession:
    way = Answering(ANSWER_STRATEGIES[name], AnswerPlan(**plan), ClientOptions("offline"), None, search)
    return way.open_session(QUESTION, Library(), answerer, agent)


def respond(name: str, session: RagSession) -> str:
    return asyncio.run(_responded(name, session))


async def _responded(name: str, session: RagSession) -> str:
    return await ANSWER_STRATEGIES[name].respond(session)


def test_rag_shows_the_best_chunks_for_the_question(search: ChunkSearch) -> None:
    answerer = Scripted("Views differ.")
    session = session_for("rag", search, answerer, Scripted(), chunks=2, length=150)
    respond("rag", session)
    system, user = (message.content for message in answerer.asked[0].messages)
    assert "about 150 tokens" in system
    assert user.count("<document ") == 2
    assert "more riders" in user
    assert "elephant" not in user
    assert user.index("</documents>") < user.index("<question>")


def test_an_agent_searches_for_what_is_missing_and_stops_when_it_has_enough(search: ChunkSearch) -> None:
    answerer = Scripted("Views differ.")
    agent = Scripted(
        {"thought": "Costs are missing.", "query": "buses cost money"}, {"thought": "Enough.", "query": ""}
    )
    session = session_for("react", search, answerer, agent, chunks=1, searches=5)
    respond("react", session)
    assert [(one.thought, one.query) for one in session.trace] == [
        ("", "Should buses be free?"),
        ("Costs are missing.", "buses cost money"),
        ("Enough.", ""),
    ]
    first, second, last = (one.found for one in session.trace)
    assert (len(first), len(second), last) == (1, 1, ())
    assert set(first).isdisjoint(second)  # what was read is not brought again
    shown = agent.asked[1].messages[1].content
    assert "Costs are missing." in shown
    assert "Searches left: 3" in shown
    assert shown.index("buses cost money") < shown.index("a fortune")  # a chunk stands under its query
    assert answerer.asked[0].messages[1].content.count("<document ") == 2


def test_the_argument_generator_argues_for_either_side(search: ChunkSearch) -> None:
    pro = {
        "conclusions": [{"conclusion": "They help", "premises": [{"text": "More ride", "citations": [1]}]}]
    }
    answerer = Scripted({**pro, "left_out": []}, {"conclusions": [], "left_out": []})
    session = session_for("cited", search, answerer, Scripted())
    assert respond("cited", session) == "In favour:\n\nThey help. More ride [1]."
    assert [one.ask for one in answerer.asked] == ["generate/pro", "generate/con"]
    nothing = {"conclusions": [], "left_out": []}
    with pytest.raises(NoValidResponse) as error:
        respond("cited", session_for("cited", search, Scripted(nothing, nothing), Scripted()))
    assert error.value.reason is Reason.NO_EVIDENCE


def test_long_documents_are_cut_and_only_trusted_ones_are_searched(tmp_path: Path) -> None:
    long = " ".join(f"Free buses of line {n} are full on every day of the week." for n in range(120))
    write(
        tmp_path,
        [
            {"id": "long", "text": long, "url": "https://city.gov/a"},
            {"id": "shop", "text": "Free buses are sold here.", "url": "https://shop.com/"},
        ],
    )
    everything = ChunkSearch(tmp_path)
    trusted = ChunkSearch(tmp_path, trusted=TrustedDomains())
    found = trusted.search("free buses", 50)
    assert len(found) == len(trusted) == len(everything) - 1
    assert {one.id for one in found} == {f"long#{n}" for n in range(1, len(found) + 1)}
    assert all(len(one.text) <= CHARACTERS for one in found)
    assert sum(len(one.text) for one in found) > 0.99 * len(long)
    assert trusted.name != everything.name
    with pytest.raises(DeclarationError, match="no document from a trusted domain"):
        ChunkSearch(tmp_path, trusted=TrustedDomains(domains=("none.example",)))


def test_words_and_vectors_are_fused_and_a_chunk_is_one_vector(tmp_path: Path) -> None:
    write(tmp_path, [{"id": name, "text": f"{text} " * 10} for name, text in TEXTS.items()])
    both = ChunkSearch(tmp_path, engines=("bm25", "dense"), encoder="tests.retrieval.letters:load")
    found = [one.id for one in both.search("zoo elephant", 4)]
    assert len(set(found)) == 4  # one document holds the words, vectors bring the others
    assert found[0] == "zoo#1"
    (manifest,) = tmp_path.glob("chunks/*/index-dense/index.json")
    assert json.loads(manifest.read_text())["settings"]["passage_words"] == CHARACTERS
    with pytest.raises(DeclarationError, match="names Python code as its encoder"):
        ChunkSearch(tmp_path, engines=("bm25", "dense"))
    again = ChunkSearch(tmp_path, engines=("bm25", "dense"), encoder="tests.retrieval.letters:load")
    assert [one.id for one in again.search("zoo elephant", 4)] == found
    assert again.name == both.name
