"""How diverse are rankings? The measures of BeRDS over several systems, with intervals and paired tests.

Tables 3, 5, 6, 16 and 17, and the data of Figures 2 and 3. What a ranking shows is known only where each of its first
documents was judged for each perspective: a question of which that is not true has no value of the measure, and is
counted.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import asdict, dataclass
from typing import Any

from conqret.data.digest import gathered
from conqret.errors import DeclarationError
from conqret.io.safe_files import csv_text
from conqret.perspectives.perspective_files import PerspectiveQuestion, Side
from conqret.perspectives.ranking_sources import QUERY_SIDES, JudgedDocuments, pooled, query_topic
from conqret.retrieval.evaluate import MeasureScore, Run, cut_off, family
from conqret.retrieval.systems import SystemRun
from conqret.stats.effects import sign_p
from conqret.stats.estimate import MIN_TOPICS, Estimate
from conqret.stats.resampling import mean_interval

Holders = Mapping[str, Set[str]]
"""For each perspective of a question the documents that contain it."""


def mrecall(ranking: Sequence[str], holders: Holders, cut: int) -> float:
    """Return MRecall at ``cut``, 1.0 or 0.0 (Min et al. 2021; BeRDS, section 3).

    It is 1 if the first ``cut`` documents contain all n perspectives, or at least ``cut`` of them where ``n >
    cut``. ``holders`` maps each perspective to the documents that contain it.
    """
    top = set(ranking[:cut])
    covered = sum(not top.isdisjoint(documents) for documents in holders.values())
    return float(covered >= min(len(holders), cut))


def precision(ranking: Sequence[str], holders: Holders, cut: int) -> float:
    """Return the share of the first ``cut`` documents that contain any perspective; the denominator is always
    ``cut``."""
    containing = set[str]().union(*holders.values())
    return sum(document in containing for document in ranking[:cut]) / cut


def documents_needed(ranking: Sequence[str], holders: Holders, depth: int) -> int | None:
    """Return how many documents from the top contain every perspective; None if the first ``depth`` do not.
    ``holders`` has the documents that contain each perspective."""
    missing = set(holders)
    for place, document in enumerate(ranking[:depth], start=1):
        missing -= {perspective for perspective in missing if document in holders[perspective]}
        if not missing:
            return place
    return None


def preference(ranking: Sequence[str], supporting: Set[str], opposing: Set[str], cut: int) -> str:
    """Return which sides the first ``cut`` documents show: "both", "supporting", "opposing" or "neither"
    (BeRDS, Figure 2).

    ``supporting`` and ``opposing`` are the documents that contain the perspective of that side.
    """
    top = set(ranking[:cut])
    supports, opposes = not top.isdisjoint(supporting), not top.isdisjoint(opposing)
    if supports and opposes:
        return "both"
    return "supporting" if supports else "opposing" if opposes else "neither"


def leaning(ranking: Sequence[str], supporting: Set[str], opposing: Set[str], cut: int) -> float:
    """Return how far the first ``cut`` documents lean to the supporting side, in [-1, 1]: ``(s - o) / cut``.

    s and o count the documents that contain the supporting and the opposing perspective (BeRDS, section 8, up
    to a constant).
    """
    top = ranking[:cut]
    return sum((document in supporting) - (document in opposing) for document in top) / cut


SHOWN = ("both", "supporting", "opposing", "neither")
"""What the first documents can show of a question with two sides (Figure 2)."""


@dataclass(frozen=True, slots=True)
class RankingMeasure:
    """A measure of one ranking.

    ``deepest`` is the number of documents that it needs, and ``value`` computes it (None where it is not
    defined). ``sided`` measures apply to questions with two sides only. ``side`` is the side of the query,
    and ``ends`` is the range of values.
    """

    deepest: int
    value: Callable[[Sequence[str], Holders, PerspectiveQuestion], float | None]
    sided: bool = False
    side: Side = ""
    ends: tuple[float, float] = (0.0, 1.0)


def measures_of(cuts: Sequence[int], depth: int) -> dict[str, RankingMeasure]:
    """Return all measures by name, for each cut-off in ``cuts`` and for the documents needed within
    ``depth``."""
    measures = {"P@1": RankingMeasure(1, lambda top, held, question: precision(top, held, 1))}
    for cut in cuts:
        measures |= _measures_at(cut)
    measures[f"covered@{depth}"] = RankingMeasure(
        depth, lambda top, held, question: float(documents_needed(top, held, depth) is not None)
    )
    measures[f"documents@{depth}"] = RankingMeasure(
        depth, lambda top, held, question: documents_needed(top, held, depth), ends=(1.0, max(depth, 2.0))
    )
    return measures


def leaning_name(side: Side, cut: int) -> str:
    """Return the name of the leaning measure at a cut-off, for the question (empty ``side``) or a side as the
    query."""
    return f"leaning@{cut}" + (f" asked as {side}" if side else "")


def _measures_at(cut: int) -> dict[str, RankingMeasure]:
    def shown(what: str) -> RankingMeasure:
        return RankingMeasure(
            cut,
            lambda top, held, question: float(preference(top, *_sides(held, question), cut) == what),
            True,
        )

    def lean(top: Sequence[str], held: Holders, question: PerspectiveQuestion) -> float:
        return leaning(top, *_sides(held, question), cut)

    return {
        f"P@{cut}": RankingMeasure(cut, lambda top, held, question: precision(top, held, cut)),
        f"MRecall@{cut}": RankingMeasure(cut, lambda top, held, question: mrecall(top, held, cut)),
        **{f"{what}@{cut}": shown(what) for what in SHOWN},
        **{
            leaning_name(side, cut): RankingMeasure(cut, lean, True, side, (-1.0, 1.0))
            for side in QUERY_SIDES
        },
    }


def _sides(held: Holders, question: PerspectiveQuestion) -> tuple[Set[str], Set[str]]:
    """The documents that contain the supporting perspective, and those that contain the opposing one."""
    return held[str(question.place("supporting"))], held[str(question.place("opposing"))]


CUTS = (5, 10)
"""The depths of the paper's measures (BeRDS, section 7 and B.1)."""

ALL = "all"
"""The view with all questions; the others are subsets."""


@dataclass(frozen=True)
class Diversity:
    """The scores of all systems, by subset and measure, and the data that they rest on.

    ``ceiling`` is, by subset, the share of questions whose pooled documents contain every perspective.
    ``sides`` maps system and cut-off (as ``SYSTEM @CUT``) to the p-value of a paired test of "only
    supporting" against "only opposing". ``unjudged`` counts each question's pooled documents without a
    judgment. ``unranked`` lists each system's questions without a ranking, which score 0.
    """

    baseline: str
    questions: int
    sided: int
    cuts: tuple[int, ...]
    depth: int
    scores: tuple[MeasureScore, ...]
    ceiling: Mapping[str, Estimate]
    sides: Mapping[str, float]
    unjudged: Mapping[str, int]
    unranked: Mapping[str, tuple[str, ...]]
    remarks: tuple[str, ...] = ()

    @property
    def views(self) -> tuple[str, ...]:
        """Return the names of the views: all questions first, then the subsets."""
        return tuple(dict.fromkeys(result.view for result in self.scores))

    def score(self, view: str, system: str, measure: str) -> MeasureScore | None:
        """Return the score of a system by a measure in a view; None where no question has a value."""
        wanted = (view, system, measure)
        return next(
            (result for result in self.scores if (result.view, result.system, result.measure) == wanted), None
        )

    def record(self) -> dict[str, Any]:
        """Return all means with their intervals by subset, and the data that they rest on, as a dictionary."""
        facts = {name: value for name, value in vars(self).items() if name not in ("sides", "remarks")}
        scores = [
            {
                **{
                    name: value
                    for name, value in asdict(result).items()
                    if name not in ("by_topic", "interval")
                },
                "mean": result.interval.value,
                "low": result.interval.low,
                "high": result.interval.high,
                "n": len(result.by_topic),
                "reason": result.interval.reason,
            }
            for result in self.scores
        ]
        ceiling = {view: asdict(estimate) for view, estimate in self.ceiling.items()}
        sides = {"only_supporting_against_only_opposing": self.sides}
        return {**facts, "ceiling": ceiling, **sides, "scores": scores}


def score(
    questions: Sequence[PerspectiveQuestion],
    runs: Sequence[SystemRun],
    judged: JudgedDocuments,
    *,
    cuts: Sequence[int] = CUTS,
    depth: int = max(CUTS),
) -> Diversity:
    """Score every system's rankings by all measures; the first system is the baseline of the comparisons.

    A question has no value for a measure if one of the documents that it needs is not judged. Questions
    without a subset form the subset ``others``.

    Args:
        questions: the questions with their perspectives.
        runs: the rankings of each system.
        judged: the perspectives that each judged document contains.
        cuts: the cut-offs of the measures.
        depth: the depth to which documents were pooled and judged.

    Raises:
        DeclarationError: a cut-off is below 1 or above ``depth``, or no question has a
            value.
    """
    if not cuts or not 1 <= min(cuts) <= max(cuts) <= depth:
        raise DeclarationError(
            f"the cuts are {list(cuts)}, but each must lie between 1 and the depth of {depth}"
        )
    measures = measures_of(cuts, depth)
    short = cut_off(
        {name: measure.deepest for name, measure in measures.items()},
        {run.name: run.depth for run in runs},
        [run.name for run in runs],
    )
    held = {question.id: _holders(question, judged) for question in questions}
    by_subset = gathered((question.subset or "others", question) for question in questions)
    views = {ALL: questions, **(by_subset if len(by_subset) > 1 else {})}
    scores: list[MeasureScore] = []
    for view, part in views.items():
        for name, measure in measures.items():
            values = {run.name: _values(measure, part, run.run, judged, held) for run in runs}
            if any(values.values()):
                for system in [system for system, values_by_view in values.items() if not values_by_view]:
                    short.setdefault((system, name), "no question has all its documents judged")
                scores += family(view, name, values, runs[0].name, short, ends=measure.ends)
    if not scores:
        raise DeclarationError(
            f"no question has judgments down to the depth of {min(cuts)} for any of the rankings: judge more documents"
        )
    pool = pooled(questions, runs, depth)
    neutral = pooled(questions, runs, depth, QUERY_SIDES[:1])
    return Diversity(
        baseline=runs[0].name,
        questions=len(questions),
        sided=sum(question.sided for question in questions),
        cuts=tuple(cuts),
        depth=depth,
        scores=tuple(scores),
        ceiling={view: _ceiling(part, neutral, judged, held) for view, part in views.items()},
        sides={
            f"{run.name} @{cut}": p
            for run in runs
            for cut in cuts
            if (p := _side_test(scores, run.name, cut)) is not None
        },
        unjudged={
            name: lacking
            for name, documents in pool.items()
            if (lacking := sum(document not in judged[name] for document in documents))
        },
        unranked={
            run.name: without
            for run in runs
            if (without := tuple(x.id for x in questions if not run.run.get(x.id)))
        },
        remarks=tuple(f"{run.name}: {remark}" for run in runs for remark in run.remarks),
    )


def _values(
    measure: RankingMeasure,
    questions: Sequence[PerspectiveQuestion],
    run: Run,
    judged: JudgedDocuments,
    held: Mapping[str, Holders],
) -> dict[str, float]:
    values = {}
    for question in questions:
        topic = query_topic(question.id, measure.side)
        top = run.get(topic, ())[: measure.deepest]
        if (measure.sided and not question.sided) or (measure.side and topic not in run):
            continue
        if all(document in judged[question.id] for document in top):
            value = measure.value(top, held[question.id], question)
            if value is not None:
                values[question.id] = float(value)
    return values


def _holders(question: PerspectiveQuestion, judged: JudgedDocuments) -> Holders:
    """By the place of each perspective (as a text) the documents that contain it."""
    return {
        str(place): {document for document, held in judged[question.id].items() if place in held}
        for place in range(len(question.perspectives))
    }


def _ceiling(
    questions: Sequence[PerspectiveQuestion], pool: Run, judged: JudgedDocuments, held: Mapping[str, Holders]
) -> Estimate:
    known = [
        question
        for question in questions
        if all(document in judged[question.id] for document in pool[question.id])
    ]
    values = [
        documents_needed(pool[question.id], held[question.id], len(pool[question.id]) or 1) is not None
        for question in known
    ]
    return mean_interval(values, scale="share", reason="no question has all its pooled documents judged")


def _side_test(scores: Sequence[MeasureScore], system: str, cut: int) -> float | None:
    """Return the p-value of "as many questions show only supporting as only opposing documents" within ``cut``, by the
    exact sign test over the questions that show one alone; None below six questions."""
    known = {
        result.measure: result.by_topic for result in scores if (result.view, result.system) == (ALL, system)
    }
    supporting, opposing = known.get(f"supporting@{cut}", {}), known.get(f"opposing@{cut}", {})
    apart = [value - opposing[topic] for topic, value in supporting.items()]
    if len(apart) < MIN_TOPICS:
        return None
    return sign_p(sum(difference > 0 for difference in apart), sum(difference < 0 for difference in apart))


def values_of(scored_diversity: Diversity) -> str:
    """Return the text of ``values.csv``: the value of every system, measure and question."""
    return csv_text(
        ("system", "measure", "question", "value"),
        (
            (result.system, result.measure, question, value)
            for result in scored_diversity.scores
            if result.view == ALL
            for question, value in result.by_topic.items()
        ),
    )
