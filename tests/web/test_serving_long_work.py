"""``conqret serve http`` and items that take long to compute: others are answered meanwhile, and there is a limit."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context

import pytest

from conqret.computing import ComputingLimitError, check_computing, computing_limit
from conqret.runs.session import Session
from tests.torture.effort import times

REASON = "the extra web is not installed: it brings starlette and uvicorn"
pytest.importorskip("starlette", reason=REASON)
pytest.importorskip("uvicorn", reason=REASON)

from conqret.serve.intake import IntakeLimits  # noqa: E402
from tests.web.services import ITEM, Running  # noqa: E402

TINY = {**ITEM, "documents": ["a"] * times(60_000, 400_000)}
CITING = {**ITEM, "documents": ["a"] * 100, "argument": "It is so [1-100]. " * 2_000}


@pytest.mark.parametrize(("name", "item"), [("rag-fine-grained", TINY), ("citation-support", CITING)])
def test_a_long_item_is_refused_and_others_are_answered_meanwhile(name: str, item: object) -> None:
    with (
        Running(Session("offline"), name, limits=IntakeLimits(computing=1)) as service,
        ThreadPoolExecutor() as threads,
    ):
        began = time.monotonic()
        waiting = threads.submit(service.judge, name, item)
        slowest = 0.0
        while not waiting.done():
            asked = time.monotonic()
            assert service.get("/healthz").status == 200
            slowest = max(slowest, time.monotonic() - asked)
        got = waiting.result()
        assert time.monotonic() - began < 30
        assert (got.status, got.json["code"]) == (422, "takes_too_long")
        assert got.json["detail"] == (
            "the computation takes more than 1 s; send a shorter item, or start the service with a larger "
            "--max-computing"
        )
        assert slowest < 2  # it was as long as the item takes
        assert service.judge(name).status == 200
        assert service.get("/readyz").json["ready"]


def test_only_what_is_computed_for_the_work_itself_counts() -> None:
    def compute(seconds: float) -> None:
        end = time.thread_time() + seconds
        while time.thread_time() < end:
            check_computing()

    with computing_limit(0.2):
        mine = copy_context()
        mine.run(compute, 0.1)
        with computing_limit(0.2):  # somebody else's, in the same thread
            compute(0.15)
        time.sleep(0.15)
        mine.run(compute, 0.05)
        with pytest.raises(ComputingLimitError, match=r"more than 0\.2 s"):
            mine.run(compute, 0.2)
    compute(0.01)  # without a limit nothing is counted
