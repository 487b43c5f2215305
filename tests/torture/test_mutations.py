"""Recorded answers with one thing changed: whatever is read of them is in range, or has a reason and no value."""

from __future__ import annotations

import math
import random
from functools import cache
from pathlib import Path

import pytest

from conqret import Judgment, judge
from conqret.data import Measure, Status
from conqret.judging.judge_parts import JUDGES
from conqret.llm.recordings import Recording, Recordings
from tests.contract.items import referenced
from tests.torture.effort import FULL, times
from tests.torture.mutations import completion

MUTATIONS = times(8, 1000)
SEED = 31
ITEMS = referenced() if FULL else referenced()[:6]


@cache
def recorded(name: str, folder: Path) -> list[Recording]:
    """The offline baseline's answers to all that a format asks."""
    store = folder / f"{name}.sqlite"
    judge(ITEMS, format=name, model="offline", recordings=store)
    with Recordings.open_for_replay(store) as found:
        return list(found.recorded())


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name, judge in JUDGES.items() if judge.judge_prompts])
def test_no_mutated_answer_gives_a_score_out_of_range(
    name: str, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    answers, rng = recorded(name, tmp_path_factory.getbasetemp()), random.Random(f"{SEED}/{name}")
    done, scored = 0, 0
    while done < MUTATIONS or (not scored and done < 20 * MUTATIONS):
        store = tmp_path / f"{done}.sqlite"
        with Recordings(store) as target:
            target.add(
                answer.model_copy(update={"completion": completion(answer.completion, rng)})
                for answer in answers
            )
        for judgment in judge(ITEMS, format=name, model="offline", replay=store):
            scored += in_range(judgment)
        store.unlink()
        done += len(answers)
    assert scored  # some changes do no harm


def in_range(judgment: Judgment) -> int:
    """Assert that each measure is in range or has a reason; returns how many have a value."""
    scored = 0
    for name, measure in judgment.measures.items():
        place = f"{judgment.item} {name}"
        if measure.status is not Status.SCORED:
            assert (measure.value, measure.reason is None) == (None, False), place
            continue
        scored += 1
        for value in _values(measure):
            assert type(value) is float or type(value) is int, place
            assert math.isfinite(value), place
            assert 0 <= value <= 1, place
        assert measure.raw is None or math.isfinite(measure.raw), place
    return scored


def _values(measure: Measure) -> list[float | None]:
    own = [measure.value, *(sample for sample in measure.samples if sample is not None)]
    return own + [part.value for part in measure.parts if part.value is not None]
