"""A jury as a run (a folder like that of any judge): what its members say of each item, the judgment that comes of it,
and what the jury gains over its members."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from heapq import nlargest
from itertools import combinations
from pathlib import Path
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from conqret.data import Judgment, Measure, Part, Reason, Status, Trace
from conqret.data.digest import gathered
from conqret.errors import DeclarationError, strict_options
from conqret.io.jsonl import compact
from conqret.io.label_set import LabelSet
from conqret.io.labels import Labels, labels_of
from conqret.io.safe_files import InFolder, write_all, write_whole
from conqret.judging.judge_folder import JudgeFolder, JudgeRecord, shared_metrics
from conqret.judging.judge_parts import JURY, digest
from conqret.judging.scales import PREFERENCE
from conqret.runs.run_folder import distinct_names
from conqret.runs.session import SessionCounts
from conqret.stats.correlation import pearson
from conqret.stats.effects import ALPHA
from conqret.stats.estimate import Estimate
from conqret.stats.jackknife import JackknifedEstimate, average
from conqret.stats.resampling import leave_one_out
from conqret.studies.agreement.agreement_settings import DEFAULT_SETTINGS, AgreementSettings
from conqret.studies.agreement.label_join import of_whole_items
from conqret.studies.compare.compare_judges import HeldOutChoice, SharedUnits
from conqret.studies.jury.result import (
    RESULT,
    DisputedItem,
    ErrorPair,
    Jury,
    JuryCheck,
    JuryMember,
    Rule,
    RuleAgreement,
)

Place = tuple[str, str, str | None]
"""An item, a metric, and one of its parts (None: the measure itself)."""
COUNTED = "predicted_precision"
"""A share of documents that each member counts over its own ratings; the jury counts none over its own."""


@dataclass(frozen=True)
class Ballots:
    """The judgments of all members of a jury on the same items.

    ``judgments`` has for each of the ``names`` the judgments by item, and ``metrics`` are those that all
    members have.
    """

    names: tuple[str, ...]
    judgments: tuple[Mapping[str, Judgment], ...]
    metrics: tuple[str, ...]

    def by_item(self, item: str) -> list[Judgment]:
        """Return each member's judgment of an item."""
        return [judgment[item] for judgment in self.judgments]

    def judged(self, rule: Rule, *, model: str, fingerprint: str) -> list[Judgment]:
        """Return the jury's judgments, one for each item, under this model and fingerprint."""
        scores: dict[Place, float] = {}
        for metric in self.metrics:
            places, values = self.table(metric)
            if places:
                combined = (np.mean if rule == "mean" else np.median)(values, axis=1)
                scores |= dict(zip(places, combined.tolist(), strict=True))
        made = []
        for item, first in self.judgments[0].items():
            measures = {metric: self._measure(item, metric, scores, model) for metric in self.metrics}
            calls = tuple(
                call.model_copy(update={"ask": f"{name}: {call.ask}"})
                for name, judgment in zip(self.names, self.by_item(item), strict=True)
                for call in judgment.trace.calls
            )
            named = {"format": JURY.name, "model": model, "fingerprint": fingerprint}
            made.append(first.model_copy(update={**named, "measures": measures, "trace": Trace(calls=calls)}))
        return made

    def table(self, metric: str) -> tuple[list[Place], NDArray[np.float64]]:
        """Return the places (units) of a metric that all members scored, and the scores as places by
        members.
        """
        rows = {place: values for place, values in self._rows(metric) if None not in values}
        return list(rows), np.array(list(rows.values()), dtype=float).reshape(len(rows), len(self.names))

    def _rows(self, metric: str) -> Iterator[tuple[Place, tuple[float | None, ...]]]:
        for item in self.judgments[0]:
            measures = [judgment.measures.get(metric) for judgment in self.by_item(item)]
            yield (item, metric, None), tuple(None if one is None else one.value for one in measures)
            parts = gathered(
                (part.id, part.value) for measure in measures if measure is not None for part in measure.parts
            )
            for name, values in parts.items():
                if len(values) == len(self.names):
                    yield (item, metric, name), tuple(values)

    def _measure(self, item: str, metric: str, scores: Mapping[Place, float], model: str) -> Measure:
        measures = [judgment.measures.get(metric) for judgment in self.by_item(item)]
        named = dict(zip(self.names, measures, strict=True))
        value = scores.get((item, metric, None))
        if value is None:
            missing = (pair for pair in named.items() if pair[1] is None or pair[1].value is None)
            name, lost = next(missing, (self.names[0], measures[0]))
            reason = Reason.NOTHING_TO_JUDGE if lost is None or lost.reason is None else lost.reason
            return Measure.missing(
                reason, f"{name}: {lost.detail if lost is not None else 'no such measure'}"
            )
        known = {name: one for name, one in named.items() if one is not None and one.value is not None}
        labelled = all(one is not None and one.label in PREFERENCE for one in measures)
        each = "; ".join(f"{name} {one.value:.2f}" for name, one in known.items())
        counted = " (each by its own ratings of the documents)" * (metric == COUNTED)
        first, tie = measures[0], PREFERENCE["tie"]
        preferred = "tie" if value == tie else "first" if value > tie else "second"
        return Measure(
            status=Status.SCORED,
            value=value,
            label=preferred if labelled else None,
            explanation=f"{model}: {each}{counted}",
            parts=tuple(
                Part(id=part.id, value=scores[item, metric, part.id])
                for part in (first.parts if first is not None else ())
                if (item, metric, part.id) in scores
            ),
        )


PAGE = "jury.html"


@dataclass(frozen=True)
class JuryFolder(JudgeFolder):
    """The folder of a jury: the files of a judge's run, and ``jury.json``."""

    COMMAND: ClassVar[str] = "conqret judges jury"

    jury_file = InFolder(RESULT)


@strict_options
def jury(
    runs: Sequence[str | Path],
    output: str | Path,
    labels: Labels | None = None,
    *,
    rule: Rule = "mean",
    metrics: Mapping[str, str] | None = None,
    settings: AgreementSettings = DEFAULT_SETTINGS,
    names: Sequence[str] = (),
    overwrite: bool = False,
) -> Jury:
    """Combine finished runs of several judges over the same items into the run of a jury, and evaluate it.

    No request is sent; the costs are those of all members. A score is missing where that of any member is.

    Args:
        runs: the members' runs.
        output: the folder for the jury's run.
        labels: human labels of the items, for the evaluation.
        rule: how scores are combined.
        metrics: the metric of each dimension, where the names differ.
        settings: how agreement is measured.
        names: the members' names (default: their folders).
        overwrite: replace what ``output`` holds.

    Raises:
        DeclarationError: the runs cannot form a jury, no judgment has a label, or ``output`` is not free.
    """
    out = Path(output)
    if out.resolve() in {Path(run).resolve() for run in runs}:
        raise DeclarationError(f"{out} is a member of the jury: give another folder with -o")
    folders = [JudgeFolder(Path(run)) for run in runs]
    called = tuple(names or distinct_names([folder.path for folder in folders]))
    if len(set(called)) < max(len(called), 2):
        raise DeclarationError("a jury needs at least two different runs, each given once")
    records = [folder.record() for folder in folders]
    for folder, record in zip(folders, records, strict=True):
        if record.items_digest != records[0].items_digest:
            raise DeclarationError(
                f"{folder.path} judges other items than {folders[0].path}: judge the same items with each member"
            )
    every = {name: list(folder.finished()) for name, folder in zip(called, folders, strict=True)}
    of_runs = {folder.path: record.metrics for folder, record in zip(folders, records, strict=True)}
    ballots = Ballots(
        called,
        tuple({judgment.item: judgment for judgment in judgments} for judgments in every.values()),
        tuple(shared_metrics(of_runs)),
    )
    model = f"{rule} of {len(runs)} judges"
    members = [f"{record.format} with {record.model} ({record.fingerprint})" for record in records]
    identity = {"format": JURY.name, "rule": rule, "members": members}
    judged = ballots.judged(rule, model=model, fingerprint=digest(identity))
    shared, checked, alphas = None, None, dict[str, Estimate]()
    if labels is not None:
        read = of_whole_items(labels_of(labels), [*every.values(), judged], metrics)
        shared = SharedUnits.from_runs(every, read, metrics, settings)
        checked, alphas = _checked(shared, every, judged, read, metrics, settings)
    found = Jury(
        rule=rule,
        members=tuple(
            JuryMember(
                name=name,
                format=record.format,
                model=record.model,
                fingerprint=record.fingerprint,
                alpha=alphas.get(name),
            )
            for name, record in zip(called, records, strict=True)
        ),
        metrics=tuple(dict.fromkeys(name for judgment in judged for name in judgment.measures)),
        items=len(judged),
        scored=sum(not judgment.reasons for judgment in judged),
        checked=checked,
        disagreements=tuple(_disagreements(ballots, judged, shared, metrics or {})),
    )
    record = records[0].model_copy(
        update={
            "created": max(record.created for record in records),
            "format": JURY.name,
            "model": model,
            "baseline": all(record.baseline for record in records),
            "fingerprint": digest(identity),
            "identity": identity,
            "metrics": list(found.metrics),
            "options": {},
            "model_options": {},
            "notes": [f"Rule: {rule}", *_members(called, records)],
        }
    )
    made = JuryFolder(out)

    def copy_items() -> None:
        with folders[0].items_file.open("rb") as items:
            write_all(made.items_file, items)

    with made.claimed(record, overwrite=overwrite, begin=copy_items):
        lines = [compact(judgment.model_dump(mode="json")) + b"\n" for judgment in judged]
        write_whole(made.judgments_file, b"".join(lines))
        with made.rows() as rows:
            made.write_results(rows, SessionCounts())
        write_whole(made.jury_file, found.model_dump_json(indent=1).encode() + b"\n")
    return found


def _members(names: Sequence[str], records: Sequence[JudgeRecord]) -> Iterator[str]:
    """Which judge each of the names is."""
    for name, record in zip(names, records, strict=True):
        samples = record.options.get("samples") or 1
        several = f", {samples} samples of each item" * (samples != 1)
        yield f"Member {name}: {record.format} with {record.model}{several} ({record.fingerprint})"


MAX_SHOWN_ITEMS = 10
"""Items on which the members differ most, that are listed."""


def _checked(
    alone: SharedUnits,
    members: Mapping[str, Sequence[Judgment]],
    judged: Sequence[Judgment],
    labels: LabelSet,
    metrics: Mapping[str, str] | None,
    settings: AgreementSettings,
) -> tuple[JuryCheck, dict[str, Estimate]]:
    """Return the jury's agreement compared with that of its members on the units that all of them scored, and the
    members' alphas by name. The number of independent judges is None if a correlation of errors is not defined."""
    drawn = leave_one_out(alone.clusters)
    choice = HeldOutChoice.choose(alone, settings.seed, drawn)
    both = SharedUnits.from_runs({**members, "the jury": judged}, labels, metrics, settings)
    means = both.averaged({name: side.alphas(side.judges, drawn) for name, side in both.sides.items()})
    chosen = choice.mean_alpha(alone, drawn)
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
) -> RuleAgreement:
    """Compare the jury's mean alpha with its members.

    ``means`` are the mean alphas of the members and, last, of the jury. ``chosen`` is the cross-validated
    alpha of the best member. ``alone`` has the members' names.
    """
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
    return RuleAgreement(
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
        known = ~np.isnan(side.labels)
        if side.scale.bounded and known.any():
            low, high = side.scale.ends()
            apart = (side.judges - side.labels)[:, known] / (high - low)
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
) -> list[DisputedItem]:
    """Return the :data:`MAX_SHOWN_ITEMS` items on which members are furthest apart, each with the metric on which they
    are. Items without disagreement, or without a score of the jury, are left out."""
    labels: dict[tuple[str, str], float] = {}
    for dimension, side in shared.sides.items() if shared is not None else ():
        if side.scale.bounded and shared is not None:
            for unit, label in zip(shared.units, side.labels.tolist(), strict=True):
                if not unit.part and label == label:  # NaN is not equal to itself
                    labels[unit.item, metrics.get(dimension, dimension)] = side.scale.unit(label)
    by_item = {judgment.item: judgment for judgment in judged}
    widest: dict[str, tuple[str, tuple[float, ...]]] = {}
    for metric in ballots.metrics:
        places, scores = ballots.table(metric)
        for (item, _, part), values in zip(places, map(tuple, scores.tolist()), strict=True):
            if part is None and _apart(values) > (_apart(widest[item][1]) if item in widest else 0.0):
                widest[item] = metric, values
    return [
        DisputedItem(
            item=item,
            topic=by_item[item].topic,
            metric=metric,
            values=values,
            jury=value,
            people=labels.get((item, metric)),
        )
        for item, (metric, values) in nlargest(
            MAX_SHOWN_ITEMS, widest.items(), key=lambda entry: _apart(entry[1][1])
        )
        if (value := by_item[item].value(metric)) is not None
    ]


def _apart(values: Sequence[float]) -> float:
    return max(values) - min(values)
