"""``score_diversity``, ``score_awareness`` and ``score_baselines``: answers of one system in, a table of scores out."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypedDict, Unpack

from conqret.debateqa.baseline_metrics import (
    DEFAULT,
    BaselineMetric,
    Models,
    Similarity,
    baseline_rows,
    prepared,
    selected,
)
from conqret.debateqa.debateqa_files import (
    DebatableQuestion,
    Partners,
    check_answers,
    partners,
    read_answers,
    read_questions,
    read_verdicts,
)
from conqret.debateqa.llm_metrics import LlmMetricsPlan
from conqret.debateqa.metrics import (
    AwarenessFit,
    AwarenessPlan,
    DiversityRun,
    against_labels,
    model_name,
)
from conqret.debateqa.score_table import AWARENESS, DIVERSITY, write_table
from conqret.debateqa.scoring import (
    AnswerCase,
    KeptValues,
    ScoreFolder,
    ScoreRecord,
    ScoringOutcome,
    TargetStore,
    cases_of,
)
from conqret.errors import DeclarationError, strict_options
from conqret.judging.judge_settings import AskedSettings, as_path, asked_session
from conqret.runs.engine import run
from conqret.runs.run_folder import RECORD_NAME, default_folder, stem
from conqret.runs.session import Session, SessionCounts

if TYPE_CHECKING:
    import polars as pl


Shots = Literal["few-shot", "zero-shot"]


@dataclass(frozen=True)
class SystemAnswers:
    """One system's answers, what the system is called, where its scores go, and which column holds which field."""

    answers: Path
    output: Path | None = None
    system: str | None = None
    columns: Mapping[str, str] | None = None

    @property
    def name(self) -> str:
        """The system's: by default that of the answers' file, or of the run's folder that it is in."""
        beside = self.answers.resolve().parent
        return self.system or (beside.name if (beside / RECORD_NAME).is_file() else stem(self.answers))

    def partners(self, questions: Mapping[str, DebatableQuestion]) -> Partners:
        """Which answers have a question, after every row was looked at."""
        return partners(check_answers(self.answers, self.columns), questions)

    def folder(self, metric: str, *instrument: str) -> ScoreFolder:
        """Where the scores go; ``instrument`` tells two measurements of a metric apart."""
        return ScoreFolder(self.output or default_folder(self.name, metric, *instrument))


@dataclass(frozen=True, slots=True)
class AnswerScores:
    """``table`` has a row for each answer and metric, and stands in ``file``; ``notes`` are remarks on how it came, and
    ``fit`` compares verdicts with labels, where there are some."""

    table: pl.DataFrame
    file: Path
    session: SessionCounts
    notes: tuple[str, ...] = ()
    fit: AwarenessFit | None = None


class AnswerSettings(TypedDict, total=False):
    """``system``: the system's name, by default that of the file of answers, or of the run's folder that it is in.
    ``columns`` says which column holds which field. ``output``: the folder for ``scores.parquet``, by default
    ``runs/SYSTEM-METRIC-INSTRUMENT``. ``overwrite`` begins afresh where it holds another run."""

    system: str | None
    columns: Mapping[str, str] | None
    output: str | Path | None
    overwrite: bool


class BackboneSettings(TypedDict, total=False):
    """How a backbone reads: the prompt around the answer (``wrapping``, 1 to 5), whether its ``chat`` template is used
    (None: where it has one), where and in which precision, ``token_budget`` tokens in one step."""

    wrapping: int
    chat: bool | None
    device: str | None
    dtype: str | None
    token_budget: int | None


class DiversitySettings(AnswerSettings, BackboneSettings, total=False):
    """Both."""


@strict_options
def score_diversity(
    answers: str | Path,
    references: str | Path,
    *,
    backbone: str,
    definition: Literal["paper", "released"] = "paper",
    on_start: Callable[[Partners, int], object] = lambda partners, kept: None,
    on_answer: Callable[[int], None] = lambda number: None,
    **settings: Unpack[DiversitySettings],
) -> AnswerScores:
    """Score Perspective Diversity: the summed perplexity of a question's partial answers given the answer.

    Lower is better. Rows are kept as they are scored: the same call goes on where it stopped.

    Args:
        answers: one system's answers: ``id`` and ``generation``.
        references: questions with partial answers, in DebateQA's layout.
        backbone: a causal language model: a folder, or a hub's name.
        definition: ``paper``: DebateQA's equations 1 and 2; ``released``: the arithmetic of its released script.
        on_start: gets which answers have a question, and how many rows are kept from before.
        on_answer: is called with the number of each answer that was scored.
        settings: :class:`AnswerSettings` and :class:`BackboneSettings`.

    Raises:
        DeclarationError: a file or the model cannot be used, or no question has a partial answer.
    """
    from conqret.local.scorer import ConditionalPerplexity

    named = settings.get("system"), settings.get("columns")
    given = SystemAnswers(Path(answers), as_path(settings.get("output")), *named)
    questions = read_questions(references, given.columns)
    if not any(question.partial_answers for question in questions.values()):
        raise DeclarationError(
            f"no question of {references} has partial answers, which perspective diversity needs: give DebateQA's "
            "layout with --references, or map its columns with --columns"
        )
    met = given.partners(questions)
    reading: dict[str, Any] = {
        name: value for name, value in settings.items() if name in BackboneSettings.__annotations__
    }
    chat = settings.get("chat")
    instrument = ["released"] if definition == "released" else [f"prompt-{settings.get('wrapping', 1)}"]
    instrument += [] if chat is None else [f"template-{'always' if chat else 'never'}"]
    folder = given.folder("perspective-diversity", model_name(backbone), *instrument)
    with contextlib.ExitStack() as held:
        scorer = ConditionalPerplexity(backbone, definition=definition, **reading)
        record = ScoreRecord.of([DIVERSITY], scorer.fingerprint, given.name, given.answers)
        held.enter_context(folder.claimed(record, overwrite=settings.get("overwrite", False)))
        store = held.enter_context(TargetStore(folder.rows_file, scorer.fingerprint))
        on_start(met, len(store))
        work = DiversityRun(given.name, given.answers, questions, scorer, store, given.columns)
        table = write_table(work.rows(on_answer), folder.scores_file)
    notes: tuple[str, ...] = ()
    if scorer.budget.halvings:
        notes = (f"memory ran out: the token budget sank to {scorer.budget.tokens}",)
    return AnswerScores(table, folder.scores_file, SessionCounts(), notes)


@dataclass(frozen=True)
class AwarenessScoring:
    """A ``plan`` of verdicts, which answers have a question, and the labels to compare with."""

    plan: AwarenessPlan
    folder: ScoreFolder
    met: Partners
    truth: Mapping[str, float] | None = None

    def scores(self, outcome: ScoringOutcome) -> AnswerScores:
        """What came of it, written."""
        table, fit = write_table(outcome.rows, self.folder.scores_file), None
        if self.truth is not None and any(row.value is not None for row in outcome.rows):
            fit = against_labels(outcome.rows, self.truth, self.plan.shares)
        return AnswerScores(table, self.folder.scores_file, outcome.session, fit=fit)


def awareness_scoring(
    answers: SystemAnswers, questions: str | Path, models: Session, *, shots: Shots, labels: str | Path | None
) -> AwarenessScoring:
    """Verdicts that are ready to be asked for, or to be estimated; takes what :func:`score_awareness` takes."""
    known = read_questions(questions, answers.columns)
    met = answers.partners(known)
    if not any(known[one].question.strip() for one in met.together):
        raise DeclarationError(
            f"no answered question of {questions} has a text: map its column with --columns question=…"
        )
    truth = None if labels is None else read_verdicts(labels)
    if truth is not None and not set(truth) & set(met.together):
        raise DeclarationError(
            f"no id of {labels} is the id of an answer: write the ids of the answers into the labels"
        )
    client = models.options.resolved()
    folder = answers.folder("dispute-awareness", model_name(client.backend.pinned(client.model)[0]), shots)
    record = ScoreRecord.of([AWARENESS], f"{client.model}, {shots}", answers.name, answers.answers)
    cases = cases_of(read_answers(answers.answers, answers.columns), known)
    plan = AwarenessPlan(
        cases=cases, models=models, folder=folder, scores=record, system=answers.name, shots=shots
    )
    return AwarenessScoring(plan, folder, met, truth)


@strict_options
def score_awareness(
    answers: str | Path,
    questions: str | Path,
    *,
    shots: Shots = "few-shot",
    labels: str | Path | None = None,
    system: str | None = None,
    columns: Mapping[str, str] | None = None,
    output: str | Path | None = None,
    **settings: Unpack[AskedSettings],
) -> AnswerScores:
    """Score Dispute Awareness: does an answer say that its question is debatable? 1 or 0.

    Args:
        answers: one system's answers: ``id`` and ``generation``.
        questions: the questions, in DebateQA's layout; partial answers are not needed.
        shots: with five examples, as the paper advises, or without.
        labels: a table of ``id`` and ``label`` (0 or 1) to compare with.
        system: the system's name, by default that of the file of answers, or of the run's folder that it is in.
        columns: which column holds which field.
        output: the folder for ``scores.parquet``, by default ``runs/SYSTEM-dispute-awareness-MODEL``.
        settings: who judges, and how: :class:`conqret.judging.judge_settings.AskedSettings`.

    Raises:
        DeclarationError: anything wrong with the call or a file. No model is asked then.
    """
    system_answers = SystemAnswers(Path(answers), as_path(output), system, columns)
    with asked_session(settings) as session:
        scoring = awareness_scoring(system_answers, questions, session, shots=shots, labels=labels)
        return scoring.scores(run(scoring.plan, overwrite=settings.get("overwrite", False)))


@dataclass(frozen=True)
class BaselineScoring:
    """The metrics that were chosen, and the answers; ``replayed`` where no model is called."""

    given: SystemAnswers
    chosen: tuple[BaselineMetric, ...]
    cases: Sequence[AnswerCase]
    models: Session
    met: Partners
    weights: Models = field(default_factory=Models)
    replayed: bool = False

    @property
    def asks(self) -> dict[str, str]:
        """The metrics that are asked of a model, by the names of baselines."""
        return {one.name: one.metric for one in self.chosen if one.kind == "asked"}

    @cached_property
    def similarities(self) -> dict[str, Similarity]:
        """The others, with their models loaded."""
        client = self.models.options
        if self.replayed:  # nothing is spent
            client = replace(client, budget_usd=None)
        return prepared(self.chosen, self.cases, self.weights, client if self.asks else None)

    @cached_property
    def folder(self) -> ScoreFolder:
        """Where the scores go."""
        return self.given.folder("baselines")

    @cached_property
    def record(self) -> ScoreRecord:
        """What ``run.json`` says."""
        instruments = [similarity.fingerprint for similarity in self.similarities.values()]
        instruments += [self.models.options.model] * bool(self.asks)
        names = sorted({one.name for one in self.chosen})
        return ScoreRecord.of(names, ", ".join(instruments), self.given.name, self.given.answers)

    @property
    def plan(self) -> LlmMetricsPlan:
        """What a model is asked, once all that is computed is ready."""
        return LlmMetricsPlan(
            cases=self.cases, models=self.models, scores=self.record, folder=self.folder, system=self.given.name,
            metrics=self.asks,
        )  # fmt: skip

    def scores(
        self,
        asked: ScoringOutcome | None,
        *,
        overwrite: bool = False,
        on_start: Callable[[int], object] = lambda kept: None,
        on_answer: Callable[[str, int], None] = lambda metric, number: None,
    ) -> AnswerScores:
        """What comes of it with what a model was ``asked``, written."""
        afresh = overwrite and asked is None
        with self.folder.claimed(self.record, overwrite=afresh), KeptValues(self.folder.values_file) as kept:
            on_start(len(kept))
            rows = baseline_rows(
                self.chosen, self.cases, self.given.name, similarities=self.similarities,
                asked=() if asked is None else asked.rows, kept=kept, on_answer=on_answer,
            )  # fmt: skip
            table = write_table(rows, self.folder.scores_file)
        notes = []
        for one in (one for one in self.chosen if one.kind == "similarity"):
            own = [row for row in rows if row.metric == one.metric]
            if cut := sum(row.detail != "" for row in own):
                notes.append(
                    f"{one.name}: {cut} of {len(own)} answers lost text beyond the model's window (detail)"
                )
        session = self.models.counts if asked is None else asked.session
        return AnswerScores(table, self.folder.scores_file, session, tuple(notes))


def baseline_scoring(
    answers: SystemAnswers,
    references: str | Path,
    models: Session,
    *,
    metrics: Sequence[str] = DEFAULT,
    weights: Models | None = None,
    replayed: bool = False,
) -> BaselineScoring:
    """Baselines that are ready to be computed, or to be estimated; takes what :func:`score_baselines` takes."""
    chosen = tuple(selected(list(metrics)))
    questions = read_questions(references, answers.columns)
    met = answers.partners(questions)
    cases = list(cases_of(read_answers(answers.answers, answers.columns), questions))
    return BaselineScoring(answers, chosen, cases, models, met, weights or Models(), replayed)


@strict_options
def score_baselines(
    answers: str | Path,
    references: str | Path,
    *,
    metrics: Sequence[str] = DEFAULT,
    weights: Models | None = None,
    system: str | None = None,
    columns: Mapping[str, str] | None = None,
    output: str | Path | None = None,
    on_answer: Callable[[str, int], None] = lambda metric, number: None,
    **settings: Unpack[AskedSettings],
) -> AnswerScores:
    """Score answers by what Perspective Diversity is compared with: text similarity, and plain judges.

    Higher is better for all. Values and answers are kept: the same call goes on where it stopped.

    Args:
        answers: one system's answers: ``id`` and ``generation``.
        references: questions with partial answers, in DebateQA's layout.
        metrics: the names of baselines.
        weights: the models that are loaded for ``bartscore`` and ``semscore``, and how.
        system: the system's name, by default that of the file of answers, or of the run's folder that it is in.
        columns: which column holds which field.
        output: the folder for ``scores.parquet``, by default ``runs/SYSTEM-baselines``.
        on_answer: is called with a baseline's name and the number of each answer that was compared.
        settings: who is asked for ``direct-score``, ``g-eval`` and ``num-of-povs``, and how.

    Raises:
        DeclarationError: anything wrong with the call or a file, or a model or a package is missing.
    """
    given, overwrite = (
        SystemAnswers(Path(answers), as_path(output), system, columns),
        settings.get("overwrite", False),
    )
    with asked_session(settings) as session:
        scoring = baseline_scoring(
            given,
            references,
            session,
            metrics=metrics,
            weights=weights,
            replayed=settings.get("replay") is not None,
        )
        asked = run(scoring.plan, overwrite=overwrite) if scoring.asks else None
        return scoring.scores(asked, overwrite=overwrite, on_answer=on_answer)
