"""Put many versions of items to one instrument or several, in memory or into a run directory.

Sensitivity and bias are such runs: the judgments go to ``judgments.jsonl`` as they come, and when all are there, what
follows from them is written beside. The same call again goes on where it stopped.
"""

from __future__ import annotations

import contextlib
import hashlib
import tempfile
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar, Generic, TypeVar

from pydantic import BaseModel

from conqret.data import Item, Judgment
from conqret.errors import number
from conqret.io.safe_files import InFolder, write_whole
from conqret.judging.instrument import Instrument
from conqret.judging.judge_folder import JudgmentsFolder, ScoreTable, judgment_key, judgment_rows
from conqret.judging.judge_settings import StudySettings, session_settings
from conqret.judging.judgments import judging
from conqret.llm.client import Client
from conqret.llm.client_options import ClientOptions
from conqret.llm.recordings import STORE_NAME
from conqret.runs.engine import CompletedTrials, Plan, Stage, run
from conqret.runs.run_folder import R
from conqret.runs.session import SessionCounts, Sessions
from conqret.runs.trials import Memory, Rows

Outcome = TypeVar("Outcome", bound=BaseModel)


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
class StudyRunConfig:
    """How a run is made, whatever it is a run of.

    Args:
        settings: how models are asked, and who looks on.
        sessions: what asks the models, shared with other runs and open; by default the run's own, made by ``settings``.
        before: what shared sessions had counted when this run began.
        budget: dollars for all instruments together; each client's own budget holds beside it. After an instrument
            with an answer that nobody knows the price of, nothing more is spent.
    """

    settings: StudySettings = field(default_factory=StudySettings)
    sessions: Sessions | None = None
    before: SessionCounts = field(default_factory=SessionCounts)
    budget: float | None = None

    @contextlib.contextmanager
    def asking(self) -> Iterator[Sessions]:
        """What asks the models, to be held with ``with``."""
        if self.sessions is not None:
            yield self.sessions
            return
        own = {**self.settings, "recordings": None} if self.settings.get("replay") else self.settings
        with Sessions(**session_settings(own)) as sessions:
            yield sessions

    def execute(self, plan: Callable[[Sessions, StudyRunConfig], JudgedPlan[Outcome]]) -> Outcome:
        """Execute the plan that ``plan`` makes for these models; what is kept nowhere is recorded in a temporary file,
        so that what is asked twice is sent once.

        Raises what :func:`conqret.runs.engine.execute` raises.
        """
        overwrite, watch = self.settings.get("overwrite", False), self.settings.get("watch")
        with tempfile.TemporaryDirectory() as passing, self.asking() as sessions:
            made = plan(sessions, self)
            if made.folder is None and self.sessions is None:
                sessions.keep_in(Path(passing) / STORE_NAME)
            return run(made, overwrite=overwrite, watch=watch)


@dataclass(frozen=True)
class JudgedPlan(Plan[Judgment, Outcome], Generic[Outcome]):
    """Versions of items are put to one instrument after the other. Kinds of studies add the parts, whose fingerprints
    differ, and what follows from the judgments. What is kept nowhere is concluded from bare judgments."""

    models: Sessions
    conduct: StudyRunConfig
    folder: JudgedFolder[Any] | None

    @property
    def total(self) -> int:
        """How many judgments there will be."""
        return sum(len(part.items) for part in self.parts)

    @property
    def about(self) -> str:
        """What is asked."""
        return f"{number(self.total, 'judgment')} by"

    @property
    @abstractmethod
    def parts(self) -> Sequence[StudyPart]:
        """What is put to which instrument."""

    @abstractmethod
    def conclude(self, judgments: Mapping[str, Judgment], session: SessionCounts) -> Outcome:
        """The results of the judgments (:meth:`conqret.data.Judgment.bare`) by
        :func:`conqret.judging.judge_folder.trial_key`, and of what the session took."""

    def check(self) -> None:
        """Raise DeclarationError where this cannot be asked."""
        for part in self.parts:
            self.models.of(_within(part.client, self.conduct.budget))

    def counted_before(self) -> SessionCounts:
        """What the models had done before this run."""
        return self.conduct.before

    def open_rows(self) -> Rows[Judgment]:
        """The judgments, with those of an earlier run."""
        if self.folder is None:
            return _BareJudgments(judgment_key)
        return judgment_rows(self.folder.judgments_file, *(part.fingerprint for part in self.parts))

    def stages(self) -> Iterator[Stage[Judgment]]:
        """A stage for each instrument."""
        left = self.conduct.budget
        for part in self.parts:
            session = self.models.of(_within(part.client, left))
            before, client = session.counts, session.client
            yield judging(part.items, part.instrument(client), client.in_flight)
            spent = session.counts.since(before).cost_usd
            if left is not None:
                left = 0.0 if spent is None else max(0.0, left - spent)

    def result(self, done: CompletedTrials[Judgment]) -> Outcome:
        """What follows from all judgments, with the files."""
        judgments: dict[str, Judgment] = {}
        with contextlib.ExitStack() as held:
            table = None if self.folder is None else held.enter_context(ScoreTable(self.folder.scores_file))
            for judgment in done.rows.rows():
                if table is not None:
                    table.add(judgment)
                judgments[judgment_key(judgment)] = judgment.bare()
        results = self.conclude(judgments, done.session).model_copy(update={"missing": done.missing})
        if self.folder is not None:
            write_whole(self.folder.results_file, results.model_dump_json(indent=1).encode() + b"\n")
        return results


def digest_of(items: Iterable[Item]) -> str:
    """sha256 (hex, 16 characters) over ``items``: with another one, or another change of one, it is another run."""
    sha = hashlib.sha256()
    for item in items:
        sha.update(item.model_dump_json().encode("utf-8", "surrogatepass"))
    return sha.hexdigest()[:16]


class _BareJudgments(Memory[Judgment]):
    def add(self, row: Judgment) -> None:
        super().add(row.bare())


def _within(client: ClientOptions, left: float | None) -> ClientOptions:
    """The options with no more to spend than is ``left`` of what all may spend (None: no limit)."""
    if left is None:
        return client
    return replace(client, budget_usd=left if client.budget_usd is None else min(left, client.budget_usd))
