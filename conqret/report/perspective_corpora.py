"""The page of an experiment with perspectives: the same systems over several corpora (BeRDS, Tables 3, 5, 6, 16, 17,
Figures 2 and 3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from conqret.perspectives.ranking_measures import ASKED, SHOWN, leaning_name
from conqret.perspectives.scoring import ALL
from conqret.report.sheet import Section, Sheet
from conqret.report.table import Cell, Column, Table
from conqret.stats import Estimate

Facts = Mapping[str, Any]
"""What ``scores.json`` of ``conqret perspectives score`` holds."""

_MEASURES = (
    "MRecall: the share of questions of which these documents show every perspective, or as many as there are "
    "documents. Precision: the share of documents that hold any perspective."
)
_NAMES = (Column("corpus", "text"), Column("system", "text"))


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
    needed = {f"covered@{depth}": f"covered within {depth}", f"documents@{depth}": "documents"}
    sections.append(
        Section(
            "What the corpora allow",
            [_table("Documents needed for coverage", found, needed), _ceilings(found)],
            f"Covered: the first {depth} documents show every perspective; documents: how many it takes there. The "
            f"ceiling: the share of questions all of whose perspectives stand in what all systems found together.",
        )
    )
    facts = [("Questions", f"{first['questions']:,}"), ("With two sides", f"{first['sided']:,}")]
    lede = [
        "Whether rankings show every perspective on a question: means, with 95 % intervals over questions."
    ]
    return Sheet("perspectives", "How diverse are the rankings?", sections, lede, facts=facts)


def _by_view(found: Mapping[str, Facts], measure: str, title: str) -> Table:
    """A measure of all systems by subset, and over all questions with an interval."""
    views = list(dict.fromkeys(one["view"] for facts in found.values() for one in facts["scores"]))
    subsets = [view for view in views if view != ALL]
    rows: list[tuple[Cell, ...]] = [
        (
            corpus,
            system,
            *(_score(facts, view, system, measure).value for view in subsets),
            _score(facts, ALL, system, measure),
        )
        for corpus, facts in found.items()
        for system in _systems(facts)
    ]
    return Table(title, (*_NAMES, *subsets, "all"), rows)


def _sides(found: Mapping[str, Facts], cut: int) -> Section:
    """Which side is shown, and which side the query makes a ranking lean to."""
    shown = {f"{what}@{cut}": what if what in ("both", "neither") else f"only {what}" for what in SHOWN}
    leaning = {leaning_name(side, cut): f"asked as {side}" if side else "the question" for side in ASKED}
    return Section(
        f"Sides of the first {cut} documents",
        [
            _table(f"Shown by the first {cut}", found, shown),
            _table(f"Leaning of the first {cut}", found, leaning),
        ],
        "Of questions with two sides. Shown: the share of questions of which these documents show both sides, one or "
        "neither. Leaning: the share of supporting documents minus that of opposing ones, from -1 to 1, to the "
        "question as it is and as one side would ask it.",
    )


def _table(title: str, found: Mapping[str, Facts], measures: Mapping[str, str]) -> Table:
    rows: list[tuple[Cell, ...]] = [
        (corpus, system, *(_score(facts, ALL, system, measure) for measure in measures))
        for corpus, facts in found.items()
        for system in _systems(facts)
    ]
    return Table(title, (*_NAMES, *measures.values()), rows)


def _ceilings(found: Mapping[str, Facts]) -> Table:
    views = list(dict.fromkeys(view for facts in found.values() for view in facts["ceiling"]))
    rows: list[tuple[Cell, ...]] = [
        (corpus, *(_estimate(facts["ceiling"].get(view, {}), "value") for view in views))
        for corpus, facts in found.items()
    ]
    return Table("The ceiling: all systems together", (_NAMES[0], *views), rows)


def _systems(facts: Facts) -> Sequence[str]:
    return list(dict.fromkeys(one["system"] for one in facts["scores"]))


def _score(facts: Facts, view: str, system: str, measure: str) -> Estimate:
    wanted = (view, system, measure)
    scores = (one for one in facts["scores"] if (one["view"], one["system"], one["measure"]) == wanted)
    return _estimate(next(scores, {}), "mean")


def _estimate(one: Mapping[str, Any], value: str) -> Estimate:
    reason = one.get("reason") or ("" if one else "no question has a value")
    return Estimate(one.get(value), one.get("low"), one.get("high"), one.get("n", 0), reason)
