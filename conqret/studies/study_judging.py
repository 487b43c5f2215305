"""Put many versions of items to one instrument or several, in memory or into a run directory.

Sensitivity and bias are such runs: the judgments go to ``judgments.jsonl`` as they come, and when all are there, what
follows from them is written beside. The same call again goes on where it stopped.
"""

from __future__ import annotations

import contextlib
import hashlib
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import partial
from pathlib import Path
from typing import ClassVar, Generic, TypeVar

from pydantic import BaseModel

from conqret.data import Item, Judgment
from conqret.io.safe_files import InFolder, write_whole
from conqret.judging.engines import Engine, clients_of
from conqret.judging.instrument import Instrument
from conqret.judging.judge_folder import JudgmentsFolder, judgment_key, judgment_rows, trial_key
from conqret.judging.judge_run import judged
from conqret.judging.judge_settings import StudySettings
from conqret.judging.tables import ScoreTable
from conqret.llm.client import Client
from conqret.llm.client_options import ClientOptions
from conqret.llm.recordings import STORE_NAME
from conqret.prompts import Library
from conqret.runs.run_folder import R
from conqret.runs.session import SessionCounts, Sessions
from conqret.runs.trials import Memory, Sink

Outcome = TypeVar("Outcome", bound=BaseModel)
OnJudgment = Callable[[Judgment], None]


@dataclass(frozen=True)
class StudyPart:
    """Items that are put to one instrument: ``instrument`` makes it over an open client."""

    client: ClientOptions
    fingerprint: str
    items: Sequence[Item]
    instrument: Callable[[Client], Instrument]


@dataclass(frozen=True)
class JudgedFolder(JudgmentsFolder[R], Generic[R]):
    """A run directory with ``judgments.jsonl``, ``scores.parquet``, and what follows from them."""

    results_file: ClassVar[InFolder]
    """What came of it."""


@dataclass(frozen=True)
class Conduct:
    """How a run is made, whatever it is a run of.

    Args:
        sessions: what asks the models, shared with other runs and open; by default the run's own, which record into
            ``recordings`` (the folder's own store where none is named) or answer from ``replay`` alone.
        before: what shared sessions had counted when this run began.
        prompts: a folder of prompts of one's own, or a library, for the run's own sessions.
        overwrite: begin afresh where the folder holds another run; its recordings are kept.
        budget: dollars for all instruments together; each client's own budget holds beside it. After an instrument
            with an answer that nobody knows the price of, nothing more is spent.
        engine: who judges for the run's own sessions: this process, or so many ``workers`` of a Ray cluster.
        on_start: gets the number of judgments that are kept from before.
        on_judgment: gets each judgment as it is made.
    """

    sessions: Sessions | None = None
    before: SessionCounts = field(default_factory=SessionCounts)
    prompts: str | Path | Library | None = None
    recordings: str | Path | None = None
    replay: str | Path | None = None
    overwrite: bool = False
    budget: float | None = None
    engine: Engine = "process"
    workers: int | None = None
    on_start: Callable[[int], None] = lambda kept: None
    on_judgment: OnJudgment = lambda judgment: None

    @classmethod
    def of(cls, settings: StudySettings) -> Conduct:
        """What the settings of a study say of it."""
        names = {field.name for field in fields(cls)} & settings.keys()
        return cls(**{name: settings[name] for name in names})  # type: ignore[literal-required]

    @contextlib.contextmanager
    def asking(self) -> Iterator[Sessions]:
        """What asks the models, to be held with ``with``."""
        if self.sessions is not None:
            yield self.sessions
            return
        recordings = None if self.replay else self.recordings
        with (
            clients_of(self.engine, self.workers) as clients,
            Sessions(
                recordings=recordings,
                replay=self.replay,
                prompts=Path(self.prompts) if isinstance(self.prompts, str) else self.prompts,
                clients=clients,
            ) as sessions,
        ):
            yield sessions


def judge_parts(
    parts: Sequence[StudyPart],
    record: R,
    out: JudgedFolder[R] | None,
    conduct: Conduct,
    conclude: Callable[[Mapping[str, Judgment], SessionCounts], Outcome],
) -> Outcome:
    """Judge what is not judged yet, and conclude.

    Args:
        parts: what is put to which instrument; the instruments' fingerprints differ.
        record: what is run, for the folder.
        out: the run's folder, made if need be; None keeps nothing: answers to what is asked twice are recorded in a
            temporary file.
        conduct: how.
        conclude: makes the results from the judgments (:meth:`conqret.data.Judgment.bare`) by
            :func:`conqret.judging.judge_folder.trial_key`, and from what the session took.

    Raises:
        DeclarationError: the folder holds another run or something else, another process is writing it, the
            recordings cannot be opened, or the settings do not fit a model.
    """
    with tempfile.TemporaryDirectory() as passing, conduct.asking() as sessions:
        if out is None:
            if conduct.sessions is None:
                sessions.keep_in(Path(passing) / STORE_NAME)
            memory = _BareJudgments(judgment_key)
            counts = _judge_all(parts, memory, conduct, sessions, kept=0)
            return conclude(memory, counts)
        out.check(record, overwrite=conduct.overwrite)
        for part in parts:
            session = sessions.of(_within(part.client, conduct.budget))
            sessions.run(session.ready(out))
        with out.claimed(record, overwrite=conduct.overwrite):
            sessions.keep_in(out.recordings_file)
            with judgment_rows(out.judgments_file, *(part.fingerprint for part in parts)) as rows:
                counts = _judge_all(parts, rows, conduct, sessions, kept=len(rows))
            rows.arrange(trial_key(part.fingerprint, item.id) for part in parts for item in part.items)
            judgments = {}
            with ScoreTable(out.scores_file) as table:
                for judgment in rows.rows():
                    table.add(judgment)
                    judgments[judgment_key(judgment)] = judgment.bare()
            results = conclude(judgments, counts)
            write_whole(out.results_file, results.model_dump_json(indent=1).encode() + b"\n")
        return results


def digest_of(items: Iterable[Item]) -> str:
    """sha256 (hex, 16 characters) over ``items``: with another one, or another change of one, it is another run."""
    found = hashlib.sha256()
    for item in items:
        found.update(item.model_dump_json().encode("utf-8", "surrogatepass"))
    return found.hexdigest()[:16]


class _BareJudgments(Memory[Judgment]):
    def add(self, row: Judgment) -> None:
        super().add(row.bare())


def _judge_all(
    parts: Sequence[StudyPart], sink: Sink[Judgment], conduct: Conduct, sessions: Sessions, *, kept: int
) -> SessionCounts:
    """Judge with one instrument after the other what ``sink`` does not hold."""
    conduct.on_start(kept)
    left = conduct.budget
    for part in parts:
        session = sessions.of(_within(part.client, left))
        before = session.counts
        session.run(partial(_judge, part, sink, conduct.on_judgment))
        spent = session.counts.since(before).cost_usd
        if left is not None:
            left = 0.0 if spent is None else max(0.0, left - spent)
    return sessions.counts.since(conduct.before, kept=kept)


async def _judge(part: StudyPart, sink: Sink[Judgment], on_judgment: OnJudgment, client: Client) -> None:
    instrument = part.instrument(client)
    async for judgment in judged(part.items, instrument, sink, in_flight=client.in_flight):
        on_judgment(judgment)


def _within(client: ClientOptions, left: float | None) -> ClientOptions:
    """The options with no more to spend than is ``left`` of what all may spend (None: no limit)."""
    if left is None:
        return client
    return replace(client, budget_usd=left if client.budget_usd is None else min(left, client.budget_usd))
