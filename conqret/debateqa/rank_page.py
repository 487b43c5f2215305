"""Ranks of systems by both metrics of DebateQA: the table, and the page that says what each system is, too."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from conqret.debateqa.answering.answering_run import AnswersFolder, AnswersRecord, AnswersSummary
from conqret.debateqa.score_table import CommonMeans
from conqret.debateqa.standings import Standings
from conqret.show.page import write_file
from conqret.show.report_page import ReportPage, section
from conqret.show.table import Cell, Column, Table
from conqret.show.words import label, mean

System = tuple[AnswersFolder, AnswersRecord, AnswersSummary]
FIRST = ("1", "1=")
"""How the first rank is written, alone and shared."""


def ranking_table(
    ranking: Standings, table: Mapping[float, Mapping[str, float]], places: Mapping[float, Mapping[str, str]]
) -> Table:
    """The systems by the last of the weights, best first: both means, and the rank by each weight."""
    several = {"Diversity": len(ranking.diversity), "Awareness": len(ranking.awareness)}
    normalised = [f"{name} rank" for name, count in several.items() if count > 1]
    header = (
        "System",
        "Perspective diversity (less\u00a0is\u00a0better)",
        "Dispute awareness (more\u00a0is\u00a0better)",
        *normalised,
        *(f"Rank (k={weight:g})" for weight in table),
    )
    last = list(table.values())[-1]
    rows: list[tuple[Cell, ...]] = []
    for name in sorted(last, key=lambda system: -last[system]):
        normalised_ranks = {
            "Diversity rank": ranking.diversity_ranks[name],
            "Awareness rank": ranking.awareness_ranks[name],
        }
        rows.append(
            (
                name,
                ranking.mean_diversity[name],
                ranking.mean_awareness[name],
                *(normalised_ranks[head] for head in normalised),
                *(places[weight][name] for weight in table),
            )
        )
    notes = [
        "Perspective diversity (P.D.) is the perplexity of partial answers, each for one perspective, for a "
        "language model "
        "that has read the system's answer: a lower value means that the answer contains more perspectives.",
        "Dispute awareness (D.A.) is the share of answers that present the question as debatable.",
        "“Rank (k)” ranks systems by k Z(1 / P.D.) + (1 - k) Z(D.A.): k = 0 uses D.A. alone, and k = 1 P.D. alone. "
        "Z is "
        "a system's distance from the mean of the systems, in standard deviations.",
    ]
    notes += [
        f"{name} is the mean over {count} measuring models, and its rank is by the mean of its {count} ranks."
        for name, count in several.items()
        if count > 1
    ]
    return Table("Ranks by both metrics", header, rows, note="\n".join(notes))


def ranking_words(places: Mapping[float, Mapping[str, str]]) -> list[str]:
    """Who is first by which weight, and that this is not tested, in sentences."""
    first: dict[str, list[str]] = {}
    for weight, ranks in places.items():
        winners = [f"“{name}”" for name, rank in ranks.items() if rank in FIRST]
        many = len(winners) > 1
        clause = f"system{'s' * many} {' and '.join(winners)} {'are' if many else 'is'} first"
        first.setdefault(clause, []).append(f"{weight:g}")
    if len(first) == 1:
        result_text = f"{next(iter(first))} at every weight k of perspective diversity"
    else:
        result_text = "; the ".join(f"{sentence} at k = {', '.join(at)}" for sentence, at in first.items())
    return [
        f"The {result_text}.",
        "Ranks compare means without a test of significance.",
    ]


def read_systems(folders: Iterable[Path]) -> list[System]:
    """Finished runs of answers.

    Raises:
        DeclarationError: a folder holds none.
    """
    systems = []
    for folder in map(AnswersFolder, folders):
        record = folder.record()
        systems.append((folder, record, folder.result(folder.summary_file, AnswersSummary)))
    return systems


def write_ranks(
    ranking: Table,
    lede: Sequence[str],
    systems: Sequence[System],
    measured: Iterable[tuple[str, str, CommonMeans]],
    file: Path,
) -> Path:
    """Write the page: what is ``lede`` of the ranks, the ranks, how each system answers, and the questions behind each
    mean; returns its place."""
    sections = [
        section(ranking, title="Ranks"),
        *([section(_systems(systems))] if systems else []),
        section(_measured(measured)),
    ]
    title = "Which system shows more perspectives and says that the question is debatable?"
    sheet = ReportPage("ranks", title, sections, answer=lede)
    return write_file(file, sheet.html())


def _systems(systems: Sequence[System]) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for folder, record, summary in systems:
        plan = record.plan
        drawn = f"temperature {plan['temperature']:g}"
        drawn += "" if plan["top_p"] is None else f", top-p {plan['top_p']:g}"
        rows.append((
            folder.path.name, summary.strategy, summary.model, summary.agent or "none", plan["kind"],
            plan["length"] or "free", drawn, f"{summary.answered:,} of {summary.questions:,}", mean(summary.tokens),
            mean(summary.chunks),
        ))  # fmt: skip
    texts = ("System", "Strategy", "Model", "Agent", "Prompt", "Tokens wanted", "Drawn with")
    columns: list[str | Column] = [*(Column(name, "text") for name in texts), "Answers", "Tokens", "Chunks"]
    note = "“Tokens” and “Chunks” are means over the answers."
    if any(record.baseline for _, record, _ in systems):
        note += " The model offline is a lexical baseline and no LLM."
    return Table("How each answers", columns, rows, note=note)


def _measured(measured: Iterable[tuple[str, str, CommonMeans]]) -> Table:
    rows = [
        (label(metric), name or "without a name", common.questions, common.left_out)
        for metric, name, common in measured
    ]
    return Table(
        "Metrics and measuring models",
        (Column("Metric", "text"), Column("Measuring model", "text"), "Questions", "Left out"),
        rows,
        note="Means use only the questions for which every system's answer has a score. “Left out” is the number of "
        "scored answers to questions for which some system's answer has no score.",
    )
