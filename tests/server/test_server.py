"""The server's own promises: valid answers to any schema, faults by seed, a process of its own."""

import json
import random
import subprocess
import sys
import urllib.request
from collections import Counter
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, Field

from tests.server import FaultPlan, fill

ROOT = Path(__file__).resolve().parents[2]


class Colour(StrEnum):
    RED = "red"
    BLUE = "blue"


class Part(BaseModel):
    number: int
    share: float = Field(gt=0, lt=1)
    name: str = Field(min_length=40, max_length=60)


class Everything(BaseModel):
    parts: Annotated[list[Part], Field(min_length=4, max_length=6)]
    pair: tuple[int, bool]
    colour: Colour
    choice: Literal["a", "b"] | None
    fixed: Literal["only"]
    rating: int = Field(ge=1, le=5)
    above: int = Field(gt=5, lt=8)
    optional: int | None = None


@given(st.integers(0, 10**6), st.integers(0, 8))
def test_a_filled_schema_is_valid(seed, length):
    filled = fill(Everything.model_json_schema(), random.Random(seed), length=length)
    value = Everything.model_validate_json(json.dumps(filled))
    assert [part.number for part in value.parts] == list(range(1, len(value.parts) + 1))


def test_faults_are_drawn_by_seed_at_their_rates():
    plan = FaultPlan({"rate_limit": 0.1, "drop": 0.3}, seed=1)
    drawn = [plan.draw(str(n), 0, n) for n in range(4000)]
    assert drawn == [plan.draw(str(n), 0, n) for n in range(4000)]
    counts = Counter(drawn)
    assert counts["rate_limit"] == pytest.approx(400, abs=60)
    assert counts["drop"] == pytest.approx(1200, abs=100)
    assert [plan.draw(str(n), 1, n) for n in range(4000)] != drawn


def test_a_fault_that_does_not_exist_is_refused():
    with pytest.raises(ValueError, match="no such faults"):
        FaultPlan({"typo": 0.1})


@pytest.mark.parametrize("command", [["-m", "tests.server"], ["tests/server"]])
def test_it_runs_as_a_process(command):
    server = subprocess.Popen(
        [sys.executable, *command, "--port", "0", "--fault", "drop=0"],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        url = server.stdout.readline().strip().removesuffix("/v1")
        with urllib.request.urlopen(f"{url}/stats") as response:
            assert json.load(response) == {"requests": 0, "bodies": 0}
    finally:
        server.kill()
        server.wait()
        server.stdout.close()
