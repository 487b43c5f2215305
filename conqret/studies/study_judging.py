"""Runs of studies that put items to one instrument or several.

Sensitivity and bias put many versions of items to them: the judgments go to ``judgments.jsonl`` as they come, and when
all are there, what follows from them is written beside. The same call again goes on where it stopped.
"""

from __future__ import annotations

import contextlib
import hashlib
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, Generic, Self, TypeVar

from pydantic import BaseModel

from conqret.data import Item, Judgment
from conqret.errors import DeclarationError, number
from conqret.io.safe_files import InFolder, write_whole
from conqret.judging.asked_run import Run, RunPrompt, RunSettings, WatchSettings
from conqret.judging.cost import topics_counted
from conqret.judging.instrument import Instrument
from conqret.judging.judge_folder import JudgmentsFolder, ScoreTable, judgment_key, trial_key
from conqret.judging.judge_settings import ItemSettings
from conqret.judging.judgments import judge_in_span, span_attributes
from conqret.judging.setup import Setup
from conqret.llm.client_options import ClientOptions
from conqret.runs.run_folder import R, RunFolder, RunRecord
from conqret.runs.session import SessionCounts, Sessions

Outcome = TypeVar("Outcome", bound=BaseModel)
F = TypeVar("F", bound=RunFolder[Any])


class StudySettings(RunSettings, ItemSettings, WatchSettings, total=False):
    """What a study of a judge can be told, whatever it measures: ``output`` is its run's folder, where the same call
    goes on where it stopped (None keeps everything in memory)."""

    output: str | Path | None


@dataclass(frozen=True)
class StudyPart:
    """Items that are put to one instrument, whose judgments have this fingerprint, and whose samples are numbered from
    ``first_sample``; a dry run names them ``by``."""

    setup: Setup
    fingerprint: str
    items: Sequence[Item]
    first_sample: int = 0
    by: str = ""


@dataclass(frozen=True)
class JudgedFolder(JudgmentsFolder[R], Generic[R]):
    """A run directory with ``judgments.jsonl``, ``scores.parquet``, and what follows from them."""

    results_file: ClassVar[InFolder]
    """What came of it."""

    key = staticmethod(judgment_key)


@contextlib.contextmanager
def study_folder(kind: type[F], output: str | Path | None, settings: Mapping[str, Any]) -> Iterator[F]:
    """The run's folder; where none is named, one that is gone afterwards.

    Raises:
        DeclarationError: none is named, and answers are to come in a batch.
    """
    if output is not None:
        yield kind(Path(output))
        return
    if settings.get("batch"):
        raise DeclarationError(
            "a batch is answered later: name the run's folder in which its responses are collected (output)"
        )
    with tempfile.TemporaryDirectory() as passing:
        yield kind(Path(passing) / "run")


class JudgedRun(Run[Any]):
    """A run that puts items to instruments.

    Args:
        folder: where it is kept, of any kind that has ``key`` and ``rows``.
        models: who is asked.
        settings: how models are asked, and who looks on.
        record: what ``run.json`` says.
        total, about, by: as :class:`conqret.judging.asked_run.Run` takes them.
        begin: writes what has to be there before the record of a new run.
        sessions: open sessions to ask with, which are this run's alone.
        before: what these had counted when this run began.
        renew: begin afresh where the folder holds another run of its kind.
        budget: dollars for all instruments together; each client's own budget holds beside it. After an instrument with
            an answer that nobody knows the price of, nothing more is spent.
    """

    PROMPTS: ClassVar[Mapping[str, RunPrompt]] = {}
    """What is asked beside the judges' questions."""

    def __init__(
        self,
        folder: Any,
        models: Sequence[ClientOptions],
        settings: Mapping[str, Any],
        record: RunRecord,
        *,
        total: int,
        about: str = "",
        by: str = "",
        begin: Callable[[], None] | None = None,
        sessions: Sessions | None = None,
        before: SessionCounts | None = None,
        renew: bool = False,
        budget: float | None = None,
    ) -> None:
        own = {**settings, "recordings": None} if settings.get("replay") else settings
        told: Any = {"total": total, "about": about or f"{number(total, 'judgment')} by", "by": by}
        how: Any = {"record": record, "sessions": sessions, "renew": renew}
        models = [_within(one, budget) for one in models]
        super().__init__(folder, models, self.PROMPTS, own, asked=(), asks="", **told, **how)
        self._begin, self._counted_before, self._budget = begin, before or SessionCounts(), budget

    def __enter__(self) -> Self:
        super().__enter__()
        self._before = self._counted_before
        return self

    @property
    def clients(self) -> tuple[Any, ...]:
        """Who is asked."""
        return self.sessions.clients

    @property
    def _counts(self) -> SessionCounts:
        return self.sessions.counts

    async def judgment(self, key: str, item: Item, instrument: Instrument) -> Any:
        """The row of an item by an instrument: here its judgment alone."""
        return await judge_in_span(item, instrument)

    def judge(self, parts: Iterable[StudyPart]) -> None:
        """Judge the items of one part after the other; in a dry run count what is asked.

        Raises:
            AnswersAwaited: judgments wait for a batch.
        """
        if self.dry:
            self.sessions.run(self._count_judging(list(parts)))
            return

        async def unit(item: Item, instrument: Instrument) -> None:
            key = trial_key(instrument.fingerprint, item.id)
            await self.row(key, lambda: self.judgment(key, item, instrument))

        done, budget = list[Any](), self._budget
        for part in parts:
            session = self.sessions.session(_within(part.setup.client, budget))
            before, made = session.counts, part.setup.instrument(session.client)
            instrument = replace(made, fingerprint=part.fingerprint, first_sample=part.first_sample)
            self.span = f"judge {instrument.judge.name}", span_attributes(instrument)
            units = (unit(item, instrument) for item in part.items)
            done += self.sessions.run(self._perform([units]))
            if budget is not None:
                spent = session.counts.since(before).cost_usd
                budget = 0.0 if spent is None else max(0.0, budget - spent)
        self.sessions.run(self._handed_in(done))

    async def _count_judging(self, parts: Sequence[StudyPart]) -> None:
        topics = topics_counted([part.items for part in parts])
        for part in parts:
            client: Any = self.client(part.setup.client)
            work = ("judge", part.by or part.setup.judge.name, "")
            await client.count_judging(
                part.setup, part.items, topics, work=work, first_sample=part.first_sample
            )

    def conclude(self, made: Callable[[Mapping[str, Judgment]], Outcome]) -> Outcome:
        """What is ``made`` of the bare judgments (:meth:`conqret.data.Judgment.bare`) by their keys, with what this
        session did for them; the files are written."""
        folder: Any = self.folder
        judgments: dict[str, Judgment] = {}
        with ScoreTable(folder.scores_file) as table:
            for judgment in self.arranged():
                table.add(judgment)
                judgments[judgment_key(judgment)] = judgment.bare()
        results = made(judgments).model_copy(update=self.done)
        write_whole(folder.results_file, results.model_dump_json(indent=1).encode() + b"\n")
        return results


def digest_of(items: Iterable[Item]) -> str:
    """sha256 (hex, 16 characters) over ``items``: with another one, or another change of one, it is another run."""
    sha = hashlib.sha256()
    for item in items:
        sha.update(item.model_dump_json().encode("utf-8", "surrogatepass"))
    return sha.hexdigest()[:16]


def _within(client: ClientOptions, left: float | None) -> ClientOptions:
    """The options with no more to spend than is ``left`` of what all may spend (None: no limit)."""
    if left is None:
        return client
    return replace(client, budget_usd=left if client.budget_usd is None else min(left, client.budget_usd))
