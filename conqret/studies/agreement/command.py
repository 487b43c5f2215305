"""``conqret labels agreement``: inter-annotator agreement."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from conqret.console import label_options
from conqret.console import shared_options as options
from conqret.console.printing import note


def agree(
    labels: Annotated[
        list[Path],
        options.option(
            None, f"CSV, TSV, JSONL or Parquet, long or wide; or a published layout. {label_options.SEVERAL}"
        ),
    ],
    *,
    reading: label_options.LabelReading,
    page: options.PageFile,
    confidence: label_options.Confidence = 0.95,
    json_output: options.Printed = None,
) -> None:
    """Compute inter-annotator agreement: Krippendorff's alpha, Fleiss's kappa and their like, with intervals over
    topics.

    Labels may be missing, and "cannot judge" counts as its own kind of missing. Whatever is left out is
    reported.

    Examples:

    conqret labels agreement labels.csv --level ordinal

    conqret labels agreement labels.csv --map low=1,medium=2,high=3 -o agreement.html
    """
    from conqret.studies.agreement.agreement_settings import AgreementSettings
    from conqret.studies.agreement.annotator_agreement import agreement, agreement_sheet

    found = agreement(reading.load(labels), settings=AgreementSettings(confidence=confidence))
    note(*found.basis.notes)
    page.show(found, agreement_sheet(found), as_json=json_output)
