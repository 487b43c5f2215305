"""What has no score, why, and whether it is missing at random."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from conqret.data import Item, Judgment, Status
from conqret.data.digest import gathered
from conqret.data.item import Frozen
from conqret.data.topic_keys import TopicKeys
from conqret.io.labels import LabelSet, Unit
from conqret.stats.effects import holm
from conqret.stats.missingness import Association, missing_by_group, missing_by_value
from conqret.studies.agreement.annotator_agreement import unit_clusters
from conqret.studies.agreement.label_join import JoinedLabels

if TYPE_CHECKING:
    import numpy as np

LENGTH = "length of item (characters)"
HUMAN = "the mean human label"


class Missingness(Frozen):
    """Judgments by status and reason. ``associations`` say whether items with any measure missing differ in topic,
    length or people's labels; their p-values are corrected together (Holm) in ``p_holm``, in the same order."""

    total: int
    scored: int
    unscored: int
    failed: int
    reasons: dict[str, int]
    associations: list[Association]
    p_holm: list[float | None]


def missingness(
    judgments: Sequence[Judgment],
    labels: LabelSet,
    joined: JoinedLabels,
    items: Sequence[Item],
    rng: np.random.Generator,
) -> Missingness:
    """Count what is missing among ``judgments``, and hold it against topic, length and people's labels."""
    statuses = Counter(judgment.status for judgment in judgments)
    lost = [judgment.status is not Status.SCORED for judgment in judgments]
    lengths = {item.id: _length(item) for item in items}
    human = _human(labels, joined)
    nan = float("nan")
    keys = TopicKeys.of(judgments)
    clusters, _ = unit_clusters(
        [Unit(judgment.item) for judgment in judgments],
        {Unit(judgment.item): keys[judgment.topic] for judgment in judgments},
    )
    associations = [missing_by_group("topic", lost, [keys[judgment.topic] for judgment in judgments], rng)]
    for covariate, known in ((LENGTH, lengths), (HUMAN, human)):
        values = [known.get(judgment.item, nan) for judgment in judgments]
        associations.append(missing_by_value(covariate, lost, values, rng, clusters))
    return Missingness(
        total=len(judgments),
        scored=statuses[Status.SCORED],
        unscored=statuses[Status.UNSCORED],
        failed=statuses[Status.FAILED],
        reasons=dict(
            sorted(
                Counter(str(judgment.reason) for judgment in judgments if judgment.reason is not None).items()
            )
        ),
        associations=associations,
        p_holm=holm([association.p for association in associations]),
    )


def _length(item: Item) -> float:
    return float(len(item.argument or "") + sum(len(document.text) for document in item.documents))


def _human(labels: LabelSet, joined: JoinedLabels) -> dict[str, float]:
    """Each item's mean label in [0, 1] over the dimensions whose scale has ends."""
    bounded = {name: scale for name in joined.metrics if (scale := labels.scale(name)).bounded}
    known = gathered(
        (label.unit.item, bounded[label.dimension].unit(label.value))
        for label in labels.labels
        if label.value is not None and label.dimension in bounded
    )
    return {item: sum(values) / len(values) for item, values in known.items()}
