"""``conqret serve http``: an item in, a judgment out; what it refuses, how it says so, and how it ends."""

from __future__ import annotations

import json
import re
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import conqret
from conqret.judging.judge_parts import JUDGES
from conqret.llm.client_options import ClientOptions
from conqret.llm.recordings import Recordings
from conqret.runs.session import Session
from tests.cli.conftest import Cli
from tests.cli.conftest import cli as cli
from tests.contract.items import demo
from tests.server import FaultPlan, FaultServer

REASON = "the extra web is not installed: it brings starlette and uvicorn"
pytest.importorskip("starlette", reason=REASON)
pytest.importorskip("uvicorn", reason=REASON)
jsonschema = pytest.importorskip("jsonschema", reason="no validator of JSON schemas is installed")

from conqret.serve import intake, service  # noqa: E402
from conqret.serve.intake import IntakeLimits  # noqa: E402
from conqret.web.local_server import port_at  # noqa: E402
from tests.web.services import ITEM, JSON, Running  # noqa: E402

KEY = "a-key-of-this-service"
MOST = 100_000


@pytest.fixture(scope="module")
def open_service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """Every format of the baseline, for everybody on this machine, with a store."""
    store = tmp_path_factory.mktemp("serve") / "recordings.sqlite"
    with Running(Session("offline", recordings=store), limits=IntakeLimits(body=MOST)) as found:
        found.store = store  # type: ignore[attr-defined]
        yield found


@pytest.fixture(scope="module")
def document(open_service: Running) -> dict[str, Any]:
    found: dict[str, Any] = open_service.get("/openapi.json").json
    return found


def schema(document: dict[str, Any], name: str, of: str) -> dict[str, Any]:
    """The schema of a format's ``Item`` or ``Judgment``, with all that it refers to."""
    path = document["paths"][f"/v1/judge/{name}"]["post"]
    place = path["requestBody"] if of == "Item" else path["responses"]["200"]
    return {**place["content"]["application/json"]["schema"], "components": document["components"]}


def test_a_judgment_is_the_one_that_judge_gives(open_service: Running) -> None:
    item = demo()[0]
    got = open_service.judge("rag-fine-grained", item.model_dump(mode="json"), X_Request_ID="mine-1")
    assert got.status == 200
    own = conqret.judge(item, format="rag-fine-grained")[0]
    judgment = conqret.Judgment.model_validate_json(got.text)
    assert judgment.measures == own.measures
    assert (judgment.fingerprint, judgment.item) == (own.fingerprint, item.id)
    assert got.headers["X-Request-ID"] == "mine-1"


def test_a_format_takes_and_gives_what_the_document_says(
    open_service: Running, document: dict[str, Any]
) -> None:
    name = "rag-direct"
    item = demo()[0].model_dump(mode="json") | {"second_argument": "Not so.", "reference": "It depends."}
    jsonschema.validate(item, schema(document, name, "Item"))
    got = open_service.judge(name, item)
    assert got.status == 200, got.text
    jsonschema.validate(got.json, schema(document, name, "Judgment"))
    assert set(got.json["measures"]) <= set(JUDGES[name].metrics)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"argument": "without a topic"}, schema(document, name, "Item"))
    for field in service.needed(JUDGES[name]):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate({**item, field: None}, schema(document, name, "Item"))


def test_a_conversation_is_judged_by_its_last_answer(open_service: Running, document: dict[str, Any]) -> None:
    chat = [
        ("user", "Zoos?"),
        ("tool", "Cages are small."),
        ("assistant", "Some are cruel."),
        ("user", "Ban them?"),
        ("assistant", "Yes, for cages are small [1]."),
    ]
    item = {"messages": [{"role": role, "content": content} for role, content in chat]}
    jsonschema.validate(item, schema(document, "direct", "Item"))
    got = open_service.judge("direct?metric=groundedness", item)
    assert (got.status, got.json["topic"]) == (200, "Ban them?")
    assert got.json["measures"]["groundedness"]["value"] > 0
    pictured = open_service.judge("direct", {**item, "documents": ["../../etc/secret.png"]})
    assert (pictured.status, "the items are in no file" in pictured.text) == (422, True)


def test_metrics_of_several_formats_and_criteria_in_one_request(open_service: Running) -> None:
    port = {"topic": "Which port?", "documents": ["It uses port 80."]}
    items = [
        {**port, "argument": "It uses port 80.", "id": "a"},
        {**port, "argument": "I could not find that."},
    ]
    body = {"items": items, "metrics": ["faithfulness", "groundedness"], "criteria": ["polite: It is polite"]}
    got = open_service.send("POST", "/v1/judge", json.dumps(body).encode(), JSON)
    assert got.status == 200, got.text
    first, second = got.json["judgments"]
    assert (first["item"], list(first["measures"])) == ("a", ["faithfulness", "groundedness", "polite"])
    assert first["measures"]["faithfulness"]["value"] == 1.0
    assert second["measures"]["faithfulness"]["reason"] == "declined"
    for wrong, words in (
        ({"items": items, "metrics": ["faithfulnes"]}, "did you mean"),
        ({"items": []}, "items"),
        ({"items": [{"topic": "Which port?"}], "metrics": ["faithfulness"]}, "argument"),
    ):
        refused = open_service.send("POST", "/v1/judge", json.dumps(wrong).encode(), JSON)
        assert (refused.status, words in refused.text) == (422, True), refused.text


def test_the_document_is_openapi(open_service: Running, document: dict[str, Any]) -> None:
    assert document["openapi"] == "3.1.0"
    formats = {f"/v1/judge/{name}" for name in JUDGES}
    assert {one for one in document["paths"] if "judge" in one} == {"/v1/judge", *formats}
    ids = [one["operationId"] for path in document["paths"].values() for one in path.values()]
    assert len(ids) == len(set(ids))
    for found in document["components"]["schemas"].values():
        jsonschema.Draft202012Validator.check_schema(found)
    for reference in set(re.findall(r'"#/([^"]+)"', json.dumps(document))):
        place: Any = document
        for part in reference.split("/"):
            place = place[part]
    problem = open_service.judge("direct", {"topic": 3}).json
    jsonschema.validate(
        problem, document["components"]["schemas"]["Problem"] | {"components": document["components"]}
    )


def test_all_faults_of_an_item_are_named_with_place_and_remedy(open_service: Running) -> None:
    got = open_service.judge("direct", {"topic": 3, "documents": [{"id": "a"}, 3], "argumnt": "x"})
    assert (got.status, got.headers["Content-Type"]) == (422, "application/problem+json")
    problem = got.json
    assert problem["code"] == "invalid_item"
    places = {"topic", "documents[1].text", "documents[2]", "argumnt"}
    assert {one["place"] for one in problem["faults"]} == places
    assert "did you mean 'argument'" in got.text
    assert all(one["remedy"] for one in problem["faults"])
    assert "items:1" not in got.text


@pytest.mark.parametrize(
    ("path", "body", "headers", "status", "code"),
    [
        ("direct", b"{", JSON, 400, "invalid_json"),
        ("direct", b"\xff\xfe{}", JSON, 400, "invalid_json"),
        ("direct", b"[" * 50_000, JSON, 400, "invalid_json"),
        ("direct", b"[1]", JSON, 422, "invalid_item"),
        ("rag-direct", json.dumps(ITEM).encode(), JSON, 422, "invalid_item"),
        ("dircet", b"{}", JSON, 404, "unknown_format"),
        ("%2e%2e/direct", b"{}", JSON, 404, "nowhere"),
        ("direct", b"{}", {"Content-Type": "text/plain"}, 415, "not_json"),
        ("direct", b"\x1f\x8b", JSON | {"Content-Encoding": "gzip"}, 415, "packed"),
        ("direct", b"{}", JSON | {"Content-Length": str(10**12)}, 413, "too_large"),
        ("direct", b"{}", JSON | {"Host": "evil.example"}, 421, "refused"),
        ("direct", b"{}", JSON | {"Origin": "http://evil.example"}, 403, "refused"),
    ],
)
def test_hostile_requests_are_told_what_is_wrong(
    open_service: Running, path: str, body: bytes, headers: dict[str, str], status: int, code: str
) -> None:
    got = open_service.send("POST", f"/v1/judge/{path}", body, headers)
    assert (got.status, got.json["code"]) == (status, code)
    assert got.json["request_id"] == got.headers["X-Request-ID"]
    assert got.json["detail"]
    assert len(got.text) < 2000
    noted = open_service.noted(got)
    assert (noted.status, noted.code) == (status, code)


def test_a_long_item_is_refused_and_others_are_answered(open_service: Running) -> None:
    got = open_service.judge("rag-fine-grained", {**ITEM, "documents": ["a"] * 501})
    assert (got.status, got.json["code"]) == (422, "too_long")
    assert "501 entries; the service takes 500" in got.json["detail"]
    with Running(Session("offline"), "rag-fine-grained") as service:
        got = service.judge("rag-fine-grained", {**ITEM, "documents": ["a b " * 3_000] * 90})
        assert (got.status, got.json["code"]) == (422, "too_long")
        assert "1,080," in got.json["detail"]
        assert service.judge("rag-fine-grained").status == 200


def test_a_body_that_grows_too_large_is_not_read_on(open_service: Running) -> None:
    sizes = [MOST // 2, MOST // 2, 1]  # no more is sent than has to be read to see that it is too much
    parts = [b"%x\r\n%s\r\n" % (size, b" " * size) for size in sizes]
    got = open_service.send("POST", "/v1/judge/direct", parts, JSON | {"Transfer-Encoding": "chunked"})
    assert (got.status, got.json["code"], got.headers["Connection"]) == (413, "too_large", "close")


def test_a_body_that_does_not_come_is_not_waited_for(
    open_service: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(intake, "BODY_SECONDS", 0.05)
    got = open_service.send("POST", "/v1/judge/direct", b'{"topic":', JSON | {"Content-Length": "100"})
    assert (got.status, got.json["code"]) == (408, "slow_body")


def test_a_request_id_that_could_do_harm_is_replaced(open_service: Running) -> None:
    for hostile in ("a b", "x" * 65, "\x1b[31m", "<script>"):
        got = open_service.judge("direct", X_Request_ID=hostile)
        assert re.fullmatch("[0-9a-f]{16}", got.headers["X-Request-ID"])


def test_the_log_has_no_contents(open_service: Running) -> None:
    got = [
        open_service.judge("direct", {**ITEM, "topic": "a secret topic"}),
        open_service.judge("direct", {**ITEM, "topic": 3, "argument": "a secret fault"}),
        open_service.get("/secret?secret=secret"),
    ]
    assert [one.status for one in map(open_service.noted, got)] == [200, 422, 404]
    assert "secret" not in repr(open_service.log)


def test_health_and_formats(open_service: Running) -> None:
    assert open_service.get("/healthz", X_Request_ID="watching").json == {"status": "ok"}
    assert open_service.get("/readyz", X_Request_ID="watching").json["ready"] is True
    index = open_service.get("/")
    open_service.noted(index)
    assert "watching" not in {one.id for one in open_service.log}, "those who watch fill no log"
    formats = index.json["formats"]
    assert list(formats) == list(JUDGES)
    assert formats["rag-direct"]["needs"] == ["argument", "documents", "second_argument"]


def test_only_those_with_a_key_are_answered() -> None:
    basic = {"Authorization": f"Basic {KEY}"}
    with Running(Session("offline"), "direct", keys=(KEY, KEY[::-1])) as locked:
        for wrong in ({}, {"Authorization": "Bearer wrong"}, basic, {"Authorization": KEY}):
            got = locked.judge("direct", **wrong)
            assert (got.status, got.json["code"]) == (401, "unauthorized")
            assert got.headers["WWW-Authenticate"] == "Bearer"
        assert locked.get("/").status == 401
        assert locked.get("/healthz").status == 200
        described = locked.get("/openapi.json", Authorization=f"Bearer {KEY}").json
        assert described["security"] == [{"key": []}]
        for key in (KEY, KEY[::-1]):
            assert locked.judge("direct", Authorization=f"Bearer {key}").status == 200
        assert KEY not in repr(locked.log)


def of(server: FaultServer, **more: Any) -> Session:
    return Session(ClientOptions("openai/mine", api_base=server.url, api_key="none-at-all", **more))


def test_a_full_queue_refuses_and_what_is_inside_is_answered() -> None:
    going_on, may_answer = threading.Event(), threading.Event()

    def slow(body: Any) -> None:
        going_on.set()
        assert may_answer.wait(60)

    with (
        FaultServer(alter=slow) as server,
        Running(of(server), "direct", limits=IntakeLimits(at_once=1, queue=1)) as found,
        ThreadPoolExecutor(2) as pool,
    ):
        wanted = "direct?metric=groundedness"
        asked = [pool.submit(found.judge, wanted, {**ITEM, "topic": topic}) for topic in ("A?", "B?")]
        assert going_on.wait(60)
        while found.get("/readyz").json["inside"] < 2:
            pass
        refused, watched = found.judge(wanted), found.get("/readyz")
        may_answer.set()
        assert [one.result(60).status for one in asked] == [200, 200]
    assert (refused.status, refused.json["code"], refused.headers["Retry-After"]) == (429, "queue_full", "5")
    assert (watched.status, watched.json["why"]) == (503, "the queue is full")


@pytest.mark.parametrize(
    ("fault", "status", "code"),
    [
        ("server_error", 502, "server_error"),
        ("rate_limit", 503, "rate_limited"),
        ("hang", 504, "timeout"),
    ],
)
def test_faults_of_the_provider_are_told_apart(fault: str, status: int, code: str) -> None:
    timeout = {"hang": 0.3, "rate_limit": 1.0}.get(fault, 60.0)  # a rate limit is waited for until then
    with (
        FaultServer(FaultPlan(always=fault)) as server,
        Running(of(server, max_attempts=1, timeout=timeout), "direct") as found,
    ):
        got = found.judge("direct?metric=groundedness")
    assert (got.status, got.json["code"]) == (status, code)
    assert got.json["detail"].startswith("no judgment: ")
    assert (got.headers["Retry-After"] is not None) == (code == "rate_limited")
    assert "none-at-all" not in got.text


def test_a_provider_that_was_given_up_is_tried_again_after_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    with FaultServer(FaultPlan(script=("auth",)), length=1) as server, Running(of(server), "direct") as found:
        wanted = "direct?metric=groundedness"
        first, again, watched = found.judge(wanted), found.judge(wanted), found.get("/readyz")
        monkeypatch.setattr(service, "PAUSE_SECONDS", 0.0)
        found.judge(wanted)
        mended, ready = found.judge(wanted), found.get("/readyz")
    assert (first.status, first.json["code"]) == (502, "authentication")
    assert (again.status, again.json["code"], again.headers["Retry-After"]) == (503, "provider_down", "30")
    assert (watched.status, watched.json["ready"]) == (503, False)
    assert (mended.status, ready.status) == (200, 200)


def test_a_server_that_is_not_there_is_no_fault_of_the_item() -> None:
    with port_at("127.0.0.1", 0) as free:
        port = free.getsockname()[1]
    options = ClientOptions("openai/mine", api_base=f"http://127.0.0.1:{port}/v1", api_key="none-at-all")
    with Running(Session(options), "direct") as found:
        before, got, ready = found.get("/readyz"), found.judge("direct"), found.get("/readyz")
        alive = found.get("/healthz")
    assert (got.status, got.json["code"], got.headers["Retry-After"]) == (503, "provider_down", "30")
    assert f"the connection to http://127.0.0.1:{port}/v1 was refused" in got.json["detail"]
    for one in (before, ready):
        assert (one.status, one.json["ready"]) == (503, False)
        assert one.json["why"] == got.json["detail"]
    assert alive.status == 200


def test_it_does_not_start_where_the_model_cannot_be_asked(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    store = tmp_path / "made" / "answers.sqlite"
    done = cli("serve", "http", "--port", 0, "--model", "gpt-4o-mini", "--recordings", store)
    assert (done.code, done.out) == (2, "")
    assert "needs a key of openai, and none is set" in " ".join(done.err.split())
    assert not store.parent.exists()


def test_sigterm_ends_it_after_what_is_under_way_is_answered_and_recorded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    going_on, may_answer = threading.Event(), threading.Event()

    def slow(body: Any) -> None:
        going_on.set()
        assert may_answer.wait(60)

    monkeypatch.setenv("CONQRET_SERVER_KEY", KEY)
    monkeypatch.setenv("OPENAI_API_KEY", "none-at-all")
    store = tmp_path / "answers.sqlite"
    with FaultServer(alter=slow) as server:
        command = [
            *(sys.executable, "-m", "conqret", "serve", "http", "--port", "0", "--format", "direct"),
            *("--model", "openai/mine", "--api-base", server.url, "--recordings", str(store)),
        ]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            told = [process.stdout.readline() for _ in range(3)]
            (port,) = re.findall(r"http://127\.0\.0\.1:(\d+)/openapi.json", told[2])
            new = Running.__new__(Running)
            new.port = int(port)
            with ThreadPoolExecutor(1) as pool:
                asked = pool.submit(
                    new.judge,
                    "direct?metric=groundedness",
                    Authorization=f"Bearer {KEY}",
                    X_Request_ID="last",
                )
                assert going_on.wait(60)
                process.send_signal(signal.SIGTERM)
                while True:  # until it takes nobody any more
                    try:
                        socket.create_connection(("127.0.0.1", int(port)), timeout=60).close()
                    except ConnectionError:
                        break
                may_answer.set()
                got = asked.result(60)
            assert (process.wait(60), got.status) == (0, 200)
            log = process.stderr.read() if process.stderr else ""
    assert re.search(r" last POST direct 200 \S+ s 1 sent, 0 recorded, cost unknown", log)
    assert KEY not in "".join(told) + log
    with Recordings(store) as kept:
        assert kept.get(got.json["trace"]["calls"][0]["key"]) is not None
