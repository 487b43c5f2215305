"""Probe a judge: make every comparison, ask for every reading once, and put the table together.

A folder holds ``bias.json`` (the table) and ``recordings.sqlite`` (every answer): the same call again asks for
nothing that was answered.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from conqret._version import __version__
from conqret.data import Item, Judgment
from conqret.errors import DeclarationError
from conqret.io.atomic import replacing
from conqret.judging.execute import judged
from conqret.judging.folder import judgment_key
from conqret.llm.client import Client
from conqret.llm.recordings import STORE_NAME, Recordings
from conqret.reliability.bias.contrast import (
    Contrast,
    Ground,
    Key,
    NotAskedError,
    Reading,
)
from conqret.reliability.bias.registry import PROBES
from conqret.reliability.bias.table import BiasTable, bias_rows
from conqret.reliability.bias.ways import instrument_for
from conqret.runs.trials import Memory
from conqret.stats.bootstrap import CONFIDENCE, RESAMPLES
from conqret.stats.significance import ALPHA

TABLE_NAME = "bias.json"


@dataclass(frozen=True)
class BiasPlan:
    """What is to be compared, and which probes cannot be made."""

    ground: Ground
    contrasts: tuple[Contrast, ...]
    left_out: Mapping[str, str]

    @property
    def versions(self) -> dict[str, tuple[Item, ...]]:
        """The items to be judged, by the way in which they are asked; each once."""
        found: dict[str, dict[str, Item]] = {}
        for contrast in self.contrasts:
            wanted = {key for pair in contrast.pairs for key in (pair.base, pair.changed)}
            for way, items in contrast.versions.items():
                kept = found.setdefault(way, {})
                kept |= {item.id: item for item in items if (way, item.id) in wanted}
        return {way: tuple(items.values()) for way, items in found.items() if items}

    @property
    def judgments(self) -> int:
        """How many judgments there will be."""
        return sum(map(len, self.versions.values()))


def plan_bias(ground: Ground, probes: Iterable[str] = ()) -> BiasPlan:
    """The comparisons of ``probes`` (all of them by default).

    Raises:
        UnknownNameError: there is no such probe.
        DeclarationError: none of them can be made.
    """
    contrasts: list[Contrast] = []
    left_out = {}
    chosen = {probe.name: probe for probe in (PROBES[name] for name in list(probes) or PROBES)}
    for probe in chosen.values():
        try:
            contrasts += probe.asked(ground)
        except NotAskedError as error:
            left_out[probe.name] = str(error)
    if not contrasts:
        reasons = "; ".join(f"{name}: {reason}" for name, reason in left_out.items())
        raise DeclarationError(f"no probe can be made: {reasons}")
    return BiasPlan(ground, tuple(contrasts), left_out)


def run_bias(
    plan: BiasPlan,
    out: Path,
    *,
    recordings: Path | None = None,
    replay: Path | None = None,
    resamples: int = RESAMPLES,
    confidence: float = CONFIDENCE,
    on_judgment: Callable[[Judgment], None] | None = None,
) -> BiasTable:
    """Judge all versions and write the table into ``out``, made if need be.

    ``recordings`` is a store to share with other runs (the folder's own by default); with ``replay`` nothing is sent.

    Raises:
        DeclarationError: the recordings cannot be opened, or the settings do not fit the model.
    """
    out.mkdir(parents=True, exist_ok=True)
    store = Recordings.open_for_replay(replay) if replay else Recordings(recordings or out / STORE_NAME)
    judgments: list[tuple[Key, Judgment]] = []

    def keep(way: str, judgment: Judgment) -> None:
        judgments.append(((way, judgment.item), judgment))
        if on_judgment is not None:
            on_judgment(judgment)

    with store:
        asyncio.run(_judge(plan, store, replay is not None, keep))
    table = bias_table(plan, dict(judgments), resamples=resamples, confidence=confidence)
    with replacing(out / TABLE_NAME) as file:
        file.write(table.model_dump_json(indent=1).encode() + b"\n")
    return table


def bias_table(
    plan: BiasPlan,
    judgments: Mapping[Key, Judgment],
    *,
    resamples: int = RESAMPLES,
    confidence: float = CONFIDENCE,
) -> BiasTable:
    """The table from the judgments of every version."""
    ground, setup = plan.ground, plan.ground.setup
    readings = {key: reading(judgment) for key, judgment in judgments.items()}
    calls = [call for judgment in judgments.values() for call in judgment.trace.calls]
    costs = [call.cost_usd for call in calls if not call.recorded]
    return BiasTable(
        conqret=__version__,
        format=setup.judge.name,
        model=setup.client.model,
        baseline=setup.client.backend.baseline,
        fingerprint=setup.fingerprint,
        items=len(ground.items),
        topics=len({item.topic for item in ground.items}),
        repeats=ground.repeats,
        seed=ground.seed,
        resamples=resamples,
        confidence=confidence,
        alpha=ALPHA,
        rows=bias_rows(
            plan.contrasts, readings, seed=ground.seed, resamples=resamples, confidence=confidence
        ),
        left_out=plan.left_out,
        notes=tuple(note for contrast in plan.contrasts for note in contrast.notes),
        warnings=tuple(text for one in PROBES.values() if (text := one.warning(ground)) is not None),
        judgments=len(judgments),
        calls=sum(not call.recorded for call in calls),
        recorded=sum(call.recorded for call in calls),
        cost_usd=None if None in costs else sum(cost for cost in costs if cost is not None),
    )


def read_bias(path: Path) -> BiasTable:
    """The table in a folder or file. Raises DeclarationError where there is none."""
    file = path / TABLE_NAME if path.is_dir() else path
    try:
        return BiasTable.model_validate_json(file.read_bytes())
    except FileNotFoundError:
        raise DeclarationError(f"{file} is not there: run conqret bias with -o {file.parent} first") from None
    except ValidationError as error:
        raise DeclarationError(f"{file} is no bias table: {error}") from error


def reading(judgment: Judgment) -> Reading:
    """The values of a judgment, and the reasons where there are none."""
    return Reading(
        {name: one.value for name, one in judgment.measures.items() if one.value is not None},
        {name: one.reason.value for name, one in judgment.measures.items() if one.reason is not None},
    )


async def _judge(
    plan: BiasPlan, store: Recordings, replay: bool, keep: Callable[[str, Judgment], None]
) -> None:
    setup = plan.ground.setup
    async with Client(setup.client, store=store, replay=replay) as client:
        for way, items in plan.versions.items():
            instrument = instrument_for(way, setup, client)
            async for judgment in judged(items, instrument, Memory(judgment_key), in_flight=client.in_flight):
                keep(way, judgment)
