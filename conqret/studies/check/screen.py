"""The first screen of ``conqret check``: a sentence, a few figures, what to do next, and the gravest disagreements."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from conqret.errors import number as counted
from conqret.show.visible_text import cut
from conqret.stats.estimate import Estimate
from conqret.studies.check.answers import (
    agreement_name,
    disagreements_title,
    estimate_text,
    grade,
    unmeasured,
)
from conqret.studies.check.result import (
    TITLES,
    CheckResult,
    DisputedVerdict,
    JudgeCheck,
    LevelCheck,
    level_words,
)

FigureLine = tuple[str, str, str]
"""What it is, its value with its interval, and what it rests on."""

LISTED = 5
"""Disagreements, judges or systems that the first screen lists; the page has all that the result has."""
NOTED = 3
"""Notes that it has."""
ROOM, ID_ROOM = 60, 24
"""Characters of a text and of an id on the first screen."""


def screen(result: CheckResult, *, paged: bool = False) -> list[str]:
    """Return the lines that answer how good the judges are; ``paged`` says that a page has the rest."""
    first, *rest = [line for line in figure_lines(result, result.best_judge) if line[1]] or [("", "", "")]
    over = f" over {result.by}" if result.by else ""
    what, value, basis = first
    brackets = f"{basis and '; '}brackets: {result.confidence:.0%} intervals{over}" if "[" in value else ""
    lines = [result.answer, *aligned([(what, value, basis + brackets), *rest])]
    lines += [f"  {line}" for line in _failed(result)]
    lines.append(f"  next: {result.next}")
    for block in (_judges(result), _systems(result), _disagreements(result, paged=paged)):
        shown = list(block)
        if shown:
            lines += ["", *shown]
    return lines


def notes(result: CheckResult, *, paged: bool = False) -> list[str]:
    """Return the first :data:`NOTED` notes, and how many more the page has."""
    rest = len(result.notes) - NOTED
    more = [f"{counted(rest, 'more note')} on the page{'' if paged else ' (-o FOLDER)'}"] if rest > 0 else []
    return [*result.notes[:NOTED], *more]


def aligned(lines: Iterable[FigureLine]) -> list[str]:
    """Return the lines indented, with each column as wide as its widest cell."""
    rows = [line for line in lines if line[1]]
    first, second = (
        max((len(row[place]) for row in rows if len(row[place]) <= ROOM), default=0) for place in (0, 1)
    )
    return [f"  {what:<{first}}  {value:<{second}}   {basis}".rstrip() for what, value, basis in rows]


def figure_lines(result: CheckResult, judge: JudgeCheck) -> Iterator[FigureLine]:
    """Yield the figures that matter most for verdicts of this kind, four at most, each as its name, its value and what
    it is based on; none without labels, or where no rate can be claimed."""
    if result.guard.fired or unmeasured(judge):
        return
    figures, rows = judge.figures, counted(judge.compared, "labeled row")
    if result.kind == "pass_fail":
        tnr, tpr = figures["tnr"], figures["tpr"]
        failures = counted(tnr.n, "labeled failure")
        yield "catches failures (TNR)", estimate_text(tnr), f"true negative rate, {failures}"
        passes = f"{tpr.n:,} labeled pass{'es' * (tpr.n != 1)}"
        yield "keeps good answers (TPR)", estimate_text(tpr), f"true positive rate, {passes}"
        yield _mean_line("pass rate", result, judge)
        if judge.runs > 1:
            yield _noise(judge)
            yield _by_run(judge)
        elif len(result.judges) == 1 and not judge.systems:
            precision, kappa = figures["precision"], estimate_text(figures["kappa"])
            basis = f"of {precision.n:,} that it passes; kappa {kappa} (0 is chance, 1 is perfect)"
            yield TITLES["precision"], estimate_text(precision), basis
    elif result.kind in ("ratings", "scores"):
        bias = estimate_text(figures["bias"], signed=True)
        yield "judge minus annotators", bias, f"{'points, ' * (result.kind == 'ratings')}{rows}"
        yield _agreement(judge)
        yield _levels(judge.by_human, "mean labels" if len(result.annotators.names) > 1 else "levels")
        yield _noise(judge) if judge.runs > 1 else _mean_line("mean", result, judge)
    elif result.kind == "pairs":
        flips, first = figures["flip_rate"], figures["first_share"]
        without = "" if flips.value is None else " without a flip"
        pairs = counted(figures["agreement"].n, "labeled pair")
        yield "agreement", estimate_text(figures["agreement"]), f"{pairs}{without}"
        if flips.value is not None:
            yield "flips with the order", estimate_text(flips), f"{flips.n:,} pairs in both orders"
            verdicts = f"{2 * first.n:,} verdicts; 0.50 is no preference"
            yield "prefers the first shown", estimate_text(first), verdicts
    else:
        yield "agreement", estimate_text(figures["agreement"]), f"{rows} of {result.rows:,}"
        yield "kappa", estimate_text(figures["kappa"]), "0 is chance, 1 is perfect"
        yield _recalls(judge)
        yield _confused(result, judge)


def _mean_line(what: str, result: CheckResult, judge: JudgeCheck) -> FigureLine:
    figures, rows = judge.figures, counted(judge.verdicts, "row")
    what = f"{what} of all rows" if judge.verdicts == result.rows else what
    rows = rows if judge.verdicts == result.rows else f"{rows} with a verdict"
    by_judge = f"judge {_mean(figures['judge_mean'])}"
    if not result.unlabeled:
        return what, f"{by_judge}, annotators {estimate_text(figures['human_mean'])}", rows
    verb = "pass" if result.kind == "pass_fail" else "give"
    corrected = f"{by_judge}, corrected {estimate_text(figures['corrected'])}"
    return what, corrected, f"corrected: what annotators would {verb}; {rows}, {result.unlabeled:,} unlabeled"


def _mean(estimate: Estimate) -> str:
    return "-" if estimate.value is None else f"{estimate.value:z.2f}"


def _noise(judge: JudgeCheck) -> FigureLine:
    """How much several runs of the judge differ."""
    if "run_sd" in judge.figures:
        return "SD between runs", estimate_text(judge.figures["run_sd"]), f"{judge.runs} runs of each row"
    changed = estimate_text(judge.figures["changed"])
    return "changes between runs", changed, f"rows on which not all {judge.runs} runs agree"


def _by_run(judge: JudgeCheck) -> FigureLine:
    """TNR and TPR of the first runs."""
    shown = judge.by_run[:LISTED]
    values = ("; ".join(f"{_mean(run.tnr)}, {_mean(run.tpr)}" for run in shown)) if shown else ""
    of = "" if len(shown) == judge.runs else f" of {judge.runs}"
    return "TNR, TPR of each run", values, f"runs 1 to {len(shown)}{of}"


def _agreement(judge: JudgeCheck) -> FigureLine:
    name = agreement_name(judge)
    basis = "0 is chance, 1 is perfect" if name != "auroc" else "0.50 is chance, 1 is perfect"
    if name == "judge_as_annotator":
        single = estimate_text(judge.figures["one_annotator"])
        basis = f"an annotator with the others: {single}; {basis}"
    return TITLES[name], estimate_text(judge.figures[name]), basis


def _levels(levels: Sequence[LevelCheck], of_what: str) -> FigureLine:
    """The error at each level of the human label; of many, at the lowest, the middle and the highest."""
    few = len(levels) <= LISTED and all(level.low == level.high for level in levels)
    shown = levels if few or len(levels) < 3 else [levels[0], levels[len(levels) // 2], levels[-1]]
    values = ", ".join(f"{level_words(level)}: {level.bias.value or 0.0:+z.2f}" for level in shown)
    of = "" if len(shown) == len(levels) else f"; lowest, middle, highest of {len(levels)} {of_what}"
    return "error by human label", values, f"{', '.join(f'{level.rows:,}' for level in shown)} rows{of}"


def _recalls(judge: JudgeCheck) -> FigureLine:
    """The recall of each class; of many classes, the lowest."""
    known = [one for one in judge.classes if one.recall.value is not None]
    lowest = sorted(known, key=lambda one: one.recall.value or 0.0)[:LISTED]
    rest = len(judge.classes) - len(lowest)
    shown = ", ".join(f"{one.name} {_mean(one.recall)}" for one in lowest)
    labeled = f"{', '.join(f'{one.labeled:,}' for one in lowest)} labeled rows"
    return "recall of each class", shown, f"{labeled}{f'; {rest} more' if rest else ''}"


def _confused(result: CheckResult, judge: JudgeCheck) -> FigureLine:
    wrong = [
        (count, human, said)
        for human, counts in enumerate(judge.confusion)
        for said, count in enumerate(counts)
        if human != said
    ]
    rows, human, said = max(wrong, default=(0, 0, 0))
    pair = f'judge "{result.classes[said]}", human "{result.classes[human]}"' if rows else ""
    return "confused most", pair, counted(rows, "row")


def _failed(result: CheckResult) -> Iterator[str]:
    """What the judges gave no verdict on."""
    for judge in result.judges:
        if judge.failed:
            name = f"{judge.name}: " if len(result.judges) > 1 else ""
            example = f" (such as {cut(judge.failures[0], ROOM)})" if judge.failures else ""
            yield f"{name}no verdict on {judge.failed:,} of {result.rows:,} rows{example}"


def _judges(result: CheckResult) -> Iterator[str]:
    """Yield a line for each of several judges, then for each pair which is better; nothing for one judge, without
    labels, or where no rate can be claimed."""
    if len(result.judges) < 2 or result.guard.fired or not result.labeled:
        return
    names = [name for name in _COMPARED[result.kind] if name in result.judges[0].figures]
    yield "Judges"
    yield from aligned(
        (
            judge.name,
            "   ".join(f"{_HEADS[name]} {estimate_text(judge.figures[name])}" for name in names),
            grade(result, judge) if judge.usable else "",
        )
        for judge in result.judges[:LISTED]
    )
    yield f"Their differences in {result.comparisons[0].measure}"
    yield from aligned(
        (
            f"{pair.first} minus {pair.second}",
            estimate_text(pair.difference, signed=True),
            f"{pair.better} is better" if pair.better else "cannot be told apart",
        )
        for pair in result.comparisons[:LISTED]
    )


_COMPARED = {
    "pass_fail": ("tnr", "tpr"),
    "ratings": ("weighted_kappa", "bias"),
    "scores": ("spearman", "bias"),
    "pairs": ("agreement", "flip_rate"),
    "classes": ("agreement", "kappa"),
}
"""The figures in which judges are set side by side."""
_HEADS = {**TITLES, "tnr": "TNR", "tpr": "TPR", "bias": "bias", "flip_rate": "flips"}


def _systems(result: CheckResult) -> Iterator[str]:
    """Yield a line for each system, then the paired differences but for the first, which is in the answer; nothing
    without systems or labels, or where no rate can be claimed."""
    judge = result.best_judge
    if not judge.systems or result.guard.fired or not result.labeled:
        return
    yield "Systems"
    lines: list[FigureLine] = []
    for system in judge.systems[:LISTED]:
        value = f"judge {_mean(system.judge)}, corrected {estimate_text(system.corrected)}"
        lines.append((system.name, value, f"{system.rows:,} rows, {system.labeled:,} labeled"))
    for pair in judge.differences[1:LISTED]:  # the first is in the answer
        corrected = f"corrected {estimate_text(pair.corrected, signed=True)}"
        lines.append((f"{pair.first} minus {pair.second}", corrected, f"{pair.pairs:,} ids that both have"))
    yield from aligned(lines)


def _disagreements(result: CheckResult, *, paged: bool) -> Iterator[str]:
    shown = result.disagreements[:LISTED]
    if not shown:
        return
    rest = result.disagreements_in_all - len(shown)
    more = f"{rest:,} more on the page" if paged else f"{rest:,} more: -o FOLDER writes a page"
    texts = "" if any(map(_quoted, shown)) else "texts: --columns output=COLUMN"
    remarks = "; ".join(filter(None, [more if rest else "", texts]))
    yield f"{disagreements_title(result)}{f' ({remarks})' if remarks else ''}"
    yield from aligned(
        (
            f"id {one.id}" if one.id.isdecimal() else cut(one.id, ID_ROOM),
            f"judge {one.judge}, human {one.human}",
            f"{one.texts.get('system', '')} {_quoted(one)}".strip(),
        )
        for one in shown
    )


def _quoted(disagreement: DisputedVerdict) -> str:
    texts = {name: text for name, text in disagreement.texts.items() if name != "system"}
    text = texts.get("output") or texts.get("input") or next(iter(texts.values()), "")
    return f"“{cut(' '.join(text.split()), ROOM)}”" if text else ""
