"""Whatever is rebuilt, the commands compute on the fixtures what they did."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.golden.golden import DIGESTS, digests, results, scenarios
from tests.runs.killed import Forks


@pytest.mark.slow
@pytest.mark.parametrize("name", scenarios())
def test_results_are_those_that_were_taken(name: str, forks: Forks, tmp_path: Path) -> None:
    taken = json.loads(DIGESTS.read_text(encoding="utf-8")).get(name, {})
    assert digests(results(forks, scenarios()[name], tmp_path)) == taken, (
        f"what is new, or meant to change, is taken by: python -m tests.golden.golden --write {name}"
    )
