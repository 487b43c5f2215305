"""``conqret debateqa curate check``: the figures by which a benchmark's quality is known."""

from __future__ import annotations

from pathlib import Path

from conqret.console import shared_options as options
from conqret.console.option_groups import grouped
from conqret.console.printing import note, result
from conqret.debateqa.curation.curate_review import (
    Folder,
    ReviewOptions,
    asks,
    looked_at,
    tell_figures,
    tell_verdict_cost,
)
from conqret.debateqa.curation.questions_command import Encoder
from conqret.judging.study_command import StudyOptions


@grouped
def relevance(folder: Folder, *, encoder: Encoder = "lexical", shown: options.OutputOptions) -> None:
    """Measure how relevant documents are to their questions: the mean cosine similarity of their chunks of 1,000 tokens
    to the question (DebateQA, A.2 and Figure 4, has .56).

    Example: conqret debateqa curate check relevance benchmark/ --encoder models/gte-large
    """
    from conqret.debateqa.curation.benchmark_figures import benchmark_relevance
    from conqret.debateqa.curation.benchmark_folder import read_made
    from conqret.debateqa.curation.page import relevance_table

    relevance_scores = benchmark_relevance(folder, encoder=encoder)
    texts = {question.id: question.question for question in read_made(folder).questions}
    result(relevance_scores, [relevance_table(relevance_scores, texts, encoder)], as_json=shown.json_output)


@grouped
def comprehensiveness(
    folder: Folder,
    *,
    encoder: Encoder = "lexical",
    reviewed: ReviewOptions,
    asking: StudyOptions,
) -> None:
    """Check whether the points of view cover what the five most similar document chunks of each question say (DebateQA,
    A.3: 90.4% are covered).

    Without `--model` a form is written, in which annotators fill the column `covered` with yes or no; `--labels` then
    reads it.

    Example: conqret debateqa curate check comprehensiveness benchmark/ --model gpt-4o-mini -o chunks.csv
    """
    from conqret.debateqa.curation.benchmark_checks import Comprehensiveness, chunks_to_review
    from conqret.debateqa.curation.benchmark_folder import read_made

    review = chunks_to_review(read_made(folder), encoder)
    rows = looked_at(review, folder, "chunks", reviewed, asking)
    if rows is None:
        return
    facts = {
        "chunks whose perspectives are all covered": Comprehensiveness.of(rows).covered,
        "chunks looked at": len(rows.verdicts),
        "of": rows.rows,
    }
    note_text = (
        "DebateQA: 90.4% of the five nearest chunks, by annotators. The interval (95%) is over questions."
    )
    tell_figures("Comprehensiveness", facts, note_text, rows.asked, asking.shown)


@grouped
def distinctiveness(
    folder: Folder,
    *,
    encoder: Encoder = "lexical",
    threshold: float = 0.75,
    reviewed: ReviewOptions,
    asking: StudyOptions,
) -> None:
    """Find points of view of one question that may say the same (DebateQA, A.3).

    Without `--model` a form of similar pairs is written for annotators; with it a model decides. `conqret debateqa
    curate remove --duplicates FORM` then removes the second of each pair that is marked as duplicate.

    Args:
        threshold: The cosine from which two points of view count as similar and are looked at (DebateQA: .75).

    Example: conqret debateqa curate check distinctiveness benchmark/ --labels pairs.csv
    """
    from conqret.debateqa.curation.benchmark_checks import (
        Distinctiveness,
        ReviewedRows,
        pairs_to_review,
    )
    from conqret.debateqa.curation.benchmark_folder import read_made

    made = read_made(folder)
    review = pairs_to_review(made, encoder, threshold)
    rows = looked_at(review, folder, "pairs", reviewed, asking) if review.rows else ReviewedRows(0, {})
    if rows is None:
        return
    figures = Distinctiveness.of(made, threshold, rows)
    facts = {
        "points of view": figures.views,
        "pairs within a question": figures.pairs,
        f"pairs with a cosine of {threshold} or more": rows.rows,
    }
    if rows.rows:
        facts["of these called duplicates"] = figures.duplicates
        facts["not looked at"] = rows.rows - len(rows.verdicts)
    elif not asking.shown.quiet:
        note(
            "no pair is similar enough to be checked, so no annotation form is written or read: "
            f"lower --threshold below {threshold}"
        )
    tell_figures("Distinctiveness", facts, "", rows.asked, asking.shown)


@grouped
def viewpoints(
    folder: Folder,
    answers: Path,
    *,
    model: options.Model = None,
    output: Path | None = None,
    asking: StudyOptions,
) -> None:
    """Count the answers that contain an important point of view that the partial answers lack: the model rates this
    from 1 to 5, and a 5 counts (DebateQA, Table 11).

    Args:
        answers: Answers to the benchmark's questions: id and generation.
    Files:
        output (--output, -o): The run's folder. Default: runs/ANSWERS-viewpoints-MODEL.

    Example: conqret debateqa curate check viewpoints benchmark/ answers.jsonl --model gpt-4o-mini
    """
    from conqret.debateqa.curation.benchmark_checks import MissedViewpoints, answers_to_rate
    from conqret.debateqa.curation.review import MISSED

    wanted, foreign = answers_to_rate(folder, answers)
    if asking.dry_run:
        tell_verdict_cost(MISSED, wanted, model, asking)
        return
    asked = asks(answers, model, asking)(MISSED, wanted, "viewpoints", output)
    figures = MissedViewpoints.of(asked, foreign)
    facts = {
        "answers with a rating of 5": figures.missed,
        **{f"rating {rating}": count for rating, count in figures.ratings.items()},
        "no rating": figures.unrated,
        "answers to no question of the benchmark": foreign,
    }
    note_text = "DebateQA, Table 11: .03 to .09 of six models' answers, after annotators had checked the ratings of 5."
    tell_figures("Viewpoints that the benchmark misses", facts, note_text, asked, asking.shown)


@grouped
def domains(
    folder: Folder,
    *,
    number: int = 8,
    encoder: Encoder = "lexical",
    shown: options.OutputOptions,
) -> None:
    """Group similar questions into domains, named by their most typical words (DebateQA, Figure 7).

    Args:
        number (--number, -n): Into how many domains (clusters of similar questions) the questions are grouped.

    Example: conqret debateqa curate check domains benchmark/ --encoder models/gte-large -n 8
    """
    from conqret.debateqa.curation.benchmark_figures import benchmark_domains
    from conqret.show.table import Column, Table

    groups = benchmark_domains(folder, number=number, encoder=encoder)
    rows = [(", ".join(group.words), group.questions, group.example) for group in groups]
    columns = (Column("domain", "text"), "questions", Column("in its middle", "text"))
    table = Table("Domains", columns, rows, note=f"Groups by k-means over embeddings by {encoder}.")
    result([group.model_dump() for group in groups], [table], as_json=shown.json_output)
