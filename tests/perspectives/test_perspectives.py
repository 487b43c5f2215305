"""Perspective measures on hand-worked examples, and typed detection."""

import pytest

from conqret.data import Reason
from conqret.io.pairs import Pair
from conqret.llm import failed_requests
from conqret.llm.client_options import ClientOptions
from conqret.llm.request import Answer, Plain
from conqret.perspectives.detection import DETECTORS, Detection, request
from conqret.perspectives.detection_study import detected, detection_run
from conqret.perspectives.diversity_run import mrecall, precision
from conqret.prompts import Library
from tests.server import FaultPlan, FaultServer

HOLDERS = {"yes": {"d1", "d4"}, "no": {"d4", "d6"}}
RANKING = ["d1", "d2", "d3", "d5", "d7", "d6"]


def test_mrecall_and_precision_at_5_by_hand():
    # The first five hold only "yes" (d1): not both, and one of five documents holds any perspective.
    assert mrecall(RANKING, HOLDERS, 5) == 0.0
    assert precision(RANKING, HOLDERS, 5) == 0.2
    # With d6 in sixth place both are held.
    assert mrecall(RANKING, HOLDERS, 6) == 1.0
    assert precision(RANKING, HOLDERS, 6) == pytest.approx(2 / 6)
    # One document that holds both is enough.
    assert mrecall(["d4"], HOLDERS, 5) == 1.0
    assert precision(["d4"], HOLDERS, 5) == 0.2


def test_with_more_perspectives_than_documents_as_many_as_documents_are_wanted():
    holders = {f"p{n}": {f"d{n}"} for n in range(7)}
    ranking = [f"d{n}" for n in range(7)]
    assert mrecall(ranking, holders, 5) == 1.0
    assert mrecall(["d0", "d0x", *ranking[1:]], holders, 5) == 0.0
    assert mrecall(["all"], {f"p{n}": {"all"} for n in range(7)}, 5) == 1.0


@pytest.fixture
def detect(tmp_path):
    """Detects perspectives by a server, in a folder of its own."""

    def detections(pairs, server, **more):
        model = ClientOptions("openai/judge", api_base=server.url, api_key="sk-test", timeout=20.0, **more)
        with detection_run(pairs, tmp_path / f"run-{len(list(tmp_path.iterdir()))}", model, {}) as run:
            return detected(run, pairs).rows

    return detections


def test_detection_is_graded_and_failures_are_no_grades(detect, monkeypatch):
    monkeypatch.setattr(failed_requests, "BACKOFF_BASE", 0.01)
    pairs = [Pair("1", "Trams are cheap.", "Trams are cheap."), Pair("2", "Cats sleep.", "Trams are cheap.")]
    with FaultServer(
        answer=lambda body: {
            "explanation": "so it is",
            "grade": 1 if "Cats" in body["messages"][1]["content"] else 4,
        }
    ) as server:
        found = detect(pairs, server)
    assert [(one.id, one.grade, one.contains()) for one in found] == [("1", 4, True), ("2", 1, False)]
    assert found[0].explanation == "so it is"
    with FaultServer(FaultPlan(always="server_error")) as server:
        failed = detect(pairs[:1], server, max_attempts=1)
    assert (failed[0].grade, failed[0].contains(), failed[0].reason) == (None, None, Reason.SERVER_ERROR)
    with FaultServer(answer=lambda body: {"explanation": "so it is", "grade": 5}) as server:
        found = detect(pairs[1:], server, max_attempts=1)
    assert (found[0].grade, found[0].reason) == (None, Reason.INVALID_ANSWER)


@pytest.mark.parametrize(
    ("text", "contains"),
    [
        ("Yes", True),
        ("**No**", False),
        ('The answer is "No".', False),
        ("Yesterday it rained.", None),
    ],
)
def test_an_answer_is_yes_or_no_or_none(text, contains):
    found = Detection.from_answer("1", Answer(Plain(text=text), ()))
    assert found.contains(DETECTORS["one-shot"].yes_from) is contains
    assert found.reason == (Reason.INVALID_ANSWER if contains is None else None)


def test_the_example_stands_before_the_pair_with_its_answer():
    pair = Pair("1", "Trams are cheap.", "Trams pay.")
    one, zero = (request(pair, Library(), prompt=DETECTORS[name]) for name in ("one-shot", "zero-shot"))
    assert [message.role for message in one.messages] == ["system", "user", "assistant", "user"]
    assert "Statement for Example 1: A ban on leaf blowers" in one.messages[1].content
    assert (one.messages[0], one.messages[3]) == zero.messages
    assert zero.messages[1].content.startswith("Document: Trams are cheap.\nStatement: Trams pay.\n")
