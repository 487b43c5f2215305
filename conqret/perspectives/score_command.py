"""``conqret perspectives score``: how diverse rankings are."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from conqret.console import shared_options as options
from conqret.console.exit_codes import end
from conqret.console.option_groups import OptionGroup
from conqret.console.printing import at, note, note_all, result, spaced
from conqret.console.shared_options import StudyOptions
from conqret.console.source_options import EncoderFolder, MmrEncoder
from conqret.errors import DeclarationError
from conqret.errors import number as counted

if TYPE_CHECKING:
    from conqret.perspectives.diversity_run import Diversity


@dataclass(frozen=True, kw_only=True)
class DetectedPerspectives(OptionGroup):
    """What says which documents contain a perspective.

    Who contains what:
        judgments: Judgments instead of a model's: qrels whose second column is the number of the perspective, from 1;
            or BeRDS's JSON Lines, judged.
        yes_from: The lowest grade (1 to 4) with which a document counts as containing the perspective; or the folder of
            a run of `conqret perspectives detect --labels`, whose chosen grade is used. Default: 3.
    """

    judgments: Path | None = None
    yes_from: str | None = None
    model: options.Model = None
    detector: options.Detector = None


def score(
    runs: list[str],
    *,
    perspectives: Path,
    corpus: Path | None = None,
    detection: DetectedPerspectives,
    cuts: str = "5,10",
    depth: int | None = None,
    encoder: EncoderFolder = None,
    mmr_encoder: MmrEncoder = None,
    output: Annotated[Path | None, options.run_folder("PERSPECTIVES-score-MODEL", "The folder")] = None,
    run_options: StudyOptions,
) -> None:
    """Measure whether the first documents of rankings contain every perspective on a question (BeRDS, Tables 3, 5, 6,
    16, 17, Figures 2, 3).

    Prints MRecall (the share of questions with every perspective), precision, which of two sides is shown, how far a
    ranking leans to one side and follows the side of its query, how many documents it needs, and the ceiling (what all
    rankings together contain). A model (or `--judgments`) says which document contains which perspective, and which of
    two perspectives answers the question with yes.

    Args:
        runs: TREC run files (`FILE` or `NAME=FILE`), JSON Lines with texts as BeRDS's evaluation reads them (a question
            and its `ctxs`), or systems that search `--corpus`: `bm25`, `dense` or `hybrid`, optionally with further
            steps after a plus, such as `dense+mmr`: `mmr` (diversity), `perspectives` (a search per perspective), or
            reranking by a model for relevance (`generic`) or for one side (`pro`, `con`). All are compared with the
            first.
        cuts (--cuts, -k): How many of the first documents count; several numbers, comma-separated.
        depth: How many documents of each ranking are judged. A larger number tells how many documents a ranking needs
            to contain every perspective, and what all rankings together contain at best (BeRDS: 100). Default: the
            largest of `--cuts`. MMR chooses among the first 100 in any case.
    Files:
        perspectives: Columns question and perspectives (a list), optionally id and subset: JSONL, CSV, Parquet.
        corpus: The corpus directory with the documents' texts; not needed for files with texts.

    Examples:

    conqret perspectives score bm25 mmr dense=runs/dense.res --corpus corpus/ --perspectives questions.jsonl --model
    gpt-4o-mini -o runs/diversity

    conqret perspectives score runs/bm25.res runs/dense.res --perspectives questions.jsonl --judgments
    runs/diversity/judgments.qrels
    """
    from conqret.perspectives.page import diversity_tables
    from conqret.perspectives.perspective_scores import CONTEXTS, RANKINGS, score_perspectives

    scores = run_options.study(
        score_perspectives,
        runs,
        perspectives=perspectives,
        corpus=corpus,
        judgments=detection.judgments,
        yes_from=detection.yes_from,
        detector=detection.detector,
        cuts=_cuts(cuts),
        depth=depth,
        encoder=encoder,
        mmr_encoder=mmr_encoder,
        output=output,
        model=run_options.calls.for_model(detection.model),
        rows="grades",
        doing="detecting",
    )
    result(
        scores.record(),
        [
            *spaced(diversity_tables(scores.diversity)),
            *map(at, scores.files, ("scores", "values", "judgments", "questions")),
            at(scores.folder / RANKINGS, "rankings"),
            at(scores.folder / CONTEXTS, "with texts"),
        ],
        as_json=run_options.shown.json_output,
    )
    if not run_options.shown.quiet:
        _remark(scores.diversity)
    if scores.sideless:
        note(
            f"{scores.sideless} questions with two perspectives name no supporting side, so sides are not counted for "
            "them"
        )
    end(scores.lost or scores.sideless, scores.session)


def _remark(diversity: Diversity) -> None:
    """Print notes on what the marks in the tables mean, on questions for which a system ranks nothing, and on documents
    without a judgment."""
    from conqret.retrieval.evaluate import marks_legend

    for line in marks_legend(diversity.scores, diversity.baseline, "question"):
        note(line)
    note(*diversity.remarks)
    for name, lacking in diversity.unranked.items():
        note_all(
            f"{name} ranks nothing for {counted(len(lacking), 'question')}, which count as 0", lacking, 5
        )
    if diversity.unjudged:
        counts = [f"{name}: {counted(count, 'document')}" for name, count in diversity.unjudged.items()]
        note_all(
            "documents have no judgment; a question counts only if all its documents down to the cut are judged",
            counts,
            5,
        )


def _cuts(text: str) -> list[int]:

    parts = options.listed(text)
    if not parts or not all(part.isdecimal() and int(part) for part in parts):
        raise DeclarationError(f"--cuts takes numbers of at least 1 with commas, such as 5,10, not {text!r}")
    return sorted({int(part) for part in parts})
