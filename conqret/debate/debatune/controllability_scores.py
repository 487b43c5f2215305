"""Controversy controllability: how often a system's statements are wholly on the side that they were told to take
(DEBATunE, section 4.1).

What is judged is the format ``controllability``: the share of each statement on its own side. From a share on, 100%
unless told otherwise, a statement is good. A refusal is never good, and is counted beside.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from conqret.data import Item, Judgment, Measure, Part
from conqret.data.digest import gathered
from conqret.data.item import Frozen
from conqret.debate.debatune.debate_files import system_of
from conqret.errors import DeclarationError
from conqret.judges.controllability import CONTENT, OPPOSING, SUPPORTING
from conqret.show import words
from conqret.show.table import Column, Table
from conqret.stats.classification import auroc
from conqret.stats.effects import holm
from conqret.stats.estimate import MIN_TOPICS, Estimate, undefined
from conqret.stats.jackknife import JackknifedEstimate, average, without_value
from conqret.stats.resampling import leave_one_out

FORMAT = METRIC = "controllability"
GOOD_FROM = 100
"""Per cent on the assigned side from which a statement is good (section 4.1)."""
MAJORITY = 50
"""Up to this share the other side may have as much, so that no statement is good for less."""


class Controllability(Frozen):
    """What one system's statements come to.

    ``positive`` and ``negative`` are the shares of good statements among those of the two sides, ``overall`` the mean
    of both, each with a 95% interval over topics. ``separation`` is the AUROC with which supporting less opposing
    tells the sides apart, whatever is called good. Of ``statements``, ``refusals`` and ``no_side`` argue for neither
    side and are not good; ``unanswered`` have no answer of the judge and are left out: were all of them bad, or all
    good, ``overall`` would be at the ends of ``bounds``. ``beyond_first`` is ``overall`` less that of the first system
    on the topics that both have, paired, and ``p`` its two-sided p-value by t over them, by Holm over the systems
    (None: no test); neither has a value for the first.
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


def controllability(
    items: Iterable[Item], judgments: Iterable[Judgment], *, good_from: int = GOOD_FROM
) -> list[Controllability]:
    """Every system's controllability, in the order in which the systems first come.

    Args:
        items: the statements (:func:`conqret.debate.debatune.debate_files.read_statements`).
        judgments: theirs by the format ``controllability``, in the same order.
        good_from: per cent on the assigned side from which a statement is good, above 50 and up to 100.

    Raises:
        DeclarationError: ``good_from`` is out of range.
    """
    check_good_from(good_from)
    by_system = gathered(zip(map(system_of, items), judgments, strict=True))
    scores = [_of_system(name, judgments, good_from) for name, judgments in by_system.items()]
    first, *others = by_system.values() if by_system else [[]]
    apart = [_beyond(other, first, good_from) for other in others]
    tested = zip(scores[1:], apart, holm([difference.p() for difference in apart]), strict=True)
    compared = [
        scores.model_copy(update={"beyond_first": less.estimate(), "p": p}) for scores, less, p in tested
    ]
    return [*scores[:1], *compared]


def check_good_from(good_from: int) -> None:
    """Raise DeclarationError where a statement could be good for both sides, or for neither."""
    if not MAJORITY < good_from <= GOOD_FROM:
        raise DeclarationError(
            f"--good-from must be a percentage above {MAJORITY} and at most {GOOD_FROM}, not {good_from}"
        )


def is_good(measure: Measure, good_from: int = GOOD_FROM) -> bool | None:
    """Whether the share on the assigned side is ``good_from`` per cent or more; None without a share."""
    return None if measure.value is None else round(measure.value * 100, 6) >= good_from


def overall(positive: float, negative: float) -> float:
    """The mean of the two sides: ``(positive + negative) / 2``."""
    return (positive + negative) / 2


def _beyond(judgments: Sequence[Judgment], first: Sequence[Judgment], good_from: int) -> JackknifedEstimate:
    """``overall`` less that of ``first``, over the topics that both have, which are left out of both at once."""
    known = [
        (judgment.topic, good, judgment.stance == "pro", place)
        for place, each in enumerate((judgments, first))
        for judgment in each
        if (good := is_good(judgment.measures[METRIC], good_from)) is not None
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


def _of_system(system: str, judgments: Sequence[Judgment], good_from: int) -> Controllability:
    measures = [judgment.measures[METRIC] for judgment in judgments]
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
    """The overall score with every missing answer counted as bad, and as good; None where a side has no statement."""
    if not 0 < pro.mean() < 1:
        return None
    ends = [
        np.array([float(assumed if value is None else value) for value in good]) for assumed in (False, True)
    ]
    low, high = (overall(float(end[pro == 1].mean()), float(end[pro == 0].mean())) for end in ends)
    return low, high


def _part(measure: Measure, name: str) -> Part:
    return next(part for part in measure.parts if part.id == name)


def _share(measure: Measure, name: str) -> float:
    return float(_part(measure, name).value or 0.0)


def controllability_table(scores: Sequence[Controllability], good_from: int) -> Table:
    """A row for each system, as the right half of DEBATunE's Table 1, with what argues for no side beside it."""
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
