"""``conqret labels agreement``, and the options of all commands that compare scores with human labels."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from conqret.console import label_options
from conqret.console import shared_options as options
from conqret.console.option_groups import OptionGroup
from conqret.console.printing import note
from conqret.errors import DeclarationError, metric_name


@dataclass(frozen=True, kw_only=True)
class ComparisonOptions(OptionGroup):
    """How human labels are compared with scores.

    Labels:
        metric: Compare a labeled dimension with a judge metric of another name, as DIMENSION=METRIC:
            `quality=overall_quality`. May be repeated.
        aggregate: How the labels of several annotators become one. `auto`: the majority for nominal and binary labels,
            else the mean.
    """

    metric: list[str] | None = None
    aggregate: Literal["auto", "mean", "majority"] = "auto"

    def settings(self, **more: float) -> dict[str, Any]:
        """Return the parameters ``metrics`` and ``settings`` of the public functions; ``more`` are fields of
        :class:`conqret.studies.agreement.agreement_settings.AgreementSettings`.

        Raises:
            DeclarationError: ``--metric`` is malformed, or maps a dimension to two metrics.
        """
        from conqret.studies.agreement.agreement_settings import AgreementSettings

        metrics: dict[str, str] = {}
        for setting in self.metric or ():
            dimension, metric = (name.strip() for name in setting.partition("=")[::2])
            if not dimension or not metric:
                raise DeclarationError("--metric takes DIMENSION=METRIC, such as quality=overall_quality")
            metric = metric_name(metric)
            if metrics.setdefault(dimension, metric) != metric:
                raise DeclarationError(
                    f"--metric maps {dimension} to two metrics, {metrics[dimension]} and {metric}: keep one of them"
                )
        settings = AgreementSettings.model_validate({"aggregate": self.aggregate, **more})
        return {"metrics": metrics, "settings": settings}


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
    from conqret.studies.agreement.annotator_agreement import agreement, agreement_page

    found = agreement(reading.load(labels), settings=AgreementSettings(confidence=confidence))
    note(*found.basis.notes)
    page.show(found, agreement_page(found), as_json=json_output)
