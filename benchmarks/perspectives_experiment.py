"""Rankings of several retrievers over several corpora, and which perspectives they show: BeRDS's experiments.

    python benchmarks/perspectives_experiment.py fixtures/perspectives/offline.toml -o runs/perspectives

``questions`` are those with perspectives. ``systems`` search each corpus by words; each encoder has its corpora indexed
and ``systems`` of its own. All rankings of a corpus are then scored together, and ``report.html`` has all corpora side
by side (Tables 3, 5, 6, 16, 17, Figures 2 and 3). A corpus without a ``folder`` is collected for each question
(``conqret perspectives collect``). ``[detectors]`` are held beside people's labels (Table 4), and ``[domains]`` tunes
one on each domain (B.3). A table with a command's name holds options of that command; paths are relative to the file.
Every command is printed as one could type it, keeps its own folder, and goes on where it stopped: so does the whole.
"""

from __future__ import annotations

import argparse
import json
import os
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

from conqret.cli.main import as_options, run_command
from conqret.data.digest import gathered
from conqret.io.jsonl import json_lines
from conqret.io.pairs import read_pairs
from conqret.perspectives.diversity_run import ALL, SHOWN, leaning_name
from conqret.perspectives.ranking_sources import ASKED
from conqret.show import words
from conqret.show.forest import forests
from conqret.show.report_page import ReportPage, Section, write_sheet
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
        print(write_sheet(corpora_sheet(found), out / f"report.{ending}"))


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

_MEASURES = (
    "MRecall is the share of questions for which these documents contain every perspective (or, for questions with "
    "more "
    "perspectives than documents, as many perspectives as documents). Precision is the share of documents that "
    "contain at "
    "least one perspective."
)


def corpora_sheet(facts_by_corpus: Mapping[str, Facts]) -> ReportPage:
    """The page, from the scores by corpus; depths and cuts are those of the first."""
    first = next(iter(facts_by_corpus.values()))
    cuts, depth = first["cuts"], first["depth"]
    sections = []
    for cut in cuts:
        measures = {f"MRecall@{cut}": f"MRecall@{cut}", f"P@{cut}": f"Precision@{cut}"}
        measures |= {"P@1": "Precision@1"} if cut == cuts[0] else {}
        title = f"The first {cut} documents"
        sections.append(Section(title, [_by_view(facts_by_corpus, measures, title)], _MEASURES))
        sections.append(_sides(facts_by_corpus, cut))
    needed = {f"covered@{depth}": f"Covered within {depth}", f"documents@{depth}": "Documents, where covered"}
    sections.append(
        Section(
            "Limits of the corpora",
            [_table("Documents needed for coverage", facts_by_corpus, needed), _ceilings(facts_by_corpus)],
            f"“Covered within {depth}” is the share of questions for which the first {depth} documents contain every "
            "perspective. “Documents, where covered” is the mean number of documents that this takes. The ceiling "
            "is the "
            "share of questions for which the documents found by all systems together contain every perspective.",
        )
    )
    several = len(facts_by_corpus) > 1
    facts = [] if several else [("Corpus", next(iter(facts_by_corpus)))]
    facts += [("Systems", "; ".join(map(system_words, _systems(first))))]
    facts += [("Questions", f"{first['questions']:,}"), ("With two sides", f"{first['sided']:,}")]
    best = [
        *(_best(corpus if several else "", facts, cuts[0]) for corpus, facts in facts_by_corpus.items()),
    ]
    lede = [
        "The tables give means with 95% intervals over questions; differences between systems are not tested.",
    ]
    picture = forests(
        f"Every perspective in the first {cuts[0]} documents",
        f"MRecall@{cuts[0]}, 95% intervals over questions",
        [
            (": ".join(names), _score(scores, ALL, system, f"MRecall@{cuts[0]}"))
            for names, scores, system in _each(facts_by_corpus)
        ],
    )
    return ReportPage(
        "perspectives",
        "How diverse are the rankings?",
        sections,
        lede,
        facts=facts,
        answer=best,
        picture=picture,
    )


def _by_view(facts_by_corpus: Mapping[str, Facts], measures: Mapping[str, str], title: str) -> Table:
    """Measures of all systems over all questions and by subset."""
    views = list(
        dict.fromkeys(score["view"] for facts in facts_by_corpus.values() for score in facts["scores"])
    )
    rows: list[tuple[Cell, ...]] = []
    for measure, name in measures.items():
        rows.append((name,))
        rows += [
            (*names, *(_score(facts, view, system, measure) for view in views))
            for names, facts, system in _each(facts_by_corpus)
        ]
    return Table(title, (*_names(facts_by_corpus), *map(words.label, views)), rows)


def _sides(facts_by_corpus: Mapping[str, Facts], cut: int) -> Section:
    """Which side is shown, and which side the query makes a ranking lean to."""
    shown = {
        f"{what}@{cut}": words.label(what if what in ("both", "neither") else f"only {what}")
        for what in SHOWN
    }
    leaning = {leaning_name(side, cut): f"Leaning, query as {side}" if side else "Leaning" for side in ASKED}
    asked = list(leaning)
    alike = all(
        _score(facts, ALL, system, name) == _score(facts, ALL, system, asked[0])
        for _, facts, system in _each(facts_by_corpus)
        for name in asked[1:]
    )
    more = {asked[0]: leaning[asked[0]]} if alike else leaning
    sides = (
        "Searches with the query of a supporter or of an opponent have the same leaning as the question itself."
        if alike
        else "“Asked as” a supporter or an opponent is the leaning of searches with such a query."
    )
    title = f"Sides of the first {cut} documents"
    return Section(
        title,
        [_table(title, facts_by_corpus, shown | more)],
        "The table uses the questions with two sides. “Both”, “Only supporting”, “Only opposing” and “Neither” are "
        "shares "
        "of questions, by the perspectives that these documents contain. Leaning is the share of supporting documents "
        f"minus the share of opposing ones, from -1 to 1. {sides}",
    )


def _table(title: str, facts_by_corpus: Mapping[str, Facts], measures: Mapping[str, str]) -> Table:
    rows: list[tuple[Cell, ...]] = [
        (*names, *(_score(facts, ALL, system, measure) for measure in measures))
        for names, facts, system in _each(facts_by_corpus)
    ]
    return Table(title, (*_names(facts_by_corpus), *measures.values()), rows)


def _names(facts_by_corpus: Mapping[str, Facts]) -> list[Column]:
    """The columns that say of what a row is: the corpus only where there are several."""
    return [*([Column("Corpus", "text")] if len(facts_by_corpus) > 1 else []), Column("System", "name")]


def _each(facts_by_corpus: Mapping[str, Facts]) -> Iterator[tuple[list[str], Facts, str]]:
    """The rows: their names, as :func:`_names` has them, with the scores of the corpus, and the system."""
    for corpus, facts in facts_by_corpus.items():
        for system in _systems(facts):
            yield [*([corpus] if len(facts_by_corpus) > 1 else []), system], facts, system


def _best(corpus: str, facts: Facts, cut: int) -> str:
    """Which system shows every perspective most often, in a sentence that claims no more than the values."""
    values = {name: _score(facts, ALL, name, f"MRecall@{cut}").value for name in _systems(facts)}
    known = {name: value for name, value in values.items() if value is not None}
    where = f"{corpus}: the" if corpus else "The"
    if not known:
        return f"{where} first {cut} documents: no question has a value."
    best = max(known.values())
    names = " and ".join(f"“{name}”" for name, value in known.items() if value == best)
    others = ", ".join(f"of “{name}” for {value:.0%}" for name, value in known.items() if value < best)
    return (
        f"{where} first {cut} documents of {names} contain every perspective for {best:.0%} of the questions"
        f"{', those ' + others if others else ''}."
    )


def system_words(name: str) -> str:
    """What a ranking is, behind its name, where the name says how it was made."""
    kind, _, weight = name.partition("@")
    descriptions = {
        "bm25": "by words",
        "mmr": f"by words, then ordered so that documents differ, with relevance weighing {weight}",
        "perspectives": "one search for each perspective, put together",
    }.get(kind)
    return name if descriptions is None else f"{name} ({descriptions})"


def _ceilings(facts_by_corpus: Mapping[str, Facts]) -> Table:
    views = list(dict.fromkeys(view for facts in facts_by_corpus.values() for view in facts["ceiling"]))
    rows: list[tuple[Cell, ...]] = [
        (corpus, *(_estimate(facts["ceiling"].get(view, {}), "value") for view in views))
        for corpus, facts in facts_by_corpus.items()
    ]
    return Table(
        "The ceiling: all systems together", (Column("Corpus", "name"), *map(words.label, views)), rows
    )


def _systems(facts: Facts) -> Sequence[str]:
    return list(dict.fromkeys(score["system"] for score in facts["scores"]))


def _score(facts: Facts, view: str, system: str, measure: str) -> Estimate:
    wanted = (view, system, measure)
    scores = (
        score for score in facts["scores"] if (score["view"], score["system"], score["measure"]) == wanted
    )
    return _estimate(next(scores, {}), "mean")


def _estimate(score: Mapping[str, Any], value: str) -> Estimate:
    reason = score.get("reason") or ("" if score else "no question has a value")
    return Estimate(score.get(value), score.get("low"), score.get("high"), score.get("n", 0), reason)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", type=Path)
    parser.add_argument("-o", "--output", type=Path, default=Path("runs/perspectives"))
    chosen = parser.parse_args()
    experiment(chosen.file, chosen.output)
