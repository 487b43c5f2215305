"""The tables and pictures of an experiment, systems side by side, and its result in a sentence."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

from conqret.console.printing import spaced
from conqret.data.digest import gathered
from conqret.perturb import Direction
from conqret.show import words
from conqret.show.charts import Chart, ChartLine, Point
from conqret.show.forest import Forest, ForestRow
from conqret.show.table import Cell, Column, Table, cell_text
from conqret.stats.effects import ALPHA
from conqret.stats.estimate import MIN_TOPICS, Estimate

PERTURBATION_TITLE = "Does the judge detect perturbations?"
"""The title of the table of curves, the longest one."""
BETTER, WORSE = "\u25b4", "\u25be"
"""Behind what differs significantly from the first."""
MISSING = (
    " Where scores are missing, “n of N” next to the mean counts the items with a score, and the braces hold the mean "
    "if every missing score were 0 or 1."
)
PREDICTED = (
    " Predicted precision is the share of documents that the judge rates as relevant; precision of a ranking, such as "
    "P@10, uses the relevance labels of the corpus instead."
)
RANKED = (
    "better or worse than the first ranking",
    "paired t-tests over topics, with Holm's correction for the number of rankings, for each measure",
)
"""What marks mean in the tables of retrieval, and how tests are made."""
MAX_CURVES = 2
"""Pictures of perturbations at the top of the page; all curves are in the pages of the systems."""
SHOWN_FIRST = {
    "irrelevant": "context_relevance",
    "hallucinate": "groundedness",
    "hallucinate-share": "groundedness",
}
"""The metric that stands for a perturbation (ConQRet, Figure 4); of others the first."""
NAMED = 3
"""Metrics that the sentence of what came out names."""


def experiment_tables(summary: Mapping[str, Any]) -> Iterator[Table]:
    """Yield the tables of an experiment: retrieval, arguments, scores by judge, differences and
    perturbations.
    """
    yield from retrieval_tables(summary["retrieval"])
    yield arguments_table(summary["arguments"])
    yield from score_tables(summary["scores"])
    yield from difference_tables(summary["differences"], next(iter(summary["arguments"]), ""))
    if any(summary["sensitivity"].values()):
        yield perturbation_table(summary["sensitivity"])


def retrieval_tables(scores_by_side: Mapping[str, Any]) -> Iterator[Table]:
    """Yield one table per side, with rankings as rows, measures as columns, and p-values against the first
    ranking.
    """
    for stance, rankings in scores_by_side.items():
        measures = list(dict.fromkeys(name for scores in rankings.values() for name in scores))
        yield Table(
            f"Retrieval, {stance}",
            ("Ranking", *(title for measure in measures for title in (measure, "p"))),
            [
                (name, *chain(*(_tested(each.get(one)) for one in measures)))
                for name, each in rankings.items()
            ],
            note="Values are means with 95% intervals over topics; relevance is taken from the qrels of the corpus."
            + _tests([score for scores in rankings.values() for score in scores.values()], *RANKED),
        )


def arguments_table(facts_by_system: Mapping[str, Any]) -> Table:
    """Return a table with one row per system: arguments written, citations, and their problems."""
    rows = [
        (
            system,
            f"{facts['written']} of {facts['written'] + sum(facts['not_written'].values())}",
            ", ".join(f"{words.reason(name)} ({count})" for name, count in facts["not_written"].items()),
            f"{facts['cited_sentences']} of {facts['sentences']}",
            facts["out_of_range"],
            facts["misquoted"],
            facts["left_out"],
            facts["trimmed"],
            "" if facts["none_relevant"] is None else facts["none_relevant"],
            facts["flagged"],
        )
        for system, facts in facts_by_system.items()
    ]
    columns = (
        "System",
        "Written",
        "Not written",
        "Sentences that cite",
        "Citations out of range",
        "Misquotations",
        "Documents left out",
        "Documents cut",
        "No relevant document retrieved",
        "Possible prompt injections",
    )
    return Table(
        "Arguments",
        columns,
        rows,
        note="“Citations out of range” are citations of a number that no document has. “Documents left out” counts "
        "retrieved documents that the model which wrote the argument called useless (its reasons are in "
        "generations.jsonl in the folder arguments/SYSTEM); “Documents cut” counts documents that were shortened to "
        "fit the prompt. "
        + (
            "“No relevant document retrieved” and “Possible prompt injections” are numbers of arguments."
            if any(facts["none_relevant"] is not None for facts in facts_by_system.values())
            else "“Possible prompt injections” are numbers of arguments. Rankings are not scored: the corpus has no "
            "qrels for these topics."
        ),
    )


def score_tables(scores_by_system: Mapping[str, Any]) -> Iterator[Table]:
    """Yield one table of mean scores per judge, with metrics as rows and systems as columns."""
    for judge, scores, metrics in _by_judge(scores_by_system):
        missing = any(score["n"] < score["total"] for each in scores for score in each.values())
        yield Table(
            f"Scores by {judge}",
            ("Metric", *scores_by_system),
            [(words.label(metric), *(_mean(score.get(metric)) for score in scores)) for metric in metrics],
            note="Values are mean scores with 95% intervals over topics."
            + PREDICTED * ("predicted_precision" in metrics)
            + MISSING * missing,
        )


def difference_tables(differences: Mapping[str, Any], first: str) -> Iterator[Table]:
    """Yield one table per judge with each system's difference from the first system, with metrics as rows."""
    for judge, scores, metrics in _by_judge(differences):
        rows = [(words.label(one), *chain(*(_tested(each.get(one)) for each in scores))) for one in metrics]
        every = [difference for each in scores for difference in each.values()]
        counts = [difference["n"] for difference in every]
        pairs = str(min(counts)) if min(counts) == max(counts) else f"{min(counts)} to {max(counts)}"
        how = (
            f"t-tests over topics, with Holm's correction for all {len(every)} differences in this table (tables of "
            "other judges are corrected separately)"
        )
        yield Table(
            f"Differences from {first}, by {judge}",
            ("Metric", *(title for name in differences for title in (name, "p"))),
            rows,
            note=f"Values are mean differences between the score of a system and that of {first} on the same topic and "
            f"side ({pairs} pairs), with 95% intervals over topics."
            + _tests(every, "above or below it", how)
            + f" {words.NOT_CORRECTED}" * any(difference["p"] is not None for difference in every),
        )


def perturbation_table(curves_by_system: Mapping[str, Any]) -> Table:
    """Return the table of scores by perturbation level, grouped by system, perturbation and judge."""
    rows: dict[str, list[tuple[Cell, ...]]] = {}
    every = list(chain(*curves_by_system.values()))
    verdicts = {(curve["verdict"], curve["words"]) for curve in every}
    alike = len(verdicts) == 1 < len(every) and all(map(all, verdicts))
    for system, curves in curves_by_system.items():
        for curve in curves:
            heading = f"{system}, {curve['perturbation']}: {curve['format']} ({curve['model']})"
            rows.setdefault(heading, []).append(
                (
                    words.label(curve["metric"]),
                    curve["expected"] or "",
                    "" if alike else curve["verdict"] or "",
                    curve["points"][0]["mean"],
                    curve["points"][-1]["mean"],
                    curve["points"][-1]["mean"] - curve["points"][0]["mean"],
                    "" if alike else curve["words"],
                )
            )
    columns = (
        "Metric",
        Column("Expected", "name"),
        Column("As expected", "name"),
        "Mean, lowest level",
        "Mean, highest level",
        "Change",
        Column("Why not", "text"),
    )
    note = f"The verdict on every metric is “{every[0]['verdict']}” ({every[0]['words']})." if alike else ""
    shown = [row for heading, each in rows.items() for row in ((heading,), *each)]
    return Table(PERTURBATION_TITLE, columns, shown, note=note)


def ranking_forests(retrieval: Mapping[str, Any]) -> Iterator[Forest]:
    """Yield a picture of the rankings of each side, by the measure that takes ranks into account."""
    for stance, rankings in retrieval.items():
        measures = dict.fromkeys(name for scores in rankings.values() for name in scores)
        measure = next((name for name in measures if name.startswith("nDCG")), next(iter(measures), ""))
        if rows := _forest_rows({name: scores.get(measure) for name, scores in rankings.items()}):
            yield Forest(f"Retrieval, {stance}", measure, rows)


def curve_charts(curves_by_system: Mapping[str, Any]) -> list[Chart]:
    """Return pictures of what should fall or rise under perturbations, a line for each system and judge; one
    metric for each of the first :data:`MAX_CURVES` perturbations."""
    groups = gathered(
        ((curve["perturbation"], curve["metric"]), (system, curve))
        for system, curves in curves_by_system.items()
        for curve in curves
        if curve["expected"] in (Direction.FALL, Direction.RISE)
    )
    charts = []
    for perturbation, metrics in list(gathered(groups).items())[:MAX_CURVES]:
        named = SHOWN_FIRST.get(perturbation)
        metric = named if named in metrics else metrics[0]
        group = groups[perturbation, metric]
        several = len({curve["format"] for _, curve in group}) > 1
        lines = [
            ChartLine(
                f"{system}, by {curve['format']}" if several else system,
                [
                    Point(point["level"], point["mean"], point["low"], point["high"])
                    for point in curve["points"]
                ],
            )
            for system, curve in group
        ]
        unit, label = words.capitalised(group[0][1]["unit"]), words.label(metric)
        charts.append(Chart(f"{label} under {perturbation}", unit, label, lines))
    return charts


def difference_forests(differences: Mapping[str, Any], first: str) -> Iterator[Forest]:
    """Yield a picture of the differences of each system from the first, by each judge; none where all are 0."""
    for system, judges in differences.items():
        for judge, metrics in judges.items():
            rows = _forest_rows({words.label(name): metric for name, metric in metrics.items()})
            if any(row.value for row in rows):
                yield Forest(f"{system}, by {judge}", f"Difference from {first}", rows)


def _forest_rows(scores: Mapping[str, Any]) -> list[ForestRow]:
    """The rows of a picture, of what has a mean."""
    return [
        ForestRow(name, score["mean"], score["low"], score["high"])
        for name, score in scores.items()
        if score is not None and score["mean"] is not None
    ]


def overview_tables(summary: Mapping[str, Any]) -> Iterator[Table | str]:
    """Yield the tables for a terminal, without that of perturbations, and then the outcome in a sentence."""
    yield from spaced(table for table in experiment_tables(summary) if table.title != PERTURBATION_TITLE)
    if summary_text := difference_sentences(summary["differences"], next(iter(summary["arguments"]), "")):
        yield summary_text


def _by_judge(scores_by_system: Mapping[str, Any]) -> Iterator[tuple[str, list[Any], list[str]]]:
    """Each judge with its scores of each system, and their metrics."""
    for judge in dict.fromkeys(judge for scores in scores_by_system.values() for judge in scores):
        scores = [each.get(judge, {}) for each in scores_by_system.values()]
        yield judge, scores, list(dict.fromkeys(metric for score in scores for metric in score))


def difference_sentences(differences: Mapping[str, Any], first: str) -> str:
    """Return sentences that say which systems differ significantly from the first, and on which metrics.

    The text is empty if there is only one system.
    """
    sentences, tested = [], 0
    for system, judges in differences.items():
        every = chain(*(metrics.items() for metrics in judges.values()))
        rows = [(words.label(metric), difference) for metric, difference in every]
        tested += sum(difference["p"] is not None for _, difference in rows)
        for way, sign in (("higher", 1), ("lower", -1)):
            names = [name for name, each in rows if _shown(each) and sign * each["mean"] > 0]
            if names:
                more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
                on = f"{', '.join(names[:NAMED])}{more}"
                sentences.append(f"{system} scores significantly {way} than {first} on {on}.")
    if sentences or not differences:
        return " ".join(sentences)
    if not tested:
        return f"Differences from {first} are not tested, as a test needs at least {MIN_TOPICS} topics."
    tests = words.number(tested, "difference") + (" was" if tested == 1 else " were")
    return f"No system differs significantly from {first} on any metric of a judge ({tests} tested)."


def _tested(mean: Mapping[str, Any] | None) -> tuple[Cell, Cell]:
    """Return two cells: a mean, or a mean difference, with its mark of significance, and its p-value; None
    and an empty text without a mean."""
    if mean is None:
        return None, ""
    if not _shown(mean):
        return _mean(mean), words.p_value(mean["p"])
    mark = BETTER if mean.get("difference", mean["mean"]) > 0 else WORSE
    return f"{cell_text(_mean(mean))} {mark}", words.p_value(mean["p"])


def _shown(mean: Mapping[str, Any]) -> bool:
    return mean["p"] is not None and mean["p"] < ALPHA and bool(mean.get("difference", mean["mean"]))


def _tests(tests: Sequence[Mapping[str, Any]], marked: str, how: str) -> str:
    """Return the sentences of a table's note on its tests: how p-values are made and what marks mean, or that
    there are too few topics; empty where nothing is compared."""
    if any(test["p"] is not None for test in tests):
        marks = f" {BETTER} and {WORSE} mark values that are significantly {marked} (p < {ALPHA:g})." * any(
            map(_shown, tests)
        )
        return f" The p-values are of {how}.{marks}"
    compared = any(test.get("difference", test["mean"]) is not None for test in tests)
    return f" There are no p-values, as a test needs at least {MIN_TOPICS} topics." if compared else ""


def _mean(score: Mapping[str, Any] | None) -> Cell:
    """Return a cell with a mean and its interval; where scores are missing, also their number and the means if all
    missing ones were 0 and 1."""
    if score is None:
        return None
    mean = Estimate(score["mean"], score["low"], score["high"], reason=score.get("reason", ""))
    if "total" not in score or score["n"] == score["total"]:
        return mean
    text = f"{cell_text(mean)} (n = {score['n']} of {score['total']})"
    if "worst_case" not in score:  # a difference has no such bounds
        return text
    return f"{text} {{{score['worst_case']:.3f} to {score['best_case']:.3f}}}"
