"""What a jury is worth: its agreement with people beside that of its members, how these err together, and where they
differ.

A jury is held against the mean of its members' alphas, which takes no choice of a member, and then against each of
them: that it is better than all takes as many tests, each of which has to show it (Berger 1982), and no correction.
Beside these stands the gain over the member that is best by other topics: it is chosen by alpha on all other folds of
topics (:mod:`conqret.studies.compare.compare_judges`): the best of several on the very labels that it is then held
against looks better than it is. Judges that err alike are worth fewer: with a mean correlation r of the errors, K of
them count as ``K / (1 + (K - 1) r)`` independent ones (Kish 1965, section 5.4).
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from heapq import nlargest
from itertools import combinations
from typing import Literal

import numpy as np

from conqret.data import Judgment
from conqret.data.item import Frozen
from conqret.io.label_set import LabelSet
from conqret.judging.judge_folder import JudgeRecord
from conqret.show import words
from conqret.stats.correlation import pearson
from conqret.stats.effects import ALPHA, p_words
from conqret.stats.estimate import Estimate, JackknifedEstimate, average
from conqret.stats.resampling import leave_one_out
from conqret.studies.agreement.agreement_settings import USUAL, AgreementSettings, Basis
from conqret.studies.compare.compare_judges import HeldOutChoice, SharedUnits
from conqret.studies.compare.result import HeldOut, beside_chance
from conqret.studies.jury.ballots import Ballots, Rule

SCHEMA = "conqret.jury/3"
MOST = 10
"""Items on which the members differ most, that are listed."""


class Member(Frozen):
    """A run of the jury; ``alpha`` is its mean alpha with people (None: without labels)."""

    name: str
    format: str
    model: str
    fingerprint: str
    alpha: Estimate | None = None


class RuleOn(Frozen):
    """A rule beside people: the mean alpha, and what it is above the members'.

    ``over_average`` is the alpha less the mean of the members', with the two-sided p-value ``p`` (None: no test), and
    ``over`` has that of the alpha less each member's (1 where it is not above it). ``shown`` says what they show, one
    after the other, so that both together err in 5%: better than the members on ``average``, and then also than
    ``each`` of them; or ``worse`` than they are on average. ``gain`` is the alpha less
    that of the member chosen by other topics: as much as is to be had beyond choosing one.
    """

    alpha: Estimate
    gain: Estimate
    over_average: Estimate
    p: float | None
    over: Mapping[str, float | None]
    shown: Literal["each", "average", "worse", ""]


class ErrorPair(Frozen):
    """How far two members err alike: the correlation of what each says less what people say, within dimensions."""

    first: str
    second: str
    correlation: Estimate


class Disagreement(Frozen):
    """An item on which the members differ: what each says of a metric, and people's label, all in [0, 1]."""

    item: str
    topic: str
    metric: str
    values: tuple[float, ...]
    jury: float
    people: float | None


class JuryCheck(Frozen):
    """The jury beside people: what it ``reached``, the ``best`` member, chosen by other topics, and the members'
    errors by pairs. ``independent`` is how many independent judges they count as (None: not known)."""

    basis: Basis
    reached: RuleOn
    best: HeldOut
    errors: tuple[ErrorPair, ...]
    independent: float | None
    left_out: tuple[str, ...]


class Jury(Frozen):
    """A jury by ``rule``: its members, how many of the items it judges whole, where its members differ most, and what
    it is worth (None: without labels)."""

    schema_name: str = SCHEMA
    rule: Rule
    members: tuple[Member, ...]
    metrics: tuple[str, ...]
    items: int
    scored: int
    checked: JuryCheck | None
    disagreements: tuple[Disagreement, ...]

    @property
    def chance(self) -> str:
        """That neither a member nor the jury agrees better than chance, in a sentence; empty where one does."""
        reached = [] if self.checked is None else [self.checked.reached.alpha]
        members = [member.alpha for member in self.members if member.alpha is not None]
        return beside_chance([*reached, *members])

    @property
    def verdict(self) -> str:
        """What the jury gains, in a sentence."""
        if self.checked is None:
            return "what the jury gains over its members is unknown without human labels (--labels)"
        reached = self.checked.reached
        jury, members = f"the jury ({self.rule})", f"each of its {len(reached.over)} members"
        known = {name: 1.0 if p is None else p for name, p in reached.over.items()}
        by = f"{words.with_interval(reached.over_average)} (Krippendorff's α)"
        if reached.shown == "each":
            worst = p_words(max(known.values(), default=1.0))
            return f"{jury} agrees better with annotators than {members} ({worst} at most)"
        average = "with annotators than its members do on average"
        if not reached.shown:
            return f"the data do not show that {jury} agrees better or worse {average} (difference {by})"
        if reached.shown == "worse":
            return f"{jury} agrees worse {average}, by {by}"
        best = max(known, key=known.__getitem__, default="")
        alone = f"the data do not show that it agrees better than the member “{best}” alone"
        return f"{jury} agrees better {average}, by {by}; {alone}"


def hold_jury(
    ballots: Ballots,
    records: Sequence[JudgeRecord],
    judged: Sequence[Judgment],
    labels: LabelSet | None,
    *,
    rule: Rule = "mean",
    metrics: Mapping[str, str] | None = None,
    settings: AgreementSettings = USUAL,
) -> Jury:
    """The jury by ``rule``, whose judgments are ``judged``.

    Raises:
        DeclarationError: labels meet the judgments nowhere.
    """
    members = {
        name: list(judgment.values()) for name, judgment in zip(ballots.names, ballots.judgments, strict=True)
    }
    shared = None if labels is None else SharedUnits.of(members, labels, metrics, settings)
    checked, alphas = None, dict[str, Estimate]()
    if labels is not None and shared is not None:
        checked, alphas = _checked(shared, members, judged, labels, metrics, settings)
    return Jury(
        rule=rule,
        members=tuple(
            Member(
                name=name,
                format=record.format,
                model=record.model,
                fingerprint=record.fingerprint,
                alpha=alphas.get(name),
            )
            for name, record in zip(ballots.names, records, strict=True)
        ),
        metrics=tuple(dict.fromkeys(name for judgment in judged for name in judgment.measures)),
        items=len(judged),
        scored=sum(not judgment.reasons for judgment in judged),
        checked=checked,
        disagreements=tuple(_disagreements(ballots, judged, shared, metrics or {})),
    )


def _checked(
    alone: SharedUnits,
    members: Mapping[str, Sequence[Judgment]],
    judged: Sequence[Judgment],
    labels: LabelSet,
    metrics: Mapping[str, str] | None,
    settings: AgreementSettings,
) -> tuple[JuryCheck, dict[str, Estimate]]:
    """The jury beside the members, and the members' alphas."""
    drawn = leave_one_out(alone.clusters)
    choice = HeldOutChoice.of(alone, settings.seed, drawn)
    both = SharedUnits.of({**members, "the jury": judged}, labels, metrics, settings)
    means = both.averaged({name: side.alphas(side.judges, drawn) for name, side in both.sides.items()})
    chosen = choice.sampled(alone, drawn)
    errors = tuple(_errors(alone, settings.confidence))
    alike = [error.correlation.value for error in errors if error.correlation.value is not None]
    count = len(members)
    independent = None
    if alike and len(alike) == len(errors):
        independent = count / (1 + (count - 1) * max(sum(alike) / len(alike), 0.0))
    checked = JuryCheck(
        basis=alone.basis(labels, settings),
        reached=rule_on(means, chosen, alone, settings.confidence),
        best=choice.held_out(alone, drawn, settings.confidence),
        errors=errors,
        independent=independent,
        left_out=alone.left_out,
    )
    estimates = [mean.estimate(settings.confidence) for mean in means]
    alphas = dict(zip(alone.names, estimates, strict=False))
    return checked, alphas


def rule_on(
    means: Sequence[JackknifedEstimate], chosen: JackknifedEstimate, alone: SharedUnits, confidence: float
) -> RuleOn:
    """What the last of the mean alphas, the jury's, is above those of the members, ``alone``, and of the ``chosen``."""
    jury, members = means[-1], dict(zip(alone.names, means, strict=False))
    over_average = jury.minus(average(list(members.values())))
    over = {name: jury.minus(member) for name, member in members.items()}
    p = over_average.p()
    p_values = {name: difference.p() for name, difference in over.items()}
    p_values = {name: p if p is None or over[name].value > 0 else 1.0 for name, p in p_values.items()}
    shown: Literal["each", "average", "worse", ""] = ""
    if p is not None and p < ALPHA:
        shown = "average" if over_average.value > 0 else "worse"
    if shown == "average" and all(p is not None and p < ALPHA for p in p_values.values()):
        shown = "each"
    return RuleOn(
        alpha=jury.estimate(confidence),
        gain=jury.minus(chosen).estimate(confidence),
        over_average=over_average.estimate(confidence),
        p=p,
        over=p_values,
        shown=shown,
    )


def _errors(shared: SharedUnits, confidence: float) -> list[ErrorPair]:
    parts, clusters = [], list[Hashable]()
    for side in shared.sides.values():
        known = ~np.isnan(side.people)
        if side.scale.bounded and known.any():
            low, high = side.scale.ends()
            apart = (side.judges - side.people)[:, known] / (high - low)
            parts.append(apart - apart.mean(axis=1, keepdims=True))
            clusters += [shared.clusters[place] for place in np.flatnonzero(known)]
    if not parts:
        return []
    errors = np.concatenate(parts, axis=1)
    drawn = leave_one_out(clusters)
    return [
        ErrorPair(
            first=shared.names[first],
            second=shared.names[other],
            correlation=pearson(errors[first], errors[other], drawn, confidence=confidence),
        )
        for first, other in combinations(range(len(shared.names)), 2)
    ]


def _disagreements(
    ballots: Ballots, judged: Sequence[Judgment], shared: SharedUnits | None, metrics: Mapping[str, str]
) -> list[Disagreement]:
    """The items on which members are furthest apart, each with the metric on which they are."""
    people: dict[tuple[str, str], float] = {}
    for dimension, side in shared.sides.items() if shared is not None else ():
        if side.scale.bounded and shared is not None:
            for unit, label in zip(shared.units, side.people.tolist(), strict=True):
                if not unit.part and label == label:  # NaN is not equal to itself
                    people[unit.item, metrics.get(dimension, dimension)] = side.scale.unit(label)
    by_item = {judgment.item: judgment for judgment in judged}
    widest: dict[str, tuple[str, tuple[float, ...]]] = {}
    for metric in ballots.metrics:
        places, scores = ballots.table(metric)
        for (item, _, part), values in zip(places, map(tuple, scores.tolist()), strict=True):
            if part is None and _apart(values) > (_apart(widest[item][1]) if item in widest else 0.0):
                widest[item] = metric, values
    return [
        Disagreement(
            item=item,
            topic=by_item[item].topic,
            metric=metric,
            values=values,
            jury=value,
            people=people.get((item, metric)),
        )
        for item, (metric, values) in nlargest(MOST, widest.items(), key=lambda entry: _apart(entry[1][1]))
        if (value := by_item[item].value(metric)) is not None
    ]


def _apart(values: Sequence[float]) -> float:
    return max(values) - min(values)
