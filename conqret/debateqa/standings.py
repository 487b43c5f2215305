"""Systems by Perspective Diversity, Dispute Awareness and both, from their tables of scores (Table 2, Figure 3): ranks,
the table of them, and the page that says what each system is, too."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from conqret.data.digest import gathered
from conqret.debateqa.answering.answering_run import AnswersFolder, AnswersSummary
from conqret.debateqa.score_table import (
    AWARENESS,
    DIVERSITY,
    CommonMeans,
    common_means,
    instruments_of,
    read_tables,
    reasons,
)
from conqret.debateqa.scoring import EQUATION, PUBLISHED, definition_of
from conqret.errors import DeclarationError, strict_options
from conqret.show import words
from conqret.show.page import write_file
from conqret.show.report_page import ReportPage, section
from conqret.show.table import Cell, CellSource, Column, Table

if TYPE_CHECKING:
    import polars as pl

    from conqret.stats.estimate import Estimate


SAME = 1e-12
"""Scores closer than this share a rank: they differ by rounding alone."""


def z_normalised(values: Mapping[str, float]) -> dict[str, float]:
    """Return a mapping from each name to its standardized value, ``(x - mean) / sd`` with the population
    standard deviation; all are 0 where nothing varies."""
    mean = math.fsum(values.values()) / len(values)
    spread = math.sqrt(math.fsum((value - mean) ** 2 for value in values.values()) / len(values))
    if spread <= SAME * max(1.0, abs(mean)):
        return dict.fromkeys(values, 0.0)
    return {name: (value - mean) / spread for name, value in values.items()}


def weighted(diversity: Mapping[str, float], awareness: Mapping[str, float], k: float) -> dict[str, float]:
    """Compute ``k Z(1 / P.D.) + (1 - k) Z(D.A.)`` for each system (Equation 4); higher is better.

    Raises:
        DeclarationError: ``k`` is not in [0, 1], or the systems differ.
    """
    if not 0 <= k <= 1:
        raise DeclarationError(f"a weight must lie between 0 and 1, not at {k}")
    if set(diversity) != set(awareness):
        lone = ", ".join(sorted(set(diversity) ^ set(awareness)))
        raise DeclarationError(f"every system needs both metrics, but {lone} lacks one")
    first = z_normalised({name: 1 / value for name, value in diversity.items()})
    second = z_normalised(awareness)
    return {name: k * first[name] + (1 - k) * second[name] for name in first}


def ranks(scores: Mapping[str, float], *, lower_is_better: bool = False) -> dict[str, int]:
    """Return each system's rank, 1 for the best; equal scores share the better rank (1, 2, 2, 4)."""
    sign = 1 if lower_is_better else -1
    ordered = sorted(scores, key=lambda name: sign * scores[name])
    ranks_by_name: dict[str, int] = {}
    for place, name in enumerate(ordered, start=1):
        before = ordered[place - 2] if place > 1 else None
        shared = before is not None and abs(scores[name] - scores[before]) <= SAME
        ranks_by_name[name] = ranks_by_name[before] if shared and before is not None else place
    return ranks_by_name


def normalised_ranks(columns: Sequence[Mapping[str, int]]) -> dict[str, int]:
    """Return a mapping from system to its rank by mean rank over several measuring models (Table 2, "Norm.
    Rank"); ``columns`` holds one mapping from system to rank for each model."""
    means = {name: sum(column[name] for column in columns) / len(columns) for name in columns[0]}
    return ranks(means, lower_is_better=True)


def shown(table: Mapping[str, int]) -> dict[str, str]:
    """Return a mapping from system to its rank as text, as in Table 2: ``2=`` where several share the rank."""
    values = list(table.values())
    return {name: f"{rank}=" if values.count(rank) > 1 else str(rank) for name, rank in table.items()}


@dataclass(frozen=True)
class Standings:
    """The systems' means and ranks by Perspective Diversity and Dispute Awareness.

    ``diversity`` and ``awareness`` map each measuring model to the systems' means over common questions.
    Several measuring models are averaged. ``missing`` counts missing scores by reason. ``equation`` names
    measuring models of P.D. by Equation 1, which are left out where those of the published definition are there.

    Raises:
        DeclarationError: a mean is read, and a measuring model did not measure every system.
    """

    diversity: Mapping[str, CommonMeans]
    awareness: Mapping[str, CommonMeans]
    missing: Mapping[str, int] = field(default_factory=dict)
    equation: tuple[str, ...] = ()

    @property
    def published(self) -> bool:
        """True unless a P.D. is Equation 1's sum, which has another scale than the paper's tables."""
        return "paper" not in map(definition_of, self.diversity)

    @cached_property
    def association(self) -> Estimate:
        """Return Spearman's rho of the systems' P.D., reversed, and D.A. (Figure 2)."""
        from conqret.stats.correlation import spearman  # numpy, which no help needs

        names = sorted(self.mean_awareness)
        return spearman(
            [-self.mean_diversity[name] for name in names], [self.mean_awareness[name] for name in names]
        )

    @cached_property
    def mean_diversity(self) -> dict[str, float]:
        """Return each system's Perspective Diversity, averaged over measuring models; lower is better."""
        return _average(self.diversity)

    @cached_property
    def mean_awareness(self) -> dict[str, float]:
        """Return each system's Dispute Awareness, 0 to 1, averaged over measuring models; higher is
        better."""
        return _average(self.awareness)

    @cached_property
    def diversity_ranks(self) -> dict[str, str]:
        """Return each system's rank by its mean rank in Perspective Diversity over measuring models (Table
        2)."""
        columns = [ranks(common.means, lower_is_better=True) for common in self.diversity.values()]
        return shown(normalised_ranks(columns))

    @cached_property
    def awareness_ranks(self) -> dict[str, str]:
        """Return each system's rank by its mean rank in Dispute Awareness over measuring models (Table 2)."""
        return shown(normalised_ranks([ranks(common.means) for common in self.awareness.values()]))

    @property
    def measured(self) -> list[tuple[str, str, CommonMeans]]:
        """Return metric, measuring model and means of everything that was measured."""
        both = ((DIVERSITY, self.diversity), (AWARENESS, self.awareness))
        return [(metric, name, means) for metric, known in both for name, means in known.items()]

    def combined(self, k: float) -> dict[str, float]:
        """Return each system's weighted mean of both metrics (Equation 4), with weight ``k`` for diversity;
        higher is better."""
        return weighted(self.mean_diversity, self.mean_awareness, k)


@strict_options
def rank_systems(scores: Sequence[str | Path]) -> Standings:
    """Rank systems by Perspective Diversity, Dispute Awareness, and their weighted mean (DebateQA, Equation 4).

    Args:
        scores: tables of ``conqret debateqa score``, of all systems and both metrics.

    Returns:
        The means and ranks of each metric; its ``combined(k)`` has the weighted mean, k the weight of Perspective
        Diversity.

    Raises:
        DeclarationError: as :func:`standings`, or a file cannot be read.
    """
    return standings(read_tables(scores))


def standings(table: pl.DataFrame) -> Standings:
    """Compute the standings of all systems in a score table, by the published definition of P.D. where both are
    there.

    Raises:
        DeclarationError: a metric is missing for a system, or no question is scored for all systems.
    """
    import polars as pl

    measured = instruments_of(table).get(DIVERSITY, ())
    by_definition = gathered((definition_of(name), name) for name in measured)
    equation = tuple(by_definition.get("paper", ())) if "released" in by_definition else ()
    kept = table.filter(~(pl.col("metric").eq(DIVERSITY) & pl.col("instrument").is_in(list(equation))))
    result = Standings(_complete(kept, DIVERSITY), _complete(kept, AWARENESS), reasons(kept), equation)
    result.combined(1.0)  # what is missing shows here
    return result


def _complete(table: pl.DataFrame, metric: str) -> dict[str, CommonMeans]:
    means = common_means(table, metric)
    for instrument, mean in means.items():
        name = instrument or "its measuring model"
        if mean.unscored:
            raise DeclarationError(
                f"no answer of {', '.join(mean.unscored)} has a {metric} by {name}: score them, or leave a table out"
            )
        if not mean.questions:
            raise DeclarationError(
                f"no question has a {metric} of all systems by {name} ({', '.join(mean.scored)}): score their answers "
                "to the same questions, or leave a table out"
            )
    return means


def _average(measured: Mapping[str, CommonMeans]) -> dict[str, float]:
    means = {instrument: common.means for instrument, common in measured.items()}
    systems = {name for mean in means.values() for name in mean}
    for instrument, mean in means.items():
        if missing := systems - set(mean):
            raise DeclarationError(
                f"{instrument} did not measure {', '.join(sorted(missing))}: leave its table out, "
                "or score these systems with it"
            )
    return {name: sum(mean[name] for mean in means.values()) / len(means) for name in sorted(systems)}


System = tuple[AnswersFolder, Any, AnswersSummary]
"""A run of answers: its folder, its record and its summary."""
FIRST = ("1", "1=")
"""How the first rank is written, alone and shared."""


def ranking_table(
    ranking: Standings, table: Mapping[float, Mapping[str, float]], places: Mapping[float, Mapping[str, str]]
) -> Table:
    """Build the table of systems with both means and their rank by each weight, sorted by the last weight.
    ``table`` has the systems' scores by weight, and ``places`` their ranks as texts."""
    several = {"Diversity": len(ranking.diversity), "Awareness": len(ranking.awareness)}
    columns: dict[str, Mapping[str, Cell]] = {
        "Perspective diversity (less\u00a0is\u00a0better)": ranking.mean_diversity,
        "Dispute awareness (more\u00a0is\u00a0better)": ranking.mean_awareness,
    }
    if several["Diversity"] > 1:
        columns["Diversity rank"] = ranking.diversity_ranks
    if several["Awareness"] > 1:
        columns["Awareness rank"] = ranking.awareness_ranks
    columns |= {f"Rank (k={weight:g})": places[weight] for weight in table}
    last = list(table.values())[-1]
    rows = [
        (name, *(column[name] for column in columns.values()))
        for name in sorted(last, key=lambda system: -last[system])
    ]
    notes = [
        "Perspective diversity (P.D.) is the perplexity of partial answers, each for one perspective, for a language "
        "model that has read the system's answer: a lower value means that the answer contains more perspectives. "
        + (PUBLISHED if ranking.published else EQUATION),
        "Dispute awareness (D.A.) is the share of answers that present the question as debatable.",
        "“Rank (k)” ranks systems by k Z(1 / P.D.) + (1 - k) Z(D.A.): k = 0 uses D.A. alone, and k = 1 P.D. alone. Z "
        "is a system's distance from the mean of the systems, in standard deviations.",
    ]
    notes += [
        f"{name} is the mean over {count} measuring models, and its rank is by the mean of its {count} ranks."
        for name, count in several.items()
        if count > 1
    ]
    return Table("Ranks by both metrics", ("System", *columns), rows, note="\n".join(notes))


def ranking_words(places: Mapping[float, Mapping[str, str]]) -> list[str]:
    """Return sentences that say which system is first at which weight (the keys of ``places``), and that this
    is not a test of significance."""
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
    return [f"The {result_text}.", "Ranks compare means without a test of significance."]


def read_systems(folders: Iterable[Path]) -> list[System]:
    """Read finished runs of answers: for each its folder, its record and its summary.

    Raises:
        DeclarationError: a folder has no finished run.
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
    """Write the report page of the ranks to ``file``, and return its path.

    Args:
        ranking: the table of ranks.
        lede: the sentences at the top of the page.
        systems: the runs of answers whose settings are described.
        measured: metric, measuring model and means.
        file: the page to write.
    """
    sections = [
        section(ranking, title="Ranks"),
        *([section(_systems(systems))] if systems else []),
        section(_measured(measured)),
    ]
    title = "Which system shows more perspectives and says that the question is debatable?"
    sheet = ReportPage("ranks", title, sections, answer=lede)
    return write_file(file, sheet.html())


def _systems(systems: Sequence[System]) -> Table:
    columns: dict[str | Column, CellSource] = {
        Column("System", "text"): lambda system: system[0].path.name,
        Column("Strategy", "text"): (2, "strategy"),
        Column("Model", "text"): (2, "model"),
        Column("Agent", "text"): lambda system: system[2].agent or "none",
        Column("Prompt", "text"): lambda system: system[1].plan["kind"],
        Column("Tokens wanted", "text"): lambda system: system[1].plan["length"] or "free",
        Column("Drawn with", "text"): lambda system: (
            f"temperature {system[1].plan['temperature']:g}"
            + ("" if system[1].plan["top_p"] is None else f", top-p {system[1].plan['top_p']:g}")
        ),
        "Answers": lambda system: f"{system[2].answered:,} of {system[2].questions:,}",
        "Tokens": lambda system: words.mean(system[2].tokens),
        "Chunks": lambda system: words.mean(system[2].chunks),
    }
    note = "“Tokens” and “Chunks” are means over the answers."
    if any(record.baseline for _, record, _ in systems):
        note += " The model offline is a lexical baseline and no LLM."
    return Table("How each answers", columns, systems, note=note)


def _measured(measured: Iterable[tuple[str, str, CommonMeans]]) -> Table:
    return Table(
        "Metrics and measuring models",
        {
            Column("Metric", "text"): lambda row: words.label(row[0]),
            Column("Measuring model", "text"): lambda row: row[1] or "without a name",
            "Questions": (2, "questions"),
            "Left out": (2, "left_out"),
        },
        measured,
        note="Means use only the questions for which every system's answer has a score. “Left out” is the number of "
        "scored answers to questions for which some system's answer has no score.",
    )
