"""A suite: a public test set for judges, declared once.

It says where its files are published and how they are read, what of them a judge judges, by which statistics the
verdicts are held against the gold, and which figures others have published of it. It holds no data.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from itertools import compress
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from conqret.data import Item
from conqret.io.pairs import Pair
from conqret.registry import Registry
from conqret.stats.estimate import Scale

Task = Literal["preference", "rating", "label", "detection"]
"""The task of an item: which of two answers, a rating on a scale, a class, or (of a document and a perspective)
whether the one contains the other."""
Values = Mapping[str, float]
"""A number by the id of an item."""

NO_DIGEST = "its authors publish no digest: its columns and values are checked instead, and how much there is"
"""What there is to know of a file whose digest is not known."""


@dataclass(frozen=True)
class SuiteFile:
    """A file of a suite, as it is published.

    Args:
        local: where it lies in the suite's folder (``judgments.jsonl``). A copy that is compressed (``.gz`` behind the
            name) is read in its place.
        repository: ``owner/name`` on GitHub; empty where the file is published elsewhere.
        commit: the commit, tag or branch there.
        path: its path in the repository.
        url: its address, where it is published elsewhere.
        sha256: the digest of the published file; empty where it is not known.
        size: its bytes; None where they are not known.
        optional: whether the suite can be read without it.
        note: what there is to know of it, as why it cannot be fetched; of a published one without digest by default
            that there is none.
    """

    local: str
    repository: str = ""
    commit: str = ""
    path: str = ""
    url: str = ""
    sha256: str = ""
    size: int | None = None
    optional: bool = False
    note: str = ""

    def __post_init__(self) -> None:
        if self.published and not (self.sha256 or self.note):
            object.__setattr__(self, "note", NO_DIGEST)

    @property
    def published(self) -> bool:
        """Whether it can be fetched."""
        return bool(self.repository or self.url)


@dataclass(frozen=True, eq=False)
class SuiteVerdicts:
    """What a judge says of a suite's items by one metric, with the gold: all in the same order.

    ``gold`` is NaN where an item has none. ``verdicts`` are numbers on the judge's scale: of conqret's judges in
    [0, 1] (a preference: 1 for the first answer, 0 for the second, 0.5 for a tie; yes is 1; a detection is its grade
    by 4), of a log of verdicts on that of the log. ``clusters`` are what intervals are over (topics), ``groups`` what
    means are taken by (systems, data sets; empty where there are none), and ``annotations`` the single annotators'
    labels by their names. Items without a verdict are not among them.
    """

    ids: tuple[str, ...]
    gold: NDArray[np.float64]
    verdicts: NDArray[np.float64]
    clusters: tuple[str, ...]
    groups: tuple[str, ...]
    annotations: tuple[Values, ...]

    def __len__(self) -> int:
        return len(self.ids)

    def subset(self, kept: NDArray[np.bool_]) -> SuiteVerdicts:
        """Some of the items."""
        chosen = kept.tolist()
        return SuiteVerdicts(
            tuple(compress(self.ids, chosen)),
            self.gold[kept],
            self.verdicts[kept],
            tuple(compress(self.clusters, chosen)),
            tuple(compress(self.groups, chosen)),
            tuple(compress(self.annotations, chosen)),
        )


Compute = Callable[[SuiteVerdicts], float]
"""A statistic of verdicts; NaN where it is not defined."""


@dataclass(frozen=True)
class SuiteStatistic:
    """A statistic as the suite's paper defines it. Its interval comes from leaving out each cluster in turn.

    Args:
        name: its name in results (``accuracy``), unique in the suite.
        definition: what it is, in a sentence.
        compute: the function of :class:`SuiteVerdicts`.
        metric: the metric that it is of; empty: the suite's first.
        scale: where it lives (:data:`conqret.stats.estimate.Scale`): ``share``, ``correlation``, ``plain`` …
        lower_is_better: whether less is better.
        chance: what a judge gets that guesses, where that is a number.
        group: the group whose items alone it is of; empty: all items.
    """

    name: str
    definition: str
    compute: Compute
    metric: str = ""
    scale: Scale = "plain"
    lower_is_better: bool = False
    chance: float | None = None
    group: str = ""


@dataclass(frozen=True)
class PublishedFigure:
    """A published figure of a suite.

    Args:
        who: the judge, the annotators or the system that it is of (``o1-mini, Arena-Hard prompt``).
        statistic: the statistic's name in the suite; or in words, where no statistic of the suite is meant.
        value: the figure, as printed.
        digits: how many digits after the point are printed.
        where: where it stands (``Table 2``).
        log: the log of :class:`SuiteData` from which the suite's statistic recomputes it.
        recompute: a function of :class:`SuiteData` that recomputes it otherwise.
        judge: whether it is a judge's, to stand in the leaderboard; else it is of the data (agreement of annotators).
        note: why it cannot be recomputed, or what explains a difference.
        times: what the statistic is multiplied by to be the printed figure (100 for per cent).
        human: whether it is what annotators reach among each other, a yardstick for judges.
    """

    who: str
    statistic: str
    value: float
    digits: int
    where: str
    log: str = ""
    recompute: Callable[[SuiteData], float] | None = None
    judge: bool = True
    note: str = ""
    times: float = 1.0
    human: bool = False

    def agrees(self, value: float) -> bool:
        """Whether a recomputed statistic is the printed figure, to its digits."""
        return abs(value * self.times - self.value) <= 0.5 * 10.0**-self.digits + 1e-9


def printed(
    values: Mapping[str, float],
    statistic: str,
    digits: int,
    where: str,
    recompute: Callable[[str, SuiteData], float] | None = None,
    **more: Any,
) -> tuple[PublishedFigure, ...]:
    """The figures of a statistic that stand in one place, by whom each is of, which ``recompute`` gets; ``more`` are
    other fields of all."""
    return tuple(
        PublishedFigure(
            who, statistic, value, digits, where, recompute=recompute and partial(recompute, who), **more
        )
        for who, value in values.items()
    )


@dataclass(frozen=True)
class SuiteData:
    """What a suite's files hold.

    Args:
        items: what is judged: :class:`conqret.Item`, or for the task ``detection``
            :class:`conqret.io.pairs.Pair`; empty where the texts are not published.
        gold: by metric and item id, on the suite's own scale (a preference: 1 for the first answer, 0 for the second,
            0.5 for a tie; yes is 1, no is 0).
        clusters: by item id, what intervals are over; an item that has none is one of its own.
        groups: by item id, what means are taken by.
        annotations: the single annotators' labels by metric, item id and annotator.
        logs: verdicts of published judges by judge, metric and item id, on any scale. Their items need not be among
            ``items``.
        rules: the logs among them that are no judges, but rules computed of the texts (the longer answer).
        notes: what there is to know of this copy.
    """

    items: tuple[Item, ...] | tuple[Pair, ...] = ()
    gold: Mapping[str, Values] = field(default_factory=dict)
    clusters: Mapping[str, str] = field(default_factory=dict)
    groups: Mapping[str, str] = field(default_factory=dict)
    annotations: Mapping[str, Mapping[str, Values]] = field(default_factory=dict)
    logs: Mapping[str, Mapping[str, Values]] = field(default_factory=dict)
    rules: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def counts(self) -> dict[str, int]:
        """How many items, gold labels, clusters, annotators and logs there are."""
        ids = {item.id for item in self.items}.union(*self.gold.values(), *self.annotations.values())
        annotators = {
            name for items in self.annotations.values() for labels in items.values() for name in labels
        }
        return {
            "items": len(ids),
            "gold": sum(map(len, self.gold.values())),
            "clusters": len({self.clusters.get(name, name) for name in ids}),
            "annotators": len(annotators),
            "logs": len(self.logs),
        }

    def labelled(self, metric: str, group: str = "") -> set[str]:
        """The items that have gold or annotations by ``metric``, of one ``group`` where it is named."""
        ids = self.gold.get(metric, {}).keys() | self.annotations.get(metric, {}).keys()
        return {name for name in ids if not group or self.groups.get(name, "") == group}

    def against(self, metric: str, verdicts: Mapping[str, float | None], group: str = "") -> SuiteVerdicts:
        """The verdicts (by item id) of the items that have gold or annotations by ``metric``, apart from these."""
        gold, annotations = self.gold.get(metric, {}), self.annotations.get(metric, {})
        labelled = self.labelled(metric, group)
        ids = [
            name
            for name, value in verdicts.items()
            if value is not None and value == value and name in labelled
        ]
        return SuiteVerdicts(
            tuple(ids),
            np.array([gold.get(name, np.nan) for name in ids], dtype=float),
            np.array([verdicts[name] for name in ids], dtype=float),
            tuple(self.clusters.get(name, name) for name in ids),
            tuple(self.groups.get(name, "") for name in ids),
            tuple(annotations.get(name, {}) for name in ids),
        )


@dataclass(frozen=True)
class Suite:
    """A public test set for judges.

    Args:
        name: how it is called (``judgebench``): lower-case letters, digits and hyphens.
        title: its name in print.
        question: what it answers, in a sentence.
        source: paper, venue, year and address.
        license: SPDX identifier or words, and what it lets one do.
        files: its files, as they are published.
        public_since: year and month from which its texts could be in a model's training data.
        task: the task of an item.
        read: the reader of a folder with the files (``Path`` to :class:`SuiteData`). It raises
            DeclarationError (or ItemsError, LabelsError) that names file, line and expectation.
        metrics: the metrics that are judged; those of the format in ``judging``, where items are judged.
        statistics: the first is the one of the leaderboard.
        judging: what :func:`conqret.judge` is told of the judge, where the user says nothing else: ``format``, or
            ``criteria``. Empty where there are no texts to judge, or for the task ``detection``.
        baseline: the same for the offline baseline, where it has no evidence for what is in ``judging``.
        published: figures of others.
        whole: what a whole copy holds (see :attr:`SuiteData.counts`).
        folder: the name of its folder among others; by default its own.
        about: what it is about, by which the leaderboard groups suites (``debates and arguments``).
    """

    name: str
    title: str
    question: str
    source: str
    license: str
    files: tuple[SuiteFile, ...]
    public_since: str
    task: Task
    read: Callable[[Path], SuiteData]
    metrics: tuple[str, ...]
    statistics: tuple[SuiteStatistic, ...]
    judging: Mapping[str, Any] = field(default_factory=dict)
    baseline: Mapping[str, Any] = field(default_factory=dict)
    published: tuple[PublishedFigure, ...] = ()
    whole: Mapping[str, int] = field(default_factory=dict)
    folder: str = ""
    about: str = "answers"

    @property
    def judged(self) -> bool:
        """Whether it has texts that a model can judge."""
        return bool(self.judging) or self.task == "detection"

    def statistic(self, name: str) -> SuiteStatistic | None:
        """The statistic of this name, if there is one."""
        return next((statistic for statistic in self.statistics if statistic.name == name), None)

    def metric_of(self, statistic: SuiteStatistic) -> str:
        """The metric that a statistic is of."""
        return statistic.metric or self.metrics[0]

    def data(self, folder: Path) -> SuiteData:
        """What the files in ``folder`` hold.

        Raises:
            DeclarationError: a file is missing or corrupt, or has another layout.
        """
        return self.read(folder)

    def lacking(self, data: SuiteData) -> tuple[str, ...]:
        """What a copy has less or more of than the whole suite, in words."""
        counts = data.counts
        return tuple(
            f"{counts[name]:,} of {number:,} {name}"
            for name, number in self.whole.items()
            if counts[name] != number
        )


SUITES = Registry("suite", "conqret.suites", Suite, package="conqret.suites.catalog", attribute="SUITE")
"""The suites by name: those that come with conqret, and those of installed plug-ins."""
