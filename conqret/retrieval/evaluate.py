"""Table 4 for any systems: P@k, nDCG@k and recall for pro, con and both, with significance and intervals."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import asdict, dataclass
from typing import Any

from conqret.errors import DeclarationError, UnknownNameError, check_known, number
from conqret.show import words
from conqret.stats.effects import ALPHA, holm
from conqret.stats.estimate import MIN_TOPICS, Estimate
from conqret.stats.jackknife import JackknifedEstimate
from conqret.stats.resampling import mean, mean_interval

NOVELTY = 0.5
"""How much a subtopic is worth again after each document that had it (Clarke et al. 2008, section 4)."""


def balance(ranking: Sequence[str], sides: Mapping[str, Set[str]], cut: int) -> float | None:
    """Return how balanced the two sides are among the first ``cut`` documents, in [0, 1].

    The value is ``2 min(p, c) / (p + c)``, where p and c count the pro and con documents; a document of
    both sides counts for both. 1 means equally many, and 0 one side only. Returns None if no relevant
    document is ranked.
    """
    shown = [sides.get(document, frozenset()) for document in ranking[:cut]]
    pro, con = (sum(side in held for held in shown) for side in ("pro", "con"))
    return 2 * min(pro, con) / (pro + con) if pro + con else None


def alpha_ndcg(ranking: Sequence[str], subtopics: Mapping[str, Set[str]], cut: int) -> float:
    """Return alpha-nDCG at ``cut``, in [0, 1] (Clarke et al. 2008); 0 if nothing is relevant.

    ``subtopics`` maps each document to its subtopics; alpha is :data:`NOVELTY`. The gain of the document
    at rank k is ``sum over its subtopics s of (1 - alpha)^(documents above that have s)``. It is
    discounted by ``log2(1 + k)``. The sum is divided by that of a greedy ideal ranking, as in ndeval, as
    an exact ideal is NP-hard.
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


def default_measures(depth: int, *, sided: bool = False) -> tuple[str, ...]:
    """Return the default measures: precision and nDCG at 10 (or ``depth``, if smaller), and recall at
    ``depth``; with ``sided`` also those of both sides at 10.
    """
    top = min(TOP, depth)
    of_sides = (f"{name}@{TOP}" for name in STANCE_MEASURES) if sided else ()
    return f"P@{top}", f"nDCG@{top}", f"R@{depth}", *of_sides


def parsed_measure(measure: str) -> Any:
    """Return the ir-measures object for a measure's name.

    Raises:
        DeclarationError: there is no such measure, its parameters are wrong, or no installed package computes it.
    """
    import ir_measures

    try:
        parsed = ir_measures.parse_measure(measure)
    except (NameError, ValueError, SyntaxError) as error:
        raise DeclarationError(
            f"{measure!r} is not a measure of ir-measures, such as nDCG@10 or R@100: {error}"
        ) from None
    able = _able(parsed)
    if not able:
        raise DeclarationError(
            f"{measure!r} lacks a parameter or has a wrong one: {parsed.NAME} takes "
            f"{', '.join(parsed.SUPPORTED_PARAMS)}, as in RBP(p=0.8,rel=1)@10"
        )
    if parsed.params.get("cutoff", 1) < 1:
        raise DeclarationError(f"{measure!r}: the cutoff must be at least 1")
    if not any(each.is_available() for each in able):
        command, _, package = able[0].install_instructions().rpartition(" ")
        raise DeclarationError(f"{measure!r} needs another package: {command} '{package}'")
    return parsed


def _able(measure: Any) -> list[Any]:
    """Return the providers of ir-measures that can compute a measure with its parameters, installed or not."""
    import ir_measures

    try:
        return [each for each in ir_measures.DefaultPipeline.providers if each.supports(measure)]
    except AssertionError:  # a parameter is lacking or wrong
        return []


def cutoff(measure: str) -> int:
    """Return the rank cutoff of a measure, or 0 if it has none (``AP``).

    Raises:
        DeclarationError: there is no such measure.
    """
    name, _, cut = measure.partition("@")
    if name in STANCE_MEASURES and cut.isdecimal() and int(cut):
        return int(cut)
    return int(parsed_measure(measure).params.get("cutoff") or 0)


def check_depth(measures: Sequence[str], depth: int, documents: int) -> None:
    """Check that no measure looks deeper than ``depth``, unless the whole corpus of ``documents`` documents
    is ranked. Measures without a cutoff always pass.

    Raises:
        DeclarationError: a measure needs a greater depth, or does not exist.
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
    """Return, by (system, measure), why a system's ranking is too short for a measure.

    Args:
        measures: the cutoff of each measure, 0 for none.
        depths: the depth of each system's ranking; None for no limit.
        systems: the systems to check.
    """
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

STANCE_MEASURES: Mapping[str, StanceMeasure] = {"balance": balance, "alpha_nDCG": alpha_ndcg}
"""The measures of both sides, which are followed by ``@`` and a depth."""

MARK_BETTER, MARK_WORSE = "\u25b4", "\u25be"
"""Mark what is significantly better than the baseline (alpha in Table 4), and what is worse."""


@dataclass(frozen=True, slots=True)
class MeasureScore:
    """One system's mean of one measure on one view, with its interval over topics and its values by topic.

    ``difference`` is the mean difference from the baseline. ``p`` is the Holm-adjusted p-value of the
    paired t-test against the baseline; it is None for the baseline and below six topics. If the ranking is
    too short for the measure, there is no mean and ``interval`` says why.
    """

    view: str
    system: str
    measure: str
    interval: Estimate
    by_topic: Mapping[str, float]
    difference: float | None = None
    p: float | None = None

    def record(self) -> dict[str, Any]:
        """Return the score as plain data for JSON."""
        interval = self.interval
        ends = {"mean": interval.value, "low": interval.low, "high": interval.high}
        record = asdict(self) | ends | {"n": len(self.by_topic), "significant": self.significant}
        del record["interval"]
        return record

    @property
    def significant(self) -> bool:
        """True if the system differs from the baseline at the 5% level."""
        return self.p is not None and self.p < ALPHA

    @property
    def mark(self) -> str:
        """The mark of a significant difference, for better or for worse; empty if there is none."""
        if not self.significant:
            return ""
        return MARK_BETTER if (self.difference or 0.0) > 0 else MARK_WORSE


def marks_legend(scores: Sequence[MeasureScore], baseline: str, clusters: str = "topic") -> Iterator[str]:
    """Yield the sentences that explain the significance marks of these scores."""
    over = f"over {clusters}s"
    bare = all(score.interval.low is None for score in scores)
    means = f"means {over}, too few for intervals" if bare else f"means with 95% intervals {over}"
    tested = [len(score.by_topic) for score in scores if score.p is not None]
    if {score.system for score in scores} == {baseline}:
        yield means
        return
    if not tested:
        yield f"{means}; differences are not tested, as a test needs at least {MIN_TOPICS} {clusters}s"
        return
    yield (
        f"{means}; {MARK_BETTER} better and {MARK_WORSE} worse than {baseline}, "
        "p < .05 (paired t-test, Holm-Bonferroni)"
    )
    if note := words.symmetry_note(min(tested, default=0)):
        yield note


@dataclass(frozen=True)
class Evaluation:
    """All scores of an evaluation, the number of topics in each view, and the topics without a ranking.

    ``unranked`` lists by system the topics for which it ranks nothing; they count as 0.
    """

    baseline: str
    scores: tuple[MeasureScore, ...]
    topics: Mapping[str, int]
    unranked: Mapping[str, tuple[str, ...]]

    def score(self, view: str, system: str, measure: str) -> MeasureScore:
        """Return the score of one view, system and measure.

        Raises:
            UnknownNameError: there is no such score.
        """
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
    depths: Mapping[str, int | None] | None = None,
) -> Evaluation:
    """Score every run on every view, and test each against the baseline.

    Measures of both sides, such as ``balance@10``, are scored in a view of their own, ``stance``, which needs the views
    ``pro`` and ``con`` in ``judgments``. A view's topics are those with a relevant document; a run that ranks nothing
    for such a topic scores 0 there. Holm's correction applies to each measure of each view separately, as in
    PyTerrier's experiments.

    Args:
        runs: the rankings of each system.
        judgments: the qrels of each view, such as ``pro``, ``con`` and ``all``.
        baseline: the system that others are compared with; default: the first.
        measures: names of ir-measures, ``balance@K`` and ``alpha_nDCG@K``.
        depths: the depth of each system's ranking, None for no limit. Deeper measures have no value.

    Raises:
        DeclarationError: there is no run, a baseline or measure is unknown, or a view has no relevant
            document.
    """
    if not runs:
        raise DeclarationError("there is no run to evaluate")
    first = baseline or next(iter(runs))
    check_known("system", runs, first)
    scores: list[MeasureScore] = []
    topics: dict[str, int] = {}
    sided = "pro" in judgments and "con" in judgments
    of_sides = [measure for measure in measures if _needs_sides(measure)]
    if of_sides and not sided:
        raise DeclarationError(f"{of_sides[0]} needs qrels of both sides, pro and con, of these topics")
    measures = [measure for measure in measures if measure not in of_sides]
    cuts = {measure: cutoff(measure) for measure in (*measures, *of_sides)}
    short = cut_off(cuts, depths or {}, list(runs))
    for view, judged in judgments.items() if measures else ():
        values = {system: _measured(run, {view: judged}, measures) for system, run in runs.items()}
        topics[view] = len(next(iter(next(iter(values.values())).values())))
        for measure in measures:
            by_system = {system: system_values[measure] for system, system_values in values.items()}
            scores += family(view, measure, by_system, first, short)
    families = _stance_families(runs, judgments["pro"], judgments["con"], of_sides) if of_sides else {}
    if families:
        for measure, by_system in families.items():
            scores += family("stance", measure, by_system, first, short)
        topics["stance"] = max(len(values) for each in families.values() for values in each.values())
    return Evaluation(first, tuple(scores), topics, _unranked(runs, judgments))


def _unranked(runs: Mapping[str, Run], judgments: Mapping[str, Judgments]) -> dict[str, tuple[str, ...]]:
    """Return by system the topics that have a relevant document by at least one of ``judgments`` (the qrels of a view,
    by its name), but for which the system's run has nothing. Systems without such a topic are left out."""
    wanted = dict.fromkeys(
        topic
        for judged in judgments.values()
        for topic, documents in judged.items()
        if any(relevance > 0 for relevance in documents.values())
    )
    unranked = {name: tuple(topic for topic in wanted if not run.get(topic)) for name, run in runs.items()}
    return {system: topics for system, topics in unranked.items() if topics}


def _needs_sides(measure: str) -> bool:
    """Whether a measure takes the sides as subtopics: one of STANCE_MEASURES, or a diversity measure of ir-measures."""
    if measure.partition("@")[0] in STANCE_MEASURES:
        return True
    return any(provider.NAME == "pyndeval" for provider in _able(parsed_measure(measure)))


def _measured(
    run: Run, judgments: Mapping[str, Judgments], measures: Sequence[str]
) -> dict[str, dict[str, float]]:
    """Return the values of each measure by topic, from ir-measures, over the topics with a relevant document. A topic
    that the run lacks has 0. Of several views, each is a subtopic.

    Raises:
        DeclarationError: the qrels of these views contain no relevant document.
    """
    import ir_measures

    wanted = {str(measure): parsed_measure(measure) for measure in measures}
    numbers = {
        topic: str(number)  # gdeval takes no other topic ids
        for number, topic in enumerate(sorted(set().union(*judgments.values())), start=1)
    }
    qrels = [
        ir_measures.Qrel(numbers[topic], document, relevance, view)
        for view, judged in judgments.items()
        for topic, documents in judged.items()
        if any(relevance > 0 for relevance in documents.values())
        for document, relevance in documents.items()
    ]
    if not qrels:
        raise DeclarationError(
            f"the qrels of {' and '.join(map(repr, judgments))} contain no relevant document"
        )
    known = {qrel.query_id for qrel in qrels}
    topics = {number: topic for topic, number in numbers.items() if number in known}
    ranked = [
        ir_measures.ScoredDoc(number, document, float(-place))
        for number, topic in topics.items()
        for place, document in enumerate(run.get(topic, ()))
    ]
    values: dict[str, dict[str, float]] = {name: dict.fromkeys(topics.values(), 0.0) for name in wanted}
    if ranked:
        names = {measure: name for name, measure in wanted.items()}
        for metric in ir_measures.iter_calc(list(wanted.values()), qrels, ranked):
            values[names[metric.measure]][topics[metric.query_id]] = float(metric.value)
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
    """Return one measure's scores of all systems, with intervals and Holm-corrected tests against the
    baseline.

    Args:
        view: the view that the values belong to.
        measure: the name of the measure.
        everyone: each system's values by topic; tests use the topics that both systems have.
        baseline: the system that others are compared with.
        short: the reason for each (system, measure) whose ranking is too short; these have no value
            and no test.
        ends: the lowest and highest possible value, to which intervals are limited; not so where a value lies
            outside (the measure is a count).
    """
    low, high = ends
    within = all(low <= value <= high for values in everyone.values() for value in values.values())
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
                scale="share" if within else "plain",
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
    runs: Mapping[str, Run], pro: Judgments, con: Judgments, measures: Sequence[str]
) -> dict[str, dict[str, dict[str, float]]]:
    sides = {topic: _sides(pro.get(topic, {}), con.get(topic, {})) for topic in sorted({*pro, *con})}
    sides = {topic: held for topic, held in sides.items() if set().union(*held.values()) == {"pro", "con"}}
    if not sides:
        return {}
    families: dict[str, dict[str, dict[str, float]]] = {}
    for name in measures:
        if (short := name.partition("@")[0]) not in STANCE_MEASURES:
            views = {
                side: {topic: judged[topic] for topic in sides}
                for side, judged in (("pro", pro), ("con", con))
            }
            families[name] = {system: _measured(run, views, [name])[name] for system, run in runs.items()}
            continue
        measure, cut = STANCE_MEASURES[short], cutoff(name)
        for system, run in runs.items():
            values = families.setdefault(name, {}).setdefault(system, {})
            for topic, held in sides.items():
                value = measure(run[topic], held, cut) if run.get(topic) else 0.0
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
