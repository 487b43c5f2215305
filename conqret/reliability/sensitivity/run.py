"""Measure judges against known damage: judge every version of every item, and draw the curves.

A run's folder holds ``sensitivity.json`` (what was asked), ``scores.jsonl`` (a line for each judgment, appended
as they arrive), ``recordings.sqlite`` and, at the end, ``results.json``. The same call again goes on where it
stopped; requests that are alike (level 0, and fields that a change does not touch) are sent once.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

from conqret.data import Judgment
from conqret.errors import DeclarationError
from conqret.io.append import whole_lines
from conqret.io.atomic import replacing
from conqret.io.locking import only_writer
from conqret.judging.execute import judged
from conqret.judging.folder import judgment_key
from conqret.judging.setup import Setup
from conqret.llm.client import Client
from conqret.llm.options import ClientOptions
from conqret.llm.recordings import STORE_NAME, Recordings
from conqret.reliability.sensitivity.curves import Score
from conqret.reliability.sensitivity.labels import RELEVANT_GRADE, Labels
from conqret.reliability.sensitivity.plan import Plan
from conqret.reliability.sensitivity.results import (
    SensitivityDirectory,
    SensitivityRecord,
    SensitivityResults,
    evaluate,
    record_of,
)
from conqret.runs.trials import Memory
from conqret.stats.bootstrap import RESAMPLES


def run_sensitivity(
    plan: Plan,
    out: SensitivityDirectory,
    *,
    recordings: Path | None = None,
    replay: Path | None = None,
    overwrite: bool = False,
    labels: Labels | None = None,
    relevant_from: float = RELEVANT_GRADE,
    resamples: int = RESAMPLES,
    budget_usd: float | None = None,
    on_score: Callable[[Score], None] | None = None,
) -> SensitivityResults:
    """Judge what is not judged yet, and write the results.

    Args:
        plan: what to judge.
        out: the run's folder, made if need be.
        recordings: a store to share with other runs; the run's own by default.
        replay: answer from these recordings only.
        overwrite: begin afresh where the folder holds another run; its recordings are kept.
        labels: grades of documents, for Table 7; a document is relevant from ``relevant_from`` upwards.
        resamples: of the bootstrap behind each interval.
        budget_usd: dollars for all judges together; each judge's own budget holds beside it. After a judge with
            an answer that nobody knows the price of, nothing more is spent.
        on_score: called with each score as it is had, those of an earlier run included.

    Raises:
        DeclarationError: the folder holds another run, or another process is writing it.
    """
    record = record_of(plan)
    with only_writer(out.path):
        _claim(out, record, overwrite)
        scores = _kept(plan, out)
        for score in scores.values():
            if on_score is not None:
                on_score(score)
        store = (
            Recordings.open_for_replay(replay) if replay else Recordings(recordings or out.recordings_file)
        )
        with store, out.scores_file.open("ab", buffering=0) as file:

            def keep(score: Score) -> None:
                scores[score.fingerprint, score.item] = score
                file.write(score.model_dump_json().encode() + b"\n")
                if on_score is not None:
                    on_score(score)

            left = budget_usd
            for setup in plan.setups:
                within = replace(setup, client=_within(setup.client, left))
                spent = asyncio.run(_judge(plan, within, scores, store, replay is not None, keep))
                if left is not None:
                    left = 0.0 if spent is None else max(0.0, left - spent)
        results = evaluate(plan, scores, labels=labels, relevant_from=relevant_from, resamples=resamples)
        with replacing(out.results_file) as file_out:
            file_out.write(results.model_dump_json(indent=1).encode())
    return results


def score_of(judgment: Judgment) -> Score:
    """What is kept of a judgment: its values, reasons and costs."""
    calls = judgment.trace.calls
    spent = [call.cost_usd for call in calls if not call.recorded]
    return Score(
        fingerprint=judgment.fingerprint,
        item=judgment.item,
        values={
            name: measure.value for name, measure in judgment.measures.items() if measure.value is not None
        },
        reasons={
            name: measure.reason.value
            for name, measure in judgment.measures.items()
            if measure.reason is not None
        },
        calls=sum(not call.recorded for call in calls),
        recorded=sum(call.recorded for call in calls),
        cost_usd=None if None in spent else sum(cost for cost in spent if cost is not None),
    )


async def _judge(
    plan: Plan,
    setup: Setup,
    done: Mapping[tuple[str, str], Score],
    store: Recordings,
    replay: bool,
    keep: Callable[[Score], None],
) -> float | None:
    """Judge with one instrument what it has not judged; returns the dollars spent (None: unknown)."""
    fingerprint = setup.fingerprint
    rest = (item for item in plan.every_item() if (fingerprint, item.id) not in done)
    async with Client(setup.client, store=store, replay=replay) as client:
        async for judgment in judged(
            rest, setup.instrument(client), Memory(judgment_key), in_flight=client.in_flight
        ):
            keep(score_of(judgment))
        return client.progress.cost_usd


def _within(client: ClientOptions, left: float | None) -> ClientOptions:
    """The options with no more to spend than is ``left`` of what all may spend (None: no limit)."""
    if left is None:
        return client
    return replace(client, budget_usd=left if client.budget_usd is None else min(left, client.budget_usd))


def _claim(out: SensitivityDirectory, record: SensitivityRecord, overwrite: bool) -> None:
    others = [
        path for path in out.path.iterdir() if path.name != ".lock" and not path.name.startswith(STORE_NAME)
    ]
    if out.record_file.exists() and not overwrite:
        before = SensitivityRecord.model_validate_json(out.record_file.read_bytes())
        same = {"judges", "perturbations", "grid", "seed", "digest"}
        changed = sorted(name for name in same if getattr(before, name) != getattr(record, name))
        if changed:
            raise DeclarationError(
                f"{out.path} holds another sensitivity run: {', '.join(changed)} differ. Give another folder "
                "with -o, or --overwrite to begin this one afresh (its recordings are kept)"
            )
        return
    if others and not out.record_file.exists():
        raise DeclarationError(
            f"{out.path} is not empty and holds no sensitivity run; give another folder with -o"
        )
    for file in (out.scores_file, out.results_file):
        file.unlink(missing_ok=True)
    with replacing(out.record_file) as file_out:
        file_out.write(record.model_dump_json(indent=1).encode())


def _kept(plan: Plan, out: SensitivityDirectory) -> dict[tuple[str, str], Score]:
    """The complete scores of an earlier call; a line cut off by a kill, and what lacks a value, is done again."""
    found: dict[tuple[str, str], Score] = {}
    wanted = {item.id for item in plan.every_item()}
    for _, line in whole_lines(out.scores_file):
        score = Score.model_validate_json(line)
        if not score.reasons and score.item in wanted:
            found.setdefault((score.fingerprint, score.item), score)
    with replacing(out.scores_file) as file:
        for score in found.values():
            file.write(score.model_dump_json().encode() + b"\n")
    return found
