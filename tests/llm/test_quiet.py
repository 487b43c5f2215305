"""Nothing phones home, prints or loads before its time."""

import os
import subprocess
import sys
from pathlib import Path

from tests.conftest import QUIET

ROOT = Path(__file__).resolve().parents[2]
NO_NETWORK = """
import socket
real_connect, real_lookup = socket.socket.connect, socket.getaddrinfo
def local(host):
    return host in (None, "localhost", "127.0.0.1", "::1", b"127.0.0.1")
def connect(self, address):
    if isinstance(address, tuple) and not local(address[0]):
        raise SystemExit(f"PHONED {address}")
    return real_connect(self, address)
def lookup(host, *rest, **more):
    if not local(host):
        print("PHONED", host, flush=True)
        raise OSError("no network")
    return real_lookup(host, *rest, **more)
socket.socket.connect, socket.socket.connect_ex, socket.getaddrinfo = connect, connect, lookup
"""
CALLS = """
import asyncio
from conqret.llm.client_options import ClientOptions
from conqret.llm.text_trimming import trim_proportionally
from tests.llm.samples import ask_all, options, request
from tests.server import FaultPlan, FaultServer
models = ("openai/gpt-4o-mini", "openai/gpt-4", "hosted_vllm/some")
for fault, model in zip(("rate_limit", "bad_schema", "auth"), models):
    with FaultServer(FaultPlan(script=(fault,))) as server:
        answers, client = asyncio.run(ask_all(options(server.url, model=model), [request()]))
        client.count_tokens("some text")
with FaultServer() as server:
    asyncio.run(ask_all(options(server.url, model="openai/gpt-4", client="litellm"), [request()]))
trim_proportionally(["text " * 100], 50)
"""


def run(code: str) -> subprocess.CompletedProcess[str]:
    users = {name: value for name, value in os.environ.items() if name not in QUIET}
    environment = users | {"PYTHONPATH": os.pathsep.join([str(ROOT), *filter(None, sys.path)])}
    environment.pop("TIKTOKEN_CACHE_DIR", None)
    return subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env=environment, capture_output=True, text=True
    )


def test_no_connection_but_to_the_server_and_no_word():
    done = run(NO_NETWORK + CALLS)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
