"""The sentences of a check: how good the judge is, why nothing can be claimed, and what to do next."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from conqret.errors import number
from conqret.stats.effects import p_words
from conqret.stats.estimate import Estimate
from conqret.studies.check.checked_table import Kind
from conqret.studies.check.result import TITLES, CheckResult, JudgeCheck

AGREEMENT = ("weighted_kappa", "auroc", "alpha")
"""The figure of agreement in the sentence on ratings and scores: the first that is there."""
OF_LABELS = ("tnr", "tpr", "bias", "agreement")
WITHIN = 0.10
"""Half the width of the interval to which labels still needed are counted."""
IN_MEMORY = "the rows"
SAMPLE = 60
NO_SAMPLE = "the labeled rows are no random sample: state --drawn-by verdict or --drawn-by label"
"""Why a figure has no value where the guard fired."""
SAY_HOW = "--drawn-by verdict (so many of each verdict of the judge), or label (so many of each human label), or random"
"""The options that say how labeled rows were drawn."""
USABLE = {
    "usable": "usable as a gate",
    "not usable": "not usable as a gate",
    "not shown": "not shown to be usable as a gate",
}


def value_words(kind: Kind, classes: Sequence[str], value: float) -> str:
    """Return a verdict or label in words."""
    if kind == "pass_fail":
        return "pass" if value == 1 else "fail"
    if kind == "pairs":
        return {1.0: "first", 0.5: "tie", 0.0: "second"}.get(value, "flips with the order")
    return classes[int(value)] if kind == "classes" else f"{value:.4g}"


def guard_sentence(kind: Kind, judge: str, means: tuple[float, float], p: float) -> str:
    """Return why no rate is claimed; ``means`` are those of the verdicts of labeled and of unlabeled rows."""
    labeled, others = means
    seen = {
        "pass_fail": f"{judge} passes {labeled:.0%} of them and {others:.0%} of the other rows",
        "pairs": f"{judge} prefers the first answer in {labeled:.0%} of them and {others:.0%} of the other rows",
        "classes": f"{judge} gives other classes to them than to the other rows",
    }.get(kind, f"{judge} gives {labeled:.2f} to them and {others:.2f} to the other rows, on average")
    return f"The labeled rows are no random sample: {seen} ({p_words(p)}), so no rate is claimed."


def answer(result: CheckResult) -> str:
    """Return how good the first judge is, in one sentence."""
    judge = result.judges[0]
    if result.guard.fired:
        return result.guard.sentence
    if not judge.compared:
        return _unlabeled(result, judge)
    name = f"The judge {judge.name}" if len(result.judges) > 1 else "The judge"
    sentences = {"pass_fail": _pass_fail, "pairs": _pairs, "classes": _classes}
    return f"{name} {sentences.get(result.kind, _ratings)(result, judge)}"


def next_step(result: CheckResult) -> str:
    """Return what to do next."""
    judge, command = result.judges[0], _command(result)
    if result.guard.fired:
        return f"say how the labeled rows were drawn: {command} {SAY_HOW}"
    if not judge.verdicts:
        return "run the judge again: it gave no verdict that can be read"
    if all(figure.value is None for name, figure in judge.figures.items() if name in OF_LABELS) and (
        result.drawn_by == "probabilities"
    ):
        return "correct the inclusion probabilities, or leave their column out"
    if not judge.compared:
        return f"label a sample: {_command(result, 'labels collect')} --sample {SAMPLE}"
    if result.kind != "pass_fail":
        return _next_figure(result, judge)
    rarer, name, what = min(
        ((judge.tnr, "TNR", "failure"), (judge.tpr, "TPR", "pass")), key=lambda row: row[0].n
    )
    if not rarer.n:
        return f"label rows until some are a {what}: without one, {name} cannot be known"
    if judge.more_labels:
        more = f"label {number(judge.more_labels, 'more row')} to know {name} to within {WITHIN:.2f}"
        left = f"{result.unlabeled:,}" if result.unlabeled else "none"
        return (
            more
            if judge.more_labels <= result.unlabeled
            else f"{more} (this table has {left} without a label)"
        )
    if result.usable == "not usable":
        return "read the disagreements, the false passes first, and change the judge's prompt"
    return (
        f"{name} is known to within {WITHIN:.2f}"
        if judge.more_labels == 0
        else f"label more rows to know {name}"
    )


def _next_figure(result: CheckResult, judge: JudgeCheck) -> str:
    if judge.compared < SAMPLE:
        return f"label {number(SAMPLE - judge.compared, 'more row')} to have {SAMPLE}"
    return f"read the {number(result.disagreements_in_all, 'disagreement')}, the gravest first"


def _command(result: CheckResult, command: str = "check") -> str:
    if result.command and command == "check":
        return result.command
    source = "FILE" if result.source == IN_MEMORY else shlex.quote(result.source)
    return f"conqret {command} {source}"


def _unlabeled(result: CheckResult, judge: JudgeCheck) -> str:
    if not judge.verdicts:
        return (
            f"No row has a verdict of the judge: all {number(judge.failed, 'verdict')} failed or are empty."
        )
    if result.labeled:
        return "No row has both a verdict and a human label, so nothing says how often the judge is right."
    mean = judge.figures.get("judge_mean")
    if result.kind != "pass_fail" or mean is None or mean.value is None:
        return "No row has a human label yet, so nothing says how good the judge is."
    rows = f"{mean.value:.0%} of {number(judge.verdicts, 'row')}"
    return f"No row has a human label yet: the judge passes {rows}, and nothing says how often it is right."


def _pass_fail(result: CheckResult, judge: JudgeCheck) -> str:
    (right_fails, misses), (alarms, right_passes) = judge.confusion
    failures, passes = right_fails + misses, alarms + right_passes
    verdict = f"{USABLE.get(result.usable or '', 'no rate is claimed')} (bar: both rates {result.bar:.2f})"
    tnr, tpr = judge.tnr.value, judge.tpr.value
    weighted = result.unlabeled > 0 and result.drawn_by in ("verdict", "probabilities")
    parts = []
    if tnr is not None:
        share = f"{1 - tnr:.0%}"
        parts.append(
            f"lets {share} of failures pass"
            if weighted
            else f"lets {misses} of {failures} failures pass ({share})"
        )
    if tpr is not None:
        parts.append(
            f"fails {1 - tpr:.0%} of good answers" if weighted else f"fails {alarms} of {passes} good answers"
        )
    if not parts:
        return f"cannot be measured, as {judge.tnr.reason}: {verdict}."
    missing = ", and no failure is labeled" * (tnr is None) + ", and no good answer is labeled" * (
        tpr is None
    )
    return f"{' and '.join(parts)}{missing}: {verdict}."


def _ratings(result: CheckResult, judge: JudgeCheck) -> str:
    bias = judge.bias
    if bias.value is None:
        return f"cannot be compared with annotators: {bias.reason}."
    unit = " points" if result.kind == "ratings" else ""
    ends = "" if bias.low is None else f" [{bias.low:+z.2f}, {bias.high:+z.2f}]"
    verb = "rates" if result.kind == "ratings" else "scores"
    start = (
        f"{verb} {abs(bias.value):.2f}{unit} {'higher' if bias.value > 0 else 'lower'} than annotators{ends}"
    )
    if not bias.sign:
        start = f"is not shown to be higher or lower than annotators ({bias.value:+z.2f}{unit}{ends})"
    name = next(
        (name for name in AGREEMENT if name in judge.figures and judge.figures[name].value is not None),
        "error",
    )
    return f"{start}; {TITLES[name]} {_interval(judge.figures[name])} on {number(judge.compared, 'labeled row')}."


def _pairs(result: CheckResult, judge: JudgeCheck) -> str:
    agreement, flips, first = judge.agreement, judge.flip_rate, judge.figures["first_share"]
    if agreement.value is None:
        return f"cannot be compared with annotators: {agreement.reason}."
    steady = "" if flips.value is None else " whose verdict does not flip"
    start = (
        f"agrees with annotators on {_percent(agreement)} of {number(agreement.n, 'labeled pair')}{steady}"
    )
    if flips.value is None:
        return f"{start}; it judged in one order, so flips cannot be seen."
    place = f"prefers the first place in {_percent(first)}"
    return f"{start}, flips with the order on {_percent(flips)} of {number(flips.n, 'pair')}, and {place}."


def _classes(result: CheckResult, judge: JudgeCheck) -> str:
    agreement = judge.agreement
    known = [one for one in judge.classes if one.recall.value is not None]
    weakest = min(known, key=lambda one: one.recall.value or 0.0, default=None)
    end = ""
    if weakest is not None:
        end = f"; the lowest recall is that of {weakest.name!r}, {_interval(weakest.recall)}"
    if agreement.value is None:
        return f"cannot be compared on all classes together: {agreement.reason}{end}."
    return f"gives the annotators' class on {_percent(agreement)} of {number(judge.compared, 'labeled row')}{end}."


def _percent(share: Estimate) -> str:
    if share.value is None:
        return f"none ({share.reason})"
    ends = "" if share.low is None or share.high is None else f" [{share.low:.0%}, {share.high:.0%}]"
    return f"{share.value:.0%}{ends}"


def _interval(estimate: Estimate) -> str:
    if estimate.value is None:
        return f"unknown ({estimate.reason})"
    ends = "" if estimate.low is None else f" [{estimate.low:z.2f}, {estimate.high:z.2f}]"
    return f"{estimate.value:z.2f}{ends}"
