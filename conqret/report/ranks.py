"""Ranks of systems by both metrics of DebateQA: the table, and the page that says what each system is, too."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from conqret.answering.run import AnswersFolder, AnswersRecord, AnswersSummary
from conqret.debateqa.standings import Standings
from conqret.debateqa.table import CommonMeans
from conqret.report.page import write_file
from conqret.report.sheet import Sheet, section
from conqret.report.table import Cell, Column, Table
from conqret.report.words import label, mean

System = tuple[AnswersFolder, AnswersRecord, AnswersSummary]


def ranking_table(
    found: Standings, table: Mapping[float, Mapping[str, float]], places: Mapping[float, Mapping[str, str]]
) -> Table:
    """The systems by the last of the weights, best first: both means, and the rank by each weight."""
    several = {"P.D.": len(found.diversity), "D.A.": len(found.awareness)}
    normalised = [f"{short} rank" for short, count in several.items() if count > 1]
    header = ("system", "P.D.", "D.A.", "likelier", *normalised, *(f"k={weight:g}" for weight in table))
    last = list(table.values())[-1]
    rows: list[tuple[Cell, ...]] = []
    for name in sorted(last, key=lambda one: -last[one]):
        own = {"P.D. rank": found.diversity_ranks[name], "D.A. rank": found.awareness_ranks[name]}
        likelier = found.likelier[name]
        rows.append(
            (
                name,
                found.mean_diversity[name],
                found.mean_awareness[name],
                "> 1e300" if likelier is None else f"{likelier:.3g}",
                *(own[head] for head in normalised),
                *(places[weight][name] for weight in table),
            )
        )
    said = [
        "P.D.: perspective diversity, where less is better; D.A.: dispute awareness, where more is better; k=: ranks "
        "by both, where P.D. weighs k and D.A. 1 - k."
    ]
    said += [
        f"{short}: the mean over {count} instruments; its rank: by the mean of its {count} ranks."
        for short, count in several.items()
        if count > 1
    ]
    said.append(
        "likelier: how many times likelier a token of a partial answer is under the system of the best P.D. (DebateQA, "
        "Appendix H)."
    )
    return Table("Ranks by k Z(1 / P.D.) + (1 - k) Z(D.A.)", header, rows, note="\n".join(said))


def read_systems(folders: Iterable[Path]) -> list[System]:
    """Finished runs of answers.

    Raises:
        DeclarationError: a folder holds none.
    """
    found = []
    for folder in map(AnswersFolder, folders):
        record = folder.record()
        found.append((folder, record, folder.result(folder.summary_file, AnswersSummary)))
    return found


def write_ranks(
    ranking: Table,
    systems: Sequence[System],
    measured: Iterable[tuple[str, str, CommonMeans]],
    file: Path,
) -> Path:
    """Write the page: the ranks, how each system answers, and the questions behind each mean; returns its place."""
    sections = [
        section(ranking, title="Ranks"),
        *([section(_systems(systems))] if systems else []),
        section(_measured(measured)),
    ]
    sheet = Sheet("ranks", "Who shows more perspectives, and says that there is a dispute?", sections)
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
    texts = ("system", "strategy", "model", "agent", "prompt", "tokens wanted", "drawn with")
    columns: list[str | Column] = [*(Column(name, "text") for name in texts), "answers", "tokens", "chunks"]
    note = "tokens, chunks: means over the answers."
    if any(record.baseline for _, record, _ in systems):
        note += " offline is the lexical baseline: a floor, and no author."
    return Table("How each answers", columns, rows, note=note)


def _measured(measured: Iterable[tuple[str, str, CommonMeans]]) -> Table:
    rows = [
        (label(metric), name or "without a name", one.questions, one.left_out)
        for metric, name, one in measured
    ]
    return Table(
        "What was measured, and by what",
        (Column("metric", "text"), Column("instrument", "text"), "questions", "left out"),
        rows,
        note="Means are over the questions that were scored of all systems; scored answers to others are left out.",
    )
