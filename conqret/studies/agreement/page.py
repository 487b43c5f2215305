"""Inter-annotator agreement: sentences, a table, and a page."""

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
            **{title: lambda row, name=name: row.statistics[name] for name, title in titles.items()},
        },
        found,
        foot=foot,
        note="“Units” are items (or their parts) with labels by two annotators or more. “Base rate” is the share of "
        "the most frequent label. “All together” is one alpha over the units of all rows.",
    )


def annotators_answer(study_agreement: PeopleAgreement) -> list[str]:
    """How far annotators agree with each other, in sentences."""
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
            "chance. No judge can agree with all of several annotators who disagree."
        ],
        facts=[
            ("Labels", f"{basis.labels} ({basis.layout})"),
            (f"{basis.clustered_by.capitalize()}s", words.count(basis.clusters)),
        ],
    )
