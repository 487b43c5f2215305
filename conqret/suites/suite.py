"""A suite: a public test set for judges, declared once.

It says where its files are published and how they are read, what of them a judge judges, by which statistics the
verdicts are held against the gold, and which figures others have published of it. It holds no data.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
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
"""The task of an item: which of two answers is better, a rating on a scale, a class, or (of a document and
a perspective) whether the one contains the other.
"""
Values = Mapping[str, float]
"""A number for each item id."""


@dataclass(frozen=True)
class SuiteFile:
    """A published file of a suite.

    Args:
        local: its path in the suite's folder (``judgments.jsonl``); a compressed copy (``.gz``) is
            also accepted.
        repository: ``owner/name`` on GitHub; empty if the file cannot be fetched.
        commit: the commit, tag or branch in the repository.
        path: its path in the repository.
        optional: True if the suite can be read without it.
        note: a remark, such as why it cannot be fetched.
    """

    local: str
    repository: str = ""
    commit: str = ""
    path: str = ""
    optional: bool = False
    note: str = ""

    @property
    def published(self) -> bool:
        """True if the file can be fetched."""
        return bool(self.repository)


@dataclass(frozen=True, eq=False)
class SuiteVerdicts:
    """A judge's verdicts on a suite's items by one metric, with the gold labels, all in the same order.

    ``gold`` is NaN for an item without gold. ``verdicts`` of conqret's judges are in [0, 1]. For a
    preference, 1 is the first answer, 0 the second, and 0.5 a tie; yes is 1; a detection is its grade
    divided by 4. A log of verdicts keeps its own scale. ``clusters`` are the units of intervals (topics).
    ``groups`` are the units of means, such as systems or data sets (empty if there are none).
    ``annotations`` has each annotator's label by name. Items without a verdict are left out.
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
        """Return the verdicts of the items for which the mask ``kept`` is True."""
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
"""Takes a judge's verdicts and returns a statistic; NaN where it is not defined."""


@dataclass(frozen=True)
class SuiteStatistic:
    """A statistic as the suite's paper defines it; its interval is a jackknife over clusters.

    Args:
        name: its name in results (``accuracy``), unique in the suite.
        definition: its definition in a sentence.
        compute: the function of :class:`SuiteVerdicts` that returns its value.
        metric: the metric that it uses; empty for the suite's first metric.
        scale: its range (:data:`conqret.stats.estimate.Scale`), such as ``share``, ``correlation`` or
            ``plain``.
        lower_is_better: True if lower values are better.
        chance: the value of random guessing, if known.
        group: the only group whose items it uses; empty for all items.
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
    """A published figure of a suite, such as the accuracy of a judge in the paper.

    Args:
        who: the judge, annotators or system that the figure belongs to (``o1-mini, Arena-Hard
            prompt``).
        statistic: the name of the suite's statistic, or a description if the suite has no such
            statistic.
        value: the figure as printed.
        digits: the number of printed decimals.
        where: its place in the paper (``Table 2``).
        log: the log of :class:`SuiteData` from which it can be recomputed.
        recompute: another function of :class:`SuiteData` that recomputes it.
        judge: True for a judge's figure, which enters the leaderboard; False for a figure of the data
            (such as annotator agreement).
        note: why it cannot be recomputed, or an explanation of a difference.
        times: the factor from the statistic to the printed figure (100 for percent).
        human: True for the agreement among annotators, a yardstick for judges.
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
        """Return True if a recomputed value equals the printed figure to its digits."""
        return abs(value * self.times - self.value) <= 0.5 * 10.0**-self.digits + 1e-9


def printed(
    rows: Mapping[str, Sequence[float]],
    statistics: Sequence[str],
    digits: int,
    where: str,
    recompute: Callable[[str, SuiteData], float] | None = None,
    *,
    logged: bool = False,
    **more: Any,
) -> tuple[PublishedFigure, ...]:
    """Return the published figures of a table of the paper.

    Args:
        rows: the printed figures of each judge or system.
        statistics: the names of the statistics, one for each figure of a row.
        digits: the number of printed decimals.
        where: the place in the paper.
        recompute: a function of a row's name and :class:`SuiteData` that recomputes the figure.
        logged: True if the row's name is that of the log from which its figures can be recomputed.
        more: other fields of each figure.
    """
    return tuple(
        PublishedFigure(
            who,
            statistic,
            value,
            digits,
            where,
            log=who if logged else "",
            recompute=recompute and partial(recompute, who),
            **more,
        )
        for who, row in rows.items()
        for statistic, value in zip(statistics, row, strict=True)
    )


@dataclass(frozen=True)
class SuiteData:
    """The contents of a suite's files.

    Args:
        items: the items to judge: :class:`conqret.Item`, or :class:`conqret.io.pairs.Pair` for the
            task ``detection``. Empty if the texts are not published.
        gold: gold labels by metric and item id, on the suite's scale. For a preference, 1 is the first
            answer, 0 the second, and 0.5 a tie; yes is 1, no is 0.
        clusters: the cluster of each item id, the unit of intervals; an item without one is its own
            cluster.
        groups: the group of each item id, the unit of means.
        annotations: each annotator's labels by metric, item id and annotator.
        logs: verdicts of published judges by judge, metric and item id, on any scale; their items need
            not be in ``items``.
        rules: the logs that are not judges but rules computed from the texts (such as the longer
            answer).
        notes: remarks on this copy of the suite.
        raw: labels and comparisons behind the gold, for the recomputation of published figures.
    """

    items: tuple[Item, ...] | tuple[Pair, ...] = ()
    gold: Mapping[str, Values] = field(default_factory=dict)
    clusters: Mapping[str, str] = field(default_factory=dict)
    groups: Mapping[str, str] = field(default_factory=dict)
    annotations: Mapping[str, Mapping[str, Values]] = field(default_factory=dict)
    logs: Mapping[str, Mapping[str, Values]] = field(default_factory=dict)
    rules: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    raw: Mapping[str, Any] = field(default_factory=dict)

    @property
    def counts(self) -> dict[str, int]:
        """The numbers of ``items``, ``gold`` labels, ``clusters``, ``annotators`` and ``logs``."""
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
        """Return the ids of the items with gold labels or annotations for ``metric``, in one ``group`` if it
        is given.
        """
        ids = self.gold.get(metric, {}).keys() | self.annotations.get(metric, {}).keys()
        return {name for name in ids if not group or self.groups.get(name, "") == group}

    def against(self, metric: str, verdicts: Mapping[str, float | None], group: str = "") -> SuiteVerdicts:
        """Match verdicts (by item id) with gold labels and annotations for ``metric``.

        Items without a verdict, or without gold labels and annotations, are left out; with ``group``, also
        those of other groups.
        """
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
        name: its id (``judgebench``): lower-case letters, digits and hyphens.
        title: its name in print.
        question: what it tests, in a sentence.
        source: paper, venue, year and URL.
        license: SPDX identifier or description, with what it permits.
        files: its published files.
        public_since: the year and month since when its texts could be in a model's training data.
        task: the task of an item.
        read: the function that reads a folder of files (``Path`` to :class:`SuiteData`). It raises
            DeclarationError (or ItemsError, LabelsError) with file, line and expectation.
        metrics: the metrics that are judged; if items are judged, those of the format in ``judging``.
        statistics: the statistics; the leaderboard uses the first.
        judging: default judge settings of :func:`conqret.judge`: ``format`` or ``criteria``. Empty if
            there are no texts, or for the task ``detection``.
        baseline: the same for the offline baseline, if it cannot use ``judging``.
        published: figures published by others.
        whole: the counts of a complete copy (see :attr:`SuiteData.counts`).
        folder: the name of its folder; by default its id.
        about: its subject, by which the leaderboard groups suites (``debates and arguments``).
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
        """True if the suite has texts that a model can judge."""
        return bool(self.judging) or self.task == "detection"

    def judged_by(self, format_name: str | None = None, *, offline: bool = False) -> str:
        """Return a phrase that says which judge the suite uses, where ``format_name`` replaces its own and the offline
        baseline may have another."""
        if not self.judged:
            return "no judge here: its texts are not published"
        if self.task == "detection":
            return "conqret perspectives detect"
        judging = (offline and self.baseline) or self.judging
        if format_name or "format" in judging:
            return f"format {format_name or judging['format']}"
        return "; ".join(map(str, judging.get("criteria", ())))

    def statistic(self, name: str) -> SuiteStatistic | None:
        """Return the statistic with this name, or None."""
        return next((statistic for statistic in self.statistics if statistic.name == name), None)

    def metric_of(self, statistic: SuiteStatistic) -> str:
        """Return the name of the metric that a statistic uses."""
        return statistic.metric or self.metrics[0]

    def data(self, folder: Path) -> SuiteData:
        """Read the suite's files in ``folder``.

        Raises:
            DeclarationError: a file is missing or corrupt, or has another layout.
        """
        return self.read(folder)

    def lacking(self, data: SuiteData) -> tuple[str, ...]:
        """Return descriptions of the counts in which a copy differs from the complete suite, such as ``350
        of 620 items``; empty if none does.
        """
        counts = data.counts
        return tuple(
            f"{counts[name]:,} of {number:,} {name}"
            for name, number in self.whole.items()
            if counts[name] != number
        )


SUITES = Registry("suite", "conqret.suites", Suite, package="conqret.suites.catalog", attribute="SUITE")
"""The suites by name: those that come with conqret, and those of installed plug-ins."""
