"""Runs and a browser for the report's tests."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from conqret.judging.page import write_report
from tests.show import chromium, factory


@pytest.fixture(scope="session")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The written page of a run of each format."""
    folder = tmp_path_factory.mktemp("pages")
    found = {}
    for name in factory.FORMATS:
        samples = 3 if name == "g-eval" else 1
        judgments = factory.judge_all(factory.items(), name, samples=samples)
        found[name] = write_report(factory.make_run(folder / name, factory.items(), judgments))
    return found


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[chromium.Chromium]:
    """A headless Chromium."""
    pytest.importorskip("websocket", reason="websocket-client is not installed")
    binary = chromium.find()
    if binary is None:
        pytest.skip("no Chromium on this machine (scripts/install_chromium.sh installs it)")
    running = chromium.Chromium(binary, tmp_path_factory.mktemp("profile"))
    yield running
    running.close()
