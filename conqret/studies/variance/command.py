"""``conqret judges variance``: where the noise of a judge comes from."""

from __future__ import annotations

from pathlib import Path

from conqret.console import label_options
from conqret.console import shared_options as options
from conqret.console.printing import note, tell
from conqret.errors import metric_name


def variance(
    runs: list[Path],
    *,
    metric: list[str] | None = None,
    page: options.PageFile,
    confidence: label_options.Confidence = 0.95,
    json_output: options.Printed = None,
) -> None:
    """Estimate variance components of a judge's scores: topics, items, models, prompts, samples; and the error of one
    score and of a mean.

    A G-study (generalizability theory). Sources that these runs cannot tell apart are named, and not
    given as 0. No labels are needed, and no model is called.

    Args:
        runs: Folders of finished runs of `conqret judge` over the same items that differ in model or prompts, or of one
            run that was made with `--samples` 2 or more.
        metric: Use only this metric. May be repeated. Default: all metrics that the runs share.

    Examples:

    conqret judges variance runs/a runs/b runs/other-words -o noise.html

    conqret judges variance runs/five-samples --metric clarity
    """
    from conqret.studies.variance import result as components

    study = components.variance(
        runs, metrics=[metric_name(name) for name in metric or ()], confidence=confidence
    )
    sentences = components.variance_words(study)
    for text in (*(f"run        {run}" for run in study.runs), sentences[0]):
        tell(text)
    for text in sentences[1:]:
        note(text[:1].lower() + text[1:].rstrip("."))
    if study.left_out:
        note(f"left out, because not all runs have them: {', '.join(study.left_out)}")
    tables = list(components.variance_tables(study))
    page.show(study, components.variance_page(study), tables, as_json=json_output)
    if len(tables) < len(study.metrics):
        tell("use --metric NAME to see the details of one metric, or -o to write a page on all")
