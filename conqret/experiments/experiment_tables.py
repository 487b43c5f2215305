"""The tables of an experiment: systems side by side, from retrieval to damage; and what came out, in a sentence."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from conqret.judging.overview import DIMENSION_NAMES, OVERALL
from conqret.show import words
from conqret.show.table import Cell, Column, Table, cell_text, spaced
from conqret.stats.effects import ALPHA
from conqret.stats.estimate import FEWEST_TESTED, Estimate

DAMAGE = "Does the judge notice damage?"
"""The title of the table of curves, the longest one."""
BETTER, WORSE = "\u25b4", "\u25be"
"""Behind what differs significantly from the first."""
MISSING = (
    " Where scores are missing, n of N stands beside the mean, and in braces what it would be if all of them were 0, "
    "or 1."
)
PREDICTED = (
    " Predicted precision: the share of documents that the judge rates as relevant; the precision of a ranking (P@10, "
    "say) goes by the labels of the corpus."
)
COUNTED = ("calls", "prompt_tokens", "completion_tokens", "cost_usd")
"""What is expected of a piece of work, and counted of it."""
NAMED = 3
"""Metrics that the sentence of what came out names."""
MOST_TOPICS = 60
"""Topics that are listed by themselves; all are in ``summary.json``."""


def experiment_tables(summary: Mapping[str, Any]) -> Iterator[Table]:
    """Retrieval, arguments, scores by judge, and damage: a table each, systems as rows or columns."""
    yield from retrieval_tables(summary["retrieval"])
    yield arguments_table(summary["arguments"])
    yield from score_tables(summary["scores"])
    yield from rank_tables(summary["scores"], summary["retrieval"])
    yield from difference_tables(summary["differences"], next(iter(summary["arguments"]), ""))
    if any(summary["sensitivity"].values()):
        yield damage_table(summary["sensitivity"])


def retrieval_tables(found: Mapping[str, Any]) -> Iterator[Table]:
    """A table a side: rankings by measures, with marks of what differs from the first."""
    for stance, rankings in found.items():
        measures = list(dict.fromkeys(name for scores in rankings.values() for name in scores))
        yield Table(
            f"Retrieval, {stance}",
            ("Ranking", *(title for one in measures for title in (one, "p"))),
            [
                (name, *(cell for one in measures for cell in _tested(scores.get(one))))
                for name, scores in rankings.items()
            ],
            note="Means with 95% intervals over topics, against the qrels of the corpus."
            + _tests(
                [one for scores in rankings.values() for one in scores.values()],
                "better or worse than the first ranking",
                "paired t-test over topics, Holm over the rankings for each measure",
            ),
        ).compact()


def arguments_table(found: Mapping[str, Any]) -> Table:
    """What the systems wrote, and what is wrong with it, a row each."""
    rows = [
        (
            system,
            f"{one['written']} of {one['written'] + sum(one['not_written'].values())}",
            ", ".join(f"{words.reason(name)} ({count})" for name, count in one["not_written"].items()) or "",
            f"{one['cited_sentences']} of {one['sentences']}",
            one["out_of_range"],
            one["misquoted"],
            one["left_out"],
            one["trimmed"],
            "" if one["none_relevant"] is None else one["none_relevant"],
            one["flagged"],
        )
        for system, one in found.items()
    ]
    columns = (
        "System", "Written", "Not written", "Sentences that cite", "Citations out of range", "Misquotations",
        "Documents left out", "Documents cut", "No relevant document retrieved", "Texts that address the judge",
    )  # fmt: skip
    return Table(
        "Arguments",
        columns,
        rows,
        note="Out of range: of a number that no document has. Documents left out: of no use, says the author; cut: "
        "shortened to fit the prompt. No relevant document retrieved, texts that address the judge: so many arguments.",
    )


def score_tables(found: Mapping[str, Any]) -> Iterator[Table]:
    """For each judge, its metrics as rows and the systems as columns."""
    for judge, scores, metrics in _by_judge(found):
        missing = any(one["n"] < one["total"] for each in scores for one in each.values())
        yield Table(
            f"Scores by {judge}",
            ("Metric", *found),
            [(words.label(metric), *(_mean(one.get(metric)) for one in scores)) for metric in metrics],
            note="Means with 95% intervals over topics."
            + PREDICTED * ("predicted_precision" in metrics)
            + MISSING * missing,
        )


def difference_tables(found: Mapping[str, Any], first: str) -> Iterator[Table]:
    """For each judge, how far the other systems are from the first, metrics as rows."""
    for judge, scores, metrics in _by_judge(found):
        rows = [
            (words.label(metric), *(cell for one in scores for cell in _tested(one.get(metric))))
            for metric in metrics
        ]
        every = [one for each in scores for one in each.values()]
        counts = [one["n"] for one in every]
        pairs = str(min(counts)) if min(counts) == max(counts) else f"{min(counts)} to {max(counts)}"
        yield Table(
            f"Differences from {first}, by {judge}",
            ("Metric", *(title for name in found for title in (name, "p"))),
            rows,
            note=f"Score minus that of {first} on the same topic and side, over {pairs} pairs: means "
            "with 95% intervals over topics."
            + _tests(
                every,
                "above or below it",
                f"t over topics, Holm over all {len(every)} differences in this table; another judge's are another "
                "family",
            )
            + f" {words.NOT_CORRECTED}" * any(one["p"] is not None for one in every),
        ).compact()


def cost_table(found: Sequence[Mapping[str, Any]]) -> Table:
    """What was expected to be asked of models, beside what was, under the system whose it is."""
    rows: list[tuple[Cell, ...]] = []
    systems = dict.fromkeys(one["of"] for one in found)
    for system in systems:
        rows.append((system,))
        for one in found:
            if one["of"] == system:
                by = f" by {one['by']}" if one["by"] else ""
                rows.append((f"{one['task']}{by}", one["model"], *_costs(one["expected"], one["made"])))
    made = [one["made"] for one in found if one["made"]]
    every = _costs(_sums([one["expected"] for one in found]), _sums(made) if made else None)
    columns = (
        Column("Task", "name"), Column("Model", "name"), "Calls expected", "Calls made", "Prompt tokens expected",
        "Prompt tokens counted", "Answer tokens expected", "Answer tokens counted", "Price expected", "Price paid",
    )  # fmt: skip
    return Table(
        "Estimate and cost",
        columns,
        rows,
        foot=[("All", "", *every)],
        note="Expected: the estimate of --dry-run, before anything was asked. Answers from recordings count as what "
        "they took when they were asked. –: not counted, and in no sum: tokens of the offline baseline, and calls of "
        "rankings and rewritten sentences, of which the answers alone are kept.",
    )


def _costs(expected: Mapping[str, Any], made: Mapping[str, Any] | None) -> Iterator[Cell]:
    for name in COUNTED[:-1]:
        yield expected[name]
        yield (made[name] or (0 if name == "calls" else None)) if made else None
    yield words.money(expected["cost_usd"])
    yield words.money(made["cost_usd"]) if made else None


def _sums(found: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
    """The sums; None for a price where one is unknown."""
    return {
        name: None if any(one[name] is None for one in found) else sum(one[name] for one in found)
        for name in COUNTED
    }


def damage_table(found: Mapping[str, Any]) -> Table:
    """The curves of what was damaged, under system, perturbation and judge."""
    rows: dict[str, list[tuple[Cell, ...]]] = {}
    said = {(curve["verdict"], curve["words"]) for curves in found.values() for curve in curves}
    alike = len(said) == 1 < sum(map(len, found.values())) and any(verdict and why for verdict, why in said)
    for system, curves in found.items():
        for curve in curves:
            heading = f"{system}, {curve['perturbation']}: {curve['format']} ({curve['model']})"
            rows.setdefault(heading, []).append((
                words.label(curve["metric"]),
                curve["expected"] or "",
                "" if alike else curve["verdict"] or "",
                curve["points"][0]["mean"],
                curve["points"][-1]["mean"],
                curve["points"][-1]["mean"] - curve["points"][0]["mean"],
                "" if alike else curve["words"],
            ))  # fmt: skip
    columns = (
        "Metric", Column("Expected", "name"), Column("As expected", "name"), "Mean, least damage",
        "Mean, most damage", "Change", Column("Why not", "text"),
    )  # fmt: skip
    note = "".join(f"Verdict: {verdict} for every metric ({why})." for verdict, why in said) if alike else ""
    shown = [row for heading, each in rows.items() for row in ((heading,), *each)]
    return Table(DAMAGE, columns, shown, note=note).compact()


def rank_tables(found: Mapping[str, Any], retrieved: Mapping[str, Any]) -> Iterator[Table]:
    """By judge and metric the places of the systems, by their means; and those of the rankings by each measure."""
    for judge, scores, metrics in _by_judge(found):
        rows = [
            (words.label(metric), *_places([one.get(metric, {}).get("mean") for one in scores]))
            for metric in metrics
        ]
        yield Table(
            f"Places by {judge}", ("Metric", *found), rows, note="1: the highest mean. Ties share a place."
        )
    for stance, rankings in retrieved.items():
        measures = dict.fromkeys(name for each in rankings.values() for name in each)
        rows = [
            (one, *_places([each.get(one, {}).get("mean") for each in rankings.values()])) for one in measures
        ]
        yield Table(
            f"Places of rankings, {stance}",
            ("Measure", *rankings),
            rows,
            note="1: the highest value. Ties share a place.",
        )


def topic_tables(found: Mapping[str, Any], systems: Sequence[str]) -> Iterator[Table]:
    """For each judge the means of each topic, under each metric but single dimensions of quality."""
    for judge, metrics in found.items():
        rows: list[tuple[Cell, ...]] = []
        most = 0
        for metric, topics in metrics.items():
            if metric in DIMENSION_NAMES and metric != OVERALL:
                continue
            rows.append((words.label(metric),))
            rows += [(name, *map(one.get, systems)) for name, one in list(topics.items())[:MOST_TOPICS]]
            most = max(most, len(topics))
        note = "Each figure is the mean over the sides of a topic."
        if any(metric in DIMENSION_NAMES and metric != OVERALL for metric in metrics):
            note += " Of argument quality only the overall stands here; its dimensions are in summary.json."
        if most > MOST_TOPICS:
            note += f" These are the first {MOST_TOPICS} of {most} topics; all are in summary.json."
        yield Table(f"Topics, by {judge}", ("Topic", *systems), rows, note=note)


def overview_tables(summary: Mapping[str, Any]) -> Iterator[Table | str]:
    """The tables for a screen, each with an empty line behind it: without that of the damage, which is long. Then what
    came out, in a sentence."""
    yield from spaced(table for table in experiment_tables(summary) if table.title != DAMAGE)
    if said := outcome(summary["differences"], next(iter(summary["arguments"]), "")):
        yield said


def _places(means: Sequence[float | None]) -> list[Cell]:
    return [
        None if one is None else 1 + sum(other is not None and other > one for other in means)
        for one in means
    ]


def _by_judge(found: Mapping[str, Any]) -> Iterator[tuple[str, list[Any], list[str]]]:
    """Each judge with its scores of each system, and their metrics."""
    for judge in dict.fromkeys(judge for scores in found.values() for judge in scores):
        scores = [each.get(judge, {}) for each in found.values()]
        yield judge, scores, list(dict.fromkeys(metric for one in scores for metric in one))


def outcome(differences: Mapping[str, Any], first: str) -> str:
    """Which systems are shown to differ from the first, and on what, in sentences; empty where there is one system."""
    said, tested = [], 0
    for system, judges in differences.items():
        rows = [(words.label(metric), one) for found in judges.values() for metric, one in found.items()]
        tested += sum(one["p"] is not None for _, one in rows)
        for way, sign in (("above", 1), ("below", -1)):
            names = [name for name, one in rows if _shown(one) and sign * one["mean"] > 0]
            if names:
                more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
                said.append(f"{system} is shown {way} {first} on {', '.join(names[:NAMED])}{more}.")
    if said or not differences:
        return " ".join(said)
    if not tested:
        return f"No system is shown to differ from {first}: below {FEWEST_TESTED} topics there is no test."
    return f"No system is shown to differ from {first} on any metric of a judge ({tested} tested)."


def _tested(one: Mapping[str, Any] | None) -> tuple[Cell, Cell]:
    """A mean, or a mean difference, with its mark, and its p-value."""
    if one is None:
        return None, ""
    if not _shown(one):
        return _mean(one), words.p_value(one["p"])
    mark = BETTER if one.get("difference", one["mean"]) > 0 else WORSE
    return f"{cell_text(_mean(one))} {mark}", words.p_value(one["p"])


def _shown(one: Mapping[str, Any]) -> bool:
    return one["p"] is not None and one["p"] < ALPHA and bool(one.get("difference", one["mean"]))


def _tests(found: Sequence[Mapping[str, Any]], marked: str, how: str) -> str:
    """What a note says of the tests in its table: how they are made, what marks mean where there are some, or that
    there are too few topics. Nothing where nothing is compared."""
    if any(one["p"] is not None for one in found):
        marks = f" {BETTER}, {WORSE}: {marked} (p < {ALPHA:g})." * any(map(_shown, found))
        return f" p: {how}.{marks}"
    compared = any(one.get("difference", one["mean"]) is not None for one in found)
    return f" No p-values: a test takes {FEWEST_TESTED} topics at least." if compared else ""


def _mean(one: Mapping[str, Any] | None) -> Cell:
    """A mean with its interval; where scores are missing with their number and both bounds."""
    if one is None:
        return None
    mean = (
        None
        if one["mean"] is None
        else Estimate(one["mean"], one["low"], one["high"], reason=one.get("reason", ""))
    )
    if "total" not in one or one["n"] == one["total"]:
        return mean
    said = cell_text(mean)
    return f"{said} (n = {one['n']} of {one['total']}) {{{one['worst_case']:.3f} to {one['best_case']:.3f}}}"
