"""How diverse are rankings? The measures of BeRDS over several systems, with intervals and paired tests.

Tables 3, 5, 6, 16 and 17, and the data of Figures 2 and 3. What a ranking shows is known only where each of its first
documents was judged for each perspective: a question of which that is not true has no value of the measure, and is
counted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import asdict, dataclass
from typing import Any

from conqret.data.digest import gathered
from conqret.errors import DeclarationError
from conqret.io.label_sheets import csv_text
from conqret.io.pairs import Pair
from conqret.perspectives import ranking_diversity as diversity
from conqret.perspectives.perspective_files import PerspectiveQuestion, Side
from conqret.perspectives.ranking_diversity import ASKED, Holders, RankingMeasure, asked_as, measures_of
from conqret.retrieval.evaluation.evaluate import MeasureScore, Run, cut_off, family
from conqret.retrieval.evaluation.systems import SystemRun
from conqret.stats.effects import sign_p
from conqret.stats.estimate import FEWEST_TESTED, Estimate
from conqret.stats.resampling import mean_interval

CUTS = (5, 10)
"""The depths of the paper's measures (BeRDS, section 7 and B.1)."""

ALL = "all"
"""The view with all questions; the others are subsets."""

JudgedDocuments = Mapping[str, Mapping[str, Set[int]]]
"""For each question its documents that were judged for all perspectives, with the places of those that they contain."""


@dataclass(frozen=True)
class Diversity:
    """All scores, the ceiling of the pool by view, and what they rest on.

    ``unjudged`` has by question how many of the pooled documents lack a judgment, and ``unranked`` by system the
    questions with no ranking, which count as 0. ``sides`` is by system and cut the p-value of a paired test of "only
    supporting" against "only opposing"; ``remarks`` are what the files of rankings have to say.
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
        """All questions, then the subsets."""
        return tuple(dict.fromkeys(result.view for result in self.scores))

    def score(self, view: str, system: str, measure: str) -> MeasureScore | None:
        """One of the scores; None where no question has a value."""
        wanted = (view, system, measure)
        return next(
            (result for result in self.scores if (result.view, result.system, result.measure) == wanted), None
        )


def queries(questions: Sequence[PerspectiveQuestion]) -> list[tuple[str, str]]:
    """What is searched for: each question, and of those with two sides each perspective, by topic."""
    return [
        (
            asked_as(question.id, side),
            question.perspectives[question.place(side)].text if side else question.question,
        )
        for question in questions
        for side in (ASKED if question.sided else ASKED[:1])
    ]


def pooled(
    questions: Sequence[PerspectiveQuestion],
    runs: Sequence[SystemRun],
    depth: int,
    asked: Sequence[Side] = ASKED,
) -> Run:
    """The documents of each question to be judged: the first ``depth`` of every system, those for its perspectives
    as queries too, in the order in which they come."""
    return {
        question.id: list(
            dict.fromkeys(
                document
                for system in runs
                for side in asked
                for document in system.run.get(asked_as(question.id, side), ())[:depth]
            )
        )
        for question in questions
    }


def pairs_of(
    questions: Sequence[PerspectiveQuestion], pool: Run, texts: Mapping[str, str]
) -> tuple[Pair, ...]:
    """A pair for each perspective of a question and each of its pooled documents, under ``QUESTION PLACE DOCUMENT``
    (places from 1). Documents without a text are left out."""
    return tuple(
        Pair(f"{question.id} {place} {document}", texts[document], perspective.text, question.question)
        for question in questions
        for document in pool[question.id]
        if texts.get(document, "").strip()
        for place, perspective in enumerate(question.perspectives, start=1)
    )


def judged_of(
    questions: Sequence[PerspectiveQuestion], contains: Mapping[tuple[str, int, str], bool | None]
) -> JudgedDocuments:
    """What was judged, from answers by question, place of the perspective (from 1) and document."""
    known = gathered(
        ((question, document), (place, yes))
        for (question, place, document), yes in contains.items()
        if yes is not None
    )
    wanted = {item.id: len(item.perspectives) for item in questions}
    shown: dict[str, dict[str, Set[int]]] = {name: {} for name in wanted}
    for (question, document), answers in known.items():
        if question in wanted and len(answers) == wanted[question]:
            shown[question][document] = {place - 1 for place, yes in answers if yes}
    return shown


def score(
    questions: Sequence[PerspectiveQuestion],
    runs: Sequence[SystemRun],
    judged: JudgedDocuments,
    *,
    cuts: Sequence[int] = CUTS,
    depth: int = max(CUTS),
) -> Diversity:
    """Score every system; the first is what the others are compared with. ``depth`` is that of the pool.

    Raises:
        DeclarationError: there is no run, a cut is below 1 or beyond ``depth``, or no question has a value.
    """
    if not runs:
        raise DeclarationError("there is no ranking to score")
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
    views = {ALL: questions, **_subsets(questions)}
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
    neutral = pooled(questions, runs, depth, ASKED[:1])
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
        topic = asked_as(question.id, measure.side)
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
        diversity.ceiling([pool[question.id]], held[question.id], len(pool[question.id]) or 1)
        for question in known
    ]
    return mean_interval(values, scale="share", reason="no question has all its pooled documents judged")


def _side_test(scores: Sequence[MeasureScore], system: str, cut: int) -> float | None:
    """The p-value of "as often only supporting as only opposing" against "not as often", by the exact sign test over
    the questions that show one alone; None below six questions."""
    known = {
        result.measure: result.by_topic for result in scores if (result.view, result.system) == (ALL, system)
    }
    supporting, opposing = known.get(f"supporting@{cut}", {}), known.get(f"opposing@{cut}", {})
    apart = [value - opposing[topic] for topic, value in supporting.items()]
    return (
        sign_p(sum(difference > 0 for difference in apart), sum(difference < 0 for difference in apart))
        if len(apart) >= FEWEST_TESTED
        else None
    )


def _subsets(questions: Sequence[PerspectiveQuestion]) -> dict[str, list[PerspectiveQuestion]]:
    """The questions of each subset, where there are several."""
    by_subset = gathered((question.subset or "others", question) for question in questions)
    return by_subset if len(by_subset) > 1 else {}


def facts_of(scored_diversity: Diversity) -> dict[str, Any]:
    """All means with their intervals by subset, and what they rest on."""
    facts = {
        name: value for name, value in vars(scored_diversity).items() if name not in ("sides", "remarks")
    }
    scores = [
        {
            **{name: value for name, value in asdict(result).items() if name not in ("by_topic", "interval")},
            "mean": result.interval.value,
            "low": result.interval.low,
            "high": result.interval.high,
            "n": len(result.by_topic),
            "reason": result.interval.reason,
        }
        for result in scored_diversity.scores
    ]
    ceiling = {view: asdict(estimate) for view, estimate in scored_diversity.ceiling.items()}
    sides = {"only_supporting_against_only_opposing": scored_diversity.sides}
    return {**facts, "ceiling": ceiling, **sides, "scores": scores}


def values_of(scored_diversity: Diversity) -> str:
    """The value of every question as the text of ``values.csv``."""
    return csv_text(
        ("system", "measure", "question", "value"),
        (
            (result.system, result.measure, question, value)
            for result in scored_diversity.scores
            if result.view == ALL
            for question, value in result.by_topic.items()
        ),
    )
