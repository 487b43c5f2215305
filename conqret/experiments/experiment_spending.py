"""What an experiment was expected to ask of models, beside what it asked and paid."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from typing import Any

from conqret.data import Call, Judgment
from conqret.experiments.config import System
from conqret.experiments.experiment_cost import estimate
from conqret.experiments.job import Job
from conqret.io.safe_files import write_whole

Piece = tuple[str, str, str]
"""The task, the system whose it is, and the judge."""


def write_costs(job: Job) -> None:
    """Write ``costs.json`` of a finished run: its pieces of work in order, each as it was expected and as it came.

    What recordings answered counts as what it took when it was asked. Rankings and rewritten sentences have no record
    of their calls: nothing is said of them.
    """
    made = dict(_made(job))
    rows = []
    for cost in estimate(job, ranked=True):
        expected = asdict(cost)
        del expected["impossible"]  # the run is there
        names = {name: expected.pop(name) for name in ("task", "of", "by", "model")}
        rows.append({**names, "expected": expected, "made": made.get((cost.task, cost.of, cost.by))})
    write_whole(job.out.costs_file, json.dumps(rows, ensure_ascii=False, indent=1).encode())


def _made(job: Job) -> Iterator[tuple[Piece, dict[str, Any]]]:
    for system in job.systems:
        rows = job.out.arguments(system).rows().rows()
        yield ("generate", system.name, ""), _took(call for row in rows for call in row.calls)
        damaged = _damaged(job, system)
        for label, setup in job.setups.items():
            judged = job.out.judgments(system, label).judgments()
            yield ("judge", system.name, label), _took(_calls(judged))
            # judges that are one instrument share what was asked of it
            share = [judgment for judgment in damaged if judgment.fingerprint == setup.fingerprint]
            yield ("damage", system.name, label), _took(_calls(share))


def _damaged(job: Job, system: System) -> list[Judgment]:
    return [
        judgment
        for judgment in job.out.sensitivity(system).judgments()
        if judgment.version is not None and judgment.version.level
    ]


def _calls(judgments: Iterable[Judgment]) -> Iterator[Call]:
    return (call for judgment in judgments for call in judgment.trace.calls)


def _took(calls: Iterable[Call]) -> dict[str, Any]:
    """The answers of ``calls``, each once, with tokens and dollars (None: a price is unknown)."""
    answers = {call.key: call for call in calls if call.finish_reason is not None}.values()
    costs = [call.cost_usd for call in answers]
    return {
        "calls": len(answers),
        "prompt_tokens": sum(call.prompt_tokens or 0 for call in answers),
        "completion_tokens": sum(call.completion_tokens or 0 for call in answers),
        "cost_usd": None if None in costs else sum(cost for cost in costs if cost is not None),
    }
