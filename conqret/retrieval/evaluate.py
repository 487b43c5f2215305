"""Table 4 for any systems: P@k, nDCG@k and recall for pro, con and both, with significance and intervals."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any

from conqret.errors import DeclarationError, UnknownNameError, check_known, number
from conqret.show import words
from conqret.stats.effects import ALPHA, holm
from conqret.stats.estimate import Estimate
from conqret.stats.jackknife import JackknifedEstimate
from conqret.stats.resampling import mean, mean_interval

NOVELTY = 0.5
"""How much a subtopic is worth again after each document that had it (Clarke et al. 2008, section 4)."""


def balance(ranking: Sequence[str], sides: Mapping[str, Set[str]], cut: int) -> float | None:
    """How even the two sides are among the first ``cut`` documents, in [0, 1].

    ``2 min(p, c) / (p + c)``, p and c the documents of either side (one of both counts for both). 1: as many
    of the one as of the other; 0: one side only. None where there is no relevant document at all.
    """
    shown = [sides.get(document, frozenset()) for document in ranking[:cut]]
    pro, con = (sum(side in held for held in shown) for side in ("pro", "con"))
    return 2 * min(pro, con) / (pro + con) if pro + con else None


def alpha_ndcg(ranking: Sequence[str], subtopics: Mapping[str, Set[str]], cut: int) -> float:
    """alpha-nDCG at ``cut``, in [0, 1] (Clarke et al. 2008).

    ``subtopics`` names those that each document has, alpha is :data:`NOVELTY`. The gain of the document at rank k is
    ``sum over its subtopics s of (1 - alpha)^(documents above that have s)``, discounted by ``log2(1 + k)``
    and divided by that of the ideal ranking, which takes the document of greatest gain at each rank (an
    exact ideal is NP-hard; greedy is what ndeval does, equals by id). 0 where nothing is relevant.
    """
    best = _gains(_greedy(subtopics, cut), subtopics, cut)
    return _gains(ranking, subtopics, cut) / best if best else 0.0


def _gains(ranking: Sequence[str], subtopics: Mapping[str, Set[str]], cut: int) -> float:
    seen: Counter[str] = Counter()
    total = 0.0
    for rank, document in enumerate(ranking[:cut], start=1):
        held = subtopics.get(document, frozenset())
        total += sum((1 - NOVELTY) ** seen[subtopic] for subtopic in held) / math.log2(1 + rank)
        seen.update(held)
    return total


def _greedy(subtopics: Mapping[str, Set[str]], cut: int) -> list[str]:
    left = {document: held for document, held in sorted(subtopics.items()) if held}
    seen: Counter[str] = Counter()
    order: list[str] = []
    while left and len(order) < cut:
        best = max(
            left, key=lambda document: sum((1 - NOVELTY) ** seen[subtopic] for subtopic in left[document])
        )
        order.append(best)
        seen.update(left.pop(best))
    return order


TOP = 10
"""The depth of Table 4's measures."""


def default_measures(depth: int) -> tuple[str, ...]:
    """Table 4's two, and the recall at the depth that was retrieved: the ceiling that is left to any reranker."""
    top = min(TOP, depth)
    return f"P@{top}", f"nDCG@{top}", f"R@{depth}"


def parsed_measure(measure: str) -> Any:
    """The measure of ir-measures with this name.

    Raises:
        DeclarationError: there is none.
    """
    import ir_measures

    try:
        return ir_measures.parse_measure(measure)
    except (NameError, ValueError, SyntaxError) as error:
        raise DeclarationError(
            f"{measure!r} is not a measure of ir-measures, such as nDCG@10 or R@100: {error}"
        ) from None


def cutoff(measure: str) -> int:
    """How many documents a measure looks at, 0 where it has no such number (``AP``).

    Raises:
        DeclarationError: there is no such measure.
    """
    return int(parsed_measure(measure).params.get("cutoff") or 0)


def check_depth(measures: Sequence[str], depth: int, documents: int) -> None:
    """Make sure that every measure looks no deeper than ``depth``; a corpus of fewer documents is ranked whole.

    Raises:
        DeclarationError: one does, or is no measure.
    """
    for measure in measures:
        deepest = cutoff(measure)
        if deepest > depth and documents > depth:
            raise DeclarationError(
                f"{measure} needs {number(deepest, 'document')}, but only {depth} are retrieved: add --depth {deepest}"
            )


def cut_off(
    measures: Mapping[str, int], depths: Mapping[str, int | None], systems: Sequence[str]
) -> dict[tuple[str, str], str]:
    """By system and measure, why a ranking is too short for it. ``measures`` have their cutoffs; None is no limit."""
    return {
        (system, measure): f"{system} was retrieved to {depth} documents only"
        for system in systems
        if (depth := depths.get(system)) is not None
        for measure, deepest in measures.items()
        if deepest > depth
    }


Run = Mapping[str, Sequence[str]]
"""For each topic its documents, best first."""

Judgments = Mapping[str, Mapping[str, int]]
"""For each topic its judged documents with their relevance (0: not relevant)."""

StanceMeasure = Callable[[Sequence[str], Mapping[str, frozenset[str]], int], float | None]
"""A ranking, the sides of the judged documents and a depth to a value; None where there is none."""

DIVERSITY_CUT = TOP
"""The depth of the stance measures."""

STANCE_MEASURES: Mapping[str, StanceMeasure] = {
    f"balance@{DIVERSITY_CUT}": balance,
    f"alpha_nDCG@{DIVERSITY_CUT}": alpha_ndcg,
}
NONE: Mapping[str, int | None] = {}
"""No run was cut off."""

MARK_BETTER, MARK_WORSE = "\u25b4", "\u25be"
"""Mark what is significantly better than the baseline (alpha in Table 4), and what is worse."""


@dataclass(frozen=True, slots=True)
class MeasureScore:
    """One system's mean of one measure on one view, its interval over topics, and its values by topic.

    ``p`` is Holm's adjusted p-value of the paired t-test against the baseline (None for the baseline itself
    and below six topics), ``difference`` the mean difference. A ranking that is too short for the measure has
    no mean (``interval`` says why) and no values.
    """

    view: str
    system: str
    measure: str
    interval: Estimate
    by_topic: Mapping[str, float]
    difference: float | None = None
    p: float | None = None

    @property
    def significant(self) -> bool:
        """Whether it differs from the baseline at the 5% level."""
        return self.p is not None and self.p < ALPHA

    @property
    def mark(self) -> str:
        """The mark of a significant difference; empty where there is none."""
        if not self.significant:
            return ""
        return MARK_BETTER if (self.difference or 0.0) > 0 else MARK_WORSE


def marks_legend(scores: Sequence[MeasureScore], baseline: str, clusters: str = "topic") -> Iterator[str]:
    """What the marks of these scores mean, in sentences."""
    over = f"over {clusters}s"
    bare = all(score.interval.low is None for score in scores)
    means = f"means {over}, too few for intervals" if bare else f"means with 95% intervals {over}"
    yield (
        f"{means}; {MARK_BETTER} better and {MARK_WORSE} worse than {baseline}, "
        "p < .05 (paired t-test, Holm-Bonferroni)"
    )
    tested = [len(score.by_topic) for score in scores if score.p is not None]
    if note := words.symmetry_note(min(tested, default=0)):
        yield note


@dataclass(frozen=True)
class Evaluation:
    """All scores, how many topics each view has, and by system the topics with nothing ranked, which count as 0."""

    baseline: str
    scores: tuple[MeasureScore, ...]
    topics: Mapping[str, int]
    unranked: Mapping[str, tuple[str, ...]]

    def score(self, view: str, system: str, measure: str) -> MeasureScore:
        """One of them. Raises UnknownNameError where there is none."""
        for score in self.scores:
            if (score.view, score.system, score.measure) == (view, system, measure):
                return score
        known = [f"{score.view}/{score.system}/{score.measure}" for score in self.scores]
        raise UnknownNameError("score", f"{view}/{system}/{measure}", known)


def evaluate(
    runs: Mapping[str, Run],
    judgments: Mapping[str, Judgments],
    *,
    baseline: str | None = None,
    measures: Sequence[str] = default_measures(100),
    depths: Mapping[str, int | None] = NONE,
) -> Evaluation:
    """Score every run on every view.

    ``judgments`` has a view for each key: ``pro``, ``con`` and ``all`` where a corpus has sides. With both
    ``pro`` and ``con`` there is a view ``stance`` too, with the balance of the two sides among the first ten
    documents and alpha-nDCG@10 with the sides as subtopics. A view's topics are those with a relevant
    document; a run that has nothing for one of them scores 0 there, and is named. ``depths`` says after how many
    documents a run was cut (None: it was not); it has no value of a measure that looks deeper. Each measure of
    each view is a family of its own for Holm's correction, as in PyTerrier's experiments.

    Raises:
        DeclarationError: no runs, an unknown baseline or measure, or a view without any relevant document.
    """
    if not runs:
        raise DeclarationError("there is no run to evaluate")
    first = baseline or next(iter(runs))
    check_known("system", runs, first)
    scores: list[MeasureScore] = []
    topics: dict[str, int] = {}
    cuts = {measure: cutoff(measure) for measure in measures}
    short = cut_off(cuts | dict.fromkeys(STANCE_MEASURES, DIVERSITY_CUT), depths, list(runs))
    for view, judged in judgments.items():
        values = {system: _measured(run, judged, measures, view) for system, run in runs.items()}
        topics[view] = len(next(iter(next(iter(values.values())).values())))
        for measure in measures:
            by_system = {system: system_values[measure] for system, system_values in values.items()}
            scores += family(view, measure, by_system, first, short)
    if "pro" in judgments and "con" in judgments:
        families = _stance_families(runs, judgments["pro"], judgments["con"])
        for measure, by_system in families.items():
            scores += family("stance", measure, by_system, first, short)
        topics["stance"] = max(len(values) for each in families.values() for values in each.values())
    return Evaluation(first, tuple(scores), topics, _unranked(runs, judgments))


def _unranked(runs: Mapping[str, Run], judgments: Mapping[str, Judgments]) -> dict[str, tuple[str, ...]]:
    """By system, the topics with a relevant document for which it has nothing."""
    wanted = dict.fromkeys(
        topic
        for judged in judgments.values()
        for topic, documents in judged.items()
        if any(relevance > 0 for relevance in documents.values())
    )
    unranked = {name: tuple(topic for topic in wanted if not run.get(topic)) for name, run in runs.items()}
    return {system: topics for system, topics in unranked.items() if topics}


def _measured(run: Run, judged: Judgments, measures: Sequence[str], view: str) -> dict[str, dict[str, float]]:
    """The values of each measure by topic, through ir-measures."""
    import ir_measures

    wanted = {str(measure): parsed_measure(measure) for measure in measures}
    qrels = [
        ir_measures.Qrel(topic, document, relevance)
        for topic, documents in judged.items()
        if any(relevance > 0 for relevance in documents.values())
        for document, relevance in documents.items()
    ]
    if not qrels:
        raise DeclarationError(f"the qrels of {view!r} contain no relevant document")
    known = {qrel.query_id for qrel in qrels}
    ranked = [
        ir_measures.ScoredDoc(topic, document, float(-place))
        for topic, documents in run.items()
        if topic in known
        for place, document in enumerate(documents)
    ]
    values: dict[str, dict[str, float]] = {name: dict.fromkeys(sorted(known), 0.0) for name in wanted}
    if ranked:
        names = {measure: name for name, measure in wanted.items()}
        for metric in ir_measures.iter_calc(list(wanted.values()), qrels, ranked):
            values[names[metric.measure]][metric.query_id] = float(metric.value)
    return values


def family(
    view: str,
    measure: str,
    everyone: Mapping[str, Mapping[str, float]],
    baseline: str,
    short: Mapping[tuple[str, str], str],
    *,
    ends: tuple[float, float] = (0.0, 1.0),
) -> list[MeasureScore]:
    """One measure of all systems: intervals, and tests against the baseline with Holm's correction.

    ``everyone`` has each system's values by topic, which lie between the ``ends``, as intervals do; compared are the
    topics that both have. Rankings that are too ``short`` for it have no value, and nothing is compared with them.
    """
    low, high = ends
    by_system = {system: {} if (system, measure) in short else values for system, values in everyone.items()}
    others = [system for system in by_system if system != baseline]
    tests: dict[str, JackknifedEstimate] = {}
    for system in others:
        shared = [topic for topic in by_system[system] if topic in by_system[baseline]]
        if shared:
            tests[system] = mean([by_system[system][topic] - by_system[baseline][topic] for topic in shared])
    adjusted = dict(zip(tests, holm([test.p() for test in tests.values()]), strict=True))
    return [
        MeasureScore(
            view,
            system,
            measure,
            mean_interval(
                [(value - low) / (high - low) for value in values.values()],
                scale="share",
                reason=short.get((system, measure), ""),
            ).moved(low, high - low),
            values,
            float(tests[system].value) if system in tests else None,
            adjusted.get(system),
        )
        for system, values in by_system.items()
        if values or (system, measure) in short
    ]


def _stance_families(
    runs: Mapping[str, Run], pro: Judgments, con: Judgments
) -> dict[str, dict[str, dict[str, float]]]:
    sides = {topic: _sides(pro.get(topic, {}), con.get(topic, {})) for topic in sorted({*pro, *con})}
    sides = {topic: held for topic, held in sides.items() if set().union(*held.values()) == {"pro", "con"}}
    if not sides:
        return {}
    families: dict[str, dict[str, dict[str, float]]] = {}
    for name, measure in STANCE_MEASURES.items():
        for system, run in runs.items():
            values = families.setdefault(name, {}).setdefault(system, {})
            for topic, held in sides.items():
                value = measure(run[topic], held, DIVERSITY_CUT) if run.get(topic) else 0.0
                if value is not None:
                    values[topic] = value
    return families


def _sides(pro: Mapping[str, int], con: Mapping[str, int]) -> dict[str, frozenset[str]]:
    """For each judged document of a topic the sides that it is relevant to."""
    views = {"pro": pro, "con": con}
    return {
        document: frozenset(side for side, judged in views.items() if judged.get(document, 0) > 0)
        for document in {*pro, *con}
    }
