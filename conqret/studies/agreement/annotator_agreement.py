"""Annotators among themselves: how far they agree on each dimension, and over all."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from conqret.data.item import Frozen
from conqret.data.judgment import TopicKeys
from conqret.errors import strict_options
from conqret.io.label_set import LabelScale, LabelSet, Unit
from conqret.io.labels import Labels, labels_of
from conqret.judging.dimensions import BY_NAME
from conqret.show import words
from conqret.show.forest import Forest, forests
from conqret.show.report_page import ReportPage, section
from conqret.show.table import Cell, Table
from conqret.stats.agreement import alphas
from conqret.stats.estimate import Estimate
from conqret.stats.jackknife import JackknifedEstimate, average
from conqret.stats.resampling import Resamples, leave_one_out
from conqret.studies.agreement.agreement_settings import DEFAULT_SETTINGS, AgreementSettings, Basis
from conqret.studies.agreement.statistics import STATISTICS
from conqret.text.language import NAMES

ALPHA = "Krippendorff's α"
AXIS = "Krippendorff's alpha"
OVERALL = "overall_quality"
"""The dimension that averages leave out (ConQRet, Table 5)."""


class AnnotatorsRow(Frozen):
    """Inter-annotator agreement on one dimension.

    ``units`` counts units with at least two labels, ``labels`` all labels, and ``paired`` the labels of those
    units. ``missing`` counts empty labels, and ``cannot_judge`` those that say so. ``values`` has the
    frequency of each label, and ``most_frequent`` the share of the most frequent one. ``statistics`` are
    those for annotators in :mod:`conqret.studies.agreement.statistics`.
    """

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
    statistics: Mapping[str, Estimate]


class AnnotatorAgreement(Frozen):
    """Inter-annotator agreement on all dimensions.

    ``average`` is the mean alpha over dimensions without overall quality. ``together`` is the alpha with each
    pair of unit and dimension as a unit; None if levels of measurement differ.
    """

    basis: Basis
    rows: tuple[AnnotatorsRow, ...]
    average: Estimate
    together: Estimate | None


@strict_options
def agreement(labels: Labels, *, settings: AgreementSettings = DEFAULT_SETTINGS) -> AnnotatorAgreement:
    """Compute inter-annotator agreement on each dimension, with intervals over topics.

    ``labels`` are human labels, or the files that hold them.
    """
    labels = labels_of(labels)
    clusters, kind = clusters_of_units(labels.units, _topics(labels))
    drawn = leave_one_out(clusters)
    tables = {name: labels_table(labels, name, labels.units)[1] for name in labels.dimensions}
    found = [_annotators_row(labels, name, table, drawn, settings) for name, table in tables.items()]
    together = None
    levels = {labels.scale(name).level for name in tables}
    if len(levels) == 1:
        height = max(len(table) for table in tables.values())
        everything = np.full((height, len(labels.units) * len(tables)), np.nan)
        for place, table in enumerate(tables.values()):
            everything[: len(table), place * len(labels.units) :][:, : len(labels.units)] = table
        wide = Resamples(drawn.weights, np.tile(drawn.cluster, len(tables)))
        together = alphas(everything[None], levels.pop(), wide)[0].estimate(settings.confidence)
    return AnnotatorAgreement(
        basis=Basis.from_labels(labels, kind, labels.units, clusters, settings),
        rows=tuple(row for row, _ in found),
        average=average([alpha for row, alpha in found if row.name != OVERALL]).estimate(settings.confidence),
        together=together,
    )


def _topics(labels: LabelSet) -> dict[Unit, str]:
    """The topic of each unit that has one; those of items whose ids differ in the code of a language alone are one."""
    keys = TopicKeys()
    for unit, topic in labels.topics.items():
        code = unit.item.rpartition("-")[2]
        keys.tie(topic, unit.item, code if code in NAMES else "")
    return {unit: keys[topic] for unit, topic in labels.topics.items()}


def clusters_of_units(units: Sequence[Unit], topics: Mapping[Unit, str]) -> tuple[list[Hashable], str]:
    """Return the cluster of each unit, and the kind of cluster: "topic" or "item".

    Clusters are topics if every unit has one and there are several; otherwise they are items.
    """
    names = [topics.get(unit, "") for unit in units]
    if all(names) and len(set(names)) > 1:
        return list(names), "topic"
    return [unit.item for unit in units], "item"


def labels_table(
    labels: LabelSet, dimension: str, units: Sequence[Unit]
) -> tuple[tuple[str, ...], NDArray[np.float64]]:
    """Return the annotators of ``dimension``, and their labels of ``units`` as annotators by units.

    NaN stands for a missing label. The table has at least one row.
    """
    names, table = labels.table(dimension, units)
    return names, table if len(table) else np.full((1, len(units)), np.nan)


def label_counts(table: NDArray[np.float64], scale: LabelScale) -> dict[str, int]:
    """Return the frequency of each label in ascending order; labels are named by the scale's words where it
    has any.
    """
    words = {value: word for word, value in scale.words.items()}
    values, counts = np.unique(table[~np.isnan(table)], return_counts=True)
    named = [words.get(value, f"{value:g}") for value in values.tolist()]
    return dict(zip(named, counts.tolist(), strict=True))


def _annotators_row(
    labels: LabelSet, name: str, table: NDArray[np.float64], drawn: Resamples, settings: AgreementSettings
) -> tuple[AnnotatorsRow, JackknifedEstimate]:
    there = ~np.isnan(table)
    sizes = there.sum(axis=0)
    absent, scale = labels.absent(name), labels.scale(name)
    values = label_counts(table, scale)
    alpha = alphas(table[None], scale.level, drawn)[0]
    people = [statistic for statistic in STATISTICS.values() if statistic.input == "people"]
    row = AnnotatorsRow(
        name=name,
        level=scale.level,
        scale=str(scale),
        annotators=int(there.any(axis=1).sum()),
        units=int((sizes > 1).sum()),
        labels=int(there.sum()),
        paired=int(sizes[sizes > 1].sum()),
        missing=absent["missing"],
        cannot_judge=absent["cannot_judge"],
        values=values,
        most_frequent=max(values.values()) / sum(values.values()) if values else None,
        alpha=alpha.estimate(settings.confidence),
        statistics={one.name: one.compute(table, drawn, confidence=settings.confidence) for one in people},
    )
    return row, alpha


def averaged_dimensions(defined: Mapping[str, bool]) -> list[str]:
    """Return the dimensions over which alpha is averaged; ``defined`` says for each dimension if it has an
    alpha.

    These are the dimensions of argument quality without overall quality, as in ConQRet (section 6.1). If none
    of them is labeled, they are all others (relevance, preference, user-defined criteria), and overall
    quality only if nothing else is. Dimensions without an alpha are left out, unless none has one.
    """
    known = [name for name, there in defined.items() if there] or list(defined)
    others = [name for name in known if name != OVERALL] or known
    return [name for name in others if name in BY_NAME] or others


def averaged_alphas(alphas: Mapping[str, Mapping[str, JackknifedEstimate]]) -> dict[str, JackknifedEstimate]:
    """Return the mean over dimensions of each variant's alpha, for the variants that all averaged dimensions
    have.

    ``alphas`` maps dimensions to alphas by variant; :func:`averaged_dimensions` selects the dimensions.
    """
    averaged = averaged_dimensions({name: row["mean"].defined for name, row in alphas.items()})
    first, *others = (alphas[name] for name in averaged)
    shared = [name for name in first if all(name in row for row in others)]
    return {name: average([row[name] for row in (first, *others)]) for name in shared}


def annotators_table(study_agreement: AnnotatorAgreement) -> Table:
    """Return the table of inter-annotator agreement, one row for each dimension."""
    found = study_agreement.rows
    shared = len({row.level for row in found}) == 1
    titles = {name: STATISTICS[name].title for name in found[0].statistics}
    foot: list[list[Cell]] = []
    if len(found) > 1:
        empty = [""] * len(titles)
        foot.append(["Average", "", "", "", "", study_agreement.average, *empty])
        if (together := study_agreement.together) is not None:
            foot.append(["All together", "", "", together.n, "", together, *empty])
    level = f", {found[0].level} level" if shared else ""
    return Table(
        f"Inter-annotator agreement{level}, {study_agreement.basis.intervals}",
        {
            "Dimension": lambda row: words.label(row.name),
            "Level": lambda row: "" if shared else row.level,
            "Annotators": "annotators",
            "Units": "units",
            "Base rate": lambda row: "" if row.most_frequent is None else f"{row.most_frequent:.0%}",
            "Krippendorff's alpha": "alpha",
            **{title: ("statistics", name) for name, title in titles.items()},
        },
        found,
        foot=foot,
        note="“Units” are items (or their parts) with labels by two annotators or more. “Base rate” is the share of "
        "the most frequent label. “All together” is one alpha over the units of all rows.",
    )


def annotators_answer(study_agreement: AnnotatorAgreement) -> list[str]:
    """Return sentences that summarize inter-annotator agreement."""
    basis, rows = study_agreement.basis, study_agreement.rows
    known = [row for row in rows if row.alpha.value is not None]
    if not known:
        return ["Inter-annotator agreement cannot be computed: no two annotators labeled the same unit."]
    clusters = words.number(basis.clusters, basis.clustered_by)
    whole, of = study_agreement.average, f"on average over {words.number(len(rows), 'dimension')}"
    if len(rows) == 1:
        whole, of = known[0].alpha, f"on {words.label(rows[0].name).lower()}"
    alpha = f"{ALPHA} = {words.with_interval(whole)}"
    sentences = [f"The agreement of annotators with each other is {alpha} {of} ({clusters})."]
    if len(known) > 1:
        ordered = sorted(known, key=lambda row: row.alpha.value or 0.0)
        least, most = (
            f"on {words.label(row.name).lower()} ({words.with_interval(row.alpha)})"
            for row in (ordered[0], ordered[-1])
        )
        sentences.append(f"Annotators agree least {least} and most {most}.")
    return sentences


def annotators_picture(study_agreement: AnnotatorAgreement) -> Sequence[Forest]:
    """Return forest plots of inter-annotator alpha by dimension."""
    rows = [(words.label(row.name), row.alpha) for row in study_agreement.rows]
    confidence = study_agreement.basis.settings.confidence
    return forests("Inter-annotator agreement by dimension", AXIS, rows, confidence=confidence)


def agreement_page(study_agreement: AnnotatorAgreement) -> ReportPage:
    """Return the report page of inter-annotator agreement: a forest plot of alpha by dimension, and the
    table.
    """
    basis = study_agreement.basis
    return ReportPage(
        "agreement",
        "Do the annotators agree with each other?",
        [section(annotators_table(study_agreement))],
        answer=annotators_answer(study_agreement),
        picture=annotators_picture(study_agreement),
        how_to_read=[
            "Krippendorff's alpha is 1 where annotators always agree, and 0 where they agree only as often as by "
            "chance. No judge can agree with all of several annotators who disagree."
        ],
        facts=[
            ("Labels", f"{basis.labels} ({basis.layout})"),
            (f"{basis.clustered_by.capitalize()}s", words.count(basis.clusters)),
        ],
    )
