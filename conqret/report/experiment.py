"""The page of an experiment: systems side by side, from retrieval to judges, with ways into every run."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from conqret.experiments.folder import ExperimentFolder
from conqret.report import words
from conqret.report.markdown import tables_markdown
from conqret.report.page import write_files
from conqret.report.sheet import Links, Section, Sheet, section
from conqret.report.table import Cell, Column, Table, cell_text
from conqret.stats.estimate import Estimate

DAMAGE = "Does the judge notice damage?"
"""The title of the table of curves, the longest one."""


def write_experiment(out: ExperimentFolder) -> list[Path]:
    """Write ``report.html`` and ``tables.md`` of a finished experiment; returns both."""
    record = json.loads(out.record_file.read_bytes())
    summary = json.loads(out.summary_file.read_bytes())
    tables = list(experiment_tables(summary))
    pages = {out.report_file.name: experiment_sheet(out, record, summary).html()}
    return write_files(out.path, pages | {"tables.md": tables_markdown(tables)})


def experiment_sheet(out: ExperimentFolder, record: Mapping[str, Any], summary: Mapping[str, Any]) -> Sheet:
    """The page: what the tables say, and ways into every run inside ``out``."""
    experiment, models = record["experiment"], _models(record["experiment"])
    first = next(iter(summary["arguments"]), "")
    sections = [
        Section("Retrieval", list(_retrieval(summary["retrieval"]))),
        section(_arguments(summary["arguments"])),
        Section("Scores", list(_scores(summary["scores"]))),
        Section("Differences", list(_differences(summary["differences"], first))),
        Section("Damage", [_damage(summary["sensitivity"])] if any(summary["sensitivity"].values()) else []),
        Section("Runs", [Links(list(_links(out, summary)))]),
    ]
    return Sheet(
        "experiment",
        summary["name"],
        sections,
        lede=[
            f"{words.number(summary['topics'], 'topic')}, {' and '.join(experiment['stances'])}: "
            f"{words.number(len(record['systems']), 'system')}, judged by "
            f"{words.number(len(experiment['judges']), 'judge')}."
        ],
        badges=[
            ("Offline baseline", "a floor, not a judge or an author: its answers come from word statistics.")
        ]
        if "offline" in models
        else [],
        facts=[
            ("Models", ", ".join(models)),
            ("Experiment", record["fingerprint"]),
            ("Seed", str(experiment["seed"])),
            ("conqret", record["conqret"]),
        ],
    )


def experiment_tables(summary: Mapping[str, Any]) -> Iterator[Table]:
    """Retrieval, arguments, scores by judge, and damage: a table each, systems as rows or columns."""
    yield from _retrieval(summary["retrieval"])
    yield _arguments(summary["arguments"])
    yield from _scores(summary["scores"])
    yield from _differences(summary["differences"], next(iter(summary["arguments"]), ""))
    if any(summary["sensitivity"].values()):
        yield _damage(summary["sensitivity"])


def _retrieval(found: Mapping[str, Any]) -> Iterator[Table]:
    for stance, rankings in found.items():
        measures = list(dict.fromkeys(name for scores in rankings.values() for name in scores))
        yield Table(
            f"Retrieval, {stance}",
            ("Ranking", *measures),
            [(name, *(_mean(scores.get(one)) for one in measures)) for name, scores in rankings.items()],
            note="Means with 95 % intervals over topics, against the qrels of the corpus.",
        )


def _arguments(found: Mapping[str, Any]) -> Table:
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
        )
        for system, one in found.items()
    ]
    columns = (
        "System", "Written", "Not written", "Sentences that cite", "Citations out of range", "Misquotations",
        "Documents left out", "Documents cut",
    )  # fmt: skip
    return Table("Arguments", columns, rows)


def _scores(found: Mapping[str, Any]) -> Iterator[Table]:
    """For each judge, its metrics as rows and the systems as columns."""
    judges = dict.fromkeys(judge for scores in found.values() for judge in scores)
    for judge in judges:
        scores = [found[system].get(judge, {}) for system in found]
        metrics = dict.fromkeys(metric for one in scores for metric in one)
        yield Table(
            f"Scores by {judge}",
            ("Metric", *found),
            [(words.label(metric), *(_mean(one.get(metric)) for one in scores)) for metric in metrics],
            note="Means with 95 % intervals over topics. Where scores are missing, n of N stands "
            "beside the mean, and in braces what it would be if all of them were 0, or 1.",
        )


def _differences(found: Mapping[str, Any], first: str) -> Iterator[Table]:
    """For each judge, how far the other systems are from the first, metrics as rows."""
    judges = dict.fromkeys(judge for scores in found.values() for judge in scores)
    for judge in judges:
        scores = [found[system].get(judge, {}) for system in found]
        metrics = dict.fromkeys(metric for one in scores for metric in one)
        rows = [
            (words.label(metric), *(_difference(one.get(metric)) for one in scores)) for metric in metrics
        ]
        counts = [one["n"] for each in scores for one in each.values()]
        pairs = str(min(counts)) if min(counts) == max(counts) else f"{min(counts)} to {max(counts)}"
        yield Table(
            f"Differences from {first}, by {judge}",
            ("Metric", *found),
            rows,
            note=f"Score less that of {first} on the same topic and side, over {pairs} pairs: means "
            "with 95 % intervals over topics. An interval without 0 tells the two apart.",
        )


def _damage(found: Mapping[str, Any]) -> Table:
    rows: dict[str, list[tuple[Cell, ...]]] = {}
    for system, curves in found.items():
        for curve in curves:
            heading = f"{system}, {curve['perturbation']}: {curve['format']} ({curve['model']})"
            rows.setdefault(heading, []).append((
                words.label(curve["metric"]),
                curve["expected"],
                curve["verdict"],
                f"{curve['points'][0]['mean']:.3f} to {curve['points'][-1]['mean']:.3f}",
                curve["words"],
            ))  # fmt: skip
    columns = (
        "Metric", Column("Expected", "name"), Column("As expected", "name"), "First to last mean",
        Column("Why not", "text"),
    )  # fmt: skip
    return Table(DAMAGE, columns, [row for heading, each in rows.items() for row in ((heading,), *each)])


def _difference(one: Mapping[str, Any] | None) -> Cell:
    return None if one is None else Estimate(one["mean"], one["low"], one["high"], one["n"])


def _mean(one: Mapping[str, Any] | None) -> Cell:
    """A mean with its interval; where scores are missing with their number and both bounds."""
    if one is None:
        return None
    mean = None if one["mean"] is None else Estimate(one["mean"], one["low"], one["high"])
    if "total" not in one or one["n"] == one["total"]:
        return mean
    said = cell_text(mean)
    return f"{said} (n = {one['n']} of {one['total']}) {{{one['worst_case']:.3f} to {one['best_case']:.3f}}}"


def _models(experiment: Mapping[str, Any]) -> list[str]:
    """Every model that the experiment asks, each once."""
    tables = [*experiment["rerankers"].values(), *experiment["generators"].values(), *experiment["judges"]]
    return list(dict.fromkeys(one["model"] for one in tables))


def _links(out: ExperimentFolder, summary: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """The pages of the runs inside, as title and relative address."""
    for system, judges in summary["scores"].items():
        for judge in judges:
            yield from _link(out, f"{system}, judged by {judge}", f"judgments/{system}/{judge}/report.html")
    for system in summary["sensitivity"]:
        yield from _link(out, f"{system}, damaged", f"sensitivity/{system}/report.html")


def _link(out: ExperimentFolder, title: str, address: str) -> Iterator[tuple[str, str]]:
    if (out.path / address).is_file():
        yield title, address
