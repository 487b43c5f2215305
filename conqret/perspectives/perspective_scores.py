"""Rankings scored by the perspectives that they show, as one piece of work (BeRDS, Tables 3, 5, 6, 16, 17): what is
checked before a model is asked, what is asked (which of two perspectives supports, and which documents contain which),
and the files of the result.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeVar, Unpack

from conqret._optional import require
from conqret.debateqa.curation.check_verdicts import (
    CheckVerdict,
    Subject,
    VerdictFolder,
    VerdictPlan,
    VerdictRow,
)
from conqret.debateqa.curation.check_verdicts import estimate as expected_verdicts
from conqret.errors import DeclarationError, strict_options
from conqret.io.pairs import Pair
from conqret.judging.judge_settings import AskedSettings, AskingSettings, as_path, asked_session
from conqret.judging.responses import Typed
from conqret.perspectives.detection import estimate as expected_detections
from conqret.perspectives.detection_study import DetectionFolder, DetectionPlan, threshold_of_option
from conqret.perspectives.detector_run import DetectedFolder, detect_locally
from conqret.perspectives.diversity_run import (
    CUTS,
    Diversity,
    JudgedDocuments,
    facts_of,
    judged_of,
    pairs_of,
    pooled,
    score,
    values_of,
)
from conqret.perspectives.perspective_files import (
    SIDES,
    PerspectiveQuestion,
    perspective_lines,
    read_perspectives,
)
from conqret.perspectives.ranking_sources import named, qrels_of, ranked, read_judged, write_rankings
from conqret.retrieval.evaluation.system_names import ASKING, has_step
from conqret.runs.engine import run
from conqret.runs.run_folder import default_folder, stem
from conqret.runs.session import Session, SessionCounts
from conqret.show.page import write_files
from conqret.text.lexicons import NEGATIONS
from conqret.text.words import words

if TYPE_CHECKING:
    from conqret.judging.cost import ExpectedCost
    from conqret.perspectives.detector import Detector
    from conqret.retrieval.corpus_index import Index
    from conqret.runs.engine import Plan
    from conqret.runs.study_run import StudyOutcome


SCORES, VALUES, JUDGMENTS, QUESTIONS = "scores.json", "values.csv", "judgments.qrels", "perspectives.jsonl"
RANKINGS = "rankings"
"""What the systems ranked, a TREC run each: NAME=FILE of another score."""

Questions = tuple[PerspectiveQuestion, ...]
T = TypeVar("T", bound="StudyOutcome[Any, Any]")


class ExecutePlan(Protocol):
    """How a plan is executed: about so many rows of this name, and what is said of it."""

    def __call__(self, plan: Plan[Any, T], total: int, rows: str, *, about: str, doing: str) -> T:
        """What the plan comes to."""


@dataclass(frozen=True)
class Executors:
    """How a model's plans are executed, and how pairs go through a local detector."""

    session: Session
    execute: ExecutePlan
    locally: Callable[[Sequence[Pair], Detector, DetectedFolder], list[float]]


@dataclass(frozen=True)
class PerspectiveScores:
    """How diverse rankings are, and what that lacks: for how many questions nobody said which perspective supports,
    and how many pairs have no answer, by reason. The files lie in ``folder``."""

    diversity: Diversity
    sideless: int
    lost: Mapping[str, int]
    folder: Path
    files: tuple[Path, ...]
    session: SessionCounts

    def record(self) -> dict[str, Any]:
        """The scores as ``scores.json`` has them."""
        return facts_of(self.diversity)


@dataclass(frozen=True, kw_only=True)
class ScoringJob:
    """Rankings that are ready to be scored, or to be priced: all that can be wrong was looked at.

    ``documents`` is the index with the documents' texts; ``judged`` are judgments that there are already."""

    questions: Questions
    systems: tuple[str, ...]
    documents: Index | None
    judged: JudgedDocuments | None
    detector: Path | None
    yes_from: int | None
    cuts: tuple[int, ...]
    depth: int
    encoder: str | None
    mmr_encoder: str | None
    folder: Path

    @property
    def unpriced(self) -> tuple[str, ...]:
        """The systems that ask a model themselves, whose rankings nobody knows before."""
        return tuple(system for system in self.systems if has_step(system, ASKING))

    def cost(self, session: Session) -> list[ExpectedCost]:
        """What scoring is expected to take, without what :attr:`unpriced` systems ask, and without the documents that
        only they rank."""
        expected = []
        if wanted := subjects(unsided(self.questions)):
            expected.append(expected_verdicts(VERDICT, wanted, session))
        if self.judged is None and self.detector is None:
            systems = [system for system in self.systems if system not in self.unpriced]
            rankings = self._ranked(systems, self.questions, session)
            pairs = self._pairs(self.questions, pooled(self.questions, rankings, self.depth))
            expected.append(expected_detections(pairs, session))
        return expected

    def score(self, executors: Executors, asking: AskingSettings) -> PerspectiveScores:
        """Ask what is to be asked, score, and write the files."""
        session, detector = executors.session, None
        if self.detector is not None:
            from conqret.perspectives.detector import load_detector

            detector = load_detector(self.detector)
        questions, sideless = self._sided(executors)
        searching = self._searching(session, asking) if self.unpriced else session
        rankings = self._ranked(self.systems, questions, searching)
        judged, lost = self.judged, dict[str, int]()
        if judged is None:
            pairs = self._pairs(questions, pooled(questions, rankings, self.depth))
            judged, lost = self._detected(questions, pairs, detector, executors)
        diversity = score(questions, rankings, judged, cuts=self.cuts, depth=self.depth)
        written = write_files(
            self.folder,
            {
                SCORES: json.dumps(facts_of(diversity), indent=1) + "\n",
                VALUES: values_of(diversity),
                JUDGMENTS: (
                    f"{r.query_id} {r.iteration} {r.doc_id} {r.relevance}\n"
                    for r in qrels_of(questions, judged)
                ),
                QUESTIONS: perspective_lines(questions),
            },
        )
        write_rankings(self.folder / RANKINGS, rankings)
        return PerspectiveScores(diversity, sideless, lost, self.folder, tuple(written), session.counts)

    def _sided(self, executors: Executors) -> tuple[Questions, int]:
        """The questions with a side for each of two perspectives, and for how many there was no answer."""
        wanted = subjects(unsided(self.questions))
        if not wanted:
            return self.questions, 0
        done = executors.execute(
            VerdictPlan(executors.session, VerdictFolder(self.folder / "sides"), VERDICT, wanted),
            len(wanted), "sides", about=f"sides of the perspectives of {len(wanted)} questions, by",
            doing="sides",
        )  # fmt: skip
        return with_sides(self.questions, done.rows), sum(not row.answered for row in done.rows)

    def _searching(self, session: Session, asking: AskingSettings) -> Session:
        """The session of systems that ask a model, whose answers are kept beside the rankings."""
        from conqret.retrieval.retrieve import retrieval_session

        prompts: Any = asking.get("prompts")
        return retrieval_session(
            session.options,
            output=self.folder / RANKINGS,
            recordings=asking.get("recordings"),
            replay=asking.get("replay"),
            prompts=prompts,
        )

    def _ranked(self, systems: Sequence[str], questions: Questions, session: Session) -> list[Any]:
        return ranked(systems, questions, self.depth, self.documents, session, self.encoder, self.mmr_encoder)

    def _pairs(self, questions: Questions, pool: Mapping[str, Sequence[str]]) -> tuple[Pair, ...]:
        assert self.documents is not None  # noqa: S101 - as was looked at before
        wanted = [document for documents in pool.values() for document in documents]
        texts = {name: entry.whole for name, entry in self.documents.entries(wanted).items()}
        if wanted and not texts:
            raise DeclarationError(
                f"the corpus contains none of the ranked documents, such as {wanted[0]!r}: give the "
                "corpus of the ranking"
            )
        return pairs_of(questions, pool, texts)

    def _detected(
        self, questions: Questions, pairs: Sequence[Pair], detector: Detector | None, executors: Executors
    ) -> tuple[JudgedDocuments, dict[str, int]]:
        """What the documents contain, and how many pairs have no answer, by reason."""
        place = self.folder / "detections"
        answers: Iterable[tuple[str, bool | None]]
        lost: dict[str, int] = {}
        if detector is not None:
            chances = executors.locally(pairs, detector, DetectedFolder(place))
            answers = [
                (pair.id, detector.contains(chance)) for pair, chance in zip(pairs, chances, strict=True)
            ]
        else:
            outcome = executors.execute(
                DetectionPlan(executors.session, DetectionFolder(place), pairs, self.yes_from),
                len(pairs), "grades", about=f"{len(pairs)} pairs of a document and a perspective, by",
                doing="detecting",
            )  # fmt: skip
            answers = [(row.id, row.contains(outcome.summary.yes_from)) for row in outcome.rows]
            lost = outcome.summary.unanswered
        contains = {}
        for name, yes in answers:
            question, which, document = name.split(" ", 2)
            contains[question, int(which), document] = yes
        return judged_of(questions, contains), lost


@strict_options
def score_perspectives(
    runs: Sequence[str],
    *,
    perspectives: str | Path,
    corpus: str | Path | None = None,
    judgments: str | Path | None = None,
    yes_from: int | str | Path | None = None,
    detector: str | Path | None = None,
    cuts: Sequence[int] = CUTS,
    depth: int | None = None,
    encoder: str | None = None,
    mmr_encoder: str | None = None,
    output: str | Path | None = None,
    **settings: Unpack[AskedSettings],
) -> PerspectiveScores:
    """Score rankings by the perspectives that their first documents show (BeRDS, Tables 3, 5, 6, 16 and 17).

    Args:
        runs: TREC runs (``FILE`` or ``NAME=FILE``), or systems that search the corpus: ``bm25``, ``dense`` or
            ``hybrid``, and further steps after a plus, as in ``dense+mmr``. The others are compared with the first.
        perspectives: a table with the columns question and perspectives (a list), optionally id and subset.
        corpus: the corpus directory with the documents' texts.
        judgments: judgments in place of a model's: qrels whose second column is the number of the perspective, from 1.
        yes_from: the grade (1 to 4) from which a document counts as containing the perspective, or the folder of a run
            of :func:`conqret.detect` that chose one; by default 3.
        detector: the folder of a detector of :func:`conqret.tune_detector`, which decides in a model's place.
        cuts: how many of the first documents count.
        depth: how many documents of each ranking are judged; by default the largest of ``cuts``.
        encoder: where the encoder of an index by vectors lies now.
        mmr_encoder: the encoder whose vectors maximal marginal relevance compares; words without one.
        output: the folder, by default ``runs/PERSPECTIVES-score-MODEL``; the same call goes on there.
        settings: who is asked, and how: :class:`conqret.judging.judge_settings.AskedSettings`.

    Raises:
        DeclarationError: anything wrong with the call, the files or the folder. No model is asked then.
    """
    with asked_session(settings) as session:
        job = scoring_job(
            runs, session, perspectives=perspectives, corpus=corpus, judgments=judgments, yes_from=yes_from,
            detector=detector, cuts=cuts, depth=depth, encoder=encoder, mmr_encoder=mmr_encoder, output=output,
        )  # fmt: skip
        overwrite = settings.get("overwrite", False)

        def execute(plan: Plan[Any, T], total: int, rows: str, *, about: str, doing: str) -> T:
            return run(plan, overwrite=overwrite)

        return job.score(Executors(session, execute, partial(detect_locally, overwrite=overwrite)), settings)


def scoring_job(
    runs: Sequence[str],
    session: Session,
    *,
    perspectives: str | Path,
    corpus: str | Path | None,
    judgments: str | Path | None,
    yes_from: int | str | Path | None,
    detector: str | Path | None,
    cuts: Sequence[int],
    depth: int | None,
    encoder: str | None,
    mmr_encoder: str | None,
    output: str | Path | None,
) -> ScoringJob:
    """The work that is ready to be done or priced; takes what :func:`score_perspectives` takes, and raises as it."""
    if detector is not None and (yes_from is not None or judgments is not None):
        raise DeclarationError(
            "--detector replaces LLM and judgments, and has its own threshold: leave out --yes-from and --judgments"
        )
    if not cuts or min(cuts) < 1:
        raise DeclarationError(f"the cuts are {list(cuts)}, but each must be at least 1")
    systems = named(runs)
    if mmr_encoder is not None and not any(has_step(system, {"mmr"}) for system in systems):
        raise DeclarationError("--mmr-encoder needs a system with MMR: add one, such as bm25+mmr")
    questions = tuple(read_perspectives(Path(perspectives)))
    index = None
    if corpus is not None:
        require("pyterrier", "pandas", extra="retrieval")
        from conqret.retrieval.corpus_index import open_index

        index = open_index(Path(corpus))
    elif judgments is None:
        raise DeclarationError(
            "the model needs the documents' texts: give them with --corpus FOLDER, or give judgments with --judgments"
        )
    job = ScoringJob(
        questions=questions,
        systems=tuple(systems),
        documents=index,
        judged=None if judgments is None else read_judged(Path(judgments), questions),
        detector=as_path(detector),
        yes_from=threshold_of_option(None if yes_from is None else str(yes_from))[0],
        cuts=tuple(sorted(set(cuts))),
        depth=depth or max(cuts),
        encoder=encoder,
        mmr_encoder=mmr_encoder,
        folder=as_path(output) or default_folder(stem(Path(perspectives)), "score", session.options.model),
    )
    # Before a model is asked anything, every file has to be sound.
    ranked([system for system in systems if index is None or "=" in system], questions, job.depth)
    return job


class Supports(Typed):
    """A short explanation, then the number of the statement that supports the question."""

    explanation: str
    supports: Literal[1, 2]


VERDICT = CheckVerdict("perspectives/side", Supports, 50, "which perspective supports a question")


def unsided(questions: Sequence[PerspectiveQuestion]) -> list[PerspectiveQuestion]:
    """The questions with two perspectives of which nobody has said which supports."""
    return [
        question for question in questions if len(question.perspectives) == len(SIDES) and not question.sided
    ]


def subjects(questions: Sequence[PerspectiveQuestion]) -> list[Subject]:
    """What is asked about each of such questions."""
    return [
        Subject(
            question.id,
            {
                "question": question.question,
                "first": question.perspectives[0].text,
                "second": question.perspectives[1].text,
            },
            lambda question=question: _by_words(question),  # type: ignore[misc]
        )
        for question in questions
    ]


def with_sides(
    questions: Sequence[PerspectiveQuestion], rows: Sequence[VerdictRow]
) -> tuple[PerspectiveQuestion, ...]:
    """The questions with the sides that were judged; those without an answer stay without."""
    answers: Mapping[str, Mapping[str, Any]] = {row.id: row.answer for row in rows if row.answered}
    return tuple(
        question.with_support(answers[question.id]["supports"] - 1) if question.id in answers else question
        for question in questions
    )


def _by_words(question: PerspectiveQuestion) -> dict[str, object]:
    """The offline answer: the statement supports whose number of denials is nearer to that of the question."""
    asked = _denials(question.question)
    apart = [abs(_denials(perspective.text) - asked) for perspective in question.perspectives]
    return {
        "explanation": "the one that denies as often as the question",
        "supports": 1 if apart[0] <= apart[1] else 2,
    }


def _denials(text: str) -> int:
    return sum(word in NEGATIONS for word in words(text.lower()))
