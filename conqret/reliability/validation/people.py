"""People among themselves: how far they agree on each dimension, and over all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from pydantic import BaseModel, ConfigDict

from conqret.errors import DeclarationError
from conqret.io.label_scale import LabelLevel
from conqret.io.labels import LabelSet, Unit
from conqret.stats.agreement import Alphas, alphas, stack
from conqret.stats.bootstrap import CONFIDENCE, RESAMPLES
from conqret.stats.estimate import Estimate
from conqret.stats.kappa import fleiss_kappa
from conqret.stats.resampling import Resamples, draw

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

OVERALL = "overall_quality"
"""The dimension that averages leave out (ConQRet, Table 5)."""
SEED = 13
By = Literal["dimension", "topic"]


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class PeopleOn(_Frozen):
    """People on one dimension (or topic). ``labels`` counts values, ``paired`` those on units with two or more;
    ``most_frequent`` is the share of the most frequent value: the base rate. ``fleiss`` treats values as categories."""

    name: str
    level: str
    scale: str
    annotators: int
    units: int
    labels: int
    paired: int
    missing: int
    cannot_judge: int
    values: dict[str, int]
    most_frequent: float | None
    alpha: Estimate
    fleiss: Estimate


class PeopleAgreement(_Frozen):
    """People among themselves. ``average`` is over dimensions but overall quality; ``together`` takes every pair of
    unit and dimension as a unit (None where levels differ). Intervals resample ``clusters`` of ``clustered_by``."""

    labels: str
    layout: str
    by: str
    rows: tuple[PeopleOn, ...]
    average: Estimate
    together: Estimate | None
    clustered_by: str
    clusters: int
    resamples: int
    confidence: float
    seed: int
    notes: tuple[str, ...]


def people_agreement(
    labels: LabelSet,
    *,
    by: By = "dimension",
    resamples: int = RESAMPLES,
    confidence: float = CONFIDENCE,
    seed: int = SEED,
) -> PeopleAgreement:
    """Agreement among the people of ``labels``, by dimension or (all dimensions together) by topic.

    Raises:
        DeclarationError: by topic, and the labels have none, or dimensions differ in their level.
    """
    import numpy as np

    rng = np.random.default_rng(seed)
    units = labels.units
    clusters, kind = unit_clusters(units, labels.topics)
    drawn = draw(clusters, rng, resamples=resamples)
    levels = {labels.scale(dimension).level for dimension in labels.dimensions}
    tables = {dimension: labels.table(dimension, units)[1] for dimension in labels.dimensions}
    if by == "topic":
        rows, found = _by_topic(labels, tables, drawn, levels, confidence)
    else:
        found = stack(
            [alphas(_row(table), labels.scale(name).level, drawn) for name, table in tables.items()]
        )
        rows = [
            _people_on(
                labels,
                name,
                [name],
                table,
                units,
                found.estimate(place, confidence=confidence),
                drawn,
                confidence,
            )
            for place, (name, table) in enumerate(tables.items())
        ]
    places = [place for place, row in enumerate(rows) if row.name != OVERALL]
    return PeopleAgreement(
        labels=Path(labels.name).name,
        layout=labels.layout,
        by=by,
        rows=tuple(rows),
        average=found.average(places, confidence=confidence),
        together=_together(labels, tables, drawn, confidence) if len(levels) == 1 else None,
        clustered_by=kind,
        clusters=drawn.clusters,
        resamples=resamples,
        confidence=confidence,
        seed=seed,
        notes=labels.notes,
    )


def unit_clusters(units: Sequence[Unit], topics: dict[Unit, str]) -> tuple[list[Hashable], str]:
    """The cluster of each unit and what clusters are: topics where every unit has one and there are several,
    else items (whose parts belong together)."""
    names = [topics.get(unit, "") for unit in units]
    if all(names) and len(set(names)) > 1:
        return list(names), "topic"
    return [unit.item for unit in units], "item"


def _by_topic(
    labels: LabelSet,
    tables: dict[str, NDArray[np.float64]],
    drawn: Resamples,
    levels: set[LabelLevel],
    confidence: float,
) -> tuple[list[PeopleOn], Alphas]:
    import numpy as np

    topics = labels.topics
    if len(levels) != 1:
        raise DeclarationError(
            "by topic, all dimensions are taken together, and they differ in level; use --dimension"
        )
    if not topics:
        raise DeclarationError(f"{labels.name} gives no topics: add a column topic, or go by dimension")
    level = labels.scale(labels.dimensions[0]).level
    everything = np.concatenate(list(_same_height(tables)), axis=1)
    named = [topics.get(unit, "") for unit in labels.units] * len(tables)
    per_item = Resamples(np.zeros((0, 1)), np.zeros(everything.shape[1], dtype=np.intp))
    rows, found = [], []
    for topic in dict.fromkeys(name for name in named if name):
        mine = np.array([name == topic for name in named])
        table = np.where(mine, everything, np.nan)
        alpha = alphas(table[None], level, per_item)
        found.append(alpha)
        units = tuple(unit for unit in labels.units if topics.get(unit) == topic)
        rows.append(
            _people_on(
                labels,
                topic,
                list(tables),
                table,
                units,
                alpha.estimate(0, confidence=confidence),
                None,
                confidence,
            )
        )
    return rows, stack(found)


def _together(
    labels: LabelSet, tables: dict[str, NDArray[np.float64]], drawn: Resamples, confidence: float
) -> Estimate:
    import numpy as np

    everything = np.concatenate(list(_same_height(tables)), axis=1)
    wide = Resamples(drawn.weights, np.tile(drawn.cluster, len(tables)))
    level = labels.scale(labels.dimensions[0]).level
    return alphas(everything[None], level, wide).estimate(0, confidence=confidence)


def _row(table: NDArray[np.float64]) -> NDArray[np.float64]:
    """One table for :func:`alphas`; a dimension without any label has one empty row."""
    import numpy as np

    return table[None] if len(table) else np.full((1, 1, table.shape[1]), np.nan)


def _same_height(tables: dict[str, NDArray[np.float64]]) -> list[NDArray[np.float64]]:
    import numpy as np

    height = max(1, *(len(table) for table in tables.values()))
    return [
        np.concatenate([table, np.full((height - len(table), table.shape[1]), np.nan)])
        for table in tables.values()
    ]


def _people_on(
    labels: LabelSet,
    name: str,
    dimensions: list[str],
    table: NDArray[np.float64],
    units: Sequence[Unit],
    alpha: Estimate,
    drawn: Resamples | None,
    confidence: float,
) -> PeopleOn:
    import numpy as np

    there = ~np.isnan(table)
    counts = Counter(table[there].tolist())
    sizes = there.sum(axis=0)
    inside = set(units)
    absent = Counter(
        label.absence for label in labels.labels if label.dimension in dimensions and label.unit in inside
    )
    scale = labels.scale(dimensions[0])
    words = {value: word for word, value in scale.words.items()}
    return PeopleOn(
        name=name,
        level=scale.level,
        scale=str(scale),
        annotators=int(there.any(axis=1).sum()),
        units=int((sizes > 0).sum()),
        labels=int(there.sum()),
        paired=int(sizes[sizes > 1].sum()),
        missing=absent["missing"],
        cannot_judge=absent["cannot_judge"],
        values={words.get(value, f"{value:g}"): count for value, count in sorted(counts.items())},
        most_frequent=max(counts.values()) / sum(counts.values()) if counts else None,
        alpha=alpha,
        fleiss=fleiss_kappa(_row(table)[0], drawn, confidence=confidence),
    )
