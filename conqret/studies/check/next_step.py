"""What to do next after a check, with the command for it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from conqret.errors import number
from conqret.stats.estimate import CONFIDENCE
from conqret.stats.verdict_rates import WITHIN, labels_to_decide
from conqret.studies.check.answers import DRAWN, MUCH, below, edge_text, unmeasured, weaker
from conqret.studies.check.checked_table import IN_MEMORY
from conqret.studies.check.result import CheckResult, JudgeCheck
from conqret.studies.check.table_shapes import study_folder
from conqret.studies.check.text_table import command_line

SAMPLE = 60
MANY = 1000
"""Labels still needed, from which on a number says little."""
NEXT_LINE = "\n  then: "
PICKED = {
    "verdict": "you picked, for example, 30 that the judge passes and 30 that it fails",
    "label": "you picked, for example, 30 that annotators pass and 30 that they fail",
}
"""How rows of pass and fail are drawn, if not at random."""
IMPROVE = "edit the judge's prompt"
NEW = "NEW.csv"
"""The file of the verdicts of an edited prompt, in commands."""


def next_step(result: CheckResult) -> str:
    """Return what to do next; a command that is one of several stands in a line of its own."""
    judge = result.best_judge
    if result.guard.fired and result.guard.p is None:
        return f"label rows on which the judge is right, too: {_collect(result, SAMPLE)}"
    if result.guard.fired:
        picked = PICKED if result.kind == "pass_fail" else DRAWN
        command = command_line("check", result.source, _but(result.options, "--drawn-by"), *_level(result))
        named = [*picked.items(), ("random", "they are random all the same")]
        ways = [f"{command} --drawn-by {how}  # {what}" for how, what in named if how != result.drawn_by]
        fresh, words = _collect(result, SAMPLE), "# none of these: label a fresh sample"
        ways.append(f"{words} {fresh}" if result.pages_lack else f"{fresh}  {words}")
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
    read = f"read the {number(result.disagreements_in_all, 'disagreement')}"
    if result.kind == "pairs":
        flips = judge.flip_rate.value
        if flips is not None and flips >= MUCH:
            steady = "make verdicts independent of the order (another prompt or model; conqret bias --help)"
            return f"{steady}, and count flips as ties"
        return f"{read}; test the judge for biases (conqret bias --help)"
    if result.kind == "classes":
        return read
    further = "; map its scores to human ones (conqret judges calibrate --help)" if judge.bias.sign else ""
    return f"{read}, the largest first{further}"


def _next_of_gate(result: CheckResult, judge: JudgeCheck) -> str:
    for name, rate, what in (("TNR", judge.tnr, "failures"), ("TPR", judge.tpr, "passes")):
        if rate.value is None:
            return f"label rows until some are {what}: without them, {name} cannot be known"
    changed = judge.figures.get("changed")
    if changed is not None and (changed.value or 0.0) >= MUCH:
        return "make the judge steady (temperature 0, or the majority of several runs), and check it again"
    if judge.usable == "usable":
        conditions = f"--require 'tnr.low >= {result.bar:g}' --require 'tpr.low >= {result.bar:g}'"
        return f"hold the judge to it in a build: {_command(result)} {conditions}"
    name, rate = weaker(result, judge)
    (_, misses), (alarms, _) = judge.confusion
    passes = f"{misses:,} false pass{'es' * (misses != 1)}"
    improve = f"read the {passes if name == 'TNR' else number(alarms, 'false failure')} and {IMPROVE}"
    known, more = f"to know both rates to ±{WITHIN:.2f}", judge.more_labels
    if judge.usable == "not usable":
        return f"{improve}{NEXT_LINE}{_test(result, judge)}"
    if result.drawn_by == "label" and result.unlabeled:
        why = "how many are needed cannot be said of rows drawn by label"
        return f"label more rows ({why}): {_collect(result, SAMPLE)}{NEXT_LINE}{improve}"
    if below(rate.value, result.bar):
        if more and (rate.half or 0.0) > WITHIN:
            return f"{_label_more(result, more, known)}{NEXT_LINE}{improve}"
        return f"{improve}{NEXT_LINE}{_test(result, judge)}"
    wanted = [
        labels_to_decide(each, result.bar, judge.compared, confidence=result.confidence)
        for each in (judge.tnr, judge.tpr)
    ]
    most = max(MANY if count is None else count for count in wanted)
    if most < MANY:
        return _label_more(
            result, most, f"until both intervals lie above {result.bar:.2f}, if the rates stay"
        )
    close = f"{name} {edge_text(rate.value, result.bar)} is so close to {result.bar:.2f} that showing it above may take"
    if more:
        return _label_more(result, more, f"{known} ({close} {MANY:,} or more)")
    return f"{improve}: {close} {MANY:,} labels or more"


def _label_more(result: CheckResult, wanted: int, purpose: str) -> str:
    """Say how many rows to label, how many of them the table has, and the command for these."""
    here, more = min(wanted, result.unlabeled), number(wanted, "more row")
    if here * 10 < wanted:
        all_rows = f"all rows but {here:,}" if here else "all rows"
        return f"label {more} {purpose}: new ones, as {all_rows} of this file are labeled"
    return f"label {more}{_where(result, wanted)} {purpose}: {_collect(result, here)}"


def _test(result: CheckResult, judge: JudgeCheck) -> str:
    """Say how many rows test an edited prompt: as many as let both rates be known, none of which improved it."""
    wanted = judge.compared + (judge.more_labels or 0)
    rows = f"{number(wanted, 'row')} that you did not read{_where(result, wanted)}"
    options = [pair for pair in result.options if pair[0] in ("--judge", "--by", "--columns")]
    of_judge = (  # new rows have no labels of these annotators
        part.strip()
        for option, value in result.options
        for part in re.split(r",(?!\d)", value)
        if option == "--pass" and re.split("[<>=≥≤]", part)[0].strip() not in result.annotators.names
    )
    if passing := ", ".join(of_judge):
        options.append(("--pass", passing))
    more = (*_level(result), "--sample", str(wanted), "-o", "new-labels")
    command = command_line("labels collect", NEW, options, *more)
    purpose = "" if judge.more_labels is None else f", to know both rates to ±{WITHIN:.2f}"
    return f"judge {rows} with it, as {NEW}; label and check them{purpose}: {command}"


def _where(result: CheckResult, wanted: int) -> str:
    """Which of the rows to be labeled the table has, where it does not have all."""
    if wanted <= result.unlabeled or not result.unlabeled:
        return ""
    here = f"the {number(result.unlabeled, 'unlabeled one')} here"
    return f" ({here}, and about {wanted - result.unlabeled:,} new)"


def _collect(result: CheckResult, sample: int) -> str:
    """The command that collects labels, or why there is none; ``--sample`` counts those that its folder has, too."""
    if result.pages_lack:
        return f"in the table itself, as labels collect finds {result.pages_lack}"
    sample = result.drawn + min(sample, result.unlabeled or sample)
    source = Path(result.source)
    default = source.with_name(f"{source.name.split('.')[0]}-labels")
    if result.source == IN_MEMORY:
        default = Path("labels")
    studies = [study_folder(value) for option, value in result.options if option == "--labels"]
    folder = next(filter(None, studies), default)
    known = _but(result.options, "--drawn-by") if result.guard.fired else result.options
    options = [pair for pair in known if pair[0] != "--labels" or study_folder(pair[1]) != folder]
    more = (*_level(result), "--sample", str(sample), "-o", str(folder))
    return command_line("labels collect", result.source, options, *more)


def _but(options: Sequence[tuple[str, str]], name: str) -> Sequence[tuple[str, str]]:
    return [pair for pair in options if pair[0] != name]


def _command(result: CheckResult) -> str:
    return command_line("check", result.source, result.options, *_level(result))


def _level(result: CheckResult) -> Sequence[str]:
    return () if result.confidence == CONFIDENCE else ("--confidence", f"{result.confidence:g}")
