"""The Ray that a run starts is closed to others: it listens on the loopback address alone, and asks for a token."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from conqret.errors import DeclarationError
from conqret.llm.engines import Cluster
from tests.needed import Needed
from tests.runs.killed import ROOT

Needed("ray", reason="the extra ray is not installed")

RUN = """
import sys
from conqret.llm.engines import Cluster
cluster = Cluster(2)
cluster.join()
print(cluster.ray.get_runtime_context().gcs_address, flush=True)
sys.stdin.readline()
"""
STRANGER = """
import ray
try:
    ray.init("{address}", log_to_driver=False)
    print("JOINED", ray.get(ray.remote(lambda: "ran").remote()))
except BaseException as error:
    print("refused:", type(error).__name__)
"""


def python(code: str, **environment: str) -> subprocess.Popen[str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("RAY_")}
    return subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(code)],
        env={**kept, "PYTHONPATH": str(ROOT), **environment},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )


def own_addresses() -> list[str]:
    """The addresses of this machine by which others would reach it."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # nothing is sent: it only asks which address would be ours
            found = probe.getsockname()[0]
        except OSError:
            return []
    return [] if found.startswith("127.") else [found]


@pytest.mark.slow
def test_a_stranger_can_neither_connect_nor_join(tmp_path: Path) -> None:
    home = tmp_path / "stranger"
    home.mkdir()
    run = python(RUN, RAY_AUTH_MODE="")
    try:
        assert run.stdout is not None
        host, _, port = run.stdout.readline().strip().rpartition(":")
        assert host == "127.0.0.1"
        for address in own_addresses():
            with pytest.raises(OSError), socket.create_connection((address, int(port)), timeout=2):  # noqa: PT011
                assert host == "127.0.0.1"
        code = STRANGER.format(address=f"{host}:{port}")
        stranger = python(
            code, HOME=str(home), RAY_AUTH_MODE="disabled", RAY_gcs_rpc_server_reconnect_timeout_s="2"
        )
        try:
            told = stranger.communicate(timeout=10)[0]
        except subprocess.TimeoutExpired:
            stranger.kill()  # it waits for an answer that it does not get
            told = stranger.communicate()[0]
        assert "JOINED" not in told
    finally:
        run.communicate("\n", timeout=60)


@pytest.mark.parametrize("address", ["192.0.2.7:6379", "ray://cluster.example.org:10001"])
def test_a_cluster_beyond_this_machine_needs_a_token(
    address: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in ("RAY_AUTH_TOKEN", "RAY_AUTH_TOKEN_PATH", "RAY_AUTH_MODE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("RAY_ADDRESS", address)
    with pytest.raises(DeclarationError, match="RAY_AUTH_TOKEN"):
        Cluster(2)
    for name, value, mode in (
        ("RAY_AUTH_TOKEN", "a" * 64, "token"),
        ("RAY_AUTH_MODE", "disabled", "disabled"),
    ):
        with monkeypatch.context() as patch:
            patch.setenv("RAY_AUTH_MODE", "")
            patch.setenv(name, value)
            Cluster(2)
            assert os.environ["RAY_AUTH_MODE"] == mode


JOIN = """
from conqret.errors import DeclarationError
from conqret.llm.engines import Cluster
try:
    Cluster(1).join()
    print("joined")
except DeclarationError as error:
    print(error)
"""


@pytest.mark.slow
def test_a_ray_that_was_imported_before_is_not_started_open(tmp_path: Path) -> None:
    told = python(f"import ray\n{JOIN}", HOME=str(tmp_path)).communicate(timeout=90)[0]
    assert "RAY_AUTH_MODE=token" in told
