"""The sentences of a check: how good the judge is, why nothing can be claimed, and what to do next."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence

from conqret.errors import number
from conqret.stats.effects import p_words
from conqret.stats.estimate import Estimate
from conqret.stats.verdict_rates import labels_to_decide
from conqret.studies.check.checked_table import IN_MEMORY, Kind
from conqret.studies.check.result import TITLES, CheckResult, JudgeCheck

OF_LABELS = ("tnr", "tpr", "bias", "agreement")
WITHIN = 0.10
"""Half the width of the interval to which labels still needed are counted."""
SAMPLE = 60
MANY = 1000
"""Labels still needed, from which on a number says little."""
ROUNDING = 1e-9
"""Differences of shares up to this are rounding."""
NEXT_LINE = "\n  then: "
MUCH = 0.1
"""The share of rows on which runs of a judge differ, from which on the sentence says so."""
NO_SAMPLE = "the labeled rows are not a random sample: state --drawn-by verdict or --drawn-by label"
"""Why a figure has no value where the guard fired."""
ONLY_ERRORS = "the labels are of errors of the judge alone: label rows on which it is right, too"
"""Why a figure has no value where every label differs from the verdict."""
DRAWN = {
    "verdict": "a fixed number of each of the judge's verdicts",
    "label": "a fixed number of each human label",
}
"""How labeled rows are drawn, if not at random."""
SAY_HOW = " or ".join(f"--drawn-by {how} ({what})" for how, what in DRAWN.items())
"""The options that say how labeled rows were drawn."""


def value_words(kind: Kind, classes: Sequence[str], value: float) -> str:
    """Return a verdict or label in words."""
    if kind == "pass_fail":
        return "pass" if value == 1 else "fail"
    if kind == "pairs":
        return {1.0: "first", 0.5: "tie", 0.0: "second"}.get(value, "flips with the order")
    return classes[int(value)] if kind == "classes" else f"{value:.4g}"


def guard_sentence(
    kind: Kind, judge: str, means: tuple[float, float], rows: tuple[int, int], p: float
) -> str:
    """Return why no rate is claimed; ``means`` are those of the verdicts of labeled and of unlabeled ``rows``."""
    (labeled, others), rest = means, f"the {rows[1]:,} others"
    seen = {
        "pass_fail": f"{judge} passes {labeled:.0%} of them and {others:.0%} of {rest}",
        "pairs": f"{judge} prefers the first answer in {labeled:.0%} of them and {others:.0%} of {rest}",
        "classes": f"{judge} gives other classes to them than to {rest}",
    }.get(kind, f"{judge} gives {labeled:.2f} to them and {others:.2f} to {rest}, on average")
    return (
        f"The {rows[0]:,} labeled rows are not a random sample: {seen} ({p_words(p)}), so no rate is claimed."
    )


def errors_sentence(labels: int, judge: str) -> str:
    """Return why no rate is claimed where all ``labels`` differ from the verdicts of ``judge``."""
    of = f"All {labels:,} labels differ from the verdicts of {judge}"
    return f"{of}: they are of its errors alone, so no rate is claimed."


def disagreements_title(kind: Kind) -> str:
    """Return the title of the disagreements, with their order."""
    order = {
        "pass_fail": ", false passes first",
        "ratings": ", the largest first",
        "scores": ", the largest first",
    }
    return f"Disagreements{order.get(kind, '')}"


def unmeasured(judge: JudgeCheck) -> bool:
    """Return whether the labels say nothing of the judge."""
    return all(figure.value is None for name, figure in judge.figures.items() if name in OF_LABELS)


def answer(result: CheckResult) -> str:
    """Return how good the first judge is, in one sentence."""
    judge = result.judges[0]
    if result.guard.fired:
        return result.guard.sentence
    if not judge.compared:
        return _unlabeled(result, judge)
    name = "The judge"
    if len(result.judges) > 1:
        name += f" {judge.name} (the first of {len(result.judges)})"
    sentences = {"pass_fail": _pass_fail, "pairs": _pairs, "classes": _classes}
    sentence = f"{name} {sentences.get(result.kind, _ratings)(result, judge)}"
    changed = judge.figures.get("changed")
    if changed is not None and (changed.value or 0) >= MUCH:
        sentence += f"; its {judge.runs} runs do not agree on {percent(changed)} of rows"
    for pair in [pair for pair in judge.differences[:1] if pair.corrected.value is not None]:
        shown = {1: f"{pair.first} is higher", -1: f"{pair.second} is higher"}
        sentence += (
            f"; corrected, {pair.first} minus {pair.second} is {estimate_text(pair.corrected, signed=True)} on "
            f"{pair.pairs:,} ids: {shown.get(pair.corrected.sign, 'no difference is shown')}"
        )
    return f"{sentence}."


def next_step(result: CheckResult) -> str:
    """Return what to do next; a command that is one of several stands in a line of its own."""
    judge = result.judges[0]
    if result.guard.fired and result.guard.p is None:
        return f"label rows on which the judge is right, too: {_collect(result, SAMPLE)}"
    if result.guard.fired:
        ways = [f"{_command(result)} --drawn-by {how}  # {what}" for how, what in DRAWN.items()]
        ways.append(f"{_collect(result, SAMPLE)}  # if neither: a sample")
        return "\n    ".join(["say how the labeled rows were drawn", *ways])
    if not judge.verdicts:
        return "run the judge again: it gave no verdict that can be read"
    if unmeasured(judge) and judge.compared and result.drawn_by == "probabilities":
        return "correct the inclusion probabilities, or leave their column out"
    if unmeasured(judge):
        return f"label a sample: {_collect(result, SAMPLE)}"
    if result.kind == "pass_fail":
        return _next_of_gate(result, judge)
    if judge.compared < SAMPLE:
        return _label_more(result, SAMPLE - judge.compared, f"to have {SAMPLE}")
    read = number(result.disagreements_in_all, "disagreement")
    if result.kind == "pairs":
        steady = "" if judge.flip_rate.value is None else " on pairs that do not flip"
        return f"read the {read}{steady}; test the judge for biases (conqret bias --help)"
    if result.kind == "classes":
        return f"read the {read}"
    further = "; map its scores to human ones (conqret judges calibrate --help)" if judge.bias.sign else ""
    return f"read the {read}, the largest first{further}"


def _next_of_gate(result: CheckResult, judge: JudgeCheck) -> str:
    for name, rate, what in (("TNR", judge.tnr, "failures"), ("TPR", judge.tpr, "passes")):
        if rate.value is None:
            return f"label rows until some are {what}: without them, {name} cannot be known"
    if result.usable == "usable":
        conditions = f"--require 'tnr.low >= {result.bar:g}' --require 'tpr.low >= {result.bar:g}'"
        return f"hold the judge to it in a build: {_command(result)} {conditions}"
    name, rate = _weaker(result, judge)
    first, known = "", f"to know both rates to within {WITHIN:.2f}"
    if (rate.value or 0.0) <= result.bar:
        (_, misses), (alarms, _) = judge.confusion
        passes = f"{misses:,} false pass{'es' * (misses != 1)}"
        wrong = passes if name == "TNR" else number(alarms, "false failure")
        first = f"read the {wrong} and improve the judge's prompt (conqret judges improve --help)"
    else:
        rates = (judge.tnr, judge.tpr)
        wanted = [
            labels_to_decide(each, result.bar, judge.compared, confidence=result.confidence) for each in rates
        ]
        most = max(MANY if count is None else count for count in wanted)
        if most < MANY:
            return _label_more(
                result, most, f"until both intervals lie above {result.bar:.2f}, if the rates stay"
            )
    if not judge.more_labels:
        return first or f"label more rows: {name} is close to the bar"
    return f"{first}{NEXT_LINE * bool(first)}{_label_more(result, judge.more_labels, known)}"


def _label_more(result: CheckResult, wanted: int, purpose: str) -> str:
    """Say how many rows to label, how many of them the table has, and the command for these."""
    here, more = min(wanted, result.unlabeled), number(wanted, "more row")
    if not here:
        return f"label {more} {purpose}: new ones, as all rows of this file are labeled"
    new = f" ({here:,} of this file, about {wanted - here:,} new)" if wanted > here else ""
    return f"label {more}{new} {purpose}: {_collect(result, here)}"


def _collect(result: CheckResult, sample: int) -> str:
    """The command that collects labels; ``--sample`` counts those that its folder has, too."""
    drawn = result.labeled if result.drawn_by == "probabilities" else 0
    return (
        f"conqret labels collect {_source(result)} --sample {drawn + min(sample, result.unlabeled or sample)}"
    )


def _command(result: CheckResult) -> str:
    return result.command or f"conqret check {_source(result)}"


def _source(result: CheckResult) -> str:
    return "FILE" if result.source == IN_MEMORY else shlex.quote(result.source)


def _weaker(result: CheckResult, judge: JudgeCheck) -> tuple[str, Estimate]:
    """The lower of TNR and TPR; where the judge is not usable, the one with the lower high end."""

    def height(named: tuple[str, Estimate]) -> float:
        rate = named[1]
        end = rate.high if result.usable == "not usable" else rate.value
        return 2.0 if end is None else end

    return min((("TNR", judge.tnr), ("TPR", judge.tpr)), key=height)


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
    rows = f"{percent(mean)} of {number(judge.verdicts, 'row')}"
    return f"No row has a human label yet: the judge passes {rows}, and nothing says how often it is right."


def _pass_fail(result: CheckResult, judge: JudgeCheck) -> str:
    (right_fails, misses), (alarms, right_passes) = judge.confusion
    if unmeasured(judge):
        return f"cannot be measured, as {judge.tnr.reason}"
    weighted = result.unlabeled > 0 and result.drawn_by in ("verdict", "probabilities")
    parts, lacking = [], ""
    for rate, verb, wrong, rows, what, then in (
        (judge.tnr, "lets", misses, right_fails + misses, "failures", " pass"),
        (judge.tpr, "fails", alarms, alarms + right_passes, "good answers", ""),
    ):
        if rate.value is None:
            lacking = f", and no {what.removesuffix('s')} is labeled"
        elif weighted:
            parts.append(f"{verb} {percent(rate, missing=True)} of {what}{then}")
        else:
            parts.append(f"{verb} {wrong} of {rows} {what}{then} ({percent(rate, missing=True)})")
    return f"{' and '.join(parts)}{lacking}: {_gate(result, judge)}"


def _gate(result: CheckResult, judge: JudgeCheck) -> str:
    needed, (name, rate) = f"both intervals above {result.bar:.2f}", _weaker(result, judge)
    if result.usable == "usable":
        return f"usable as a gate ({needed})"
    if result.usable == "not usable":
        return f"not usable as a gate (that needs {needed}; {name} is at most {rate.high:.2f})"
    if (rate.value or 0.0) <= result.bar:
        return f"not shown to be usable as a gate (that needs {needed}; {name} is {rate.value:.2f})"
    return f"not yet shown to be usable as a gate (too few labels: that needs {needed})"


def _ratings(result: CheckResult, judge: JudgeCheck) -> str:
    bias = judge.bias
    if bias.value is None:
        return f"cannot be compared with annotators: {bias.reason}"
    unit, verb = (" points", "rates") if result.kind == "ratings" else ("", "scores")
    start = f"{verb} {abs(bias.value):.2f}{unit} {'higher' if bias.value > 0 else 'lower'} than annotators"
    if not bias.sign:
        start = f"is not shown to be higher or lower than annotators ({bias.value:+z.2f}{unit})"
    name = agreement_name(judge)
    if name == "judge_as_annotator":
        single, alike = judge.figures["one_annotator"].value, judge.figures[name].value
        return f"{start}; agreement with the annotators (alpha) {alike:z.2f}, theirs with each other {single:z.2f}"
    return (
        f"{start}; {TITLES[name]} {judge.figures[name].value:z.2f} on {number(judge.compared, 'labeled row')}"
    )


def agreement_name(judge: JudgeCheck) -> str:
    """Return the figure of agreement that says most of ratings or scores, of those that have a value."""
    figures = judge.figures
    several = [name for name in ("judge_as_annotator", "one_annotator") if name in figures]
    first = several[:1] if several and all(figures[name].value is not None for name in several) else []
    known = (*first, "weighted_kappa", "auroc", "spearman", "alpha")
    return next((name for name in known if name in figures and figures[name].value is not None), "error")


def _pairs(result: CheckResult, judge: JudgeCheck) -> str:
    agreement, flips, first = judge.agreement, judge.flip_rate, judge.figures["first_share"]
    if flips.value is None:
        if agreement.value is None:
            return f"cannot be compared with annotators: {agreement.reason}"
        start = f"agrees with annotators on {percent(agreement)} of {number(agreement.n, 'labeled pair')}"
        return f"{start}; it judged in one order, so flips cannot be seen"
    start = (
        f"flips its verdict with the order of the answers on {percent(flips)} of {number(flips.n, 'pair')}"
    )
    place = f"prefers the answer shown first in {percent(first)} of {number(2 * first.n, 'verdict')}"
    if agreement.value is None:
        return f"{start} and {place}; {agreement.reason}"
    pairs = number(agreement.n, "labeled pair")
    return (
        f"{start}, agrees with annotators on {percent(agreement)} of the {pairs} without a flip, and {place}"
    )


def _classes(result: CheckResult, judge: JudgeCheck) -> str:
    agreement = judge.agreement
    known = [one for one in judge.classes if one.recall.value is not None]
    weakest = min(known, key=lambda one: one.recall.value or 0.0, default=None)
    end = f"; it finds {weakest.name!r} least often ({percent(weakest.recall)})" if weakest else ""
    if agreement.value is None:
        return f"cannot be compared on all classes together: {agreement.reason}{end}"
    return (
        f"gives the annotators' class on {percent(agreement)} of {number(judge.compared, 'labeled row')}{end}"
    )


def probability_sentence(figures: Mapping[str, Estimate]) -> str:
    """Return how far stated probabilities are from the shares of passes, and whether that is beyond the noise
    of so few labels; empty without such figures."""
    error, noise = figures.get("calibration_error"), figures.get("calibration_noise")
    if error is None or noise is None or None in (error.value, noise.value, noise.high):
        return ""
    beyond = (error.value or 0.0) > (noise.high or 0.0) + ROUNDING
    brier = figures["brier"].value
    return (
        f"stated probabilities are off by {error.value:.2f} on average (ECE), {'beyond' if beyond else 'within'} the "
        f"noise of {number(noise.n, 'label')} (a calibrated judge: {noise.value:.2f}, at most {noise.high:.2f})"
        f"{'' if brier is None else f'; Brier score {brier:.2f}'}"
    )


def percent(share: Estimate, *, missing: bool = False) -> str:
    """Return a share in percent, rounded as in tables; with ``missing`` what it lacks to 1."""
    value = round(share.value or 0.0, 2)
    return f"{1 - value if missing else value:.0%}"


def estimate_text(estimate: Estimate, *, signed: bool = False) -> str:
    """Return a figure with its interval, or the reason why there is none."""
    if estimate.value is None:
        return f"- ({estimate.reason})"
    sign = "+" if signed else ""
    if estimate.low is None or estimate.high is None:
        return f"{estimate.value:{sign}z.2f}"
    return f"{estimate.value:{sign}z.2f} [{estimate.low:{sign}z.2f}, {estimate.high:{sign}z.2f}]"
