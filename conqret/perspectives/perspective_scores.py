"""Rankings scored by the perspectives that they show, as one piece of work (BeRDS, Tables 3, 5, 6, 16, 17): what is
checked before a model is called, what is requested (which of two perspectives supports, and which documents contain
which), and the files of the result.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Literal, Unpack

from conqret._optional import require
from conqret.debateqa.curation.check_verdicts import CheckVerdict, Subject, VerdictRow, judge_rows
from conqret.errors import DeclarationError, check_positive, strict_options
from conqret.io.pairs import Pair
from conqret.judging.responses import Typed
from conqret.llm.client_options import client_options
from conqret.perspectives.detection import DETECTORS, DetectorPrompt
from conqret.perspectives.detection_study import (
    DetectedFolder,
    check_threshold,
    detect_locally,
    detected,
    detection_run,
    threshold_of_option,
)
from conqret.perspectives.detector_models import Detector, load_detector
from conqret.perspectives.diversity_run import CUTS, Diversity, score, values_of
from conqret.perspectives.perspective_files import (
    SIDES,
    PerspectiveQuestion,
    perspective_lines,
    read_perspectives,
)
from conqret.perspectives.ranking_sources import (
    context_lines,
    holds_contexts,
    judged_of,
    named,
    pairs_of,
    passages_of,
    pooled,
    qrels_lines,
    ranked,
    read_contexts,
    read_judged,
    write_rankings,
)
from conqret.retrieval.corpus_index import open_index
from conqret.retrieval.retrieve import retrieval_session
from conqret.retrieval.system_names import MODEL_STEPS, has_step
from conqret.retrieval.systems import SystemRun
from conqret.runs.dry_run import Counted, costs_of
from conqret.runs.request_run import RequestRunSettings
from conqret.runs.run_folder import as_path, default_folder, stem
from conqret.runs.session import Session, SessionCounts, session_settings
from conqret.runs.sessions import Sessions
from conqret.show.page import write_files
from conqret.text.lexicons import NEGATIONS
from conqret.text.words import words

SCORES, VALUES, JUDGMENTS, QUESTIONS = "scores.json", "values.csv", "judgments.qrels", "perspectives.jsonl"
RANKINGS, CONTEXTS = "rankings", "ctxs"
"""What the systems ranked, a TREC run each, and a file with the texts in BeRDS's format: NAME=FILE of another score."""


@dataclass(frozen=True)
class PerspectiveScores:
    """The diversity scores of rankings, with the run's folder and files.

    ``sideless`` counts the questions with two perspectives of which it is unknown which one supports.
    ``lost`` counts the pairs without a valid response, by reason.
    """

    diversity: Diversity
    sideless: int
    lost: Mapping[str, int]
    folder: Path
    files: tuple[Path, ...]
    session: SessionCounts
    missing: tuple[str, ...] = ()


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
    **settings: Unpack[RequestRunSettings],
) -> PerspectiveScores:
    """Score rankings by the perspectives that their first documents contain (BeRDS, Tables 3, 5, 6, 16 and
    17).

    Args:
        runs: TREC runs or BeRDS's JSON Lines with ``ctxs`` (``FILE`` or ``NAME=FILE``), or systems that
            search the corpus: ``bm25``, ``dense`` or ``hybrid``, and further steps after a plus, as in
            ``dense+mmr``. The others are compared with the first.
        perspectives: a table with the columns question and perspectives (a list), optionally id and
            subset.
        corpus: the corpus directory with the documents' texts.
        judgments: judgments that replace a model's: qrels whose second column is the number of the
            perspective, from 1; or JSON Lines with ``ctxs`` and their ``preds``.
        yes_from: the grade (1 to 4) from which a document counts as containing the perspective, or the
            folder of a run of :func:`conqret.detect` that chose one; by default 3.
        detector: what says which documents contain a perspective: ``graded`` (the default), or BeRDS's
            ``zero-shot`` or ``one-shot`` prompt, by the model; or the folder of a local model, as
            :func:`conqret.apply_detector` takes it.
        cuts: the cut-offs: how many of the first documents count.
        depth: how many documents of each ranking are judged; by default the largest of ``cuts``. MMR chooses
            among the first 100 in any case.
        encoder: the current location of the encoder of a dense index.
        mmr_encoder: the encoder whose vectors maximal marginal relevance compares; by default it compares
            words.
        output: the folder, by default ``runs/PERSPECTIVES-score-MODEL``; the same call continues a
            stopped run.
        settings: which model is called, and how:
            :class:`conqret.runs.request_run.RequestRunSettings`.

    Returns:
        The scores of all systems, and the files that were written.

    Raises:
        DeclarationError: the call, the files or the folder are wrong. No model is called then.
    """
    if detector is not None and judgments is not None:
        raise DeclarationError("--judgments replaces --detector: leave out one of them")
    check_threshold(detector, yes_from)
    prompt = DETECTORS.get("graded" if detector is None else str(detector))
    check_positive({"the smallest cut": min(cuts, default=0)})
    systems = tuple(named(runs))
    if mmr_encoder is not None and not any(has_step(system, {"mmr"}) for system in systems):
        raise DeclarationError("--mmr-encoder needs a system with MMR: add one, such as bm25+mmr")
    questions = tuple(read_perspectives(Path(perspectives)))
    contexts = {
        system: read_contexts(system, questions)
        for system in systems
        if "=" in system and holds_contexts(system)
    }
    searched = [system for system in systems if system not in contexts]
    index = None
    if corpus is not None:
        require("pyterrier", "pandas", extra="retrieval")
        index = open_index(Path(corpus))
    elif judgments is None and searched:
        raise DeclarationError(
            "the model needs the documents' texts: give them with --corpus FOLDER, or give judgments with --judgments"
        )
    model = client_options(settings.get("model"), settings)
    folder = as_path(output) or default_folder(stem(Path(perspectives)), "score", model.model)
    judged = None if judgments is None else read_judged(Path(judgments), questions)
    threshold = threshold_of_option(None if yes_from is None else str(yes_from))[0]
    cuts, depth = sorted(set(cuts)), depth or max(cuts)
    model_systems = tuple(system for system in systems if has_step(system, MODEL_STEPS))
    expands = any(has_step(system, {"perspectives"}) for system in systems)

    def ranks(chosen: Sequence[str], session: Session | None = None) -> list[SystemRun]:
        others = [system for system in chosen if system in searched]
        made = ranked(others, questions, depth, index, session, encoder, mmr_encoder) if others else []
        runs = dict(zip(others, made, strict=True)) | {name: file.run for name, file in contexts.items()}
        return [runs[system] for system in chosen]

    # Before a model is called, every file has to be sound.
    ranked([system for system in searched if index is None or "=" in system], questions, depth)
    wanted = subjects(questions)
    if settings.get("dry_run"):
        session = Session(model, prompts=session_settings(settings)["prompts"])
        costs = costs_of(lambda: judge_rows(VERDICT, wanted, **settings)) if wanted else []
        if judged is None and prompt is not None:
            rankings = ranks([system for system in systems if system not in model_systems], session)
            pool = pooled(questions, rankings, depth)
            pairs = [*pairs_of(questions, pool, passages_of(pool, index, contexts.values())).values()]
            with detection_run(pairs, folder, model, settings, prompt=prompt) as run:
                costs += costs_of(lambda: detected(run, pairs, prompt=prompt))
        if model_systems and costs:
            left_out = (
                f"the estimate leaves out the requests with which {', '.join(model_systems)} search, and the documents "
                "that only they find"
            )
            costs[-1] = replace(costs[-1], notes=(*costs[-1].notes, left_out))
        raise Counted(costs)
    sideless, missing, lost = 0, tuple[str, ...](), dict[str, int]()
    with Sessions(**session_settings(settings)) as sessions:
        session = sessions.session(model)
        detects = prompt or load_detector(Path(str(detector)), session_settings(settings)["prompts"])
        if wanted:
            done = judge_rows(VERDICT, wanted, output=folder / "sides", sessions=sessions, **settings)
            questions, missing = with_sides(questions, done.rows), done.missing
            sideless = sum(not row.answered for row in done.rows)
        rankings = ranks(
            systems,
            retrieval_session(model, folder / RANKINGS, settings, writes=expands)
            if model_systems
            else session,
        )
        pool = pooled(questions, rankings, depth)
        passages = passages_of(pool, index, contexts.values())
        if judged is None:
            scored = pairs_of(questions, pool, passages)
            pairs, place = [*scored.values()], folder / "detections"
            if isinstance(detects, DetectorPrompt):
                with detection_run(pairs, place, model, settings, prompt=detects, sessions=sessions) as run:
                    outcome = detected(run, pairs, threshold, prompt=detects)
                answers = [row.contains(outcome.summary.yes_from) for row in outcome.rows]
                lost, missing = outcome.summary.unanswered, missing + outcome.missing
            else:
                answers = _locally(detects, pairs, place, settings)
            judged = judged_of(questions, dict(zip(scored, answers, strict=True)))
        counts = session.counts
    diversity = score(questions, rankings, judged, cuts=cuts, depth=depth)
    written = write_files(
        folder,
        {
            SCORES: json.dumps(diversity.record(), indent=1) + "\n",
            VALUES: values_of(diversity),
            JUDGMENTS: qrels_lines(questions, judged),
            QUESTIONS: perspective_lines(questions),
            **{
                f"{CONTEXTS}/{run.name.replace('/', '-')}.jsonl": context_lines(
                    questions, run, passages, judged, depth
                )
                for run in rankings
                if passages
            },
        },
    )
    write_rankings(folder / RANKINGS, rankings)
    return PerspectiveScores(diversity, sideless, lost, folder, tuple(written[:4]), counts, missing)


def _locally(
    detector: Detector, pairs: Sequence[Pair], folder: Path, settings: RequestRunSettings
) -> list[bool | None]:
    watch, overwrite = settings.get("watch"), settings.get("overwrite", False)
    reached = (lambda done: None) if watch is None else partial(watch.reach, total=len(pairs))
    scores = detect_locally(pairs, detector, DetectedFolder(folder), overwrite=overwrite, on_block=reached)
    return [detector.probability(score) >= detector.threshold for score in scores]


class Supports(Typed):
    """A short explanation, then the number of the statement that supports the question."""

    explanation: str
    supports: Literal[1, 2]


VERDICT = CheckVerdict("perspectives/side", Supports, 50, "which perspective supports a question")


def subjects(questions: Sequence[PerspectiveQuestion]) -> list[Subject]:
    """Return, for each question with two perspectives of which it is unknown which one supports, the subject of a
    request about that."""
    wanted = []
    for question in questions:
        if len(question.perspectives) == len(SIDES) and not question.sided:
            first, second = (perspective.text for perspective in question.perspectives)
            shown = {"question": question.question, "first": first, "second": second}
            wanted.append(Subject(question.id, shown, partial(_by_words, *shown.values())))
    return wanted


def with_sides(
    questions: Sequence[PerspectiveQuestion], rows: Sequence[VerdictRow]
) -> tuple[PerspectiveQuestion, ...]:
    """Return the questions with the sides that the verdicts assign; questions without a valid verdict are
    unchanged."""
    answers: Mapping[str, Mapping[str, Any]] = {row.id: row.answer for row in rows if row.answered}
    return tuple(
        question.with_support(answers[question.id]["supports"] - 1) if question.id in answers else question
        for question in questions
    )


def _by_words(question: str, *statements: str) -> dict[str, object]:
    """Return the offline answer, with an explanation: the statement ``supports`` (1 or 2) whose number of
    denials is nearer to that of the question; the first if both are equally near."""
    asked, *denials = (
        sum(word in NEGATIONS for word in words(text.lower())) for text in (question, *statements)
    )
    apart = [abs(count - asked) for count in denials]
    return {
        "explanation": "the one that denies as often as the question",
        "supports": 1 if apart[0] <= apart[1] else 2,
    }
