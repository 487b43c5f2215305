"""The first screen of ``conqret check``: a sentence, a few figures, what to do next, and the gravest disagreements."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from conqret.errors import number as counted
from conqret.show.visible_text import cut
from conqret.stats.estimate import Estimate
from conqret.studies.check.result import CheckResult, Disagreement, JudgeCheck, LevelCheck, level_words

FigureLine = tuple[str, str, str]
"""What it is, its value with its interval, and what it rests on."""

LISTED = 5
"""Disagreements, judges or systems that the first screen lists; the page has all that the result has."""
ROOM = 60
"""Characters of a text on the first screen."""


def screen(result: CheckResult, *, paged: bool = False) -> list[str]:
    """Return the lines that answer how good the judges are; ``paged`` says that a page has the rest."""
    lines = [result.answer, *aligned(figure_lines(result, result.judges[0]))]
    lines += [f"  {line}" for line in _failed(result)]
    lines.append(f"  next: {result.next}")
    for block in (_judges(result), _systems(result), _disagreements(result, paged=paged), _further(result)):
        shown = list(block)
        if shown:
            lines += ["", *shown]
    return lines


def _further(result: CheckResult) -> Iterator[str]:
    """The command for what is amiss with the judge."""
    figures = result.judges[0].figures
    if result.usable == "not usable":
        yield "further: conqret judges improve --help (improve a prompt from human labels)"
    elif result.kind in ("ratings", "scores") and figures["bias"].sign:
        yield "further: conqret judges calibrate --help (map a judge's scores to human scores)"
    elif result.kind == "pairs" and figures["first_share"].value is not None:
        yield "further: conqret bias --help (test a judge, or a log of its verdicts, for bias)"


def aligned(lines: Iterable[FigureLine]) -> list[str]:
    """Return the lines indented, with each column as wide as its widest cell."""
    rows = [line for line in lines if line[1]]
    first, second = (
        max((len(row[place]) for row in rows if len(row[place]) <= ROOM), default=0) for place in (0, 1)
    )
    return [f"  {what:<{first}}  {value:<{second}}   {basis}".rstrip() for what, value, basis in rows]


def number(value: float | None, *, signed: bool = False) -> str:
    """Return a figure with two places; a dash for None."""
    return "-" if value is None else f"{value:{'+' if signed else ''}z.2f}"


def estimate_text(estimate: Estimate, *, signed: bool = False) -> str:
    """Return a figure with its interval, or the reason why there is none."""
    if estimate.value is None:
        return f"- ({estimate.reason})"
    value = number(estimate.value, signed=signed)
    if estimate.low is None or estimate.high is None:
        return value
    return f"{value} [{number(estimate.low, signed=signed)}, {number(estimate.high, signed=signed)}]"


def figure_lines(result: CheckResult, judge: JudgeCheck) -> Iterator[FigureLine]:
    """Yield the four figures that matter most for verdicts of this kind; none without labels."""
    if not result.labeled or result.guard.fired:
        return
    figures, rows = judge.figures, counted(judge.compared, "labeled row")
    if result.kind == "pass_fail":
        tnr, tpr = figures["tnr"], figures["tpr"]
        yield "catches failures (TNR)", estimate_text(tnr), counted(tnr.n, "labeled failure")
        yield "keeps good answers (TPR)", estimate_text(tpr), f"{tpr.n:,} labeled pass{'es' * (tpr.n != 1)}"
        yield _mean_line("pass rate", result, judge)
        yield _noise(judge) or (
            "kappa",
            estimate_text(figures["kappa"]),
            f"{rows}; 0 is chance, 1 is perfect",
        )
    elif result.kind in ("ratings", "scores"):
        points = " points" if result.kind == "ratings" else ""
        bias = estimate_text(figures["bias"], signed=True)
        yield "judge minus annotators", bias, f"{points.strip() and 'points, '}{rows}"
        yield _agreement(result, judge)
        yield "error by human label", ", ".join(map(_level, _few(judge.by_human))), ""
        yield _noise(judge) or _mean_line("mean", result, judge)
    elif result.kind == "pairs":
        without = (
            " without flips" if "flip_rate" in figures and figures["flip_rate"].value is not None else ""
        )
        yield "agreement", estimate_text(figures["agreement"]), f"{figures['agreement'].n:,} pairs{without}"
        for name, what, basis in (
            ("flip_rate", "flips with the order", "pairs in both orders"),
            ("first_share", "prefers the first place", "verdicts; 0.50 is no preference"),
        ):
            if name in figures and figures[name].value is not None:
                yield what, estimate_text(figures[name]), f"{figures[name].n:,} {basis}"
    else:
        yield "agreement", estimate_text(figures["agreement"]), rows
        yield "kappa", estimate_text(figures["kappa"]), "agreement beyond chance: 0 is chance, 1 is perfect"
        yield "confused most", *_confused(result, judge)


def _mean_line(what: str, result: CheckResult, judge: JudgeCheck) -> FigureLine:
    figures = judge.figures
    corrected = figures["corrected"]
    by_judge = f"judge {number(figures['judge_mean'].value)}"
    if not result.unlabeled:
        return f"{what} of all rows", f"{by_judge}, annotators {estimate_text(figures['human_mean'])}", ""
    return (
        f"{what} of all rows",
        f"{by_judge}, corrected by labels {estimate_text(corrected)}",
        f"{result.rows:,} rows, {result.unlabeled:,} without a label",
    )


def _noise(judge: JudgeCheck) -> FigureLine | None:
    """How much runs of the judge differ, where there are several."""
    if judge.runs < 2:
        return None
    name = "changed" if "changed" in judge.figures else "run_sd"
    what = "changes between runs" if name == "changed" else "SD between runs"
    return what, estimate_text(judge.figures[name]), f"{judge.runs} runs of each row"


def _agreement(result: CheckResult, judge: JudgeCheck) -> FigureLine:
    figures = judge.figures
    place, one = figures.get("judge_as_annotator"), figures.get("one_annotator")
    if place is not None and one is not None and one.value is not None:
        return (
            "alpha in an annotator's place",
            estimate_text(place),
            f"an annotator with the others: {estimate_text(one)}",
        )
    name = "weighted_kappa" if "weighted_kappa" in figures else "spearman"
    what = "weighted kappa" if name == "weighted_kappa" else "rank correlation"
    return what, estimate_text(figures[name]), "0 is chance, 1 is perfect"


def _few(levels: Sequence[LevelCheck]) -> Sequence[LevelCheck]:
    """The lowest, the middle and the highest of many levels, or of bands."""
    few = len(levels) <= LISTED and all(level.low == level.high for level in levels)
    return levels if few or len(levels) < 3 else [levels[0], levels[len(levels) // 2], levels[-1]]


def _level(level: LevelCheck) -> str:
    return f"{level_words(level)}: {number(level.bias.value, signed=True)}"


def _confused(result: CheckResult, judge: JudgeCheck) -> tuple[str, str]:
    rows, human, said = max(
        (
            (count, human, said)
            for human, counts in enumerate(judge.confusion)
            for said, count in enumerate(counts)
            if human != said
        ),
        default=(0, 0, 0),
    )
    if not rows:
        return "", ""
    return f'judge "{result.classes[said]}", human "{result.classes[human]}"', f"{rows:,} rows"


def _failed(result: CheckResult) -> Iterator[str]:
    """What the judges gave no verdict on."""
    for judge in result.judges:
        if judge.failed:
            name = f"{judge.name}: " if len(result.judges) > 1 else ""
            example = f" (such as {cut(judge.failures[0], ROOM)})" if judge.failures else ""
            yield f"{name}no verdict on {judge.failed:,} of {result.rows:,} rows{example}"


def _judges(result: CheckResult) -> Iterator[str]:
    """A line for each of several judges, and which of them is better."""
    if len(result.judges) < 2 or result.guard.fired or not result.labeled:
        return
    names = [name for name in _COMPARED[result.kind] if name in result.judges[0].figures]
    heads = [_HEADS[name] for name in names]
    yield "Judges"
    yield from aligned(
        (
            judge.name,
            "   ".join(
                f"{head} {estimate_text(judge.figures[name])}"
                for head, name in zip(heads, names, strict=True)
            ),
            "",
        )
        for judge in result.judges[:LISTED]
    )
    for difference in result.comparisons[:LISTED]:
        better = f"{difference.better} is better" if difference.better else "no difference is shown"
        if difference.difference.low is None:
            better = difference.difference.reason or "no interval"
        yield (
            f"  {difference.first} minus {difference.second}: {difference.measure} "
            f"{estimate_text(difference.difference, signed=True)}: {better}"
        )


_COMPARED = {
    "pass_fail": ("tnr", "tpr"),
    "ratings": ("weighted_kappa", "bias"),
    "scores": ("spearman", "bias"),
    "pairs": ("agreement", "flip_rate"),
    "classes": ("agreement", "kappa"),
}
"""The figures in which judges are set side by side."""
_HEADS = {
    "tnr": "TNR",
    "tpr": "TPR",
    "weighted_kappa": "weighted kappa",
    "bias": "bias",
    "spearman": "Spearman",
    "agreement": "agreement",
    "flip_rate": "flips",
    "kappa": "kappa",
}


def _systems(result: CheckResult) -> Iterator[str]:
    """A line for each system, and the paired differences."""
    judge = result.judges[0]
    if not judge.systems or result.guard.fired or not result.labeled:
        return
    yield "Systems"
    lines: list[FigureLine] = []
    for system in judge.systems[:LISTED]:
        value = f"judge {number(system.judge.value)}, corrected {estimate_text(system.corrected)}"
        lines.append((system.name, value, f"{system.rows:,} rows, {system.labeled:,} labeled"))
    for pair in judge.differences[:LISTED]:
        value = f"judge {number(pair.judge.value, signed=True)}, corrected {estimate_text(pair.corrected, signed=True)}"
        lines.append((f"{pair.first} minus {pair.second}", value, f"{pair.pairs:,} rows that both have"))
    yield from aligned(lines)


def _disagreements(result: CheckResult, *, paged: bool) -> Iterator[str]:
    shown = result.disagreements[:LISTED]
    if not shown:
        return
    rest = result.disagreements_in_all - len(shown)
    more = f"{rest:,} more on the page" if paged else f"{rest:,} more: -o FOLDER writes a page"
    yield f"Gravest disagreements{f' ({more})' if rest else ''}"
    yield from aligned(
        (
            f"row {one.row}" if one.id == str(one.row) else cut(one.id, ROOM),
            f"judge {one.judge}, human {one.human}",
            _quoted(one),
        )
        for one in shown
    )


def _quoted(disagreement: Disagreement) -> str:
    texts = disagreement.texts
    text = texts.get("output") or texts.get("input") or next(iter(texts.values()), "")
    return f"“{cut(' '.join(text.split()), ROOM)}”" if text else ""
