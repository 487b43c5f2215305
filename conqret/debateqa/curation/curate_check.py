"""``conqret debateqa curate check``: the figures by which a benchmark's quality is known."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from conqret.console import shared_options as options
from conqret.console.option_groups import grouped
from conqret.console.printing import note, result
from conqret.debateqa.curation.curate_review import Folder, ReviewOptions, looked_at, tell_figures, verdicts
from conqret.debateqa.curation.questions_command import Encoder
from conqret.judging.study_command import StudyOptions


@grouped
def relevance(folder: Folder, *, encoder: Encoder = "lexical", shown: options.OutputOptions) -> None:
    """How near the documents' chunks of 1,000 tokens are to their questions (DebateQA, A.2 and Figure 4: .56).

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
    """Do the points of view hold all that the five nearest chunks of each question say (DebateQA, A.3: 90.4%)?

    Without `--model` a sheet is written, and people fill in its column `covered` with yes or no; `--labels`
    reads it back.

    Example: conqret debateqa curate check comprehensiveness benchmark/ --model gpt-4o-mini -o chunks.csv
    """
    from conqret.debateqa.curation.benchmark_figures import near_chunks
    from conqret.debateqa.curation.benchmark_folder import read_made
    from conqret.debateqa.curation.embeddings import embedder
    from conqret.debateqa.curation.review import review_chunks
    from conqret.stats.resampling import mean_interval

    made = read_made(folder)
    review = review_chunks(made, near_chunks(made, embedder(encoder)))
    verdict_by_id, done = looked_at(review, folder, "chunks", reviewed, asking)
    if verdict_by_id is None:
        return
    places = [str(row[0]) for row in review.rows if str(row[0]) in verdict_by_id]
    share = mean_interval(
        [float(verdict_by_id[place]) for place in places],
        [place.rpartition("/")[0] for place in places],
        scale="share",
    )
    tell_figures(
        "Comprehensiveness",
        {"chunks whose perspectives are all covered": share, "chunks looked at": len(places), "of": len(review.rows)},
        "DebateQA: 90.4% of the five nearest chunks, by people. The interval (95%) is over questions.",
        done, asking.shown,
    )  # fmt: skip


@grouped
def distinctiveness(
    folder: Folder,
    *,
    encoder: Encoder = "lexical",
    threshold: float = 0.75,
    reviewed: ReviewOptions,
    asking: StudyOptions,
) -> None:
    """Which points of view of one question may say the same (DebateQA, A.3)? People or a judge look at similar pairs.

    `conqret debateqa curate remove --duplicates SHEET` takes away the second of each pair that is called a duplicate.

    Args:
        threshold: The cosine from which two points of view count as similar and are looked at (DebateQA: .75).

    Example: conqret debateqa curate check distinctiveness benchmark/ --labels pairs.csv
    """
    from conqret.debateqa.curation.benchmark_figures import alike_views
    from conqret.debateqa.curation.benchmark_folder import read_made
    from conqret.debateqa.curation.embeddings import embedder
    from conqret.debateqa.curation.review import review_pairs

    made = read_made(folder)
    review = review_pairs(made, alike_views(made, embedder(encoder), threshold))
    counts = [len(question.partial_answers) for question in made.questions]
    facts: dict[str, Any] = {
        "points of view": sum(counts),
        "pairs within a question": sum(count * (count - 1) // 2 for count in counts),
        f"pairs with a cosine of {threshold} or more": len(review.rows),
    }
    done = None
    if review.rows:
        verdict_by_id, done = looked_at(review, folder, "pairs", reviewed, asking)
        if verdict_by_id is None:
            return
        facts["of these called duplicates"] = sum(verdict_by_id.values())
        facts["not looked at"] = len(review.rows) - len(verdict_by_id)
    elif not asking.shown.quiet:
        note(
            f"no pair is to be looked at: no sheet is written or read; a --threshold below {threshold} shows more"
        )
    tell_figures("Distinctiveness", facts, "", done, asking.shown)


@grouped
def viewpoints(
    folder: Folder,
    answers: Path,
    *,
    model: options.Model = None,
    output: Path | None = None,
    asking: StudyOptions,
) -> None:
    """How many answers hold a weighty viewpoint that the partial answers miss: a rating of 5 (DebateQA, Table 11).

    Args:
        answers: Answers to the benchmark's questions: id and generation.
    Files:
        output (--output, -o): The run's folder. Default: runs/ANSWERS-viewpoints-MODEL.

    Example: conqret debateqa curate check viewpoints benchmark/ answers.jsonl --model gpt-4o-mini
    """
    from conqret.debateqa.curation.benchmark_folder import read_made
    from conqret.debateqa.curation.review import MISSED, missed_subjects
    from conqret.debateqa.debateqa_files import check_answers, read_answers
    from conqret.errors import DeclarationError
    from conqret.stats.estimate import undefined
    from conqret.stats.resampling import mean_interval

    made = read_made(folder)
    every = check_answers(answers)
    subjects = missed_subjects(made, list(read_answers(answers)))
    if not subjects:
        raise DeclarationError(f"no id of the {len(every)} answers is among the questions of {folder}")
    done = verdicts(
        MISSED, subjects, answers, "viewpoints", model=model, output=output, asking=asking,
    )  # fmt: skip
    if done is None:
        return
    ratings = [int(row.answer["rating"]) for row in done.asked.rows if row.answered]
    share = (
        mean_interval([float(rating == 5) for rating in ratings], scale="share")
        if ratings
        else undefined("no answer")
    )
    facts = {
        "answers with a rating of 5": share,
        **{f"rating {rating}": ratings.count(rating) for rating in range(5, 0, -1)},
        "no rating": len(subjects) - len(ratings),
        "answers to no question of the benchmark": len(every) - len(subjects),
    }
    note_text = (
        "DebateQA, Table 11: .03 to .09 of six models' answers, after people had checked the ratings of 5."
    )
    tell_figures("Viewpoints that the benchmark misses", facts, note_text, done, asking.shown)


@grouped
def domains(
    folder: Folder,
    *,
    number: int = 8,
    encoder: Encoder = "lexical",
    shown: options.OutputOptions,
) -> None:
    """Which domains the questions are from: groups of like questions, named by their words (DebateQA, Figure 7).

    Args:
        number (--number, -n): How many domains.

    Example: conqret debateqa curate check domains benchmark/ --encoder models/gte-large -n 8
    """
    from conqret.debateqa.curation.benchmark_figures import benchmark_domains
    from conqret.show.table import Column, Table

    groups = benchmark_domains(folder, number=number, encoder=encoder)
    rows = [(", ".join(group.words), group.questions, group.example) for group in groups]
    columns = (Column("domain", "text"), "questions", Column("in its middle", "text"))
    table = Table("Domains", columns, rows, note=f"Groups by k-means over embeddings by {encoder}.")
    result([group.model_dump() for group in groups], [table], as_json=shown.json_output)
