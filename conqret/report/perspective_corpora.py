"""The page of an experiment with perspectives: the same systems over several corpora (BeRDS, Tables 3, 5, 6, 16, 17,
Figures 2 and 3)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from conqret.perspectives.ranking_measures import ASKED, SHOWN, leaning_name
from conqret.perspectives.scoring import ALL
from conqret.report import words
from conqret.report.sheet import Section, Sheet
from conqret.report.table import Cell, Column, Table
from conqret.stats import Estimate

Facts = Mapping[str, Any]
"""What ``scores.json`` of ``conqret perspectives score`` holds."""

_MEASURES = (
    "MRecall: the share of questions of which these documents show every perspective, or as many as there are "
    "documents. Precision: the share of documents that hold any perspective."
)


def corpora_sheet(found: Mapping[str, Facts]) -> Sheet:
    """The page, from the scores by corpus; depths and cuts are those of the first."""
    first = next(iter(found.values()))
    cuts, depth = first["cuts"], first["depth"]
    sections = []
    for cut in cuts:
        measures = {f"MRecall@{cut}": f"MRecall@{cut}", f"P@{cut}": f"Precision@{cut}"}
        measures |= {"P@1": "Precision@1"} if cut == cuts[0] else {}
        tables = [_by_view(found, measure, title) for measure, title in measures.items()]
        sections.append(Section(f"The first {cut} documents", tables, _MEASURES))
        sections.append(_sides(found, cut))
    needed = {f"covered@{depth}": f"Covered within {depth}", f"documents@{depth}": "Documents"}
    sections.append(
        Section(
            "What the corpora allow",
            [_table("Documents needed for coverage", found, needed), _ceilings(found)],
            f"Covered: the first {depth} documents show every perspective; documents: how many it takes there. The "
            f"ceiling: the share of questions all of whose perspectives stand in what all systems found together.",
        )
    )
    several = len(found) > 1
    facts = [] if several else [("Corpus", next(iter(found)))]
    facts += [("Systems", "; ".join(map(system_words, _systems(first))))]
    facts += [("Questions", f"{first['questions']:,}"), ("With two sides", f"{first['sided']:,}")]
    lede = [
        "Whether rankings show every perspective on a question: means, with 95% intervals over questions.",
        *(_best(corpus if several else "", one, cuts[0]) for corpus, one in found.items()),
    ]
    return Sheet("perspectives", "How diverse are the rankings?", sections, lede, facts=facts)


def _by_view(found: Mapping[str, Facts], measure: str, title: str) -> Table:
    """A measure of all systems by subset, and over all questions with an interval."""
    views = list(dict.fromkeys(one["view"] for facts in found.values() for one in facts["scores"]))
    subsets = [view for view in views if view != ALL]
    rows: list[tuple[Cell, ...]] = [
        (
            *names,
            *(_score(facts, view, system, measure).value for view in subsets),
            _score(facts, ALL, system, measure),
        )
        for names, facts, system in _each(found)
    ]
    return Table(title, (*_names(found), *map(words.label, subsets), "All"), rows)


def _sides(found: Mapping[str, Facts], cut: int) -> Section:
    """Which side is shown, and which side the query makes a ranking lean to."""
    shown = {
        f"{what}@{cut}": words.label(what if what in ("both", "neither") else f"only {what}")
        for what in SHOWN
    }
    leaning = {leaning_name(side, cut): f"Asked as {side}" if side else "The question" for side in ASKED}
    asked = list(leaning)
    alike = all(
        _score(facts, ALL, system, name) == _score(facts, ALL, system, asked[0])
        for _, facts, system in _each(found)
        for name in asked[1:]
    )
    same = " Asked as either side, each ranking leans as far as to the question." * alike
    return Section(
        f"Sides of the first {cut} documents",
        [
            _table(f"Shown by the first {cut}", found, shown),
            _table(f"Leaning of the first {cut}", found, {asked[0]: leaning[asked[0]]} if alike else leaning),
        ],
        "Of questions with two sides. Shown: the share of questions of which these documents show both sides, one or "
        "neither. Leaning: the share of supporting documents minus that of opposing ones, from -1 to 1, to the "
        f"question as it is and as one side would ask it.{same}",
    )


def _table(title: str, found: Mapping[str, Facts], measures: Mapping[str, str]) -> Table:
    rows: list[tuple[Cell, ...]] = [
        (*names, *(_score(facts, ALL, system, measure) for measure in measures))
        for names, facts, system in _each(found)
    ]
    return Table(title, (*_names(found), *measures.values()), rows)


def _names(found: Mapping[str, Facts]) -> list[Column]:
    """The columns that say of what a row is: the corpus only where there are several."""
    return [*([Column("Corpus", "text")] if len(found) > 1 else []), Column("System", "name")]


def _each(found: Mapping[str, Facts]) -> Iterator[tuple[list[str], Facts, str]]:
    """The rows: their names, as :func:`_names` has them, with the scores of the corpus, and the system."""
    for corpus, facts in found.items():
        for system in _systems(facts):
            yield [*([corpus] if len(found) > 1 else []), system], facts, system


def _best(corpus: str, facts: Facts, cut: int) -> str:
    """Which system shows every perspective most often, in a sentence that claims no more than the values."""
    values = {name: _score(facts, ALL, name, f"MRecall@{cut}").value for name in _systems(facts)}
    known = {name: value for name, value in values.items() if value is not None}
    where = f"{corpus}: the" if corpus else "The"
    if not known:
        return f"{where} first {cut} documents: no question has a value."
    best = max(known.values())
    names = " and ".join(name for name, value in known.items() if value == best)
    others = ", ".join(f"{name} for {value:.0%}" for name, value in known.items() if value < best)
    return (
        f"{where} first {cut} documents show every perspective for {best:.0%} of the questions by {names}"
        f"{', by ' + others if others else ''}. This is the order of the means, and no test."
    )


def system_words(name: str) -> str:
    """What a ranking is, behind its name, where the name says how it was made."""
    kind, _, weight = name.partition("@")
    told = {
        "bm25": "by words",
        "mmr": f"by words, then ordered so that documents differ, with relevance weighing {weight}",
        "perspectives": "one search for each perspective, put together",
    }.get(kind)
    return name if told is None else f"{name} ({told})"


def _ceilings(found: Mapping[str, Facts]) -> Table:
    views = list(dict.fromkeys(view for facts in found.values() for view in facts["ceiling"]))
    rows: list[tuple[Cell, ...]] = [
        (corpus, *(_estimate(facts["ceiling"].get(view, {}), "value") for view in views))
        for corpus, facts in found.items()
    ]
    return Table(
        "The ceiling: all systems together", (Column("Corpus", "name"), *map(words.label, views)), rows
    )


def _systems(facts: Facts) -> Sequence[str]:
    return list(dict.fromkeys(one["system"] for one in facts["scores"]))


def _score(facts: Facts, view: str, system: str, measure: str) -> Estimate:
    wanted = (view, system, measure)
    scores = (one for one in facts["scores"] if (one["view"], one["system"], one["measure"]) == wanted)
    return _estimate(next(scores, {}), "mean")


def _estimate(one: Mapping[str, Any], value: str) -> Estimate:
    reason = one.get("reason") or ("" if one else "no question has a value")
    return Estimate(one.get(value), one.get("low"), one.get("high"), one.get("n", 0), reason)
