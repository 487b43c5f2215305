"""``score_diversity``, ``score_awareness`` and ``score_baselines``: answers of one system in, a table of scores out."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypedDict, Unpack

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
from conqret.debateqa.debateqa_files import (
    DebatableQuestion,
    Partners,
    check_answers,
    partners,
    read_answers,
    read_questions,
    read_verdicts,
)
from conqret.debateqa.human_alignment import AwarenessFit, against_labels
from conqret.debateqa.model_metrics import (
    QUESTIONS,
    Verdict,
    awareness_prompt,
    awareness_question,
    instrument,
    instrument_name,
)
from conqret.debateqa.score_table import AWARENESS, DIVERSITY, ScoreRow, write_table
from conqret.debateqa.scoring import (
    AnswerCase,
    KeptValues,
    ScoreFolder,
    ScoreRecord,
    TargetStore,
    cases_of,
    diversity_rows,
    model_name,
    own_prompt,
    scored,
)
from conqret.errors import DeclarationError, number, strict_options
from conqret.llm.client_options import client_options
from conqret.local.likelihoods import Definition
from conqret.local.prefix import DEFAULT_WRAPPING
from conqret.local.scorer import ConditionalPerplexity
from conqret.runs.dry_run import Counted, RunPrompt
from conqret.runs.request_run import RequestRunSettings, Run
from conqret.runs.run_folder import RECORD_NAME, as_path, default_folder, stem
from conqret.runs.session import SessionCounts

if TYPE_CHECKING:
    import polars as pl


Shots = Literal["few-shot", "zero-shot", "table-13", "table-13-zero-shot"]


@dataclass(frozen=True)
class SystemAnswers:
    """The answers of one system: their file, its output folder, the system's name, and a mapping from fields
    to columns."""

    answers: Path
    output: Path | None
    system: str | None
    columns: Mapping[str, str] | None

    @property
    def name(self) -> str:
        """Return the system's name; by default that of its run's folder, or that of the answers' file outside
        of a run."""
        beside = self.answers.resolve().parent
        return self.system or (beside.name if (beside / RECORD_NAME).is_file() else stem(self.answers))

    def partners(self, questions: Mapping[str, DebatableQuestion]) -> Partners:
        """Check every row of the answers, and return which answers and questions have the same id."""
        return partners(check_answers(self.answers, self.columns), questions)

    def cases(
        self, questions: Mapping[str, DebatableQuestion], *, released: bool = False
    ) -> Iterator[AnswerCase]:
        """Yield each answer together with its question and partial answers.

        ``released`` joins partial answers as DebateQA's script does.
        """
        return cases_of(read_answers(self.answers, self.columns), questions, released=released)

    def folder(self, metric: str, *instrument: str) -> ScoreFolder:
        """Return the folder for the scores of a metric; ``instrument`` is the measuring model's part of its
        default name."""
        return ScoreFolder(self.output or default_folder(self.name, metric, *instrument))


@dataclass(frozen=True, slots=True)
class AnswerScores:
    """The scores of one system's answers.

    ``table`` has a row for each answer and metric, and is stored in ``file``. ``met`` lists which answers
    have a question. ``notes`` are remarks for the user, and ``fit`` compares verdicts with labels (None
    without labels). ``missing`` lists responses that a replay lacked.
    """

    table: pl.DataFrame
    file: Path
    session: SessionCounts
    met: Partners
    notes: tuple[str, ...] = ()
    fit: AwarenessFit | None = None
    missing: tuple[str, ...] = ()


class BackboneSettings(TypedDict, total=False):
    """The settings of a backbone for Perspective Diversity.

    ``wrapping`` (1 to 5) is the prompt around the answer (None: 5 by ``released``, 1 by ``paper``), and ``chat``
    is whether the chat template is used (None: if there is one). ``device`` and ``dtype`` are where and in
    which precision the model runs. ``token_budget`` is the most tokens of a forward pass.
    """

    wrapping: int | None
    chat: bool | None
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
    on_start: Callable[[Partners, int], object] = lambda partners, kept: None,
    on_answer: Callable[[int], None] = lambda number: None,
    **reading: Unpack[BackboneSettings],
) -> AnswerScores:
    """Score Perspective Diversity: the perplexity of a question's partial answers given the answer.

    Lower is better. Rows are stored as they are scored, so the same call continues a stopped run.

    Args:
        answers: one system's answers: ``id`` and ``generation``.
        references: questions with partial answers, in DebateQA's layout.
        backbone: a causal language model: a folder, or a name on the hub.
        definition: ``released``: the arithmetic of DebateQA's script, by which its tables were made;
            ``paper``: its Equations 1 and 2.
        system: the system's name, by default that of the file of answers, or of the run's folder that it
            is in.
        columns: a mapping from fields to columns.
        output: the folder for ``scores.parquet``, by default ``runs/SYSTEM-METRIC-INSTRUMENT``.
        overwrite: start anew where the folder contains another run.
        on_start: called with the matches of answers and questions, and the number of stored rows.
        on_answer: called with the number of each answer that was scored.
        reading: :class:`BackboneSettings`.

    Returns:
        The table of scores, and which answers have a question.

    Raises:
        DeclarationError: a file or the model cannot be used, or no question has a partial answer.
    """
    given = SystemAnswers(Path(answers), as_path(output), system, columns)
    questions = read_questions(references, columns)
    if not any(question.partial_answers for question in questions.values()):
        raise DeclarationError(
            f"no question of {references} has partial answers, which perspective diversity needs: give DebateQA's "
            "layout with --references, or map its columns with --columns"
        )
    met = given.partners(questions)
    chat = reading.get("chat")
    wrapping = reading.get("wrapping") or (None if definition == "released" else DEFAULT_WRAPPING)
    instrument = [] if wrapping is None else [f"prompt-{wrapping}"]
    instrument += ["released"] if definition == "released" else []
    instrument += [] if chat is None else [f"template-{'always' if chat else 'never'}"]
    folder = given.folder("perspective-diversity", model_name(backbone), *instrument)
    with contextlib.ExitStack() as held:
        scorer = ConditionalPerplexity(backbone, definition=definition, **reading)
        record = ScoreRecord.from_answers([DIVERSITY], scorer.fingerprint, given.name, given.answers)
        held.enter_context(folder.claimed(record, overwrite=overwrite))
        store = held.enter_context(TargetStore(folder.rows_file, scorer.fingerprint))
        on_start(met, len(store))
        cases = given.cases(questions, released=definition == "released")
        table = write_table(diversity_rows(given.name, cases, scorer, store, on_answer), folder.scores_file)
    notes: tuple[str, ...] = ()
    if scorer.budget.halvings:
        notes = (f"memory ran out: the token budget sank to {scorer.budget.tokens}",)
    return AnswerScores(table, folder.scores_file, SessionCounts(), met, notes)


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
    **settings: Unpack[RequestRunSettings],
) -> AnswerScores:
    """Score Dispute Awareness: 1 if a model judges that an answer presents its question as debatable, else 0.

    Args:
        answers: one system's answers: ``id`` and ``generation``.
        questions: the questions, in DebateQA's layout; partial answers are not needed.
        shots: the prompt with five examples (``few-shot``, as the paper advises) or without
            (``zero-shot``); the same closer to the paper's Table 13 (``table-13``, ``table-13-zero-shot``).
        labels: a table of ``id`` and ``label`` (0 or 1), perhaps ``system``, to compare the verdicts with.
        system: the system's name, by default that of the file of answers, or of the run's folder that it
            is in.
        columns: a mapping from fields to columns.
        output: the folder for ``scores.parquet``, by default ``runs/SYSTEM-dispute-awareness-MODEL``.
        settings: the model and how it is called:
            :class:`conqret.runs.request_run.RequestRunSettings`.

    Returns:
        The table of verdicts, and their agreement with the labels.

    Raises:
        DeclarationError: the call or a file is wrong. No request is sent then.
    """
    given = SystemAnswers(Path(answers), as_path(output), system, columns)
    known = read_questions(questions, columns)
    met = given.partners(known)
    if not any(known[one].question.strip() for one in met.together):
        raise DeclarationError(
            f"no answered question of {questions} has a text: map its column with --columns question=…"
        )
    truth = None if labels is None else read_verdicts(labels)
    labeled = {one for system, one in truth or () if system in ("", given.name)}
    if truth is not None and not labeled & set(met.together):
        raise DeclarationError(
            f"no id of {labels} is the id of an answer: write the ids of the answers into the labels"
        )
    judge = client_options(settings.get("model"), settings).resolved()
    folder: Any = given.folder("dispute-awareness", model_name(judge.backend.pinned(judge.model)[0]), shots)
    prompt, shares = awareness_prompt(shots), dict[str, float]()
    own = own_prompt(settings.get("prompts"), prompt)
    with Run[Any](
        folder,
        [judge],
        {prompt: RunPrompt(Verdict, "score", 10, by=prompt)},
        settings,
        contents=(),
        total=len(met.together),
        purpose="",
        about=f"{number(len(met.together), 'verdict')} by",
        record=ScoreRecord.from_answers(
            [AWARENESS], f"{judge.model}, {shots}{own}", given.name, given.answers
        ),
    ) as run:
        by = instrument_name(run.client().model_id, shots) + own
        run.request_all(
            scored(
                run,
                case,
                awareness_question(case, shots, shares),
                ScoreRow(given.name, case.id, AWARENESS, by),
            )
            for case in given.cases(known)
        )
        done = run.finish(lambda rows: (write_table(rows, folder.scores_file), {}))
    fit = None
    if truth is not None and any(row.value is not None for row in done.rows):
        fit = against_labels(done.rows, truth, shares)
    return AnswerScores(done.summary, folder.scores_file, done.session, met, fit=fit, missing=done.missing)


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
    """
    given = SystemAnswers(Path(answers), as_path(output), system, columns)
    chosen = selected(metrics)
    questions = read_questions(references, columns)
    met = given.partners(questions)
    cases = list(given.cases(questions))
    judge = client_options(settings.get("model"), settings)
    model_metrics = {name: column_of(name) for name in chosen if BASELINES[name] == "asked"}
    dry, overwrite = settings.get("dry_run", False), settings.get("overwrite", False)
    if dry and not model_metrics:
        raise Counted([])
    similarities: dict[str, Similarity] = {}
    if not dry:  # nothing is spent in a replay
        payer = judge if settings.get("replay") is None else replace(judge, budget_usd=None)
        similarities = prepared(chosen, cases, weights or Models(), payer if model_metrics else None)
    instruments = [similarity.fingerprint for similarity in similarities.values()]
    own = {name: own_prompt(settings.get("prompts"), QUESTIONS[name].prompt) for name in model_metrics}
    instruments += [judge.model + "".join(own.values())] * bool(model_metrics)
    names = sorted(chosen)
    record = ScoreRecord.from_answers(names, ", ".join(instruments), given.name, given.answers)
    folder: Any = given.folder("baselines")
    requested: Any = None
    if model_metrics:
        count = len(model_metrics) * len(cases)
        prompts = {QUESTIONS[name].prompt: QUESTIONS[name].run_prompt for name in model_metrics}
        with Run[Any](
            folder,
            [judge],
            prompts,
            settings,
            contents=(),
            total=count,
            purpose="",
            about=f"{number(count, 'grade')} by",
            record=record,
        ) as run:
            run.request_all(
                scored(
                    run,
                    case,
                    QUESTIONS[name],
                    ScoreRow(given.name, case.id, metric, instrument(name, run) + own[name]),
                )
                for case in cases
                for name, metric in model_metrics.items()
            )
            requested = run.finish(lambda rows: (None, {}))
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
    return AnswerScores(table, folder.scores_file, session, met, tuple(notes), missing=missing)
