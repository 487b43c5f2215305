"""A Python function or an HTTP address as the judge: what it is told, what it may say, and what becomes of the rest."""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Iterator
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

from conqret import bias, judge, sensitivity
from conqret.errors import DeclarationError
from conqret.judging.cost import costs_of
from conqret.judging.own_judge import read_verdict
from conqret.llm.backends.function import admit, identity
from conqret.studies.bias.result import BiasRow, BiasTable

PAIRS = [
    {
        "id": f"pair-{n}",
        "topic": f"Should thing {n % 6} be banned?",
        "argument": f"Yes, since reason {n} holds. It is cheap. People like it.",
        "second_argument": f"No, as reason {n + 50} is stronger. It costs money. Nobody wants it.",
        "metadata": {"secret": n},
    }
    for n in range(12)
]
SINGLES = [{**pair, "second_argument": None} for pair in PAIRS]


def first_wins(item: dict[str, Any]) -> str:
    return "first"


async def longer(item: dict[str, Any]) -> dict[str, Any]:
    return {"preference": 1.0 if len(item["argument"]) > len(item["second_argument"]) else 0.0, "other": 3}


def length(item: dict[str, Any]) -> Any:
    return np.float32(min(1.0, len(item["argument"]) / 1000))


def broken(item: dict[str, Any]) -> float:
    raise KeyError("score")


def row(table: BiasTable, probe: str) -> BiasRow:
    return next(one for one in table.rows if one.probe == probe)


def test_a_function_that_always_says_first_is_found_on_pairs_without_documents() -> None:
    table = bias(PAIRS, judge=first_wins, probes=["position", "repeatability"])
    found = row(table, "position")
    assert (found.verdict, found.effect and found.effect.value) == ("alarm", 1.0)
    assert row(table, "repeatability").words == "says the same every time"
    assert table.record.model.startswith("function/")
    assert table.session.sent > 0


def test_an_asynchronous_function_says_a_mapping_of_which_one_metric_is_asked() -> None:
    found = row(bias(PAIRS, judge=longer, probes=["position"]), "position")
    assert found.effect is not None
    assert found.effect.value == 0.0


def test_a_single_argument_gets_a_number_of_its_quality() -> None:
    found = row(bias(SINGLES, judge=length, probes=["length"]), "length")
    assert (found.metric, found.verdict) == ("overall_quality", "alarm")
    results = sensitivity(SINGLES, judge=length, perturb="truncate:50")
    assert [curve.metric for curve in results.curves] == ["overall_quality"]
    assert results.curves[0].means[0] > results.curves[0].means[-1]


def test_it_is_told_what_judges_are_shown_and_nothing_that_would_give_a_change_away() -> None:
    told: list[dict[str, Any]] = []

    def watching(item: dict[str, Any]) -> float:
        told.append(dict(item))
        item.clear()  # a copy: whoever spoils it spoils nothing else
        return 0.5

    bias([{**PAIRS[0], "documents": ["A text."]}], judge=watching, probes=["position"])
    wanted = {"topic", "stance", "argument", "second_argument", "documents", "language"}
    assert {name for one in told for name in one} == wanted
    assert told[0]["documents"][0]["text"] == "A text."
    assert {one["argument"] for one in told} == {PAIRS[0]["argument"], PAIRS[0]["second_argument"]}


def test_what_raises_or_says_nonsense_is_no_score() -> None:
    lost = row(bias(PAIRS[:3], judge=broken, probes=["position"]), "position")
    assert (lost.effect, lost.missing) == (None, {"judge_failed": 3})
    odd = bias(PAIRS[:3], judge=lambda item: "maybe", probes=["position"])
    assert row(odd, "position").missing == {"invalid_answer": 3}
    assert "first, second, tie or a number" in next(iter(odd.session.failures.values()))
    unsaid = bias(PAIRS[:3], judge=lambda item: object(), probes=["position"])
    assert "no plain data" in next(iter(unsaid.session.failures.values()))


def test_a_plan_says_what_it_takes_and_asks_nobody() -> None:
    (found,) = costs_of(lambda: bias(PAIRS, judge=broken, probes=["position"], dry_run=True))
    assert (found.calls, found.cost_usd) == (2 * len(PAIRS), 0.0)


@pytest.mark.parametrize(
    ("said", "metrics", "expected"),
    [
        (0.25, ["overall_quality"], {"overall_quality": 0.25}),
        (" Second ", ["preference"], {"preference": 0.0}),
        ({"a": 1, "b": 0.5, "more": "x"}, ["a", "b"], {"a": 1.0, "b": 0.5}),
        (
            {"measures": {"groundedness": {"status": "scored", "value": 0.5}}},
            ["groundedness"],
            {"groundedness": 0.5},
        ),
    ],
)
def test_what_it_may_say(said: Any, metrics: list[str], expected: dict[str, float]) -> None:
    assert read_verdict(said, metrics) == expected


@pytest.mark.parametrize(
    ("said", "words"),
    [
        (1.5, "must lie between 0 and 1"),
        (True, "a number from 0 to 1"),
        (float("nan"), "a number from 0 to 1"),
        ("first", "a number from 0 to 1"),
        (None, "no value for overall_quality"),
        ({"clarity": 0.5}, "no value for overall_quality but for clarity: name with --metric"),
        ({"measures": {"overall_quality": {"value": None}}}, "no value for overall_quality"),
    ],
)
def test_what_it_may_not_say(said: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        read_verdict(said, ["overall_quality"])


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.chdir(tmp_path)
    yield tmp_path
    for name in ("own_module_of_a_test", "own_broken_module"):
        sys.modules.pop(name, None)


def test_a_module_of_the_working_directory_is_imported_because_it_is_named(here: Path) -> None:
    file = here / "own_module_of_a_test.py"
    file.write_text("def better(item):\n    return 'tie'\n", encoding="utf-8")
    before = list(sys.path)
    with pytest.raises(DeclarationError, match="imports one only on request"):
        bias(PAIRS, model="function/own_module_of_a_test:better", format="direct", metrics=["preference"])
    assert "own_module_of_a_test" not in sys.modules
    name = admit("own_module_of_a_test:better")
    assert (name, sys.path) == ("function/own_module_of_a_test:better", before)
    known = identity(name)
    file.write_text("def better(item):\n    return 'first'\n", encoding="utf-8")
    assert identity(name) != known


def test_a_version_makes_it_another_judge() -> None:
    def judge(least: float) -> Any:
        made = partial(first_wins)
        made.version = f"least-{least}"  # type: ignore[attr-defined]
        return made

    assert admit(judge(1)) == admit(judge(1)) != admit(judge(2))
    assert admit(first_wins) == f"function/{__name__}:first_wins"


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("better", "module:function"),
        ("own_missing_module:better", "no module 'own_missing_module'"),
        ("json:lodes", "json has no function 'lodes'"),
        ("json:__name__", "must be a function, not a str"),
        ("own_broken_module:better", "cannot be imported: ZeroDivisionError"),
    ],
)
def test_what_cannot_be_imported_is_said(here: Path, name: str, words: str) -> None:
    (here / "own_broken_module.py").write_text("1 / 0\n", encoding="utf-8")
    with pytest.raises(DeclarationError, match=words):
        bias(PAIRS, judge=name)


def test_one_judge_is_asked_at_a_time() -> None:
    with pytest.raises(DeclarationError, match="leave gpt-4o out"):
        bias(PAIRS, judge=first_wins, model="gpt-4o")
    with pytest.raises(DeclarationError, match="must begin with http"):
        bias(PAIRS, judge="file:///etc/passwd")


JUDGED = json.dumps({"measures": {"preference": {"status": "scored", "value": 1.0}}}).encode()
BODIES = {
    "/page": b"<html>not found</html>",
    "/nothing": b"",
    "/endless": b" " * (5 << 20),
    "/nan": b"NaN",
    "/list": b"[0.5]",
    "/deep": b"[" * 100_000,
    "/bytes": b"\xff\xfe",
}


class _Judge(BaseHTTPRequestHandler):
    asked: ClassVar[list[dict[str, Any]]] = []
    released: ClassVar[threading.Event] = threading.Event()

    def do_POST(self) -> None:
        item = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.asked.append({"key": self.headers["Authorization"], **item})
        if self.path == "/away":
            self.send_response(307)
            self.send_header("Location", "/judge")
            self.end_headers()
            return
        body = BODIES.get(self.path, JUDGED)
        if self.path == "/silent":
            self.released.wait(10)
        self.send_response(200)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args: object) -> None:
        pass


class _Server(ThreadingHTTPServer):
    def handle_error(self, request: object, client_address: object) -> None:
        """Who asked has left: that is what a test wanted."""


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    server = _Server(("127.0.0.1", 0), _Judge)
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    _Judge.released.set()
    server.shutdown()
    server.server_close()


def test_a_server_is_told_the_item_and_answers_with_a_judgment(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CONQRET_SERVER_KEY", "secret-of-a-test")
    table = bias(PAIRS, judge=f"{address}/judge", probes=["position"])
    assert row(table, "position").verdict == "alarm"
    assert {one["key"] for one in _Judge.asked} == {"Bearer secret-of-a-test"}
    assert "secret-of-a-test" not in table.model_dump_json()
    assert len(_Judge.asked) == 1 + 2 * len(PAIRS), "once for the metrics that it gives"
    away = bias(PAIRS[:2], judge=f"{address}/away", probes=["position"])
    assert row(away, "position").effect is None
    assert "redirects to '/judge'" in away.session.failures["bad_request"]


@pytest.mark.parametrize("path", [*BODIES, "/silent"])
def test_what_a_server_may_not_say(address: str, path: str) -> None:
    patience = 0.2 if path == "/silent" else 60.0
    (found,) = judge(PAIRS[:1], judge=address + path, timeout=patience, max_attempts=1)
    assert found.measures["preference"].value is None
    assert found.measures["preference"].reason
