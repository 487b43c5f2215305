"""Algorithm 1 as a run: recorded, resumable, priced before."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from pathlib import Path

from conqret.debateqa.curation import curation_requests as asking
from conqret.debateqa.curation.algorithm import DEPTH, POOL, Collector, CurationStep, cleaned
from conqret.debateqa.curation.benchmark import (
    CurateFolder,
    CurateRecord,
    CurateSummary,
    benchmark_files,
    record_of,
)
from conqret.debateqa.curation.page_ranking import LISTWISE
from conqret.io.questions import SourcedQuestion
from conqret.io.safe_files import Content
from conqret.judging.cost import Expected, counter, expected_asking
from conqret.prompts import Rendered
from conqret.retrieval.rerank import INSTRUCTIONS
from conqret.runs.session import Session
from conqret.runs.study_run import StudyPlan
from conqret.runs.trials import Trial

VIEWS = 4
"""Points of view of a question, for an estimate: 11,640 on 2,941 questions, removed ones included (A.4)."""
SOURCES = 2
"""Documents that a point of view rests on, for an estimate."""
PIECES = {
    "search queries": 60,
    "the best documents": 100,
    "points of view": 50 * VIEWS,
    "explanations": 400,
}
"""What is asked for, and an answer in tokens: some short queries; 20 numbers; a sentence and numbers for each point of
view; 300 words."""


@dataclass(frozen=True)
class CurationRun(StudyPlan[CurationStep, CurateSummary]):
    """Every question passes through the steps of the algorithm."""

    models: Session
    folder: CurateFolder
    questions: Sequence[SourcedQuestion]
    collector: Collector

    def check(self) -> None:
        """Raise DeclarationError where this cannot be asked."""
        self.models.options.backend.check_can_ask("what documents say on a question")

    def record(self) -> CurateRecord:
        """What ``run.json`` says."""
        return record_of(self.questions, self.collector)

    def resources(self) -> AbstractAsyncContextManager[object]:
        """The source, as long as it is searched."""
        return self.collector.source.opened(self.folder.path)

    def trials(self) -> Iterator[Trial[CurationStep]]:
        """A trial for each."""
        return (trial for question in self.questions for trial in self.collector.trials(question))

    def conclude(self, rows: tuple[CurationStep, ...]) -> tuple[CurateSummary, Mapping[Path, Content]]:
        """The run in numbers, and its files."""
        return benchmark_files(self.questions, rows, self.collector, self.folder)


def estimate(questions: Sequence[SourcedQuestion], collector: Collector) -> list[Expected]:
    """The calls, tokens and dollars of :class:`CurationRun`, from documents that a search may find; nothing that is
    recorded already is taken off."""
    session, library = collector.session, collector.session.library
    client = counter(session.options)
    prompts: dict[str, list[Rendered]] = {name: [] for name in PIECES}
    for question in questions:
        text = question.question
        likely = collector.source.likely(text, DEPTH)
        found = [cleaned(one) for one in likely if one.url in collector.trusted][:POOL]
        shown, _ = collector.within_budget(found[: collector.plan.keep], client)
        prompts["search queries"].append(asking.queries_prompt(library, text))
        if collector.plan.rerank == LISTWISE and len(found) > collector.plan.keep:
            prompts["the best documents"].append(
                library[INSTRUCTIONS["none"]].render({"topic": text, "stance": "none", "documents": found})
            )
        prompts["points of view"].append(asking.views_prompt(library, text, shown))
        explained = asking.explanation_prompt(library, text, text, shown[:SOURCES])
        prompts["explanations"] += [explained] * VIEWS
    return [
        expected_asking("curate", session.options, prompts[piece], tokens, by=piece)
        for piece, tokens in PIECES.items()
    ]
