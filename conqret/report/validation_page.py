"""A validation as Markdown: for people, beside ``validation.json`` for machines."""

from __future__ import annotations

from collections.abc import Sequence

from conqret.reliability.validation.dimension import DimensionValidation
from conqret.reliability.validation.requirements import Outcome
from conqret.reliability.validation.statistics import STATISTICS
from conqret.reliability.validation.validate import Validation
from conqret.stats.estimate import Estimate

MOST_NAMED = 10
"""Names without a partner that the page spells out; all are in the JSON."""
_ESCAPED = "\\`*{}[]<>|#!~"


def validation_markdown(validation: Validation, outcomes: Sequence[Outcome] = ()) -> str:
    """The page. Names from files are escaped."""
    judge = validation.judge
    floor = " (the lexical baseline: a floor, not a judge)" if judge.baseline else ""
    lines = [
        f"# How far {_safe(judge.format)} with {_safe(judge.model)} can be trusted",
        "",
        f"Fingerprint `{_safe(judge.fingerprint)}`{floor}. Labels: {_safe(validation.labels)}, read as "
        f"{_safe(validation.layout)}. Intervals: {validation.settings.confidence:.0%}, over "
        f"{validation.settings.resamples} resamples of {validation.clusters} {validation.clustered_by}s "
        f"(seed {validation.settings.seed}).",
        "",
        *_requirements(outcomes),
        *_agreement(validation),
        *_samples(validation),
        *_statistics(validation),
        *_replacing(validation),
        *_correction(validation),
        *_missing(validation),
        *_join(validation),
    ]
    return "\n".join(lines) + "\n"


def _requirements(outcomes: Sequence[Outcome]) -> list[str]:
    if not outcomes:
        return []
    rows = [
        [_safe(one.requirement), "met" if one.met else "**not met**",
         "none" if one.value is None else f"{one.value:.3f}", _safe(one.reason)]
        for one in outcomes
    ]  # fmt: skip
    return ["## Requirements", "", *_table(["requirement", "", "value", "remark"], rows)]


def _agreement(validation: Validation) -> list[str]:
    rows = [
        [
            _safe(name),
            str(row.compared),
            _cell(row.alpha),
            _cell(row.person),
            _cell(row.people),
            f"{row.coverage:.1%}",
        ]
        for name, row in validation.dimensions.items()
    ]
    average = validation.average
    rows.append(
        ["*average without overall quality*", str(len(average.dimensions)), _cell(average.judge["mean"]),
         _cell(average.person), _cell(average.people), f"{validation.coverage:.1%}"]
    )  # fmt: skip
    head = ["dimension", "units", "judge and people", "one person and the others", "people", "coverage"]
    return ["## Agreement (Krippendorff's alpha)", "", *_table(head, rows), *_how(validation)]


def _how(validation: Validation) -> list[str]:
    ways: dict[tuple[str, str, str], list[str]] = {}
    for name, row in validation.dimensions.items():
        ways.setdefault((row.scale, row.target, row.onto), []).append(name)
    return [
        *(f"- {_safe(', '.join(names))}: {_safe(scale)}; {target}; {_safe(onto)}."
          for (scale, target, onto), names in ways.items()),
        "",
    ]  # fmt: skip


def _samples(validation: Validation) -> list[str]:
    average = validation.average.judge
    if len(average) < 2:
        return []
    names = list(average)
    rows = [
        [_safe(dimension), *(_cell(row.variants[name]) if name in row.variants else "" for name in names)]
        for dimension, row in validation.dimensions.items()
    ]
    rows.append(["*average*", *(_cell(average[name]) for name in names)])
    return ["## Samples, their mean and their majority", "", *_table(["dimension", *names], rows)]


def _statistics(validation: Validation) -> list[str]:
    used = [
        name
        for name in STATISTICS
        if any(row.statistics[name].value is not None for row in validation.dimensions.values())
    ]
    rows = [
        [_safe(dimension), *(_cell(row.statistics[name]) for name in used)]
        for dimension, row in validation.dimensions.items()
    ]
    heads = [STATISTICS[name].title for name in used]
    return (
        ["## Other statistics, beside the base rate", "", *_table(["dimension", *heads], rows)]
        if used
        else []
    )


def _replacing(validation: Validation) -> list[str]:
    rows = []
    for dimension, row in validation.dimensions.items():
        test = row.alternative
        verdict = "no test" if test.passed is None else "yes" if test.passed else "no"
        rate = "" if test.winning_rate is None else f"{test.winning_rate:.2f}"
        advantage = "" if test.advantage is None else f"{test.advantage:.2f}"
        rows.append([_safe(dimension), verdict, rate, advantage, _safe(test.reason)])
    head = ["dimension", "passed", "winning rate", "advantage probability", "remark"]
    title = f"## Can the judge stand in for one of the people? (epsilon {validation.settings.epsilon:g})"
    return [title, "", *_table(head, rows)]


def _correction(validation: Validation) -> list[str]:
    rows = [
        [_safe(dimension), _cell(row.mean.naive), _cell(row.mean.labels), _cell(row.mean.corrected),
         "" if row.mean.power is None else f"{row.mean.power:.2f}", _bounds(row)]
        for dimension, row in validation.dimensions.items()
    ]  # fmt: skip
    head = [
        "dimension",
        "judge alone",
        "labels alone",
        "both (prediction-powered)",
        "weight",
        "judge, worst to best case",
    ]
    lines = ["## The system's mean, in [0, 1]", "", *_table(head, rows)]
    shares = [
        [_safe(dimension), _safe(row.positive), _cell(row.share.naive), _cell(row.share.corrected)]
        for dimension, row in validation.dimensions.items()
        if row.share is not None
    ]
    if shares:
        head = ["dimension", "positive", "judge alone", "corrected (Rogan and Gladen)"]
        lines += ["## The share of positives among unlabelled units", "", *_table(head, shares)]
    return lines


def _bounds(row: DimensionValidation) -> str:
    return "" if row.worst_case is None else f"{row.worst_case:.3f} to {row.best_case:.3f}"


def _missing(validation: Validation) -> list[str]:
    missing = validation.missing
    reasons = ", ".join(f"{count} {_safe(reason)}" for reason, count in missing.reasons.items()) or "none"
    lines = [
        "## What has no score",
        "",
        f"{missing.scored} of {missing.total} judgments are whole, {missing.unscored} unscored, "
        f"{missing.failed} failed (reasons: {reasons}).",
        "",
    ]
    for one, p in zip(missing.associations, missing.p_holm, strict=True):
        said = one.reason if one.effect is None else f"effect {one.effect:.2f}, p = {p:.3g} (Holm)"
        lines.append(f"- Missing scores and {one.covariate}: {said}.")
    return [*lines, ""]


def _join(validation: Validation) -> list[str]:
    join = validation.join
    lines = [
        "## What met",
        "",
        f"{join.items} items were judged and labelled, of {join.judged} judged and {join.labelled} labelled.",
        "",
    ]
    for title, names in (
        ("Judged, not labelled", join.unlabelled),
        ("Labelled, not judged", join.unjudged),
        ("Labelled parts that the judgments do not have", join.unknown_parts),
        ("Dimensions without a metric", join.unknown_dimensions),
        ("Metrics without labels", join.unlabelled_metrics),
        ("Items with several judgments (the last counts)", join.duplicate_judgments),
    ):
        if names:
            more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
            lines.append(f"- {title}: {len(names)} ({_safe(', '.join(names[:MOST_NAMED]))}{more}).")
    lines += [f"- {_safe(note)}" for note in validation.label_notes]
    return lines


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    return [
        f"| {' | '.join(head)} |",
        f"|{'---|' * len(head)}",
        *(f"| {' | '.join(row)} |" for row in rows),
        "",
    ]


def _cell(estimate: Estimate) -> str:
    if estimate.value is None:
        return f"none: {_safe(estimate.reason)}"
    if estimate.low is None or estimate.high is None:
        return f"{estimate.value:.3f}"
    return f"{estimate.value:.3f} [{estimate.low:.3f}, {estimate.high:.3f}]"


def _safe(text: str) -> str:
    """Text from outside on one line, with what Markdown or HTML would act on escaped."""
    line = " ".join(text.split())
    marked = "".join(f"\\{char}" if char in _ESCAPED else char for char in line)
    return marked.replace("\\<", "&lt;").replace("\\>", "&gt;")
