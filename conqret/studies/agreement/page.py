"""Inter-annotator agreement as a page."""

from __future__ import annotations

from conqret.show import words
from conqret.show.report_page import ReportPage, section
from conqret.studies.agreement.annotator_agreement import PeopleAgreement
from conqret.studies.agreement_answer import annotators_answer, annotators_picture
from conqret.studies.agreement_tables import people_table


def agreement_sheet(study_agreement: PeopleAgreement) -> ReportPage:
    """The page: alpha by dimension or topic as a picture, and the table."""
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
