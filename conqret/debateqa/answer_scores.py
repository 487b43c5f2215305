"""``score_diversity``, ``score_awareness`` and ``score_baselines``: answers of one system in, a table of scores out."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypedDict, Unpack

from conqret.data.digest import file_digest_of
from conqret.debateqa.baseline_metrics import (
    BASELINES,
    DEFAULT,
    Models,
    Similarity,
    baseline_rows,
    column_of,
    prepared,
    selected,
)
from conqret.debateqa.debateqa_files import read_answers, read_questions
from conqret.debateqa.model_metrics import QUESTIONS, awareness_question, instrument, instrument_name
from conqret.debateqa.score_table import AWARENESS, DIVERSITY, ScoreRow, write_table
from conqret.debateqa.scoring import (
    AnswerCase,
    KeptValues,
    ScoreFolder,
    ScoreRecord,
    ScoringPrompt,
    TargetStore,
    diversity_rows,
    model_name,
    own_prompt,
    scored,
)
from conqret.errors import DeclarationError, number, strict_options
from conqret.llm.client_options import ClientOptions, client_options
from conqret.local.likelihoods import Definition
from conqret.local.prefix import DEFAULT_WRAPPING
from conqret.local.scorer import ConditionalPerplexity
from conqret.runs.dry_run import Counted
from conqret.runs.request_run import RequestRunSettings, Run
from conqret.runs.run_folder import RECORD_NAME, as_path, default_folder, stem
from conqret.runs.session import SessionCounts
from conqret.runs.study_run import StudyOutcome

if TYPE_CHECKING:
    import polars as pl


Shots = Literal["few-shot", "zero-shot", "table-13", "table-13-zero-shot"]


@dataclass(frozen=True)
class SystemAnswers:
    """The answers of one system with their questions: the system's name, the file, and the cases to score.

    ``answers_alone`` and ``questions_alone`` are the ids that only answers or only questions have.
    """

    name: str
    file: Path
    cases: tuple[AnswerCase, ...]
    answers_alone: tuple[str, ...]
    questions_alone: tuple[str, ...]

    def folder(self, output: str | Path | None, metric: str, *instrument: str) -> ScoreFolder:
        """Return the folder for the scores of a metric; ``instrument`` is the measuring model's part of its
        default name."""
        return ScoreFolder(as_path(output) or default_folder(self.name, metric, *instrument))

    def record(self, metrics: list[str], instrument: str) -> ScoreRecord:
        """Return the record of a scoring run; the file of answers is identified by its digest."""
        digest = file_digest_of(self.file)
        return ScoreRecord(metrics=metrics, instrument=instrument, system=self.name, answers=digest)


def read_system(
    answers: str | Path,
    references: str | Path,
    system: str | None = None,
    columns: Mapping[str, str] | None = None,
    *,
    released: bool = False,
) -> SystemAnswers:
    """Read a system's answers and the questions with their partial answers.

    Args:
        answers: the file of answers.
        references: the file of questions.
        system: the system's name; by default that of its run's folder, or that of the answers' file outside of a run.
        columns: a mapping from fields to columns.
        released: join the point of view and explanation of a partial answer as DebateQA's script does.

    Returns:
        The answers that have a question, in the order of their file, and the ids of the others.

    Raises:
        DeclarationError: a file cannot be read, or answers and questions share no id.
    """
    file, questions, texts = (
        Path(answers),
        read_questions(references, columns),
        read_answers(answers, columns),
    )
    beside = file.resolve().parent
    cases = tuple(
        AnswerCase(
            name,
            questions[name].question,
            text,
            tuple(part.released_text if released else part.text for part in questions[name].partial_answers),
        )
        for name, text in texts.items()
        if name in questions
    )
    if not cases:
        raise DeclarationError(
            f"none of the {len(texts)} answers has the id of one of the {len(questions)} questions: use the same ids"
        )
    return SystemAnswers(
        system or (beside.name if (beside / RECORD_NAME).is_file() else stem(file)),
        file,
        cases,
        tuple(name for name in texts if name not in questions),
        tuple(name for name in questions if name not in texts),
    )


@dataclass(frozen=True, slots=True)
class AnswerScores:
    """The scores of one system's ``answers``.

    ``table`` has a row for each answer and metric, and is stored in ``file``. ``notes`` are remarks for the
    user. ``missing`` lists responses that a replay lacked.
    """

    table: pl.DataFrame
    file: Path
    session: SessionCounts
    answers: SystemAnswers
    notes: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()


class BackboneSettings(TypedDict, total=False):
    """The settings of a backbone for Perspective Diversity.

    ``wrapping`` (1 to 5) is the prompt around the answer (None: 5 by ``released``, 1 by ``paper``). ``device``
    and ``dtype`` are where and in which precision the model runs. ``token_budget`` is the most tokens of a
    forward pass.
    """

    wrapping: int | None
    device: str | None
    dtype: str | None
    token_budget: int | None


@strict_options
def score_diversity(
    answers: str | Path,
    references: str | Path,
    *,
    backbone: str,
    definition: Definition = "released",
    system: str | None = None,
    columns: Mapping[str, str] | None = None,
    output: str | Path | None = None,
    overwrite: bool = False,
    on_start: Callable[[int, int], object] = lambda answers, kept: None,
    on_answer: Callable[[int], None] = lambda number: None,
    **reading: Unpack[BackboneSettings],
) -> AnswerScores:
    """Score Perspective Diversity: the perplexity of a question's partial answers given the answer.

    Lower is better. Rows are stored as they are scored, so the same call continues a stopped run.

    Args:
        answers: one system's answers: ``id`` and ``generation``.
        references: questions with partial answers, in DebateQA's layout.
        backbone: a causal language model: a folder, or a name on the hub.
        definition: ``released``: the arithmetic of DebateQA's script, by which its tables were made, without
            a prompt around the answer by default; ``paper``: its Equations 1 and 2.
        system: the system's name, by default that of the file of answers, or of the run's folder that it
            is in.
        columns: a mapping from fields to columns.
        output: the folder for ``scores.parquet``, by default ``runs/SYSTEM-METRIC-INSTRUMENT``.
        overwrite: start anew where the folder contains another run.
        on_start: called with the number of answers and the number of stored rows.
        on_answer: called with the position (from 0) of each answer that was scored.
        reading: :class:`BackboneSettings`.

    Returns:
        The table of scores, and which answers have a question.

    Raises:
        DeclarationError: a file or the model cannot be used, or no question has a partial answer.
    """
    given = read_system(answers, references, system, columns, released=definition == "released")
    if not any(case.partial for case in given.cases):
        raise DeclarationError(
            f"no question of {references} has partial answers, which perspective diversity needs: give DebateQA's "
            "layout with --references, or map its columns with --columns"
        )
    wrapping = reading.get("wrapping") or (None if definition == "released" else DEFAULT_WRAPPING)
    instrument = [] if wrapping is None else [f"prompt-{wrapping}"]
    instrument += ["released"] if definition == "released" else []
    folder = given.folder(output, "perspective-diversity", model_name(backbone), *instrument)
    with contextlib.ExitStack() as held:
        scorer = ConditionalPerplexity(backbone, definition=definition, **reading)
        record = given.record([DIVERSITY], scorer.fingerprint)
        held.enter_context(folder.claimed(record, overwrite=overwrite))
        store = held.enter_context(TargetStore(folder.rows_file, scorer.fingerprint))
        on_start(len(given.cases), len(store))
        rows = diversity_rows(given.name, given.cases, scorer, store, on_answer)
        table = write_table(rows, folder.scores_file)
    notes: tuple[str, ...] = ()
    if scorer.budget.halvings:
        notes = (f"memory ran out: the token budget sank to {scorer.budget.tokens}",)
    return AnswerScores(table, folder.scores_file, SessionCounts(), given, notes)


@strict_options
def score_awareness(
    answers: str | Path,
    questions: str | Path,
    *,
    shots: Shots = "few-shot",
    system: str | None = None,
    columns: Mapping[str, str] | None = None,
    output: str | Path | None = None,
    **settings: Unpack[RequestRunSettings],
) -> AnswerScores:
    """Score Dispute Awareness: 1 if a model judges that an answer presents its question as debatable, else 0.

    Args:
        answers: one system's answers: ``id`` and ``generation``.
        questions: the questions, in DebateQA's layout; partial answers are not needed.
        shots: the prompt with five examples (``few-shot``, as the paper advises) or without
            (``zero-shot``); the same closer to the paper's Table 13 (``table-13``, ``table-13-zero-shot``).
        system: the system's name, by default that of the file of answers, or of the run's folder that it
            is in.
        columns: a mapping from fields to columns.
        output: the folder for ``scores.parquet``, by default ``runs/SYSTEM-dispute-awareness-MODEL``.
        settings: the model and how it is called:
            :class:`conqret.runs.request_run.RequestRunSettings`.

    Returns:
        The table of verdicts. Verdicts are stored, so the same call continues a stopped run.

    Raises:
        DeclarationError: the call or a file is wrong. No request is sent then.
    """
    given = read_system(answers, questions, system, columns)
    if not any(case.question.strip() for case in given.cases):
        raise DeclarationError(
            f"no answered question of {questions} has a text: map its column with --columns question=…"
        )
    judge = client_options(settings.get("model"), settings).resolved()
    model = model_name(judge.backend.pinned(judge.model)[0])
    folder, prompt = given.folder(output, "dispute-awareness", model, shots), awareness_question(shots)
    own = own_prompt(settings.get("prompts"), prompt.prompt)
    done = _requested(
        given,
        folder,
        judge,
        settings,
        given.record([AWARENESS], f"{judge.model}, {shots}{own}"),
        {AWARENESS: (prompt, lambda run: instrument_name(run.client().model_id, shots) + own)},
        "verdict",
    )
    table = write_table(done.rows, folder.scores_file)
    return AnswerScores(table, folder.scores_file, done.session, given, missing=done.missing)


def _requested(
    given: SystemAnswers,
    folder: Any,
    judge: ClientOptions,
    settings: RequestRunSettings,
    record: ScoreRecord,
    requested: Mapping[str, tuple[ScoringPrompt, Callable[[Run[Any]], str]]],
    what: str,
) -> StudyOutcome[Any, None]:
    """Have a model score the answers by each metric of ``requested``: its prompt, and what names the measuring model.
    ``what`` is what a response is called."""
    count = len(requested) * len(given.cases)
    with Run[Any](
        folder,
        [judge],
        {prompt.prompt: prompt.run_prompt for prompt, _ in requested.values()},
        settings,
        contents=(),
        total=count,
        purpose="",
        about=f"{number(count, what)} by",
        record=record,
    ) as run:
        run.request_all(
            scored(run, case, prompt, ScoreRow(given.name, case.id, metric, named(run)))
            for case in given.cases
            for metric, (prompt, named) in requested.items()
        )
        return run.finish(lambda rows: (None, {}))


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
    **settings: Unpack[RequestRunSettings],
) -> AnswerScores:
    """Score answers by the metrics that Perspective Diversity is compared with: text similarity, and plain
    judges.

    Higher is better for all. Values and responses are stored, so the same call continues a stopped run.

    Args:
        answers: one system's answers: ``id`` and ``generation``.
        references: questions with partial answers, in DebateQA's layout.
        metrics: the names of baseline metrics, with hyphens or underscores, in any case.
        weights: the models that are loaded for ``bartscore`` and ``semscore``, and how.
        system: the system's name, by default that of the file of answers, or of the run's folder that it
            is in.
        columns: a mapping from fields to columns.
        output: the folder for ``scores.parquet``, by default ``runs/SYSTEM-baselines``.
        settings: the model of ``direct-score``, ``g-eval`` and ``num-of-povs``, and how it is called.

    Returns:
        The table of scores, and which answers have a question.

    Raises:
        DeclarationError: the call or a file is wrong, or a model or a package is missing.
        Counted: it is a dry run; the exception has the expected cost (no costs if no metric calls a model).
    """
    given = read_system(answers, references, system, columns)
    chosen, cases = selected(metrics), given.cases
    judge = client_options(settings.get("model"), settings)
    asked = [name for name in chosen if BASELINES[name] == "asked"]
    dry, overwrite = settings.get("dry_run", False), settings.get("overwrite", False)
    if dry and not asked:
        raise Counted([])
    similarities: dict[str, Similarity] = {}
    if not dry:  # nothing is spent in a replay
        payer = judge if settings.get("replay") is None else replace(judge, budget_usd=None)
        similarities = prepared(chosen, cases, weights or Models(), payer if asked else None)
    instruments = [similarity.fingerprint for similarity in similarities.values()]
    own = {name: own_prompt(settings.get("prompts"), QUESTIONS[name].prompt) for name in asked}
    instruments += [judge.model + "".join(own.values())] * bool(asked)
    record = given.record(sorted(chosen), ", ".join(instruments))
    folder = given.folder(output, "baselines")
    requested = None
    if asked:
        named = {name: partial(_instrument, name, own[name]) for name in asked}
        prompts = {column_of(name): (QUESTIONS[name], named[name]) for name in asked}
        requested = _requested(given, folder, judge, settings, record, prompts, "grade")
    watch = settings.get("watch")
    afresh = overwrite and requested is None
    notes = []
    with folder.claimed(record, overwrite=afresh), KeptValues(folder.values_file) as kept:
        if len(kept):
            notes.append(f"{len(kept)} values are kept from an earlier run")
        rows = baseline_rows(
            chosen,
            cases,
            given.name,
            similarities=similarities,
            requested=() if requested is None else requested.rows,
            kept=kept,
            on_answer=lambda done: None if watch is None else watch.reach(done, total=len(cases)),
        )
        table = write_table(rows, folder.scores_file)
    for one in similarities:
        scored_rows = [row for row in rows if row.metric == column_of(one)]
        if cut := sum(row.detail != "" for row in scored_rows):
            notes.append(
                f"{one}: {cut} of {len(scored_rows)} answers lost text beyond the model's window (detail)"
            )
    session, missing = (SessionCounts(), ()) if requested is None else (requested.session, requested.missing)
    return AnswerScores(table, folder.scores_file, session, given, tuple(notes), missing)


def _instrument(name: str, own: str, run: Run[Any]) -> str:
    return instrument(name, run) + own
