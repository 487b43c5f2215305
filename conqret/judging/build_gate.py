"""Conditions on a judge's run (a metric's mean, or the coverage), and its files for a build: JUnit XML, Markdown."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from operator import attrgetter, itemgetter
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any

from conqret.console.conditions import (
    ENDS,
    Requirement,
    RequirementOutcome,
    WorstItem,
    junit_suite,
    required_cases,
    requirement_table,
    worst_table,
)
from conqret.data import Judgment, Measure, Part, Status
from conqret.errors import DeclarationError, Elsewhere, check_known, metric_name
from conqret.io.safe_files import write_whole
from conqret.judging.judge_folder import Gate, GateCondition, JudgeFolder
from conqret.judging.judge_options import COVERAGE
from conqret.judging.judge_parts import JUDGES
from conqret.judging.judge_settings import chosen_format, opened
from conqret.judging.known_as import elsewhere
from conqret.judging.metric_homes import default_format
from conqret.judging.summary import Summary
from conqret.judging.summary_tables import coverage, headlines, summary_tables
from conqret.show.markup import safe, tables_markdown
from conqret.show.words import reason

if TYPE_CHECKING:
    from conqret.judging.judgments import Judgments

GATE_ENDS = (*ENDS, "worst_case", "best_case", "min", "max", COVERAGE)
"""What of a metric a condition can be about, besides its mean."""
EXAMPLE = "groundedness >= 0.7"
ANSWERED, DECLINED_WRONGLY = "answered", "declined_wrongly"
"""The metric whose labels say which answers decline, and the share of those that decline wrongly."""
UNSURE = "declined"
"""The label where the offline baseline cannot tell whether an answer declines rightly."""
MAX_ITEMS = 5
"""Items that are named behind a condition that is not met."""


def requirements(
    texts: Sequence[str], items: Path | None, settings: Mapping[str, Any], *, own: bool
) -> list[Requirement]:
    """Parse the conditions of ``--require`` on the requested metrics and on the coverage.

    Args:
        texts: the conditions as the user typed them.
        items: the file of items to judge, which may contain a rubric.
        settings: the settings of the judge and of its items, as :func:`conqret.judge` takes them.
        own: True if conqret calls no model because a function or a log judges.

    Raises:
        DeclarationError: a condition cannot be read, or the items or the judge's settings are invalid.
        UnknownNameError: a condition is on a metric that the judge does not have.
    """
    metrics = {metric_name(metric) for metric in settings.get("metrics", ())}
    if own:  # of a function's own metrics, those that it returns are checked before it judges
        return [parse_mean(text, metrics or None, "add --metric {}".format) for text in texts]
    source = None if items is None else opened(items, settings)
    judge = JUDGES.resolve(chosen_format({**settings, "replay": None}, source) or default_format(source))
    known = {*judge.metrics, *judge.derived}
    if not judge.members:
        known = known & metrics or set(judge.metrics)
    return [parse_mean(text, known) for text in texts]


def _cure(name: str, known: Collection[str]) -> str:
    if any(name in {*JUDGES[format_name].metrics, *JUDGES[format_name].derived} for format_name in JUDGES):
        return f"add --metric {name}"
    return elsewhere(name, known)


def parse_mean(text: str, metrics: Collection[str] | None, cure: Elsewhere = _cure) -> Requirement:
    """Parse one condition, such as ``groundedness.low >= 0.6``: on one of ``metrics`` (None: any metric), on the
    coverage, or on the share of answers that decline wrongly. ``cure`` says what to do about another metric.

    Raises:
        DeclarationError: the text does not have the form of a condition.
        UnknownNameError: the metric or the end of its interval does not exist.
    """
    known = metrics and {*metrics, COVERAGE, *([DECLINED_WRONGLY] if ANSWERED in metrics else ())}
    if known and DECLINED_WRONGLY not in known and text.strip().startswith(DECLINED_WRONGLY):
        raise DeclarationError(
            f"{DECLINED_WRONGLY} is counted from the metric {ANSWERED}: add --metric {ANSWERED}"
        )
    requirement = Requirement.parse(
        text,
        known,
        "metric to require",
        EXAMPLE,
        metrics,
        ends=GATE_ENDS,
        elsewhere=cure,
    )
    if requirement.dimension:
        raise DeclarationError(f"the requirement {text!r} cannot be read: write it as in {EXAMPLE}")
    return requirement


def check_had(requirements: Iterable[Requirement], metrics: Iterable[str]) -> None:
    """Raise UnknownNameError for a condition on a metric that these items do not have."""
    known = {*metrics, COVERAGE, DECLINED_WRONGLY}
    check_known("metric to require of these items", known, *map(attrgetter("name"), requirements))


def check_required(
    requirements: Iterable[Requirement],
    summary: Summary,
    judgments: Sequence[Judgment] = (),
    folder: Path | None = None,
) -> list[RequirementOutcome]:
    """Compare each condition with the numbers of a run, in ``folder`` where it has one, and return the outcomes in
    their order. A condition on something without a value is not met. ``judgments`` are read for the lowest and the
    highest score, and to name the worst items of a condition that is not met."""
    outcomes = list[RequirementOutcome]()
    for requirement in requirements:
        outcome = _outcome(requirement, summary, judgments)
        worst = [] if outcome.met else worst_items(judgments, requirement)
        outcome = replace(outcome, items=tuple(worst[:MAX_ITEMS]))
        if (left := len(worst) - MAX_ITEMS) > 0:
            outcome = replace(outcome, more=f"and {left} more{_listing(requirement, folder)}")
        outcomes.append(outcome)
    return outcomes


def _listing(requirement: Requirement, folder: Path | None) -> str:
    """The command that lists all items behind a condition."""
    if folder is None:
        return ""
    about = COVERAGE if requirement.end == COVERAGE else requirement.name
    option = {COVERAGE: "", DECLINED_WRONGLY: " --declined"}.get(about, f" --worst {about}")
    return f": conqret runs show {quote(str(folder))}{option}"


def _outcome(requirement: Requirement, summary: Summary, judgments: Iterable[Judgment]) -> RequirementOutcome:
    if requirement.name == COVERAGE:
        return requirement.outcome(summary.coverage)
    if requirement.name == DECLINED_WRONGLY:
        answered = summary.metrics.get(ANSWERED)
        if answered is None or not answered.scored:
            return requirement.outcome(None)
        if unsure := sum(n for label, n in answered.labels.items() if label == UNSURE):
            whose = "1 answer declines" if unsure == 1 else f"{unsure} answers decline"
            return requirement.outcome(
                None, f"the baseline cannot tell whether {whose} rightly: name a model"
            )
        wrongly = sum(n for label, n in answered.labels.items() if label.startswith("declined wrongly"))
        return requirement.outcome(wrongly / answered.scored)
    metric = summary.metrics.get(requirement.name)
    if metric is None:
        return requirement.outcome(None)
    if requirement.end == COVERAGE:
        return requirement.outcome(metric.scored / metric.total if metric.total else None)
    if requirement.end in ("min", "max"):
        values = (judgment.value(requirement.name) for judgment in judgments)
        extreme = min if requirement.end == "min" else max
        return requirement.outcome(extreme((each for each in values if each is not None), default=None))
    no_interval = requirement.end in ENDS and metric.no_interval
    return requirement.outcome(getattr(metric, requirement.end or "mean"), no_interval or "it has no value")


def worst_items(judgments: Iterable[Judgment], requirement: Requirement) -> list[WorstItem]:
    """Return the items that keep a condition from being met, the worst first.

    For the coverage these are items without a score, for ``declined_wrongly`` those that decline wrongly.
    Otherwise items without a score, or whose own score meets the condition, are left out.
    """
    if COVERAGE in (requirement.name, requirement.end):
        metric = None if requirement.name == COVERAGE else requirement.name
        return list(_without_score(judgments, metric))
    if requirement.name == DECLINED_WRONGLY:
        return [
            WorstItem(judgment.item, measure.value, f"{measure.label}: {measure.explanation}")
            for judgment, measure in _measures(judgments, ANSWERED)
            if measure.label == UNSURE or declines(judgment, "declined wrongly")
        ]
    scored = worst_first(judgments, requirement.name, lower_is_better=requirement.lower_is_better)
    return [
        WorstItem(judgment.item, measure.value, why(measure))
        for judgment, measure in scored
        if not requirement.outcome(measure.value).met
    ]


def worst_first(
    judgments: Iterable[Judgment], metric: str, *, lower_is_better: bool
) -> list[tuple[Judgment, Measure]]:
    """Return the judgments that have a score of ``metric``, the worst first; of equal ones, those with a
    contradiction first."""
    sign = -1.0 if lower_is_better else 1.0
    scored = [
        (sign * measure.value, not any(map(_contradicted, measure.parts)), judgment, measure)
        for judgment, measure in _measures(judgments, metric)
        if measure.value is not None
    ]
    return [(judgment, measure) for *_, judgment, measure in sorted(scored, key=itemgetter(0, 1))]


def _contradicted(part: Part) -> bool:
    return (part.label or "").startswith("contradict")


def declines(judgment: Judgment, label: str = "declined") -> bool:
    """Return True if the answer declines; by the label "declined wrongly", if it does so wrongly."""
    return any((measure.label or "").startswith(label) for _, measure in _measures([judgment], ANSWERED))


def _measures(judgments: Iterable[Judgment], metric: str) -> Iterator[tuple[Judgment, Measure]]:
    for judgment in judgments:
        if metric in judgment.measures:
            yield judgment, judgment.measures[metric]


def _without_score(judgments: Iterable[Judgment], metric: str | None) -> Iterator[WorstItem]:
    for judgment in judgments:
        for name, measure in judgment.measures.items():
            if metric in (None, name) and measure.status in (Status.UNSCORED, Status.FAILED):
                yield WorstItem(judgment.item, None, f"{name}: {why(measure)}")
                break


def why(measure: Measure) -> str:
    """Return what decides a measure: the reason why it has no value, else its lowest part, else its
    explanation.
    """
    if measure.reason is not None:
        return f"{reason(measure.reason)}{measure.detail and f' ({measure.detail})'}"
    low = [part for part in measure.parts if part.value is not None and part.value < 1]
    low.sort(key=lambda part: (part.value, not _contradicted(part)))
    if not low:
        return measure.explanation or measure.label or ""
    first = low[0]
    said = f"{first.label}: {first.id}" if first.label else first.id
    more = f" (and {len(low) - 1} more)" if len(low) > 1 else ""
    return f"{said}{first.explanation and f' [{first.explanation}]'}{more}"


def write_gate(
    run: JudgeFolder, requirements: Sequence[Requirement], outcomes: Sequence[RequirementOutcome]
) -> None:
    """Write the conditions on a run and what came of them into its folder, for its report page."""
    about = {DECLINED_WRONGLY: ANSWERED, COVERAGE: ""}
    conditions = []
    for requirement, outcome in zip(requirements, outcomes, strict=True):
        on_scores = requirement.name not in about and requirement.end != COVERAGE
        conditions.append(
            GateCondition(
                condition=outcome.requirement,
                status=outcome.status,
                value=outcome.value,
                metric=about.get(requirement.name, requirement.name),
                lower_is_better=requirement.lower_is_better if on_scores else None,
            )
        )
    conditions.sort(key=lambda condition: condition.status == "met")
    write_whole(run.gate_file, Gate(conditions=tuple(conditions)).model_dump_json(indent=1).encode())


def write_build_files(
    judgments: Judgments,
    outcomes: Sequence[RequirementOutcome],
    *,
    junit: Path | None,
    markdown: Path | None,
) -> None:
    """Write the files of a run for a build, each only where its path is not None.

    The JUnit XML has one test case for all items, which fails if any item failed or none has a score, and one for
    each requirement. The Markdown has the outcomes of the requirements and the summary.
    """
    summary = judgments.summary
    if junit is not None:
        tag = "failure" if summary.failed or not (summary.any_score or summary.outstanding) else ""
        items = "items", "every item is judged", tag, coverage(summary)
        write_whole(junit, junit_suite("judge", [items, *required_cases(outcomes)]))
    if markdown is not None:
        tables = [requirement_table(outcomes)] if outcomes else []
        if any(outcome.items for outcome in outcomes):
            tables.append(worst_table(outcomes))
        lines = "  \n".join(map(safe, headlines(summary, judgments.record)))
        text = f"{lines}\n\n{tables_markdown([*tables, *summary_tables(summary)], '####')}"
        write_whole(markdown, text.encode())
