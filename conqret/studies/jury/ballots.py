"""What the members of a jury say of each item, and the judgment that comes of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from conqret.data import Judgment, Measure, Part, Reason, Status, Trace
from conqret.data.digest import gathered
from conqret.errors import DeclarationError
from conqret.judging.judge_folder import JudgeFolder, shared_metrics
from conqret.judging.scales import PREFERENCE
from conqret.runs.run_folder import told_apart

Rule = Literal["mean", "median"]
Place = tuple[str, str, str | None]
"""An item, a metric, and one of its parts (None: the measure itself)."""
COUNTED = "predicted_precision"
"""A share of documents that each member counts over its own ratings; the jury counts none over its own."""


@dataclass(frozen=True)
class Ballots:
    """The judgments of each of the ``names`` by item, in the order of the items, and the ``metrics`` that all have."""

    names: tuple[str, ...]
    judgments: tuple[Mapping[str, Judgment], ...]
    metrics: tuple[str, ...]

    @classmethod
    def read(cls, runs: Sequence[JudgeFolder], called: Sequence[str] = ()) -> Ballots:
        """The ballots of finished runs over the same items; ``called`` are their names (default: what tells their
        folders apart).

        Raises:
            DeclarationError: fewer than two runs, one twice, not finished, damaged or of other items, or no shared
                metric.
        """
        names = tuple(called or told_apart([run.path for run in runs]))
        if len(set(names)) < max(len(names), 2):
            raise DeclarationError("a jury needs at least two different runs, each given once")
        records = [run.record() for run in runs]
        for run, record in zip(runs, records, strict=True):
            if record.items_digest != records[0].items_digest:
                raise DeclarationError(
                    f"{run.path} judges other items than {runs[0].path}: judge the same items with each member"
                )
        judged = tuple({judgment.item: judgment for judgment in run.finished()} for run in runs)
        for run, judgments in zip(runs, judged, strict=True):
            if lacking := [item for item in judged[0] if item not in judgments]:
                raise DeclarationError(
                    f"{run.judgments_file} contains no judgment of {lacking[0]}; run the command that made this run "
                    "again to repair it"
                )
        metrics = shared_metrics(
            {run.path: record.metrics for run, record in zip(runs, records, strict=True)}
        )
        return cls(names, judged, tuple(metrics))

    def of(self, item: str) -> list[Judgment]:
        """What each member says of an item."""
        return [judgment[item] for judgment in self.judgments]

    def judged(self, rule: Rule, *, model: str, fingerprint: str, format: str) -> list[Judgment]:  # noqa: A002
        """The judgments of the jury, one an item."""
        scores: dict[Place, float] = {}
        for metric in self.metrics:
            places, values = self.table(metric)
            if places:
                scores |= dict(zip(places, combine(rule, values).tolist(), strict=True))
        made = []
        for item, first in self.judgments[0].items():
            measures = {metric: self._measure(item, metric, scores, model) for metric in self.metrics}
            calls = tuple(
                call.model_copy(update={"ask": f"{name}: {call.ask}"})
                for name, judgment in zip(self.names, self.of(item), strict=True)
                for call in judgment.trace.calls
            )
            named = {"format": format, "model": model, "fingerprint": fingerprint}
            made.append(first.model_copy(update={**named, "measures": measures, "trace": Trace(calls=calls)}))
        return made

    def table(self, metric: str) -> tuple[list[Place], NDArray[np.float64]]:
        """The places of a metric that all members scored, and what they say there (places by members)."""
        rows = {place: values for place, values in self._rows(metric) if None not in values}
        return list(rows), np.array(list(rows.values()), dtype=float).reshape(len(rows), len(self.names))

    def _rows(self, metric: str) -> Iterator[tuple[Place, tuple[float | None, ...]]]:
        for item in self.judgments[0]:
            measures = [judgment.measures.get(metric) for judgment in self.of(item)]
            yield (item, metric, None), tuple(None if one is None else one.value for one in measures)
            parts = gathered(
                (part.id, part.value) for measure in measures if measure is not None for part in measure.parts
            )
            for name, values in parts.items():
                if len(values) == len(self.names):
                    yield (item, metric, name), tuple(values)

    def _measure(self, item: str, metric: str, scores: Mapping[Place, float], model: str) -> Measure:
        measures = [judgment.measures.get(metric) for judgment in self.of(item)]
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


def combine(rule: Rule, scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """What a rule makes of scores of one metric (units by judges, none missing): one score of each unit. The median is
    the majority of an odd number of judges whose scores have two values."""
    return np.asarray((np.mean if rule == "mean" else np.median)(scores, axis=1))
