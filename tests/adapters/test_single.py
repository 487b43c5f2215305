"""One metric of one item, which the evaluators of other libraries ask for; none of them is needed here."""

import asyncio
import gc
import pickle
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import make_dataclass

import pytest

from conqret.adapters.single import SingleMetric, as_item, beyond, kept, measure_text
from conqret.data import Item, Measure, Reason
from conqret.errors import DeclarationError
from tests.adapters.metered import DOCUMENTS, ITEMS, MeteredServer
from tests.server import FaultPlan

ASKED = [as_item(topic, argument, DOCUMENTS) for topic, argument in ITEMS]
ITEM = as_item(
    "Should zoos be banned?", "Yes, for cages are small [1].", ["Cages are small.", "Keepers care."]
)


def test_a_metric_of_an_item():
    single = SingleMetric.create("context_relevance", "rag-fine-grained")
    judgment = single.judged(ITEM)
    assert single.name == "conqret rag-fine-grained context_relevance"
    assert single.measure(judgment).value is not None
    assert asyncio.run(single.ajudged(ITEM)).values == judgment.values
    told_more = kept(judgment, "context_relevance")
    assert [part["id"] for part in told_more["parts"]] == ["d1", "d2"]
    assert told_more["fingerprint"] == judgment.fingerprint


def test_what_has_no_score_says_why():
    lost = Measure.missing(Reason.TIMEOUT, "after 300 s")
    assert measure_text(lost) == "no score: no answer came in time (after 300 s)"


CHAT = [
    {"role": "user", "content": "Zoos?"},
    {"role": "assistant", "content": "Some."},
    {"role": "user", "content": "Should they be banned?"},
    {"role": "assistant", "content": "Yes, for cages are small [1]."},
]


def test_messages_stand_for_question_and_answer():
    judge = SingleMetric.create("groundedness", "direct").judge
    item, other = judge.judge([as_item(CHAT, None, DOCUMENTS), as_item(CHAT[:3], "No.", DOCUMENTS)]).source
    assert (item.topic, item.argument, len(item.messages)) == (CHAT[2]["content"], CHAT[3]["content"], 2)
    assert (other.topic, other.argument, other.messages) == (item.topic, "No.", item.messages)
    said = make_dataclass("Said", ["role", "content"])  # as the messages of other libraries are
    assert as_item([said(**message) for message in CHAT])["messages"] == CHAT


@pytest.mark.parametrize(
    ("format_", "metric", "settings", "wrong"),
    [
        ("dircet", "groundedness", {}, "did you mean 'direct'"),
        ("direct", "groundedness", {"smaples": 2}, "did you mean 'samples'"),
    ],
)
def test_wrong_metrics_are_told_when_they_are_made(format_, metric, settings, wrong):
    with pytest.raises(DeclarationError, match=wrong):
        SingleMetric.create(metric, format_, **settings)


def test_what_another_library_has_no_place_for():
    documents = [{"id": "a", "text": "Cages.", "title": "Zoos"}, {"id": "b", "text": "Care."}]
    item = Item(id="i", topic="T", stance="con", documents=documents, reference="R", metadata={"part": 1})
    metadata = {"part": 1, "documents": {"a": {"title": "Zoos"}}}
    assert beyond(item, "reference") == {"id": "i", "stance": "con", "metadata": metadata}
    assert beyond(Item(id="i", topic="T", reference="R")) == {"id": "i", "reference": "R"}


@pytest.fixture
def server():
    with MeteredServer() as found:
        yield found


def metered(server, **more):
    return SingleMetric.create("groundedness", "direct", **server.settings(**more))


def in_a_loop(single):
    return [single.judged(item) for item in ASKED]


def in_threads(single):
    with ThreadPoolExecutor(5) as pool:
        return list(pool.map(lambda item: asyncio.run(single.ajudged(item)), ASKED))


@pytest.mark.parametrize(("called", "connections"), [(in_a_loop, 1), (in_threads, 5)])
def test_one_budget_holds_for_all_calls(server, called, connections):
    single = metered(server)
    found = [single.measure(one) for one in called(single)]
    assert sum(one.value is not None for one in found) == 5
    assert {one.reason for one in found if one.value is None} == {Reason.BUDGET}
    server.check(connections=connections)


def test_one_recording_of_all_calls(server, tmp_path):
    store = tmp_path / "answers.sqlite"
    in_threads(metered(server, recordings=store))
    again = in_a_loop(metered(server, recordings=store, budget_usd=0.0))
    assert sum(call.recorded for one in again for call in one.trace.calls) == 5
    server.check()


def test_what_is_asked_inside_another_event_loop_leaves_it_free(server):
    async def both():
        single = metered(server, budget_usd=None)
        found = await asyncio.gather(*map(single.ajudged, ASKED))
        return found, single.judged(ASKED[0])  # as in a notebook

    found, again = asyncio.run(both())
    assert len(found) == len(ASKED)
    assert again.values == found[0].values


def test_the_last_reference_and_close_end_the_thread(server):
    def threads():
        return [one for one in threading.enumerate() if one.name == "conqret-background"]

    before = threads()
    single = metered(server)
    single.judged(ASKED[0])
    (own,) = [thread for thread in threads() if thread not in before]
    single.close()
    assert not own.is_alive()
    single.judged(ASKED[1])
    (own,) = [thread for thread in threads() if thread not in before]
    del single
    gc.collect()
    own.join(10)
    assert not own.is_alive()


def test_a_provider_that_was_given_up_is_asked_again_after_a_while(monkeypatch):
    with MeteredServer(plan=FaultPlan(script=("auth",))) as server:
        single = metered(server, budget_usd=None)
        assert [single.measure(single.judged(item)).reason for item in ASKED[:2]] == [
            Reason.AUTHENTICATION,
            Reason.PROVIDER_DOWN,
        ]
        monkeypatch.setattr("conqret.judging.session_judge.PAUSE_SECONDS", 0.0)
        single.judged(ASKED[2])
        assert single.measure(single.judged(ASKED[3])).value is not None


def test_another_process_has_a_session_of_its_own_and_ends_in_peace(server, tmp_path):
    (tmp_path / "single").write_bytes(pickle.dumps(metered(server)))
    code = (
        "import pathlib, pickle, sys; single = pickle.loads(pathlib.Path(sys.argv[1]).read_bytes())\n"
        "from tests.adapters.test_single import ASKED; print(single.judged(ASKED[0]).values)"
    )
    done = subprocess.run(
        [sys.executable, "-X", "dev", "-c", code, str(tmp_path / "single")],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert "groundedness" in done.stdout
    assert (done.returncode, "Warning" in done.stderr, "Error" in done.stderr) == (0, False, False), (
        done.stderr
    )
