"""How systems' statements score (DEBATunE, section 4.1): controllability, how often a statement is wholly on the side
that it was to take, and response quality, how often it is better than a baseline system's statement on the same
instruction (Equation 5).

Controllability goes by the format ``controllability``, the share of each statement on its own side: from a share on,
100% by default, a statement is good. A refusal is never good, and is counted apart. Quality goes by a format of
response quality in both orders: a response wins where it is better in both, or better in one and equal in the
other; it loses likewise; all else is a tie. (The paper
does not say how the orders are combined; its released code does it so.)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Generic, Literal, TypeVar, Unpack

import numpy as np
from numpy.typing import NDArray

from conqret.data import Item, Judgment, Measure, Part
from conqret.data.digest import gathered
from conqret.data.item import Frozen
from conqret.debate.debatune.debate_files import SYSTEM, instruction_from_item, read_statements, system_of
from conqret.errors import DeclarationError, check_known
from conqret.judges.controllability import CONTENT, OPPOSING, SUPPORTING
from conqret.judges.response_quality import GIVEN, SWAPPED
from conqret.judging.judge import judge
from conqret.judging.judge_settings import JudgeSettings
from conqret.judging.judgments import Judgments
from conqret.runs.session import SessionCounts
from conqret.show import words
from conqret.show.table import Column, Table
from conqret.stats.classification import auroc
from conqret.stats.effects import holm
from conqret.stats.estimate import MIN_TOPICS, Estimate, undefined
from conqret.stats.jackknife import JackknifedEstimate, average, without_value
from conqret.stats.resampling import leave_one_out, mean_interval

CONTROLLABILITY = "controllability"
GOOD_FROM = 100
"""Per cent on the assigned side from which a statement is good (section 4.1)."""
MAJORITY = 50
"""Up to this share the other side may have as much, so that no statement is good for less."""


class Controllability(Frozen):
    """The controllability scores of one system's statements.

    ``positive`` and ``negative`` are the shares of good statements on each side, and ``overall`` is their
    mean, with 95% intervals over topics. ``separation`` is the AUROC with which supporting minus opposing
    content tells the sides apart. ``refusals`` and ``no_side`` count statements that argue for neither side;
    they are not good. ``unanswered`` statements have no valid response and are left out; ``bounds`` is
    ``overall`` if all of them were bad, or good.

    ``beyond_first`` is the paired difference of ``overall`` from the first system over common topics. ``p``
    is its two-sided p-value by a t-test with Holm's correction (None: no test).
    """

    system: str
    statements: int
    positive: Estimate
    negative: Estimate
    overall: Estimate
    separation: Estimate
    refusals: int
    no_side: int
    unanswered: int
    bounds: tuple[float, float] | None
    beyond_first: Estimate | None = None
    p: float | None = None


def controllability_by_system(
    items: Iterable[Item], judgments: Iterable[Judgment], *, good_from: int = GOOD_FROM
) -> list[Controllability]:
    """Compute every system's controllability, in the order of first occurrence.

    Args:
        items: the statements (:func:`conqret.debate.debatune.debate_files.read_statements`).
        judgments: their judgments by the format ``controllability``, in the same order.
        good_from: the percentage on the assigned side from which a statement is good, above 50 and up to
            100.

    Raises:
        DeclarationError: ``good_from`` is out of range.
    """
    check_good_from(good_from)
    by_system = gathered(zip(map(system_of, items), judgments, strict=True))
    scores = [_controllability_of_system(name, judgments, good_from) for name, judgments in by_system.items()]
    first, *others = by_system.values() if by_system else [[]]
    apart = [_beyond(other, first, good_from) for other in others]
    tested = zip(scores[1:], apart, holm([difference.p() for difference in apart]), strict=True)
    compared = [
        scores.model_copy(update={"beyond_first": less.estimate(), "p": p}) for scores, less, p in tested
    ]
    return [*scores[:1], *compared]


def check_good_from(good_from: int) -> None:
    """Check that ``good_from`` is above 50 and at most 100, so that no statement is good for both sides.

    Raises:
        DeclarationError: it is out of this range.
    """
    if not MAJORITY < good_from <= GOOD_FROM:
        raise DeclarationError(
            f"--good-from must be a percentage above {MAJORITY} and at most {GOOD_FROM}, not {good_from}"
        )


def is_good(measure: Measure, good_from: int = GOOD_FROM) -> bool | None:
    """Return True if at least ``good_from`` percent of a statement is on its assigned side; None without a
    value."""
    return None if measure.value is None else round(measure.value * 100, 6) >= good_from


def _beyond(judgments: Sequence[Judgment], first: Sequence[Judgment], good_from: int) -> JackknifedEstimate:
    """Return the overall controllability of a system less that of the ``first`` one, over the topics that both have; in
    the jackknife a topic is left out of both at once. Undefined without such topics, or if one system lacks a side."""
    known = [
        (judgment.topic, good, judgment.stance == "pro", place)
        for place, each in enumerate((judgments, first))
        for judgment in each
        if (good := is_good(judgment.measures[CONTROLLABILITY], good_from)) is not None
    ]
    shared = set.intersection(*({row[0] for row in known if row[3] == place} for place in (0, 1)))
    rows = [row for row in known if row[0] in shared]
    if not rows:
        return without_value("no topic in common")
    topics, *columns = zip(*rows, strict=True)
    resamples, (is_own, side, which) = leave_one_out(topics), map(np.array, columns)
    means = []
    for system in (0, 1):
        shares = [
            resamples.ratio(is_own * part, part, scale="share")
            for part in ((which == system) & side, (which == system) & ~side)
        ]
        if not all(share.defined for share in shares):
            return without_value("no statement of one of the sides")
        means.append(average(shares))
    return means[0].minus(means[1])


def _controllability_of_system(system: str, judgments: Sequence[Judgment], good_from: int) -> Controllability:
    measures = [judgment.measures[CONTROLLABILITY] for judgment in judgments]
    good = [is_good(measure, good_from) for measure in measures]
    known = [place for place, value in enumerate(good) if value is not None]
    pro = np.array([judgment.stance == "pro" for judgment in judgments], dtype=float)
    contents = Counter(_part(measures[place], CONTENT).label for place in known)
    positive, negative, both, separation = [undefined("the judge gave no answer")] * 4
    if known:
        on_side, sides = np.array([good[place] for place in known], dtype=float), pro[known]
        resamples = leave_one_out([judgments[place].topic for place in known])
        pro_share, con_share = (
            resamples.ratio(on_side * side, side, reason=f"no statement of the {name} side", scale="share")
            for name, side in (("positive", sides), ("negative", 1 - sides))
        )
        positive, negative = pro_share.estimate(), con_share.estimate()
        both = undefined("no statement of one of the sides", len(known))
        if pro_share.defined and con_share.defined:
            both = replace(average([pro_share, con_share]), n=len(known)).estimate()
        lean = [_share(measures[place], SUPPORTING) - _share(measures[place], OPPOSING) for place in known]
        separation = auroc(sides, lean, resamples)
    return Controllability(
        system=system,
        statements=len(judgments),
        positive=positive,
        negative=negative,
        overall=both,
        separation=separation,
        refusals=contents["refusal"],
        no_side=contents["no_side"],
        unanswered=len(judgments) - len(known),
        bounds=_bounds(good, pro) if len(known) < len(judgments) else None,
    )


def _bounds(good: Sequence[bool | None], pro: NDArray[np.float64]) -> tuple[float, float] | None:
    """Return the overall score with every missing verdict (None in ``good``) counted as bad, and as good;
    None where a side has no statement. ``pro`` is 1 for statements on the positive side, else 0."""
    if not 0 < pro.mean() < 1:
        return None
    ends = [
        np.array([float(assumed if value is None else value) for value in good]) for assumed in (False, True)
    ]
    low, high = (float(end[pro == 1].mean() + end[pro == 0].mean()) / 2 for end in ends)
    return low, high


def _part(measure: Measure, name: str) -> Part:
    return next(part for part in measure.parts if part.id == name)


def _share(measure: Measure, name: str) -> float:
    return float(_part(measure, name).value or 0.0)


def controllability_table(scores: Sequence[Controllability], good_from: int) -> Table:
    """Build the table of controllability by system (right half of DEBATunE's Table 1), with refusals and
    missing responses."""
    beside = (
        f" Less {scores[0].system}: overall less that of {scores[0].system}, paired over the topics that both have; p "
        f"by t over them, Holm over the systems, none below {MIN_TOPICS}. {words.NOT_CORRECTED}"
        if len(scores) > 1
        else ""
    )
    whole = "all" if good_from == GOOD_FROM else f"{good_from}%"
    bounds = "".join(
        f" {score.system}: overall {score.bounds[0]:.3f} to {score.bounds[1]:.3f}, were all without an answer "
        "bad or good."
        for score in scores
        if score.bounds is not None
    )
    return Table(
        "Controversy controllability",
        {
            Column("System", "text"): "system",
            "Statements": "statements",
            "Positive": "positive",
            "Negative": "negative",
            "Overall": "overall",
            "Refusals": "refusals",
            "No side": "no_side",
            "No answer": "unanswered",
            "AUROC": "separation",
            f"Less {scores[0].system}" if scores else "": lambda score: (
                "" if score.beyond_first is None else score.beyond_first
            ),
            "p": lambda score: words.p_value(score.p),
        },
        scores,
        note=f"Good is a statement with {whole} of what it argues on the side "
        "that it was told to take; overall is the mean of the two sides. Refusals, and statements for no side, are not "
        "good; those without an answer of the judge are left out. AUROC: how well supporting less opposing tells the "
        f"sides apart. Intervals (95%) are over topics.{beside}{bounds}",
    )


QualityVariant = Literal["any-side", "own-side"]
QUALITY_FORMATS: Mapping[QualityVariant, str] = {
    "any-side": "response-quality-any-side",
    "own-side": "response-quality",
}
"""The formats of response quality: as in Figure 4, and where a response for another side than its own is worse."""
TOPIC = "topic"
"""Under this key of a pair's metadata stands what its instruction is about."""

Verdict = Literal["win", "tie", "lose"]
_POINTS = {"first": 1, "tie": 0, "second": -1}
_VERDICTS: dict[int, Verdict] = {1: "win", 0: "tie", -1: "lose"}


class Quality(Frozen):
    """The comparison of one system's responses with those of the baseline system.

    ``score`` is ``(win - lose) / all + 1`` in [0, 2], 1 for equally good, with a 95% interval over topics.
    ``flip_rate`` is the share of pairs whose better response differs between the two orders (also if one is a
    tie). ``unanswered`` pairs lack a valid response in one order, and are left out.
    """

    system: str
    win: int
    tie: int
    lose: int
    score: Estimate
    flip_rate: float | None
    unanswered: int


def pair(items: Sequence[Item], baseline: str | None = None) -> tuple[Item, ...]:
    """Return a pair for each instruction that both the baseline system and another one have responded to;
    others are left out.

    Args:
        items: the statements (:func:`conqret.debate.debatune.debate_files.read_statements`), of at least
            two systems. Two belong together where topic, side and, if given, argument and instruction are the
            same.
        baseline: the system that the others are compared with; the first by default.

    Returns:
        Items whose topic is the instruction, ``argument`` the system's response and ``second_argument``
            the baseline's.

    Raises:
        UnknownNameError: there is no such system.
        DeclarationError: there is only one system, a system responds to an instruction twice, or shares
            none with the baseline.
    """
    systems: dict[str, dict[tuple[str, ...], Item]] = {}
    for item in items:
        by_instruction = systems.setdefault(system_of(item), {})
        extra = (str(item.metadata.get(name, "")) for name in ("argument", "instruction"))
        twin = by_instruction.setdefault((item.topic, item.stance, *extra), item)
        if twin is not item:
            raise DeclarationError(
                f"{twin.id} and {item.id} of {system_of(item)} answer one instruction: keep one of them"
            )
    name = next(iter(systems), "") if baseline is None else baseline
    check_known("system", systems, name)
    if len(systems) < 2:
        raise DeclarationError(f"{name} is the only system: add the statements of another one")
    pairs: list[Item] = []
    for system, by_instruction in systems.items():
        shared = [] if system == name else [key for key in by_instruction if key in systems[name]]
        if system != name and not shared:
            raise DeclarationError(f"{system} and {name} have no instruction in common")
        for item, other in ((by_instruction[key], systems[name][key]) for key in shared):
            metadata = {SYSTEM: system, "baseline": name, TOPIC: item.topic}
            pairs.append(
                Item(
                    id=item.id,
                    topic=instruction_from_item(item),
                    stance=item.stance,
                    argument=item.argument,
                    second_argument=other.argument,
                    metadata=metadata,
                )
            )
    return tuple(pairs)


def quality_by_system(pairs: Iterable[Item], judgments: Iterable[Judgment]) -> list[Quality]:
    """Compute each system's response quality from its pairs and their judgments by a format of
    :data:`QUALITY_FORMATS`."""
    by_system = gathered(
        (system_of(item), (str(item.metadata[TOPIC]), judgment.measures["preference"]))
        for item, judgment in zip(pairs, judgments, strict=True)
    )
    return [_quality_of_system(system, results) for system, results in by_system.items()]


def verdict(preference: Measure) -> Verdict | None:
    """Return win, tie or lose of the first response over both orders; None where an order has no valid
    response."""
    if preference.value is None:
        return None
    total = sum(_POINTS[label] for label in _labels(preference))
    return _VERDICTS[(total > 0) - (total < 0)]


def _quality_of_system(system: str, results: Sequence[tuple[str, Measure]]) -> Quality:
    known = [
        (topic, measure, verdict_label)
        for topic, measure in results
        if (verdict_label := verdict(measure)) is not None
    ]
    counts = Counter(label for _, _, label in known)
    score = mean_interval(
        [{"win": 2, "tie": 1, "lose": 0}[label] for _, _, label in known],
        [topic for topic, _, _ in known],
        ends=(0, 2),
        reason="no pair has an answer in both orders",
    )
    flips = [len(set(_labels(measure))) > 1 for _, measure, _ in known]
    return Quality(
        system=system,
        win=counts["win"],
        tie=counts["tie"],
        lose=counts["lose"],
        score=score,
        flip_rate=sum(flips) / len(flips) if flips else None,
        unanswered=len(results) - len(known),
    )


def _labels(preference: Measure) -> list[str]:
    """The better response in the given and in the swapped order."""
    return [part.label or "tie" for part in preference.parts if part.id in (GIVEN, SWAPPED)]


@dataclass(frozen=True, slots=True)
class JudgedResult:
    """A result that was computed from judgments, together with these judgments."""

    judgments: Judgments

    @property
    def session(self) -> SessionCounts:
        """Return the counts of the requests of this call and of earlier ones."""
        return self.judgments.session

    @property
    def missing(self) -> Sequence[str]:
        """Return the keys of the responses that a replay lacked."""
        return self.judgments.missing


def judge_by_format(items: Sequence[Item], format: str, settings: JudgeSettings) -> Judgments:  # noqa: A002 - as in settings
    """Judge all items by a format, and return the judgments of all.

    Raises:
        DeclarationError: the call is wrong.
    """
    named: JudgeSettings = {**settings, "format": format}
    judgments: Judgments = judge(items, **named)
    return judgments.whole()


S = TypeVar("S", Controllability, Quality)

Statements = str | Path | Iterable[str | Path | Item]
"""A file, several files (each a system), or items with a stance."""


@dataclass(frozen=True, slots=True)
class Systems(JudgedResult, Generic[S]):
    """The results of the judged systems in ``systems``, in order of first occurrence, with the judgments.

    Of response quality, the system that the others are compared with has no result.
    """

    systems: tuple[S, ...]


def controllability(
    statements: Statements, *, good_from: int = GOOD_FROM, **settings: Unpack[JudgeSettings]
) -> Systems[Controllability]:
    """Judge how often each system's statements are wholly on their assigned side (DEBATunE, section 4.1).

    Args:
        statements: files with columns ``topic``, ``side`` and ``statement``, or items.
        good_from: the percentage on the assigned side from which a statement is good, above 50 and up to
            100.
        settings: those of :func:`conqret.judge`, without ``format``.

    Returns:
        The controllability of each system, and the judgments.

    Raises:
        DeclarationError: the call or the statements are wrong.
    """
    check_good_from(good_from)
    items = _items(statements)
    judgments = judge_by_format(items, CONTROLLABILITY, settings)
    return Systems(judgments, tuple(controllability_by_system(items, judgments, good_from=good_from)))


def response_quality(
    statements: Statements,
    *,
    against: str | None = None,
    quality: QualityVariant = "any-side",
    **settings: Unpack[JudgeSettings],
) -> Systems[Quality]:
    """Judge each system's responses against those of one system (DEBATunE, section 4.1, Equation 5).

    Args:
        statements: files with columns ``topic``, ``side`` and ``statement``, or items; of at least two
            systems.
        against: the system that all others are compared with; by default the first.
        quality: whether the side that a response takes counts for nothing (``any-side``, Figure 4), or a response for
            another side than its own is worse (``own-side``).
        settings: those of :func:`conqret.judge`, without ``format``.

    Returns:
        The response quality of each system, and the judgments.

    Raises:
        DeclarationError: the call or the statements are wrong.
    """
    items = _items(statements)
    pairs = pair(items, against or system_of(items[0]))
    check_known("quality", QUALITY_FORMATS, quality)
    judgments = judge_by_format(pairs, QUALITY_FORMATS[quality], settings)
    return Systems(judgments, tuple(quality_by_system(pairs, judgments)))


def _items(statements: Statements) -> tuple[Item, ...]:
    sources = [statements] if isinstance(statements, str | Path) else list(statements)
    items = tuple(source for source in sources if isinstance(source, Item))
    return items or read_statements([Path(source) for source in sources if not isinstance(source, Item)])


def quality_table(scores: Sequence[Quality], baseline: str, quality: QualityVariant = "any-side") -> Table:
    """Build the table of response quality by system (left half of DEBATunE's Table 1)."""
    side = "The side counts for nothing" if quality == "any-side" else "A response for another side is worse"
    return Table(
        f"Response quality against {baseline}",
        {
            Column("System", "text"): "system",
            "Win": "win",
            "Tie": "tie",
            "Lose": "lose",
            "Score": "score",
            "Flips": "flip_rate",
            "No answer": "unanswered",
        },
        scores,
        note=f"{side}. A win is better in both orders of the two responses, or better in one and equal in the other; "
        "a loss likewise. Score is (win - lose) / all + 1: 1 is as good as the other, 2 always better. Flips: the "
        "share of pairs whose better response is not the same in both orders. Intervals (95%) are over topics.",
    )
