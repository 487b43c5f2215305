"""Algorithm 1 as a run: recorded, resumable, priced before."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from conqret.debateqa.curation import curation_requests as asking
from conqret.debateqa.curation.algorithm import DEPTH, POOL, Collector, CurationStep, cleaned
from conqret.debateqa.curation.benchmark import CurateFolder, CurateSummary, record_of, write_benchmark
from conqret.debateqa.curation.page_ranking import LISTWISE
from conqret.io.questions import SourcedQuestion
from conqret.judging.cost import Expected, counter, expected_asking
from conqret.llm.client import Client
from conqret.prompts import Rendered
from conqret.retrieval.rerank import INSTRUCTIONS
from conqret.runs.study_run import StudyOutcome, ask_all

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


def curate(
    questions: Sequence[SourcedQuestion],
    collector: Collector,
    folder: CurateFolder,
    *,
    overwrite: bool = False,
    on_start: Callable[[Client, int], None] = lambda client, kept: None,
    on_row: Callable[[CurationStep], None] = lambda step: None,
) -> StudyOutcome[CurationStep, CurateSummary]:
    """Take every step that the folder does not hold, and write the benchmark.

    Raises what :func:`conqret.runs.study_run.ask_all` raises.
    """
    session = collector.session

    session.options.backend.check_can_ask("what documents say on a question")

    async def work(client: Client) -> StudyOutcome[CurationStep, CurateSummary]:
        async with collector.source.opened(folder.path):
            return await ask_all(
                trials, session, folder, record_of(questions, collector),
                lambda rows: write_benchmark(questions, rows, collector, folder),
                overwrite=overwrite, on_start=on_start, on_row=on_row,
            )  # fmt: skip

    trials = [trial for question in questions for trial in collector.trials(question)]
    return session.run(work)


def estimate(questions: Sequence[SourcedQuestion], collector: Collector) -> list[Expected]:
    """The calls, tokens and dollars of :func:`curate`, from documents that a search may find; nothing that is recorded
    already is taken off."""
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
