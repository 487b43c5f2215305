"""Rankings of several retrievers over several corpora, and which perspectives they show: BeRDS's experiments.

    python benchmarks/perspectives_experiment.py fixtures/perspectives/offline.toml -o runs/perspectives

``questions`` are those with perspectives. ``systems`` search each corpus by words; each encoder has its corpora indexed
and ``systems`` of its own. All rankings of a corpus are then scored together, and ``report.html`` has all corpora side
by side, a table a measure (Tables 3, 5, 6, 16, 17, Figures 2 and 3). A corpus without a ``folder`` is collected for
each question (``conqret perspectives collect``). ``[detectors]`` are held beside people's labels (Table 4), and
``[domains]`` tunes one on each domain (B.3). A table with a command's name holds options of that command; paths are
relative to the file. Every command is printed as one could type it, keeps its own folder, and goes on where it stopped:
so does the whole.
"""

from __future__ import annotations

import argparse
import json
import os
import tomllib
from collections.abc import Mapping
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

from conqret.cli.main import as_options, run_command
from conqret.data.digest import gathered
from conqret.io.jsonl import json_lines
from conqret.io.pairs import read_pairs
from conqret.show import words
from conqret.show.report_page import ReportPage, Section, write_page
from conqret.show.table import Cell, Column, Table
from conqret.stats.estimate import Estimate

PATHS = ("folder", "pairs", "pages", "encoder", "query-encoder", "detector", "model")
"""Options that may name files: those that are there beside the file of the experiment."""

perspectives = partial(run_command, "perspectives")


def experiment(file: Path, out: Path) -> None:
    """Do all that the file asks for, into folders of ``out``.

    Raises:
        SystemExit: a command failed; the same call goes on there.
    """
    out.mkdir(parents=True, exist_ok=True)
    plan = anchored(tomllib.loads(file.read_text(encoding="utf-8")), file.parent)
    questions = Path(os.path.normpath(file.parent / plan["questions"]))
    found = {}
    for name, corpus in plan["corpora"].items():
        folder = corpus.pop("folder", None)
        if folder is None:
            folder = out / "collected" / name
            perspectives("collect", questions, *as_options(corpus), "-o", folder)
        found[name] = scored(name, folder, questions, plan, out)
    detection = plan.get("detection", {})
    for name, detector in plan.get("detectors", {}).items():
        pairs, options = detection["pairs"], {k: v for k, v in detection.items() if k != "pairs"}
        perspectives("detect", pairs, *as_options(options | detector), "-o", out / "detectors" / name)
    if "domains" in plan:
        across(plan["domains"], out / "domains")
    for ending in ("html", "md"):
        print(write_page(corpora_sheet(found), out / f"report.{ending}"))


def across(table: dict[str, Any], out: Path) -> None:
    """Tune a detector on each domain of labelled pairs, and hold it beside the labels of every other."""
    labelled = [
        pair
        for pair in read_pairs(table.pop("pairs"), table.pop("labels", "label"))
        if pair.label is not None
    ]
    out.mkdir(parents=True, exist_ok=True)
    files = {}
    for domain, pairs in gathered((pair.domain, pair) for pair in labelled).items():
        files[domain] = out / f"{domain}.jsonl"
        files[domain].write_text("".join(json_lines(map(asdict, pairs))), encoding="utf-8")
    for trained, file in files.items():
        perspectives("tune", file, *as_options(table), "-o", out / trained)
        for tested, other in files.items():
            if tested != trained:
                beside = ("--labels", "label", "--detector", out / trained)
                perspectives("detect", other, *beside, "-o", out / f"{trained} on {tested}")


def scored(name: str, folder: Path, questions: Path, plan: Mapping[str, Any], out: Path) -> Any:
    """The scores of all systems over one corpus: first those of each encoder, whose index then gives way to the next,
    for their rankings; what was asked once is not asked again."""
    common = ("--corpus", folder, "--perspectives", questions, *as_options(plan.get("score", {})))
    if "detector" not in plan.get("score", {}):
        common += ("--recordings", out / "recordings.sqlite")
    runs = []
    for encoder, table in plan.get("encoders", {}).items():
        systems, place = table["systems"], out / "encoders" / name / encoder
        rest = {key: value for key, value in table.items() if key != "systems"}
        if not (place / "scores.json").is_file():
            run_command("retrieve", "index", folder, "--engine", "dense", *as_options(rest))
            perspectives("score", *systems, *common, "--encoder", rest["encoder"], "-o", place)
        runs += [
            f"{system.replace('dense', encoder)}={place / 'rankings' / f'{system}.res.gz'}"
            for system in systems
        ]
    target = out / "corpora" / name
    perspectives("score", *plan["systems"], *runs, *common, "-o", target)
    return json.loads((target / "scores.json").read_text(encoding="utf-8"))


def anchored(table: Any, folder: Path) -> Any:
    """The same with what names files beside the experiment's made a path."""
    if not isinstance(table, dict):
        return table
    made = {}
    for key, value in table.items():
        there = folder / value if key in PATHS and isinstance(value, str) else None
        made[key] = Path(os.path.normpath(there)) if there and there.exists() else anchored(value, folder)
    return made


Facts = Mapping[str, Any]
"""What ``scores.json`` of ``conqret perspectives score`` holds."""

INTRODUCTION = (
    "Each table has one measure (docs/perspectives.md says what they are), with 95% intervals over questions, over all "
    "questions and by subset. Differences between systems are not tested. The ceiling is the share of questions for "
    "which the documents found by all systems together contain every perspective."
)


def corpora_sheet(facts_by_corpus: Mapping[str, Facts]) -> ReportPage:
    """The page, from the scores by corpus: a table for each measure, and the ceilings."""
    scores = [score for facts in facts_by_corpus.values() for score in facts["scores"]]
    tables = [
        _table(measure, facts_by_corpus) for measure in dict.fromkeys(score["measure"] for score in scores)
    ]
    views = list(dict.fromkeys(view for facts in facts_by_corpus.values() for view in facts["ceiling"]))
    ceilings: list[tuple[Cell, ...]] = [
        (corpus, *(_estimate(facts["ceiling"].get(view, {}), "value") for view in views))
        for corpus, facts in facts_by_corpus.items()
    ]
    columns = (Column("Corpus", "name"), *map(words.label, views))
    sections = [Section(table.title, [table]) for table in (*tables, Table("The ceiling", columns, ceilings))]
    first = next(iter(facts_by_corpus.values()))
    facts = [("Questions", f"{first['questions']:,}"), ("With two sides", f"{first['sided']:,}")]
    title = "How diverse are the rankings?"
    return ReportPage("perspectives", title, sections, [INTRODUCTION], facts=facts)


def _table(measure: str, facts_by_corpus: Mapping[str, Facts]) -> Table:
    """A measure of all systems over all corpora, over all questions and by subset."""
    by_row: dict[tuple[str, str], dict[str, Estimate]] = {}
    for corpus, facts in facts_by_corpus.items():
        for score in facts["scores"]:
            if score["measure"] == measure:
                row = by_row.setdefault((corpus, score["system"]), {})
                row[score["view"]] = _estimate(score, "mean")
    views = list(dict.fromkeys(view for row in by_row.values() for view in row))
    columns = (Column("Corpus", "text"), Column("System", "name"), *map(words.label, views))
    return Table(measure, columns, [(*names, *map(row.get, views)) for names, row in by_row.items()])


def _estimate(score: Mapping[str, Any], value: str) -> Estimate:
    reason = score.get("reason") or ("" if score else "no question has a value")
    return Estimate(score.get(value), score.get("low"), score.get("high"), score.get("n", 0), reason)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", type=Path)
    parser.add_argument("-o", "--output", type=Path, default=Path("runs/perspectives"))
    chosen = parser.parse_args()
    experiment(chosen.file, chosen.output)
