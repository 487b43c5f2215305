"""Runs of studies that judge items with one judge configuration or several.

Sensitivity and bias judge many versions of items. Judgments are appended to ``judgments.jsonl``, and the results are
written when all are there. The same call resumes a stopped run.
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
from conqret.judging.cost import count_judging, topics_counted
from conqret.judging.instrument import Instrument
from conqret.judging.judge_folder import JudgmentsFolder, judgment_key, score_cells, trial_key, write_scores
from conqret.judging.judge_settings import ItemSettings
from conqret.judging.judgments import judge_in_span, span_attributes
from conqret.judging.setup import Setup
from conqret.llm.client_options import ClientOptions
from conqret.runs.dry_run import RunPrompt
from conqret.runs.request_run import Run, RunSettings, WatchSettings
from conqret.runs.run_folder import R, RunFolder, RunRecord
from conqret.runs.session import SessionCounts
from conqret.runs.sessions import Sessions

Outcome = TypeVar("Outcome", bound=BaseModel)
F = TypeVar("F", bound=RunFolder[Any])


class StudySettings(RunSettings, ItemSettings, WatchSettings, total=False):
    """The settings of all studies that judge items.

    ``output`` is the run's folder, in which the same call resumes a stopped run; None writes nothing.
    """

    output: str | Path | None


@dataclass(frozen=True)
class StudyPart:
    """The items that one judge configuration judges in a study.

    Judgments get this ``fingerprint``, and samples are numbered from ``first_sample``. A dry run lists the
    costs under the name ``by``.
    """

    setup: Setup
    fingerprint: str
    items: Sequence[Item]
    first_sample: int = 0
    by: str = ""


@dataclass(frozen=True)
class JudgedFolder(JudgmentsFolder[R], Generic[R]):
    """A run folder with ``judgments.jsonl``, ``scores.parquet`` and a file of results."""

    results_file: ClassVar[InFolder]
    """The file of results."""

    key = staticmethod(judgment_key)


@contextlib.contextmanager
def study_folder(kind: type[F], output: str | Path | None, settings: Mapping[str, Any]) -> Iterator[F]:
    """Yield the run's folder, or a temporary one, deleted afterwards, if ``output`` is None.

    Raises:
        DeclarationError: no folder is named for a batch.
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
    """A run that judges items.

    Args:
        folder: the run's folder, of any kind that has ``key`` and ``rows``.
        models: the models.
        settings: client options and progress callbacks.
        record: the contents of ``run.json``.
        total, about, by: as :class:`conqret.runs.request_run.Run` takes them.
        begin: writes the files that must exist before the record of a new run.
        sessions: open sessions, used by this run alone.
        before: the counts of these sessions when this run began.
        renew: start over if the folder has another run of its kind.
        budget: US dollars for all judge configurations together, in addition to each client's budget. After a
            response of unknown price no further request is sent.
    """

    PROMPTS: ClassVar[Mapping[str, RunPrompt]] = {}
    """Prompts besides those of the judges."""

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
        options: Any = {"record": record, "sessions": sessions, "renew": renew, "total": total, "by": by}
        super().__init__(
            folder,
            [_within(client, budget) for client in models],
            self.PROMPTS,
            {**settings, "recordings": None} if settings.get("replay") else settings,
            contents=(),
            purpose="",
            about=about or f"{number(total, 'judgment')} by",
            **options,
        )
        self._begin, self._counted_before, self._budget = begin, before or SessionCounts(), budget

    def __enter__(self) -> Self:
        super().__enter__()
        self._before = self._counted_before
        return self

    @property
    def clients(self) -> tuple[Any, ...]:
        """The clients of the models."""
        return self.sessions.clients

    @property
    def _counts(self) -> SessionCounts:
        return self.sessions.counts

    async def judgment(self, key: str, item: Item, instrument: Instrument) -> Any:
        """Judge an item, and return its row: here the judgment itself."""
        return await judge_in_span(item, instrument)

    def judge(self, parts: Iterable[StudyPart]) -> None:
        """Judge the items of each part in turn; a dry run only counts the requests.

        Raises:
            AnswersAwaited: responses of a batch are pending.
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
            await count_judging(
                client, part.setup, part.items, topics, work=work, first_sample=part.first_sample
            )

    def conclude(self, made: Callable[[Mapping[str, Judgment]], Outcome]) -> Outcome:
        """Compute the results from all judgments, write them, and return them with the counts of this
        session.

        ``made`` computes them from the bare judgments (:meth:`conqret.data.Judgment.bare`) by key.
        """
        folder: Any = self.folder
        judgments: dict[str, Judgment] = {}

        def cells() -> Iterator[tuple[Any, ...]]:
            for judgment in self.arranged():
                judgments[judgment_key(judgment)] = judgment.bare()
                yield from score_cells(judgment)

        write_scores(folder.scores_file, cells())
        results = made(judgments).model_copy(update=self.done)
        write_whole(folder.results_file, results.model_dump_json(indent=1).encode() + b"\n")
        return results


def digest_of(items: Iterable[Item]) -> str:
    """Return the SHA-256 digest of ``items`` (hex, 16 characters), by which a run recognizes its items."""
    sha = hashlib.sha256()
    for item in items:
        sha.update(item.model_dump_json().encode("utf-8", "surrogatepass"))
    return sha.hexdigest()[:16]


def _within(client: ClientOptions, left: float | None) -> ClientOptions:
    """The client options with a budget of at most ``left`` (None: no limit)."""
    if left is None:
        return client
    return replace(client, budget_usd=left if client.budget_usd is None else min(left, client.budget_usd))
