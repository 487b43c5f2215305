"""``conqret perspectives score``: how diverse rankings are."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from conqret.console import shared_options as options
from conqret.console.option_groups import OptionGroup, grouped
from conqret.console.printing import at, end, note, note_all, result
from conqret.errors import number as counted
from conqret.judging.study_command import StudyOptions
from conqret.retrieval.retrieve_session import MmrEncoder, Where

if TYPE_CHECKING:
    from collections.abc import Sequence

    from conqret.perspectives.diversity_run import Diversity, JudgedDocuments

SCORES, VALUES, JUDGMENTS, QUESTIONS = "scores.json", "values.csv", "judgments.qrels", "perspectives.jsonl"
RANKINGS = "rankings"
"""What the systems ranked, a TREC run each: NAME=FILE of another score."""


@dataclass(frozen=True, kw_only=True)
class DetectedPerspectives(OptionGroup):
    """What says which documents contain a perspective.

    Who contains what:
        judgments: Judgments instead of a model's: qrels whose second column is the number of the perspective, from 1.
        yes_from: The grade (1 to 4) from which a document counts as containing the perspective, or a run of `conqret
            perspectives detect` that chose one. Default: 3.
    """

    judgments: Path | None = None
    yes_from: str | None = None
    model: options.Model = None
    detector: options.Detector = None


@grouped
def score(
    runs: list[str],
    *,
    perspectives: Path,
    corpus: Path | None = None,
    detection: DetectedPerspectives,
    cuts: str = "5,10",
    depth: int | None = None,
    encoder: Where = None,
    mmr_encoder: MmrEncoder = None,
    output: Annotated[Path | None, options.run_folder("PERSPECTIVES-score-MODEL", "The folder")] = None,
    asking: StudyOptions,
) -> None:
    """Do the first documents show every perspective on a question? (BeRDS, Tables 3, 5, 6, 16, 17, Figures 2, 3)

    Prints MRecall (the share of questions with every perspective shown), precision, which side is shown where
    there are two, how a ranking leans and whether it follows the side of its query, how many documents it needs,
    and the ceiling of all rankings together. A model (or `--judgments`) says which document contains which
    perspective, and which of two perspectives supports the question.

    Args:
        runs: TREC runs (`FILE` or `NAME=FILE`), or systems that search `--corpus`: `bm25`, `dense` or `hybrid`, and
            further steps after a plus: `mmr`, `perspectives`, `generic`, `pro`, `con`, as in `dense+mmr`. The others
            are compared with the first.
        cuts (--cuts, -k): How many of the first documents count; several numbers, comma-separated.
        depth: How many documents of each ranking are judged, for the ceiling and for how many a ranking needs (BeRDS:
            100). Default: the largest of `--cuts`.
    Files:
        perspectives: Columns question and perspectives (a list), optionally id and subset: JSONL, CSV, Parquet.
        corpus: The corpus directory with the documents' texts.

    Examples:

    conqret perspectives score bm25 mmr dense=runs/dense.res --corpus corpus/ --perspectives questions.jsonl --model
    gpt-4o-mini -o runs/diversity

    conqret perspectives score runs/bm25.res runs/dense.res --perspectives questions.jsonl --judgments
    runs/diversity/judgments.qrels
    """
    import json

    from conqret.errors import DeclarationError
    from conqret.perspectives.detection import estimate
    from conqret.perspectives.detection_options import detected, sided
    from conqret.perspectives.diversity_run import facts_of, pairs_of, pooled, values_of
    from conqret.perspectives.diversity_run import score as scored
    from conqret.perspectives.page import diversity_tables
    from conqret.perspectives.perspective_files import perspective_lines, read_perspectives
    from conqret.perspectives.ranking_sources import named, qrels_of, ranked, read_judged, write_rankings
    from conqret.retrieval.evaluation.system_names import ASKING, has_step
    from conqret.retrieval.retrieve import retrieval_session
    from conqret.runs.run_folder import default_folder, stem
    from conqret.show.page import write_files
    from conqret.show.table import spaced

    if detection.detector is not None and (detection.yes_from is not None or detection.judgments is not None):
        raise DeclarationError(
            "--detector decides alone, with its own threshold: leave out --yes-from and --judgments"
        )
    wanted = _cuts(cuts)
    deepest = depth or max(wanted)
    systems = named(runs)
    if mmr_encoder is not None and not any(has_step(system, {"mmr"}) for system in systems):
        raise DeclarationError("--mmr-encoder is for systems with MMR: add one, such as bm25+mmr")
    questions = read_perspectives(perspectives)
    session = searching = asking.session(detection.model)
    folder = output or default_folder(stem(perspectives), "score", session.options.model)
    index = None if corpus is None else _index(corpus)
    if index is None and detection.judgments is None:
        raise DeclarationError(
            "a model reads the documents' texts: give them with --corpus FOLDER, or judgments with --judgments"
        )
    judged: JudgedDocuments = (
        {} if detection.judgments is None else read_judged(detection.judgments, questions)
    )
    # Before a model is asked anything, every file has to be sound.
    ranked([system for system in systems if index is None or "=" in system], questions, deepest)
    questions, asked, sideless = sided(questions, folder, session, asking)
    if asking.dry_run:
        systems = _unasked(systems)
    elif any(has_step(system, ASKING) for system in systems):
        searching = retrieval_session(
            asking.calls.of(detection.model),
            beside=folder / RANKINGS,
            recordings=asking.kept.recordings,
            replay=asking.kept.replay,
            prompts=asking.prompts,
        )
    rankings = ranked(systems, questions, deepest, index, searching, encoder, mmr_encoder)
    lost: dict[str, int] = {}
    if detection.judgments is None:
        pool = pooled(questions, rankings, deepest)
        pairs = pairs_of(questions, pool, _texts(index, pool))
        if asking.dry_run:
            detecting = [estimate(pairs, session)] if detection.detector is None else []
            asking.tell_cost([*asked, *detecting])
            return
        judged, lost = detected(
            questions,
            pairs,
            folder,
            detection.detector,
            yes_from=detection.yes_from,
            session=session,
            asking=asking,
        )
    if asking.dry_run:
        asking.tell_cost(asked)
        return
    diversity = scored(questions, rankings, judged, cuts=wanted, depth=deepest)
    facts = facts_of(diversity)
    written = write_files(
        folder,
        {
            SCORES: json.dumps(facts, indent=1) + "\n",
            VALUES: values_of(diversity),
            JUDGMENTS: (
                f"{r.query_id} {r.iteration} {r.doc_id} {r.relevance}\n" for r in qrels_of(questions, judged)
            ),
            QUESTIONS: perspective_lines(questions),
        },
    )
    write_rankings(folder / RANKINGS, rankings)
    result(
        facts,
        [
            *spaced(diversity_tables(diversity)),
            *map(at, written, ("scores", "values", "judgments", "questions")),
            at(folder / RANKINGS, "rankings"),
        ],
        as_json=asking.shown.json_output,
    )
    if not asking.shown.quiet:
        _remark(diversity)
    if sideless:
        note(
            f"{sideless} questions with two perspectives have no answer which supports: no side is counted for them"
        )
    end(lost or sideless)


def _remark(diversity: Diversity) -> None:
    """What the tables mean, and what they lack."""
    from conqret.perspectives.page import legend

    note(legend(diversity))
    for name, lacking in diversity.unranked.items():
        note_all(f"{name} ranks nothing for {counted(len(lacking), 'question')}, and has 0 there", lacking, 5)
    if diversity.unjudged:
        counts = [f"{name}: {counted(count, 'document')}" for name, count in diversity.unjudged.items()]
        note_all(
            "documents without a judgment; a question counts only where all that count are judged",
            counts,
            5,
        )


def _unasked(systems: Sequence[str]) -> list[str]:
    """The systems that can be run for a price: those that ask no model themselves."""
    from conqret.retrieval.evaluation.system_names import ASKING, has_step

    left_out = [system for system in systems if has_step(system, ASKING)]
    if left_out:
        note(
            f"not in the price: what {', '.join(left_out)} ask to search, and the documents that only they find"
        )
    return [system for system in systems if system not in left_out]


def _cuts(text: str) -> list[int]:
    from conqret.errors import DeclarationError

    parts = options.listed(text)
    if not parts or not all(part.isdecimal() and int(part) for part in parts):
        raise DeclarationError(f"--cuts takes numbers from 1 on with commas, such as 5,10, not {text!r}")
    return sorted({int(part) for part in parts})


def _index(corpus: Path) -> Any:
    from conqret._optional import require

    require("pyterrier", "pandas", extra="retrieval")
    from conqret.retrieval.corpus_index import open_index

    return open_index(corpus)


def _texts(index: Any, pool: Any) -> dict[str, str]:
    from conqret.errors import DeclarationError

    wanted = [document for documents in pool.values() for document in documents]
    texts = {name: entry.whole for name, entry in index.entries(wanted).items()}
    if wanted and not texts:
        raise DeclarationError(f"the corpus holds none of the ranked documents, such as {wanted[0]!r}")
    return texts
