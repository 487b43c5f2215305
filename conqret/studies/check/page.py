"""The page of ``conqret check``: the answer, the table behind it, all figures, and the disagreements."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from conqret.console.conditions import requirement_table
from conqret.show import words
from conqret.show.report_page import PageRemarks, Part, ReportPage, Section, section
from conqret.show.table import CellSource, Column, Table
from conqret.show.visible_text import before_command
from conqret.stats.agreement import AlternativeAnnotator
from conqret.stats.confidence import BANDS
from conqret.studies.check.answers import disagreements_title
from conqret.studies.check.result import TITLES, CheckResult, JudgeCheck, level_words

Columns = Mapping[str | Column, CellSource]

HOW_TO_READ = {
    "pass_fail": "TNR (true negative rate) is the share of human failures that the judge fails, TPR (true positive "
    "rate) the share of human passes that it passes. A gate needs both: a judge that passes everything has a TPR of 1 "
    "and a TNR of 0. The corrected pass rate is that of all rows, as annotators would give it: the judge's pass rate, "
    "corrected by its errors on the labeled rows. Precision is the share of good answers among those that the judge "
    "passes. A judge is good enough for a gate where the whole intervals of TNR and TPR lie above the bar, and too "
    "weak where one lies below it. Otherwise it is probably too weak where a rate is below the bar, and else there are "
    "too few labels.",
    "ratings": "A positive difference means that the judge rates higher than annotators do. Weighted kappa and alpha "
    "are 1 where judge and annotators always agree and 0 where they agree as often as by chance. Weighted kappa takes "
    "the mean label of several annotators as it is (Lin's concordance correlation). Compare the judge in an "
    "annotator's place with one annotator and the others.",
    "pairs": "A verdict flips where the judge prefers another answer once the order is changed, or a tie becomes a "
    "preference or a preference a tie; such pairs say nothing of the answers. Without a preference for a place, the "
    "share of first place is 0.50.",
    "classes": "Kappa is 1 where judge and annotators always agree, and 0 where they agree as often as by chance. "
    "Recall is the share of rows of a class that the judge finds, precision the share of its verdicts that are right.",
}
HOW_TO_READ["scores"] = HOW_TO_READ["ratings"]
INTERVALS = (
    "Brackets hold intervals: those of 95% of all samples of rows contain the true figure (--confidence)."
)
CALIBRATION = (
    "The expected calibration error (ECE) is the distance of the mean stated probability from the share of passes, "
    f"averaged over {BANDS} bins of about equally many labels."
)
CLASSES: Columns = {
    Column("Class", "name"): "name",
    "Labeled": "labeled",
    "Recall": "recall",
    "Precision": "precision",
}
LEVELS: Columns = {
    Column("Level", "name"): level_words,
    "Rows": "rows",
    "Judge": "judge",
    "Annotators": "human",
    "Judge minus annotators": "bias",
}
PAIR: Columns = {Column("First", "name"): "first", Column("Second", "name"): "second"}
JUDGES: Columns = {
    **PAIR,
    Column("Figure", "name"): "measure",
    "First minus second": "difference",
    "Rows": "rows",
    Column("Better", "name"): lambda pair: pair.better or "not shown",
}
CORRECTED: Columns = {"Judge": "judge", "Corrected": "corrected"}
SYSTEMS: Columns = {Column("System", "name"): "name", "Rows": "rows", "Labeled": "labeled", **CORRECTED}
DIFFERENCES: Columns = {**PAIR, "Ids": "pairs", **CORRECTED}


def check_tables(result: CheckResult) -> list[Table]:
    """Return the main tables of a check: outcomes of conditions, verdicts by label, and the figures."""
    tables = [requirement_table(result.requirements)] if result.requirements else []
    tables += [table for judge in result.judges for table in _counts(result, judge)]
    if result.labeled:
        tables.append(figures_table(result))
    tables += _comparisons(result)
    return tables


def check_page(result: CheckResult) -> ReportPage:
    """Return the report page of a check."""
    stated = [CALIBRATION] if "calibration_error" in result.best_judge.figures else []
    return ReportPage(
        "check",
        f"How good is the judge in {Path(result.source).name}?",
        [
            *map(section, check_tables(result)),
            *map(section, filter(None, [disagreements_table(result)])),
            *_details(result),
        ],
        answer=[result.answer, *map(str.strip, f"Next: {result.next}".splitlines())],
        lede=[
            words.capitalised(note).rstrip(".") + ("" if before_command(note)[1] else ".")
            for note in (result.guessed, *result.notes)
            if note
        ],
        how_to_read=[HOW_TO_READ[result.kind], INTERVALS, *stated] if result.labeled else [],
        facts=[
            ("Rows", words.count(result.rows)),
            ("Labeled", words.count(result.labeled)),
            *(
                [("Labeled rows drawn", result.drawn_by or "unknown, taken as random")]
                if result.labeled and result.unlabeled
                else []
            ),
            ("Annotators", ", ".join(result.annotators.names) or "none"),
            ("Intervals", f"{result.confidence:.0%}, over {result.by or 'rows'}"),
        ],
    )


def figures_table(result: CheckResult) -> Table:
    """Return the table of all figures: a row for each figure, a column for each judge; of a single judge also the
    number of rows behind each figure."""
    first, *others = result.judges
    head = Column("Figure", "name")
    if not others:
        rows = [(_title(result, name), figure, figure.n) for name, figure in first.figures.items()]
        return Table("All figures", [head, "Value", "Rows"], rows)
    names = dict.fromkeys(name for judge in result.judges for name in judge.figures)
    return Table(
        "All figures",
        [head, *(judge.name for judge in result.judges)],
        [(_title(result, name), *(judge.figures.get(name) for judge in result.judges)) for name in names],
    )


def _title(result: CheckResult, name: str) -> str:
    title = TITLES[name]
    if result.weighted and name == "human_mean":
        title += " weighted to all"
    if result.kind != "pass_fail":
        return title.replace("alpha", "ordinal alpha") if result.kind == "ratings" else title
    return title.replace("mean of", "pass rate by").replace("mean", "pass rate")


def _of(result: CheckResult, judge: JudgeCheck) -> str:
    return f", {judge.name}" if len(result.judges) > 1 else ""


def _counts(result: CheckResult, judge: JudgeCheck) -> Iterator[Table]:
    """Yield the tables of one judge's verdicts by human label: counts, figures by class, and means by level, as far as
    this kind of verdicts has them."""
    remarks = f"; {result.passing}" if result.passing else ""
    remarks += "; a flip is a tie" if "flip_rate" in judge.figures and judge.flip_rate.n else ""
    if judge.confusion:
        yield Table(
            f"Verdicts by human label{_of(result, judge)}",
            [Column("Human label", "name"), *(f"judge: {name}" for name in result.classes)],
            [
                (f"human: {name}", *counts)
                for name, counts in zip(result.classes, judge.confusion, strict=True)
            ],
            note=f"{judge.compared:,} rows with a verdict and a label{remarks}.",
        )
    for rows, title, columns in (
        (judge.classes, "Classes", CLASSES),
        (judge.by_human, "Error by level of the human label", LEVELS),
        (judge.by_judge, "Calibration: human labels by the judge's verdict", LEVELS),
    ):
        if rows:
            yield Table(f"{title}{_of(result, judge)}", columns, rows)


def _comparisons(result: CheckResult) -> Iterator[Table]:
    """Yield the tables of differences of judges, of the systems by each judge, and of the differences of systems, as
    far as there are any."""
    if result.comparisons:
        yield Table("Judges compared on the same rows", JUDGES, result.comparisons)
    for judge in result.judges:
        if judge.systems:
            yield Table(f"Systems, by {judge.name}", SYSTEMS, judge.systems)
        if judge.differences:
            title, note = (
                f"Differences of systems, by {judge.name}",
                "First minus second, on the ids that both have.",
            )
            yield Table(title, DIFFERENCES, judge.differences, note=note)


def disagreements_table(result: CheckResult) -> Table | None:
    """Return the table of rows on which judge and annotators differ, with their texts; None if there are none."""
    if not result.disagreements:
        return None
    names = dict.fromkeys(name for row in result.disagreements for name in row.texts)
    shown = len(result.disagreements)
    return Table(
        disagreements_title(result),
        {
            Column("Row", "name"): "id",
            Column("Judge", "name"): "judge",
            Column("Human", "name"): "human",
            **{
                Column(words.capitalised(name.replace("_", " ")), "text"): lambda row, name=name: (
                    row.texts.get(name, "")
                )
                for name in names
            },
            Column("The judge's reason", "text"): "reason",
        },
        result.disagreements,
        note=f"{shown:,} of {result.disagreements_in_all:,} are shown."
        * (shown < result.disagreements_in_all),
    )


def _details(result: CheckResult) -> Iterator[Section]:
    """Yield folded sections for details: baselines, the agreement of annotators with each other, and verdicts that
    failed; each only where there is something to show."""
    if baselines := _baselines(result):
        yield Section(baselines.title, [baselines], folded=True)
    annotators = result.annotators
    if len(annotators.names) > 1:
        alphas = [("annotators among themselves", annotators.alpha)]
        parts: list[Part] = [Table("", ("", "Krippendorff's alpha"), alphas)]
        parts += filter(None, [_alternative(annotators.alternative)])
        yield Section("Annotators", parts, folded=True)
    failed = [judge for judge in result.judges if judge.failed]
    if failed:
        lines = [
            f"{judge.name}: {words.number(judge.failed, 'row')} without a verdict ({'; '.join(judge.failures)})"
            for judge in failed
        ]
        yield Section("Verdicts that failed", [PageRemarks(lines)], "They are counted, and never scored.")


def _baselines(result: CheckResult) -> Table | None:
    """Return the table of TNR, TPR, agreement and kappa of judges without any skill: on all rows where figures are made
    of the rates of all rows, else on the labeled ones. None unless verdicts are pass or fail and the pass rate is
    known."""
    judge, by_draw = (
        result.best_judge,
        result.weighted or (result.drawn_by == "label" and result.unlabeled > 0),
    )
    passes = judge.figures.get("corrected" if by_draw else "human_mean")
    if result.kind != "pass_fail" or passes is None or passes.value is None or not judge.compared:
        return None
    share, given = passes.value, judge.figures["judge_mean"].value or 0.0
    if not by_draw:
        given = sum(row[1] for row in judge.confusion) / judge.compared
    rows = [
        ("the judge", judge.tnr.value, judge.tpr.value, judge.agreement.value, judge.kappa.value),
        ("always pass", 0.0, 1.0, share, 0.0),
        ("always fail", 1.0, 0.0, 1 - share, 0.0),
        ("a coin that passes as often", 1 - given, given, share * given + (1 - share) * (1 - given), 0.0),
    ]
    return Table("Compared with judges without skill", ("Judge", "TNR", "TPR", "Agreement", "Kappa"), rows)


def _alternative(test: AlternativeAnnotator | None) -> Table | PageRemarks | None:
    if test is None:
        return None
    if test.passed is None:
        return PageRemarks([f"Can the judge replace an annotator? {words.capitalised(test.reason)}."])
    return Table(
        "Can the judge replace an annotator?",
        ("Passed", "Winning rate", "Advantage probability", Column("Remark", "text")),
        [("yes" if test.passed else "no", test.winning_rate, test.advantage, test.reason)],
        note=f"The alternative annotator test (Calderon, Reichart and Dror 2025), with epsilon {test.epsilon:g}: "
        "whether the judge or an annotator is closer to the other annotators.",
    )
