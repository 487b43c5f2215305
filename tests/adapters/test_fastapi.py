"""The handler of docs/serve.md in a real FastAPI application under 100 requests at once; and what ``conqret serve
http`` says of itself, under the validator of OpenAPI documents."""

import asyncio
import socket
import threading
from contextlib import contextmanager

import aiohttp
import pytest

pytest.importorskip("fastapi", reason="fastapi is not installed")
uvicorn = pytest.importorskip("uvicorn", reason="uvicorn is not installed")

import conqret  # noqa: E402
from conqret.judging.judge_parts import JUDGES  # noqa: E402
from tests.adapters.examples import run_example  # noqa: E402

AT_ONCE = 100


def item(number):
    return {
        "topic": f"Ban zoo {number}?",
        "argument": "Cages are small [1].",
        "documents": ["Cages are small."],
    }


@pytest.fixture
def example(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return run_example("In a web handler of your own", "serve.md")


@contextmanager
def running(app):
    """The application at a port of its own; its end is a graceful one."""
    listening = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(app, log_config=None, lifespan="on"))
    thread = threading.Thread(target=server.run, args=([listening],))
    thread.start()
    try:
        yield server, f"http://127.0.0.1:{listening.getsockname()[1]}/check"
    finally:
        server.should_exit = True
        thread.join(60)
        assert not thread.is_alive()


async def ask(url, items):
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:

        async def one(body):
            async with session.post(url, json=body) as answer:
                return answer.status, await answer.json()

        return await asyncio.gather(*map(one, items))


def test_the_example_answers_and_names_faults(example):
    with running(example["app"]) as (_, url):
        good, bad = asyncio.run(ask(url, [item(1), {"topic": 3}]))
    own = conqret.judge(item(1), format="direct", metrics=["groundedness"])[0]
    assert good == (200, {"groundedness": own.values["groundedness"], "reason": None})
    assert bad[0] == 422
    assert "[topic] is a number" in bad[1]["detail"]


@pytest.mark.parametrize("keyed", [False, True])
def test_the_document_of_the_service_is_valid(keyed):
    validator = pytest.importorskip(
        "openapi_spec_validator", reason="openapi-spec-validator is not installed"
    )
    from conqret.serve.contract import openapi

    validator.validate(openapi(JUDGES.values(), keyed=keyed))
