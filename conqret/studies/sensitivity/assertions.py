"""The assertions of the pytest plugin: whether a judge's scores change as they should when items are perturbed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from conqret.data import Item, Judgment, Measure, Reason, Status
from conqret.data.judgment import TopicKeys
from conqret.errors import DeclarationError, metric_name, number
from conqret.judging.judge_options import OWN_JUDGE, SINGLE
from conqret.judging.judge_parts import DEFAULT_FORMAT, Judge
from conqret.judging.judge_settings import JudgeSettings
from conqret.judging.own_judge import read_verdict, unwrapped
from conqret.judging.session_judge import SessionJudge
from conqret.llm.client_options import OFFLINE_MODEL
from conqret.perturb import SEED, Direction, Materials, Perturbation, Pool
from conqret.perturb.versions import Level, series
from conqret.stats.curve_tests import MARGIN, Response, respond
from conqret.studies.sensitivity.curves import corrected, judge_response
from conqret.studies.sensitivity.result import INVARIANT
from conqret.studies.sensitivity.sensitivity_plan import PerturbationLevels

ItemJudge = Callable[[Sequence[Item]], Sequence[Any]]
"""Takes items and returns for each, in their order, a judgment, or what a judge of one's own returns: a value in
[0, 1], one with a reason, or such by metric (None: no value)."""

CLAIMS: Mapping[str, tuple[Direction, str]] = {
    "falls": (Direction.FALL, "does not fall"),
    "rises": (Direction.RISE, "does not rise"),
    "stands still": (Direction.UNCHANGED, "moves"),
}
"""The claims: the direction that a curve should have, and the words where it has not."""
NOT_KNOWN = "says neither"
"""The words for an inconclusive curve."""
BAR = 30
"""Characters of a bar that stands for 1."""


@dataclass
class ModelJudge:
    """A format and a model as a callable judge that caches its judgments.

    ``format`` is a name or a judge. Limits in ``options`` (those of :func:`conqret.judge`) hold for all calls
    together. ``recordings`` is a file of recordings.
    """

    format: str | Judge = DEFAULT_FORMAT
    model: str = OFFLINE_MODEL
    recordings: Path | None = None
    options: JudgeSettings = field(default_factory=JudgeSettings)
    _known: dict[str, Judgment] = field(default_factory=dict, repr=False)

    @cached_property
    def _judge(self) -> SessionJudge:
        settings: dict[str, Any] = {"format": self.format, "model": self.model, **self.options}
        if self.recordings is not None:
            self.recordings.parent.mkdir(parents=True, exist_ok=True)
            settings["recordings"] = self.recordings
        return SessionJudge(**settings)

    def __call__(self, items: Sequence[Item]) -> list[Judgment]:
        """The judgments of ``items``, in their order; requests are sent for new items only.

        Raises:
            DeclarationError: wrong items, format or options. Failed requests become ``failed`` judgments.
        """
        keys = [item.model_dump_json() for item in items]
        fresh = {key: item for key, item in zip(keys, items, strict=True) if key not in self._known}
        if fresh:
            # Ids may repeat between versions of a suite's own making: they are told apart here.
            named = [item.model_copy(update={"id": f"{place}"}) for place, item in enumerate(fresh.values())]
            judgments: Sequence[Judgment] = self._judge.judge(named)
            for key, item, judgment in zip(fresh, fresh.values(), judgments, strict=True):
                self._known[key] = judgment.model_copy(update={"item": item.id})
        return [self._known[key] for key in keys]

    def __str__(self) -> str:
        return f"{self.format if isinstance(self.format, str) else self.format.name} ({self.model})"


def why_claim_fails(
    claim: str,
    judge: ItemJudge,
    items: Sequence[Item],
    perturbation: str | Perturbation,
    levels: Sequence[Level],
    metric: str,
    *,
    seed: int = SEED,
    materials: Materials | None = None,
    margin: float = MARGIN,
    allow_missing: float = 0.0,
) -> str:
    """Check the claim that a score ``falls``, ``rises`` or ``stands still`` under a perturbation.

    Levels that most items cannot reach are left out, and so are items that lack one of the others. A change of
    at most ``margin`` (in score, 0 to 1) counts as none; ``allow_missing`` is the largest share of items (0 to 1)
    that may lack a value at some level.

    Returns:
        An empty text if the claim holds; otherwise why it does not, with the curve.

    Raises:
        DeclarationError: the items cannot be perturbed this strongly, or the judge has no such metric.
    """
    entry = PerturbationLevels.from_name(perturbation, levels)
    changes = entry.perturbation
    if materials is None:
        materials = Materials(Pool.from_items(items)) if changes.pool else Materials()
    made = series(items, changes, entry.levels, seed=seed, materials=materials)
    versions = {level: list(version_items.values()) for level, version_items in made.versions.items()}
    chosen, able = tuple(versions), versions[0]
    name = metric_name(metric)
    judged_levels = [judgments_of(judge, versions[level]) for level in chosen]
    columns = [[_value(judged, name) for judged in items_scores] for items_scores in judged_levels]
    rows = list(zip(*columns, strict=True))
    keys = TopicKeys.from_judged(able)
    whole = [(row, keys[item.topic]) for row, item in zip(rows, able, strict=True) if None not in row]
    missing_remarks = len(rows) - len(whole)
    called = str(judge) if isinstance(judge, ModelJudge) else getattr(judge, "__name__", type(judge).__name__)
    title = f"{name} of {called} under {changes.name}"
    if not whole or missing_remarks > allow_missing * len(rows):
        why = _reason([judged for items_scores in judged_levels for judged in items_scores], name)
        return f"{title}: {missing_remarks} of {len(rows)} items lack a value at one level or more; {why}"
    scores = [[value for value in row if value is not None] for row, _ in whole]
    response = respond(scores, chosen, [topic for _, topic in whole])
    direction, contrary = CLAIMS[claim]
    (p_values,) = corrected([response], [direction], margin) if direction in INVARIANT else ([],)
    verdict, why = judge_response(response, direction, p_values, margin)
    if verdict == "yes":
        return ""
    claim_text = contrary if verdict == "no" else NOT_KNOWN
    return f"{title} {claim_text}: {why}\n{curve_text(response, changes.unit)}"


def judgments_of(judge: ItemJudge, items: Sequence[Item]) -> list[Judgment]:
    """Judge items, and return a judgment of each, also where the judge returns values as a judge of one's own does.

    Raises:
        DeclarationError: the judge returns another number of judgments, or what is no verdict.
    """
    judgments, judged_items = list[Judgment](), judge(items)
    if len(judged_items) != len(items):
        counts = f"{len(judged_items)} judgments for {number(len(items), 'item')}"
        raise DeclarationError(f"the judge returned {counts}: it must return one for each")
    for item, judged in zip(items, judged_items, strict=True):
        if not isinstance(judged, Judgment):
            judged = unwrapped(judged)
            by_metric = judged if isinstance(judged, Mapping) else {SINGLE: judged}
            scored = [name for name, value in by_metric.items() if value is not None]
            try:
                verdicts = read_verdict(by_metric, scored)
            except ValueError as error:
                raise DeclarationError(f"the judge of {item.id}: {error}") from None
            measures = dict.fromkeys(by_metric, Measure.missing(Reason.CANNOT_JUDGE))
            for name, (value, why) in verdicts.items():
                measures[name] = Measure(status=Status.SCORED, value=value, explanation=why)
            judged = Judgment(
                item=item.id,
                topic=item.topic,
                stance=item.stance,
                format=OWN_JUDGE,
                model=OWN_JUDGE,
                fingerprint="",
                measures=measures,
            )
        judgments.append(judged)
    return judgments


def curve_text(response: Response, unit: str) -> str:
    """Return the curve as text for a terminal: mean, interval and bar of each level, then correlations."""
    lines = [f"  level ({unit}): mean [95% over topics]"]
    for level, mean, interval in zip(response.levels, response.means, response.intervals, strict=True):
        bar = "#" * round(BAR * max(0.0, min(1.0, mean)))
        lines.append(f"  {level:>6g}  {interval}  {bar}")
    shown = ["-" if value is None else f"{value:+.2f}" for value in (response.pearson, response.spearman)]
    lines.append(
        f"  Pearson {shown[0]}, Spearman {shown[1]}; {response.fell:.0%} of {number(response.n, 'item')} down, "
        f"{response.rose:.0%} up; {number(response.clusters, 'topic')}"
    )
    return "\n".join(lines)


def _value(judgment: Judgment, metric: str) -> float | None:
    if metric not in judgment.measures:
        raise DeclarationError(f"the judge returned no {metric!r}, only {', '.join(judgment.measures)}")
    return judgment.value(metric)


def _reason(judgments: Sequence[Judgment], metric: str) -> str:
    """The first reason that a judgment gives for a missing value."""
    for judgment in judgments:
        if (measure := judgment.measures[metric]).reason is not None:
            return ": ".join(filter(None, (judgment.item, measure.reason, measure.detail)))
    return "the judge gives no reason"
