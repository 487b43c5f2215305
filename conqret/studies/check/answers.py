"""The sentences of a check: how good the judge is, why nothing can be claimed, and what to do next."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from conqret.errors import number
from conqret.stats.effects import p_words
from conqret.stats.estimate import Estimate
from conqret.studies.check.checked_table import Kind
from conqret.studies.check.result import CheckResult, JudgeCheck

WITHIN = 0.10
"""Half the width of the interval to which labels still needed are counted."""
IN_MEMORY = "the rows"
SAMPLE = 60
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


def guard_sentence(kind: Kind, means: tuple[float, float], p: float) -> str:
    """Return why no rate is claimed; ``means`` are those of the verdicts of labeled and of unlabeled rows."""
    labeled, others = means
    seen = {
        "pass_fail": f"the judge passes {labeled:.0%} of them and {others:.0%} of the other rows",
        "pairs": f"the judge prefers the first answer in {labeled:.0%} of them and {others:.0%} of the other rows",
        "classes": "the judge's classes differ between them and the other rows",
    }.get(kind, f"the judge's mean is {labeled:.2f} on them and {others:.2f} on the other rows")
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
        return (
            f"say how the labeled rows were drawn: {command} --drawn-by verdict (so many of each verdict of the "
            "judge), or label (so many of each human label), or random"
        )
    if not judge.compared and judge.verdicts:
        return f"label a sample: {_command(result, 'labels collect')} --sample {SAMPLE}"
    if result.kind != "pass_fail":
        return _next_figure(result, judge)
    rarer, name, what = min(
        ((judge.tnr, "TNR", "failure"), (judge.tpr, "TPR", "pass")), key=lambda row: row[0].n
    )
    if not rarer.n:
        return f"label rows until some are a {what}: without one, {name} cannot be known"
    if judge.more_labels:
        return f"label {number(judge.more_labels, 'more row')} to know {name} to within {WITHIN:.2f}"
    if result.usable == "not usable":
        return "read the disagreements, the false passes first, and change the judge's prompt"
    return f"{name} is known to within {WITHIN:.2f}: no more labels are needed for it"


def _next_figure(result: CheckResult, judge: JudgeCheck) -> str:
    few = number(judge.compared, "labeled row")
    if judge.compared < SAMPLE:
        return f"label {number(SAMPLE - judge.compared, 'more row')}: {few} say little"
    return f"read the {number(result.disagreements_in_all, 'disagreement')}, the gravest first"


def _command(result: CheckResult, command: str = "check") -> str:
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
    passes = f": the judge passes {mean.value:.0%} of {judge.verdicts:,}" if _rate_known(result, mean) else ""
    return f"No row has a human label yet{passes}, and nothing says how often it is right."


def _rate_known(result: CheckResult, mean: Estimate | None) -> bool:
    return result.kind == "pass_fail" and mean is not None and mean.value is not None


def _pass_fail(result: CheckResult, judge: JudgeCheck) -> str:
    (right_fails, misses), (alarms, right_passes) = judge.confusion
    failures, passes = right_fails + misses, alarms + right_passes
    verdict = f"{USABLE.get(result.usable or '', 'not claimed')} (bar: both rates {result.bar:.2f})"
    tnr, tpr = judge.tnr.value, judge.tpr.value
    if tnr is None and tpr is None:
        return f"has no known rates ({judge.tnr.reason}): {verdict}."
    weighted = result.drawn_by in ("verdict", "probabilities")
    lets = "has no labeled failure to catch"
    if tnr is not None:
        counts = "" if weighted else f"{misses} of {failures} "
        lets = (
            f"lets {1 - tnr:.0%} of failures pass"
            if weighted
            else f"lets {counts}failures pass ({1 - tnr:.0%})"
        )
    keeps = "has no labeled good answer"
    if tpr is not None:
        keeps = (
            f"fails {1 - tpr:.0%} of good answers" if weighted else f"fails {alarms} of {passes} good answers"
        )
    return f"{lets} and {keeps}: {verdict}."


def _ratings(result: CheckResult, judge: JudgeCheck) -> str:
    bias = judge.bias
    if bias.value is None:
        return f"cannot be compared with annotators in points: {bias.reason}."
    unit = " points" if result.kind == "ratings" else ""
    way = "higher" if bias.value > 0 else "lower"
    if bias.low is None or not bias.sign:
        gives = f"is not shown to be higher or lower than annotators (bias {_signed(bias)}{unit})"
    else:
        gives = f"gives {abs(bias.value):.2f}{unit} more than annotators" if way == "higher" else ""
        gives = gives or f"gives {abs(bias.value):.2f}{unit} less than annotators"
        gives += f" ({_signed(bias)})"
    agreement = "weighted_kappa" if judge.figures.get("weighted_kappa", bias).value is not None else "alpha"
    if agreement not in judge.figures or judge.figures[agreement].value is None:
        agreement = "error"
    titles = {"weighted_kappa": "weighted kappa", "alpha": "alpha", "error": "mean absolute error"}
    return f"{gives}; {titles[agreement]} {_interval(judge.figures[agreement])} on {judge.compared:,} labeled rows."


def _pairs(result: CheckResult, judge: JudgeCheck) -> str:
    agreement, flips, first = judge.agreement, judge.flip_rate, judge.figures["first_share"]
    if agreement.value is None:
        return f"cannot be compared with annotators: {agreement.reason}."
    steady = "" if flips.value is None else " whose verdict does not flip"
    start = (
        f"agrees with annotators on {_percent(agreement)} of {number(agreement.n, 'labeled pair')}{steady}"
    )
    place = "" if first.value is None else f"prefers the first place in {first.value:.0%}"
    if flips.value is None:
        return f"{start}; it was asked in one order, so flips cannot be seen."
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
    return f"gives the annotators' class on {_percent(agreement)} of {judge.compared:,} labeled rows{end}."


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


def _signed(estimate: Estimate) -> str:
    ends = "" if estimate.low is None else f" [{estimate.low:+z.2f}, {estimate.high:+z.2f}]"
    return f"{estimate.value:+z.2f}{ends}"
