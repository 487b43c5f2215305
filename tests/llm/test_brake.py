"""A model that cannot do what is asked is asked no more, and the reason says so."""

from __future__ import annotations

import pytest

from conqret.data import Reason, Status
from conqret.llm.failed_requests import MIN_REQUESTS, FailureLimit
from conqret.llm.recordings import Recordings
from conqret.runs.session import Session
from tests.llm.samples import ask_all, options, request
from tests.server import FaultPlan, FaultServer

pytestmark = pytest.mark.usefixtures("quick")


async def test_a_share_of_failures_stops_the_rest():
    with FaultServer(FaultPlan(always="bad_schema")) as server:
        settings = options(server.url, max_concurrency=1)
        answers, client = await ask_all(settings, [request(n) for n in range(60)])
    assert len(server.requests) < 3 * 60 - 30  # most first answers and those to second requests came before
    stopped = [answer for answer in answers if answer.reason is Reason.TOO_MANY_FAILURES]
    assert {one.status for one in stopped} == {Status.FAILED}
    said = f"not sent, because {MIN_REQUESTS} of {MIN_REQUESTS} requests had no valid response"
    assert stopped[-1].detail == said
    why = client.progress.failure_limit.why
    assert "--stop-after-failures" in why
    assert "mostly invalid answer, as for item item-" in why
    assert "documents: this is missing" in why


@pytest.mark.parametrize(("share", "stops"), [(0.2, True), (0.5, False)])
async def test_the_share_is_the_users(share, stops):
    with FaultServer(FaultPlan({"server_error": 0.35}, seed=3)) as server:
        settings = options(server.url, stop_after_failures=share, max_concurrency=1, max_attempts=1)
        answers, client = await ask_all(settings, [request(n) for n in range(80)])
    failed = sum(answer.reason is Reason.SERVER_ERROR for answer in answers)
    assert 0.2 < failed / client.progress.failure_limit.requested < 0.5
    assert bool(client.progress.failure_limit.why) is stops
    assert any(answer.reason is Reason.TOO_MANY_FAILURES for answer in answers) is stops


async def test_recordings_answer_on_and_count_for_nothing(tmp_path):
    good, bad = [request(n) for n in range(30)], [request(n) for n in range(30, 100)]
    with Recordings(tmp_path / "recordings.sqlite") as store:
        with FaultServer() as server:
            await ask_all(options(server.url), good, store)
        with FaultServer(FaultPlan(always="bad_schema")) as server:
            answers, client = await ask_all(options(server.url, max_concurrency=1), [*good, *bad], store)
            assert MIN_REQUESTS <= client.progress.failure_limit.requested < len(bad)
            assert [answer.reason for answer in answers[:30]] == [None] * 30
        _, client = await ask_all(options(), [*good, *bad[:MIN_REQUESTS]], store, replay=True)
        assert (client.progress.failure_limit.requested, client.progress.failure_limit.why) == (0, "")


def test_an_answer_that_is_of_use_in_part_is_no_failure():
    failure_limit = FailureLimit()
    for _ in range(MIN_REQUESTS):
        failure_limit.count("i", Reason.INVALID_ANSWER, "one rating is missing")
        failure_limit.count_as_usable(Reason.INVALID_ANSWER)
    failure_limit.check(0.1)
    assert failure_limit.requested == MIN_REQUESTS


def test_a_session_remembers_from_one_call_to_the_next():
    with FaultServer(FaultPlan(always="bad_schema")) as server:
        session = Session(options(server.url))
        answers = [
            session.run(lambda client, n=n: client.request(request(n))) for n in range(MIN_REQUESTS + 3)
        ]
        assert len(server.requests) == 3 * MIN_REQUESTS
    assert [answer.reason for answer in answers[-3:]] == [Reason.TOO_MANY_FAILURES] * 3
    assert "mostly invalid answer, as for item item-0: documents: this is missing" in session.counts.stopped
