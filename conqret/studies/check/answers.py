"""The sentences of a check: how good the judge is, and why nothing can be claimed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from conqret.errors import number
from conqret.show.words import listed
from conqret.stats.effects import p_words
from conqret.stats.estimate import Estimate
from conqret.stats.verdict_rates import VerdictRates
from conqret.studies.check.checked_table import Kind
from conqret.studies.check.result import TITLES, CheckResult, JudgeCheck

OF_LABELS = ("tnr", "tpr", "bias", "agreement")
ROUNDING = 1e-9
"""Differences of shares up to this are rounding."""
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
        return {1.0: "A", 0.5: "tie", 0.0: "B"}.get(value, "flips with the order")
    return classes[int(value)] if kind == "classes" else f"{value:.4g}"


def verdicts_differ(kind: Kind, judge: str, means: tuple[float, float], rest: int, p: float) -> str:
    """Return how verdicts differ between labeled rows ("them") and the others, with ``p``; ``means`` are the mean
    verdicts of both, and ``rest`` is the number of the others."""
    (labeled, others), them = means, f"the {rest:,} others"
    seen = {
        "pass_fail": f"{judge} passes {labeled:.0%} of them and {others:.0%} of {them}",
        "pairs": f"{judge} prefers answer A in {labeled:.0%} of them and {others:.0%} of {them}",
        "classes": f"{judge} gives other classes to them than to {them}",
    }.get(kind, f"{judge} gives {labeled:.2f} to them and {others:.2f} to {them}, on average")
    return f"{seen} ({p_words(p)})"


def unexplained_sentence(rates: VerdictRates, judge: str) -> str:
    """Return why no rate is claimed of rows that cannot be drawn by label."""
    tpr, tnr, judged = (rate.value or 0.0 for rate in (rates.tpr, rates.tnr, rates.judged))
    return (
        f"The {rates.tpr.n + rates.tnr.n:,} labeled rows were not drawn by label: with their TPR of {tpr:.2f} and TNR "
        f"of {tnr:.2f}, {judge} would pass between {1 - tnr:.0%} and {tpr:.0%} of all rows, but it passes "
        f"{judged:.0%}, so no rate is claimed."
    )


def p_remark(p: float | None) -> str:
    """Return that the verdicts permit labeled rows to be a random sample; empty where nothing was tested."""
    return "" if p is None else f", which the verdicts do not contradict ({p_words(p)})"


def errors_sentence(labels: int, judge: str) -> str:
    """Return why no rate is claimed where all ``labels`` differ from the verdicts of ``judge``."""
    of = f"All {labels:,} labels differ from the verdicts of {judge}"
    return f"{of}: only rows where it erred were labeled, so no rate is claimed."


def disagreements_title(result: CheckResult) -> str:
    """Return the title of the disagreements, with the judge, of several, and their order."""
    order = {
        "pass_fail": ", false passes first",
        "ratings": ", the largest first",
        "scores": ", the largest first",
    }
    judge = f" of {result.best}" if len(result.judges) > 1 else ""
    return f"Disagreements{judge}{order.get(result.kind, '')}"


def unmeasured(judge: JudgeCheck) -> bool:
    """Return whether the labels say nothing of the judge."""
    return all(figure.value is None for name, figure in judge.figures.items() if name in OF_LABELS)


def answer(result: CheckResult) -> str:
    """Return how good the judge is, of several the best, in one sentence; systems have a second."""
    judge = result.best_judge
    if result.guard.fired:
        return result.guard.sentence
    if not judge.compared:
        return _unlabeled(result, judge)
    name = "The judge"
    if len(result.judges) > 1:
        name = f"The best of {len(result.judges)} judges, {judge.name},"
    if judge.runs > 1:
        name += f" (run 1 of {judge.runs})"
    sentences = {"pass_fail": _pass_fail, "pairs": _pairs, "classes": _classes}
    sentence = f"{name} {sentences.get(result.kind, _ratings)(result, judge)}"
    changed = judge.figures.get("changed")
    if changed is not None and (changed.value or 0) >= MUCH:
        sentence += f"; its runs differ on {percent(changed)} of rows"
    if equals := _not_told_apart(result, judge):
        sentence += f"; {listed(equals)} cannot be told apart from it"
    for pair in [pair for pair in judge.differences[:1] if pair.corrected.value is not None]:
        shown = {1: f"{pair.first} is higher", -1: f"{pair.second} is higher"}
        sentence += (
            f". Corrected, {pair.first} minus {pair.second} is {estimate_text(pair.corrected, signed=True)} on "
            f"{pair.pairs:,} ids: {shown.get(pair.corrected.sign, 'which is higher cannot be told')}"
        )
    return f"{sentence}."


def _not_told_apart(result: CheckResult, judge: JudgeCheck) -> list[str]:
    """The judges that may be as good as the best one."""
    pairs = [pair for pair in result.comparisons if not pair.better and pair.difference.value is not None]
    names = [{pair.first, pair.second} for pair in pairs]
    return [other.name for other in result.judges if {other.name, judge.name} in names and other is not judge]


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
    parts, lacking = [], ""
    for rate, verb, wrong, rows, what, then in (
        (judge.tnr, "lets", misses, right_fails + misses, "failures", " pass"),
        (judge.tpr, "fails", alarms, alarms + right_passes, "good answers", ""),
    ):
        if rate.value is None:
            lacking = f", and no {what.removesuffix('s')} is labeled"
        elif result.weighted:
            parts.append(f"{verb} {percent(rate, missing=True)} of {what}{then}")
        else:
            parts.append(f"{verb} {wrong} of {rows} {what}{then} ({percent(rate, missing=True)})")
    return f"{' and '.join(parts)}{lacking}: {_gate(result, judge)}"


def grade(result: CheckResult, judge: JudgeCheck) -> str:
    """Return how good a judge is as a gate, by its rates and their intervals; empty where it is no
    gate, or nothing is claimed."""
    if judge.usable != "not shown":
        return {"usable": "good enough", "not usable": "too weak"}.get(judge.usable or "", "")
    _, rate = weaker(result, judge)
    weak = below(rate.value, result.bar) or _weak_run(result, judge)
    return "probably too weak" if weak else "good so far, too few labels"


def _gate(result: CheckResult, judge: JudgeCheck) -> str:
    bar, (name, rate), found = result.bar, weaker(result, judge), grade(result, judge)
    if found == "good enough":
        why = "both intervals lie above"
    elif found == "too weak":
        why = f"{name} is at most {edge_text(rate.high, bar)}, below"
    elif below(rate.value, bar):
        why = f"{name} is {edge_text(rate.value, bar)}, below"
    elif found == "probably too weak":
        why = f"{_weak_run(result, judge)}, below"
    elif None in (judge.tnr.value, judge.tpr.value):
        why = f"{'TNR' if judge.tnr.value is None else 'TPR'} is unknown, and has to reach"
    else:
        why = f"the interval of {name} starts at {edge_text(rate.low, bar)}, below"
    return f"{found} for a gate ({why} the bar of {bar:.2f}; another bar: --require)"


def below(rate: float | None, bar: float) -> bool:
    """Return whether a rate is lower than the bar by more than rounding; one that is not known is not."""
    return rate is not None and rate < bar - ROUNDING


def _weak_run(result: CheckResult, judge: JudgeCheck) -> str:
    """Return in words the lowest TNR or TPR of a judge's runs if it is below the bar of the result; else, and with one
    run, an empty text."""
    rates = [
        (rate.value, f"{name} is {edge_text(rate.value, result.bar)} in run {place}")
        for place, run in enumerate(judge.by_run, 1)
        for name, rate in (("TNR", run.tnr), ("TPR", run.tpr))
        if rate.value is not None
    ]
    lowest, words = min(rates, default=(1.0, ""))
    return words if below(lowest, result.bar) else ""


def weaker(result: CheckResult, judge: JudgeCheck) -> tuple[str, Estimate]:
    """Return the name and the value of the rate (TNR or TPR) that decides what the judge is good for: that with the
    lowest high end where the judge is not usable, the lowest rate where that is below the bar, else that with the
    lowest low end."""
    rates = [("TNR", judge.tnr), ("TPR", judge.tpr)]
    known = [named for named in rates if named[1].value is not None] or rates
    if judge.usable == "not usable":
        return min(known, key=lambda named: 2.0 if named[1].high is None else named[1].high)
    if any(below(rate.value, result.bar) for _, rate in known):
        return min(known, key=lambda named: named[1].value or 0.0)
    return min(known, key=lambda named: named[1].low or 0.0)


def edge_text(value: float | None, bar: float) -> str:
    """Return a rate with two digits, or with three where it could not be told from the bar otherwise."""
    shown = f"{value or 0.0:.2f}"
    return f"{value or 0.0:.3f}" if shown == f"{bar:.2f}" else shown


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
        sign = judge.figures["judge_minus_annotator"].sign
        much = {1: "agrees with annotators more than", -1: "agrees with annotators less than"}
        words = much.get(sign, "may agree with annotators as much as")
        return f"{start}; it {words} they do with each other (alpha {alike:z.2f} against {single:z.2f})"
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
    agreement, flips = judge.agreement, judge.flip_rate
    if flips.value is None:
        if agreement.value is None:
            return f"cannot be compared with annotators: {agreement.reason}"
        start = f"agrees with annotators on {percent(agreement)} of {number(agreement.n, 'labeled pair')}"
        return f"{start}; it judged in one order, so flips cannot be seen"
    start = (
        f"flips its verdict with the order of the answers on {percent(flips)} of {number(flips.n, 'pair')}"
    )
    if agreement.value is None:
        return f"{start}; {agreement.reason}"
    every = judge.figures["agreement_with_flips"]
    pairs = f"{percent(agreement)} of the {number(agreement.n, 'labeled pair')} that do not flip"
    return f"{start}, and agrees with annotators on {pairs} ({percent(every)} of all {every.n:,}, a flip as half)"


def _classes(result: CheckResult, judge: JudgeCheck) -> str:
    agreement = judge.agreement
    known = [one for one in judge.classes if one.recall.value is not None]
    weakest = min(known, key=lambda one: one.recall.value or 0.0, default=None)
    end = (
        f"; recall is lowest for {weakest.name!r} ({percent(weakest.recall)} of {weakest.labeled:,})"
        if weakest
        else ""
    )
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
    over = figures["overconfidence"].sign if beyond and "overconfidence" in figures else 0
    direction = {1: "; it is overconfident", -1: "; it is underconfident"}.get(over, "")
    return (
        f"stated probabilities are off by {error.value:.2f} on average (ECE), {'beyond' if beyond else 'within'} "
        f"noise: a perfectly calibrated judge would show about {noise.value:.2f} with {number(noise.n, 'label')}, "
        f"rarely above {noise.high:.2f}{direction}{'' if brier is None else f'; Brier score {brier:.2f}'}"
    )


def percent(share: Estimate, *, missing: bool = False) -> str:
    """Return a share in percent, rounded as in tables; with ``missing`` what it lacks to 1."""
    value = round(share.value or 0.0, 2)
    return f"{1 - value if missing else value:.0%}"


def estimate_text(estimate: Estimate, *, signed: bool = False) -> str:
    """Return a figure to two digits with its interval in brackets, or a dash and the reason why it has no value;
    ``signed`` writes the sign of positive numbers, too."""
    if estimate.value is None:
        return f"- ({estimate.reason})"
    sign = "+" if signed else ""
    if estimate.low is None or estimate.high is None:
        return f"{estimate.value:{sign}z.2f}"
    # an end near 0 gets a third digit, so that its side of 0 is seen
    near = signed and any(0.0005 <= abs(end) < 0.005 for end in (estimate.low, estimate.high))
    form = f"{sign}z.{3 if near else 2}f"
    return f"{estimate.value:{form}} [{estimate.low:{form}}, {estimate.high:{form}}]"
