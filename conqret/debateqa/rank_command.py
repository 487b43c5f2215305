"""``conqret debateqa rank``: systems by Perspective Diversity, Dispute Awareness, and both; and how far metrics agree
with annotators, and among measuring models."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from rich.console import RenderableType

from conqret.console import shared_options as options
from conqret.console.printing import at, note, note_each, result, spaced
from conqret.debateqa.human_alignment import (
    RankingAgreement,
    annotator_agreement,
    correlate,
    fit_table,
    label_fits,
)
from conqret.debateqa.score_table import missing_lines
from conqret.debateqa.stability import PairMatrix, heat_maps, metric_stability
from conqret.debateqa.standings import (
    Standings,
    rank_systems,
    ranking_table,
    ranking_words,
    ranks,
    read_systems,
    shown,
    write_ranks,
)
from conqret.errors import DeclarationError
from conqret.io.pairs import read_comparisons
from conqret.show import words
from conqret.show.charts import COLOURS, drawn
from conqret.show.page import write_file
from conqret.show.table import Column, Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PAPER_SYSTEMS = 5
"""The systems that the paper ranks (Appendix D.1). With fewer, chance alone gives high taus: three systems in
random order have a tau of 1 in one case of six."""


def rank(
    scores: list[Path],
    *,
    weights: str = "0,0.25,0.5,0.75,1",
    report: Path | None = None,
    answers: list[Path] | None = None,
    preferences: Path | None = None,
    labels: Path | None = None,
    stability: Literal["systems", "answers"] | None = None,
    plot: Path | None = None,
    json_output: options.Printed = None,
) -> None:
    """Rank systems by the weighted mean of two metrics, Perspective Diversity and Dispute Awareness, after
    standardizing both (DebateQA, Equation 4); systems with equal scores share a rank.

    If a metric was measured with several models or prompts, its mean over them is used; a system's normalized rank
    (DebateQA, Table 2) comes from its mean rank over them.

    Perspective Diversity ranks as in DebateQA's tables (`--definition released` of `conqret debateqa score`) where it
    was measured so; else by the sum of Equation 1.

    With `--preferences` or `--labels`, metrics are compared with annotators instead; with `--stability`, the results of
    every two measuring models or prompts.

    Args:
        scores: Score tables (scores.parquet) of all systems that `conqret debateqa score` wrote.
        weights: The weights, from 0 to 1 and comma-separated, that the metric Perspective Diversity has in the ranking;
            the metric Dispute Awareness has 1 minus the weight.
        report: Write a page with the ranks and a description of each system.
        answers: A folder of `conqret debateqa answer`, whose settings the page of `--report` describes; the folder's
            name must be the system's. May be repeated.
        preferences: Annotators' pairwise preferences of the systems' answers (first, second, preference; optionally
            annotator, and item: the question's id), with which each metric is compared, by Spearman's rho and Kendall's
            tau within each question (DebateQA, Table 14) and of the systems' means with Elo ratings.
        labels: Human verdicts (id, label: 0 or 1; system, where several answer a question), with which those of
            dispute-awareness and acknowledge are compared (Table 15).
        stability: Compare every two measuring models or prompts of each metric (DebateQA, Figures 9 to 11), by
            Kendall's tau-b of the rankings of `systems` by their mean scores or of all `answers`, and for yes/no
            metrics by the share of equal verdicts.
        plot: Draw into this file, .png or .svg: the systems by both metrics (Figure 2), the heat maps of `--stability`,
            or the correlations of annotators with `--preferences` (Figure 8).

    Examples:

    conqret debateqa rank runs/*/scores.parquet --weights 0,0.25,0.5,0.75,1

    conqret debateqa rank runs/*/scores.parquet --preferences pairs.csv

    conqret debateqa rank runs/*/scores.parquet --stability systems --plot stability.png
    """
    if plot is not None and plot.suffix.lower() not in (".png", ".svg"):
        raise DeclarationError(f"--plot takes a file that ends in .png or .svg, not {plot.name}")
    if preferences is not None:
        _compare_with_annotators(scores, preferences, plot, json_output)
        return
    if labels is not None:
        _compare_with_labels(scores, labels, json_output)
        return
    if stability is not None:
        _compare_instruments(scores, stability, plot, json_output)
        return
    if answers and report is None:
        raise DeclarationError("--answers is for the report page: name the page with --report")
    systems = read_systems(answers or ())
    system_ranking = rank_systems(scores)
    wanted = "--weights is a list such as 0,0.5,1"
    chosen = options.numbers(weights, wanted)
    if not chosen:
        raise DeclarationError(f"{wanted}, not {weights!r}")
    table = {weight: system_ranking.combined(weight) for weight in chosen}
    places = {weight: shown(ranks(values)) for weight, values in table.items()}
    note_each(missing_lines(system_ranking.missing))
    for metric, instrument, means in system_ranking.measured:
        _remark_left_out(metric, instrument, means.left_out, means.questions)
    if system_ranking.equation:
        note(
            f"left out, because ranks use the published definition of P.D.: {', '.join(system_ranking.equation)}"
        )
    ranking = ranking_table(system_ranking, table, places)
    association = f"P.D. (reversed) and D.A. of the systems: Spearman's rho {system_ranking.association}."
    lines: list[RenderableType] = [*ranking_words(places), association, "", ranking]
    if plot is not None:
        _draw(plot, partial(_scatter, system_ranking), (6.0, 4.2))
        lines += ["", at(plot, "plot")]
    if report is not None:
        write_ranks(ranking, ranking_words(places), systems, system_ranking.measured, report)
        lines += ["", at(report, "page")]
    result(_facts(system_ranking, table, places), lines, as_json=json_output)


def _facts(
    ranking: Standings, table: dict[float, dict[str, float]], places: dict[float, dict[str, str]]
) -> dict[str, Any]:
    """Return what ``--json`` prints: a row for each system (``systems``, lowest diversity value first), for
    each weight and system (``ranks``, best first), and for each measuring model (``instruments``); ``rho`` of
    both metrics; and ``published``, True if diversity is by the published definition. ``table`` has the
    scores and ``places`` the ranks, both by weight.

    ``n`` counts the questions behind each of its means, those that it scored of all systems.
    """
    systems = [
        {
            "system": name,
            "perspective_diversity": value,
            "dispute_awareness": ranking.mean_awareness[name],
            "perspective_diversity_rank": ranking.diversity_ranks[name],
            "dispute_awareness_rank": ranking.awareness_ranks[name],
        }
        for name, value in sorted(ranking.mean_diversity.items(), key=lambda pair: pair[1])
    ]
    ranked = [
        {"k": weight, "system": name, "score": value, "rank": places[weight][name]}
        for weight, values in table.items()
        for name, value in sorted(values.items(), key=lambda pair: -pair[1])
    ]
    measured = [
        {"metric": metric, "instrument": instrument, "n": means.questions, "left_out": means.left_out}
        for metric, instrument, means in ranking.measured
    ]
    return {
        "systems": systems,
        "ranks": ranked,
        "instruments": measured,
        "rho": asdict(ranking.association),
        "published": ranking.published,
    }


def _scatter(ranking: Standings, figure: Figure) -> None:
    """Draw the systems by both metrics into ``figure`` (Figure 2); better ones are on the upper right."""
    axes = figure.subplots()
    for name, diversity in ranking.mean_diversity.items():
        awareness = ranking.mean_awareness[name]
        axes.scatter(diversity, awareness, color=COLOURS[0], s=24)
        axes.annotate(name, (diversity, awareness), (4, 3), textcoords="offset points", fontsize=8)
    axes.invert_xaxis()
    axes.margins(0.15)
    axes.set_xlabel("Perspective diversity (lower, to the right, is better)")
    axes.set_ylabel("Dispute awareness")


def _draw(file: Path, draw: Callable[[Figure], object], size: tuple[float, float]) -> None:
    write_file(file, drawn(draw, size, "svg" if file.suffix.lower() == ".svg" else "png"))


def _compare_with_annotators(
    scores: Sequence[Path], preferences: Path, plot: Path | None, json_output: bool | None
) -> None:
    agreements = correlate(scores, preferences)
    among = annotator_agreement(read_comparisons(preferences))
    for agreement in agreements:
        _remark_left_out(agreement.metric, agreement.instrument, agreement.unlike, agreement.common)
    if left := sorted({name for agreement in agreements for name in agreement.left_out}):
        note(f"annotators compared these systems, but not every metric scored them: {', '.join(left)}")
    facts = {
        "metrics": [asdict(agreement) for agreement in agreements],
        "annotators": None if among is None else _record(among),
    }
    tables = [_agreement_table(agreements), *([] if among is None else [_table(among)])]
    if plot is not None:
        if among is None:
            raise DeclarationError(
                "--plot draws the correlations of annotators, but no two of them compared answers to a question: name "
                "annotators and questions in the columns annotator and item"
            )
        _write_heat_maps(plot, [among])
    result(facts, spaced(tables), as_json=json_output)


def _agreement_table(agreements: Iterable[RankingAgreement]) -> Table:
    missing = dict.fromkeys(f"{words.label(row.metric)}: {row.reason}" for row in agreements if row.reason)
    note = (
        "“rho” (Spearman) and “tau” (Kendall): means over annotators and questions, with 95% intervals over questions; "
        "“of systems”: of the systems' means with each annotator's Elo ratings. 1 is full agreement, also of metrics "
        "where less is better."
    )
    return Table(
        "Agreement with annotators' preferences",
        {
            Column("metric", "text"): lambda row: words.label(row.metric),
            Column("measuring model", "text"): "instrument",
            "rho": "rho",
            "tau": "tau",
            "questions": "questions",
            "rho of systems": "system_rho",
            "tau of systems": "system_tau",
            "systems": "systems",
            "annotators": "annotators",
        },
        agreements,
        note=" ".join([note, *(f"{reason}." for reason in missing)]),
    )


def _compare_with_labels(scores: Sequence[Path], labels: Path, json_output: bool | None) -> None:
    fits = label_fits(scores, labels)
    facts = [{"metric": metric, "instrument": name, **asdict(fit)} for metric, name, fit in fits]
    result(facts, spaced([fit_table(fits)]), as_json=json_output)


def _compare_instruments(
    scores: Sequence[Path], over: Literal["systems", "answers"], plot: Path | None, json_output: bool | None
) -> None:
    compared = metric_stability(scores, over=over)
    matrices = compared.matrices
    if compared.alone:
        note(f"left out, because only one model measured them: {', '.join(compared.alone)}")
    for matrix in matrices:
        _remark(matrix)
    if plot is not None:
        _write_heat_maps(plot, matrices)
    result([_record(matrix) for matrix in matrices], map(_table, matrices), as_json=json_output)


def _write_heat_maps(file: Path, matrices: Sequence[PairMatrix]) -> None:
    write_file(file, heat_maps(matrices, "svg" if file.suffix.lower() == ".svg" else "png"))
    note(f"plot: {file}")


def _remark(matrix: PairMatrix) -> None:
    if matrix.left_out:
        note(
            f"{matrix.metric}: {matrix.left_out} answers are left out, because not every measuring model scored them"
        )
    if matrix.over == "systems" and matrix.items < PAPER_SYSTEMS:
        note(
            f"{matrix.metric}: a tau over {matrix.items} systems is very uncertain; the paper ranks "
            f"{PAPER_SYSTEMS} systems (use --stability answers to compare all answers)"
        )


def _record(matrix: PairMatrix) -> dict[str, Any]:

    pairs = []
    for (first_name, other), estimate in matrix.values.items():
        pair: dict[str, Any] = {"first": first_name, "second": other, **asdict(estimate)}
        if (first_name, other) in matrix.kappas:
            pair["kappa"] = asdict(matrix.kappas[first_name, other])
        pairs.append(pair)
    return {
        "metric": matrix.metric,
        "statistic": matrix.statistic,
        "over": matrix.over,
        "systems": matrix.systems,
        "answers": matrix.answers,
        "left_out": matrix.left_out,
        "instruments": matrix.names,
        "matrix": matrix.rows(),
        "pairs": pairs,
    }


def _table(matrix: PairMatrix) -> Table:
    """Build the table of the matrix, whose rows and columns are numbered; the note below it has the names by
    number and :func:`_ends`."""
    numbered = [f"{place:>3}  {name or 'without a name'}" for place, name in enumerate(matrix.names, start=1)]
    header = ("", *map(str, range(1, len(numbered) + 1)))
    rows = [
        (str(place), *("none" if value is None else f"{value:.2f}" for value in row))
        for place, row in enumerate(matrix.rows(), start=1)
    ]
    title = f"{words.label(matrix.metric)}\n  {matrix.comparison}"
    return Table(title, header, rows, note="\n".join([*numbered, "", _ends(matrix), ""]))


def _ends(matrix: PairMatrix) -> str:
    """Return in lines what the values mean, their mean and the lowest over pairs (with its interval), and how many
    pairs have no value and why."""
    number = {name: place for place, name in enumerate(matrix.names, start=1)}
    known = {pair: value for pair, value in matrix.values.items() if value.value is not None}
    missing = [(pair, value) for pair, value in matrix.values.items() if value.value is None]
    order = "1: the same order; 0: no relation; -1: the reverse order"
    same = "1: every verdict is the same; --json also has Cohen's kappa"
    lines = [same if matrix.statistic == "agreement" else order]
    if known:
        values = [estimate.value for estimate in known.values() if estimate.value is not None]
        lowest = min(known, key=lambda pair: known[pair].value or 0.0)
        between = f"{number[lowest[0]]} and {number[lowest[1]]}"
        lines.append(
            f"mean of {len(values)} pairs {sum(values) / len(values):.2f}, lowest {known[lowest]} ({between})"
            if len(values) > 1
            else f"{between}: {known[lowest]}"
        )
        lines.append(known[lowest].reason or "in brackets: the 95% interval over questions")
    if missing:
        (first_name, other), first = missing[0]
        have, between = "has" if len(missing) == 1 else "have", f"{number[first_name]} and {number[other]}"
        lines.append(f"{len(missing)} of {len(matrix.values)} pairs {have} none; {between}: {first.reason}")
    return "\n".join(lines)


def _remark_left_out(metric: str, instrument: str, answers: int, questions: int) -> None:
    """Say that scored answers are left out of the means, because not all systems have these questions' scores."""
    if answers:
        note(
            f"{metric} by {instrument or 'the measuring model without a name'}: {answers} scored "
            f"{'answer is' if answers == 1 else 'answers are'} left out; the means are over the {questions} "
            f"{'question' if questions == 1 else 'questions'} scored of all systems"
        )
