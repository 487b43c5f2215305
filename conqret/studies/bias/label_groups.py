"""People's quality of items, for probes that hold it equal."""

from __future__ import annotations

from conqret.io.labels import LabelSet


def people_quality(labels: LabelSet) -> dict[str, dict[str, float]]:
    """By dimension and item, the mean of people's labels in [0, 1]; dimensions without ends, nominal ones and
    labels of parts are left out."""
    values: dict[str, dict[str, list[float]]] = {}
    for label in labels.labels:
        scale = labels.scale(label.dimension)
        if label.value is None or label.unit.part or not scale.bounded or scale.level == "nominal":
            continue
        values.setdefault(label.dimension, {}).setdefault(label.unit.item, []).append(scale.unit(label.value))
    return {
        dimension: {item: sum(several) / len(several) for item, several in found.items()}
        for dimension, found in values.items()
    }
