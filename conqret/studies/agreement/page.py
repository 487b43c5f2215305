"""Inter-annotator agreement in one table, in sentences, and as a page."""

from __future__ import annotations

from collections.abc import Sequence

from conqret.show import words
from conqret.show.forest import Forest, forests
from conqret.show.report_page import ReportPage, section
from conqret.show.table import Cell, Table
from conqret.studies.agreement.annotator_agreement import PeopleAgreement
from conqret.studies.agreement.statistics import STATISTICS

ALPHA = "Krippendorff's α"
WITH_CI = "Krippendorff's alpha, {:.0%} confidence intervals"


def people_table(study_agreement: PeopleAgreement) -> Table:
    """How far annotators agree, a row for each dimension."""
    shared = len({row.level for row in study_agreement.rows}) == 1
    level = "" if not shared else f", {study_agreement.rows[0].level} level"
    names = list(study_agreement.rows[0].statistics)
    rows = [
        (
            words.label(row.name),
            *(() if shared else (row.level,)),
            row.annotators,
            row.units,
            "" if row.most_frequent is None else f"{row.most_frequent:.0%}",
            row.alpha,
            *row.statistics.values(),
        )
        for row in study_agreement.rows
    ]
    titles = [STATISTICS[name].title for name in names]
    empty, blank = [""] * len(names), [""] * (1 if shared else 2)
    foot: list[tuple[Cell, ...]] = []
    if len(rows) > 1:
        foot.append(("Average", *blank, "", "", study_agreement.average, *empty))
        if study_agreement.together is not None:
            foot.append(
                ("All together", *blank, study_agreement.together.n, "", study_agreement.together, *empty)
            )
    return Table(
        f"Inter-annotator agreement{level}, {study_agreement.basis.intervals}",
        (
            "Dimension",
            *(() if shared else ("Level",)),
            "Annotators",
            "Units",
            "Base rate",
            "Krippendorff's alpha",
            *titles,
        ),
        rows,
        foot=foot,
        note="“Units” is the number of items (or parts of items) with labels by two annotators or more. “Base rate” is "
        "the share of the most frequent label. “All together” is one alpha, computed over the units of all rows.",
    )


def annotators_answer(study_agreement: PeopleAgreement) -> list[str]:
    """How far annotators agree with each other, in sentences."""
    basis, rows = study_agreement.basis, study_agreement.rows
    known = [row for row in rows if row.alpha.value is not None]
    if not known:
        return ["Inter-annotator agreement cannot be computed: no two annotators labeled the same unit."]
    clusters = words.number(basis.clusters, basis.clustered_by)
    whole = known[0].alpha if len(rows) == 1 else study_agreement.average
    of = (
        f"on {words.label(rows[0].name).lower()}"
        if len(rows) == 1
        else f"on average over {words.number(len(rows), 'dimension')}"
    )
    sentences = [
        f"The agreement of annotators with each other is {ALPHA} = {words.with_interval(whole)} {of} ({clusters})."
    ]
    if len(known) > 1:
        least, most = (pick(known, key=lambda row: row.alpha.value or 0.0) for pick in (min, max))
        sentences.append(
            f"Annotators agree least on {words.label(least.name).lower()} ({words.with_interval(least.alpha)}) and "
            f"most on {words.label(most.name).lower()} ({words.with_interval(most.alpha)})."
        )
    return sentences


def annotators_picture(study_agreement: PeopleAgreement) -> Sequence[Forest]:
    """Inter-annotator alpha by dimension."""
    rows = [(words.label(row.name), row.alpha) for row in study_agreement.rows]
    axis = WITH_CI.format(study_agreement.basis.settings.confidence)
    return forests("Inter-annotator agreement by dimension", axis, rows)


def agreement_sheet(study_agreement: PeopleAgreement) -> ReportPage:
    """The page: alpha by dimension as a picture, and the table."""
    basis = study_agreement.basis
    return ReportPage(
        "agreement",
        "Do the annotators agree with each other?",
        [section(people_table(study_agreement))],
        answer=annotators_answer(study_agreement),
        picture=annotators_picture(study_agreement),
        how_to_read=[
            "Krippendorff's alpha is 1 where annotators always agree, and 0 where they agree only as often as by "
            "chance. Where annotators disagree with each other, no judge can agree with all of them: conqret "
            "validate compares judge-human agreement with inter-annotator agreement."
        ],
        facts=[
            ("Labels", f"{basis.labels} ({basis.layout})"),
            (f"{basis.clustered_by.capitalize()}s", words.count(basis.clusters)),
        ],
    )
