"""The page of an experiment: systems side by side, from retrieval to judges, with ways into every run."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from conqret.experiments.job import ExperimentDirectory
from conqret.io.atomic import replacing
from conqret.report import words
from conqret.report.sensitivity_tables import Table, markdown

DAMAGE = "Does the judge notice damage?"
"""The title of the table of curves, the longest one."""

_HERE = Path(__file__).resolve().parent
_SHEETS = ("page.css", "sensitivity.css")


def write_experiment(out: ExperimentDirectory) -> list[Path]:
    """Write ``report.html`` and ``tables.md`` of a finished experiment; returns both."""
    record = json.loads(out.record_file.read_bytes())
    summary = json.loads(out.summary_file.read_bytes())
    tables = list(experiment_tables(summary))
    css = Markup("\n".join((_HERE / name).read_text(encoding="utf-8") for name in _SHEETS))  # noqa: S704
    style = base64.b64encode(hashlib.sha256(css.encode()).digest()).decode()
    environment = Environment(
        loader=FileSystemLoader(_HERE),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    page = environment.get_template("experiment.html.j2").render(
        css=css,
        policy=f"default-src 'none'; style-src 'sha256-{style}'; base-uri 'none'; form-action 'none'",
        name=summary["name"],
        record=record,
        summary=summary,
        models=_models(record["experiment"]),
        tables=tables,
        links=list(_links(out, summary)),
    )
    files = {out.report_file: page, out.path / "tables.md": markdown(tables)}
    for target, text in files.items():
        with replacing(target) as file:
            file.write(text.encode("utf-8"))
    return list(files)


def experiment_tables(summary: Mapping[str, Any]) -> Iterator[Table]:
    """Retrieval, arguments, scores by judge, and damage: a table each, systems as rows or columns."""
    yield from _retrieval(summary["retrieval"])
    yield _arguments(summary["arguments"])
    yield from _scores(summary["scores"])
    if any(summary["sensitivity"].values()):
        yield _damage(summary["sensitivity"])


def _retrieval(found: Mapping[str, Any]) -> Iterator[Table]:
    for stance, rankings in found.items():
        measures = list(dict.fromkeys(name for scores in rankings.values() for name in scores))
        rows = tuple(
            (name, *(_interval(scores.get(measure)) for measure in measures))
            for name, scores in rankings.items()
        )
        yield Table(
            f"Retrieval, {stance}",
            ("Ranking", *measures),
            rows,
            "Means over topics with 95 % bootstrap intervals, against the qrels of the corpus.",
        )


def _arguments(found: Mapping[str, Any]) -> Table:
    rows = tuple(
        (
            system,
            f"{one['written']} of {one['written'] + sum(one['not_written'].values())}",
            ", ".join(f"{words.reason(name)} ({count})" for name, count in one["not_written"].items()) or "–",
            f"{one['cited_sentences']} of {one['sentences']}",
            str(one["out_of_range"]),
            str(one["misquoted"]),
            str(one["left_out"]),
            str(one["trimmed"]),
        )
        for system, one in found.items()
    )
    header = (
        "System", "Written", "Not written", "Sentences that cite", "Citations out of range", "Misquotations",
        "Documents left out", "Documents cut",
    )  # fmt: skip
    return Table("Arguments", header, rows)


def _scores(found: Mapping[str, Any]) -> Iterator[Table]:
    """For each judge, its metrics as rows and the systems as columns."""
    systems = list(found)
    judges = dict.fromkeys(judge for scores in found.values() for judge in scores)
    for judge in judges:
        metrics = dict.fromkeys(metric for system in systems for metric in found[system].get(judge, {}))
        rows = tuple(
            (words.label(metric), *(_mean(found[system].get(judge, {}).get(metric)) for system in systems))
            for metric in metrics
        )
        yield Table(
            f"Scores by {judge}",
            ("Metric", *systems),
            rows,
            "Means with 95 % intervals, topics resampled whole. Where scores are missing, n of N stands beside the "
            "mean, and in braces what it would be if all of them were 0, or 1.",
        )


def _damage(found: Mapping[str, Any]) -> Table:
    rows = tuple(
        (
            system,
            f"{curve['format']} ({curve['model']})",
            curve["perturbation"],
            words.label(curve["metric"]),
            str(curve["expected"] or "open"),
            f"{curve['points'][0]['mean']:.3f} to {curve['points'][-1]['mean']:.3f}",
            {True: "yes", False: "no", None: "open"}[curve["verdict"]],
            "" if curve["verdict"] else curve["words"],
        )
        for system, curves in found.items()
        for curve in curves
    )
    header = (
        "System",
        "Judge",
        "Perturbation",
        "Metric",
        "Expected",
        "First to last mean",
        "As expected",
        "Why not",
    )
    return Table(DAMAGE, header, rows)


def _interval(one: Mapping[str, Any] | None) -> str:
    return "–" if one is None else f"{one['mean']:.3f} [{one['low']:.3f}, {one['high']:.3f}]"


def _mean(one: Mapping[str, Any] | None) -> str:
    if one is None:
        return "–"
    mean = "–" if one["mean"] is None else _interval(one)
    if one["n"] == one["total"]:
        return mean
    return f"{mean} (n = {one['n']} of {one['total']}) {{{one['worst']:.3f} to {one['best']:.3f}}}"


def _models(experiment: Mapping[str, Any]) -> list[str]:
    """Every model that the experiment asks, each once."""
    tables = [*experiment["rerankers"].values(), *experiment["generators"].values(), *experiment["judges"]]
    return list(dict.fromkeys(one["model"] for one in tables))


def _links(out: ExperimentDirectory, summary: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """The pages of the runs inside, as title and relative address."""
    for system, judges in summary["scores"].items():
        for judge in judges:
            yield from _link(out, f"{system}, judged by {judge}", f"judgments/{system}/{judge}/report.html")
    for system in summary["sensitivity"]:
        yield from _link(out, f"{system}, damaged", f"sensitivity/{system}/report.html")


def _link(out: ExperimentDirectory, title: str, address: str) -> Iterator[tuple[str, str]]:
    if (out.path / address).is_file():
        yield title, address
