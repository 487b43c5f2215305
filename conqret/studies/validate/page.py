"""The page of a validation, and the same as Markdown, next to ``validation.json`` for machines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from conqret.console.conditions import RequirementOutcome, requirement_table
from conqret.data.digest import gathered
from conqret.judging.summary_tables import judge_name
from conqret.show import words
from conqret.show.report_page import PageRemarks, ReportPage, Section, section
from conqret.show.table import Cell, Column, Table
from conqret.studies.agreement.judge_agreement import (
    DimensionValidation,
    agreement_answer,
    agreement_picture,
    agreement_table,
    baselines_table,
    language_tables,
    missing_words,
)
from conqret.studies.agreement.judge_baselines import BASELINES, WORDS
from conqret.studies.agreement.level_probabilities import level_table
from conqret.studies.agreement.pass_fail import pass_fail_answers, pass_fail_table, probability_table
from conqret.studies.agreement.statistics import CALIBRATED, STATISTICS
from conqret.studies.validate.result import Validation

MAX_NAMED = 10
"""Names without a partner that the page spells out; all are in the JSON."""


def validation_tables(validation: Validation) -> list[Table]:
    """Return the main tables of a validation: verdicts by dimension, rates of pass/fail verdicts, agreement by
    dimension, by language, and baselines."""
    rows, average, basis = validation.dimensions, validation.average, validation.basis
    rates = {name: row.pass_fail for name, row in rows.items()}
    levels = level_table({name: row.probabilities for name, row in rows.items()})
    return [
        verdict_table(rows.values()),
        *filter(None, [pass_fail_table(rates), probability_table(rates), levels]),
        agreement_table(rows.values(), average, basis, coverage=validation.coverage),
        *language_tables(
            validation.languages, basis, several=any(row.annotators > 1 for row in rows.values())
        ),
        baselines_table({name: row.variants for name, row in rows.items()}, average.judge),
    ]


def verdict_table(rows: Iterable[DimensionValidation]) -> Table:
    """Return a table with a verdict on the judge by dimension: better, unclear or worse than baselines, with the
    difference from the one that decides it. A baseline below chance counts as chance.
    """
    body: list[tuple[Cell, ...]] = []
    for row in rows:
        over = {
            WORDS[name] if (row.variants[name].value or 0.0) >= 0 else "chance": one
            for name, one in row.over.items()
            if one.value is not None
        } or {"chance": row.alpha}
        signs = {one.sign for one in over.values()}
        verdict = "worse" if -1 in signs else "better" if signs == {1} else "unclear"
        strongest, difference = min(over.items(), key=lambda pair: (pair[1].sign, pair[1].value or 0.0))
        body.append((words.label(row.dimension), verdict, difference, strongest))
    return Table(
        "Is the judge better than baselines?",
        ("Dimension", Column("Verdict", "name"), "Difference of alphas", Column("From", "name")),
        body,
        note="The difference is the judge's alpha minus that of the baseline that decides the verdict (the "
        "strongest of those alike), or minus 0, which is chance. "
        "“Better”: the judge is shown to agree better with annotators than every baseline; “worse”: it is shown to "
        "agree less than one of them; “unclear”: neither is shown.",
    )


def validation_answer(validation: Validation) -> list[str]:
    """Return the sentences that a validation begins with: on pass/fail verdicts, then on agreement."""
    rows = validation.dimensions
    return [
        *pass_fail_answers({name: row.pass_fail for name, row in rows.items()}, validation.guard),
        *agreement_answer(rows.values(), validation.basis, validation.average),
    ]


def validation_page(validation: Validation, outcomes: Sequence[RequirementOutcome] = ()) -> ReportPage:
    """Return the report page of a validation; ``outcomes`` are those of the requirements."""
    judge, basis, rows = validation.judge, validation.basis, validation.dimensions.values()
    unlabeled = _first([words.label(name).lower() for name in validation.join.unlabelled_metrics])
    tables = [*map(requirement_table, filter(None, [outcomes])), *validation_tables(validation)]
    return ReportPage(
        "validation",
        f"Does {judge_name(judge.format, judge.model)} agree with annotators?",
        [
            *map(section, [*tables, *_details(validation)]),
            _replacing(validation),
            *map(section, filter(None, [_means(validation)])),
            Section("Missing scores", [PageRemarks([missing_words(validation.missing)])]),
            _join(validation),
        ],
        answer=validation_answer(validation),
        picture=agreement_picture(rows, basis, validation.average),
        how_to_read=[
            "Krippendorff's alpha is 1 where scores and labels always agree, 0 where they agree as often as by chance, "
            "and below 0 where less than that. Brackets hold its confidence interval; if it contains 0, agreement "
            "beyond chance is not shown. If a baseline without a model (the length of the text, or a constant) agrees "
            "with annotators as well as the judge does, the judge adds nothing."
        ],
        badges=words.baseline_badges([judge.baseline]),
        lede=[f"Nothing is known of metrics without labels: {unlabeled}."] if unlabeled else [],
        facts=[
            ("Labels", f"{basis.labels} ({basis.layout})"),
            ("Annotators", words.count(max((row.annotators for row in rows), default=0))),
            ("Fingerprint", judge.fingerprint),
            ("Seed", str(basis.settings.seed)),
        ],
    )


def _first(names: Sequence[str]) -> str:
    """The first names, and how many more there are."""
    more = f" and {len(names) - MAX_NAMED} more" if len(names) > MAX_NAMED else ""
    return ", ".join(names[:MAX_NAMED]) + more


def _details(validation: Validation) -> Iterator[Table]:
    """Yield the tables of how scores and labels were put on one scale, of the judge's samples, of wrong verdicts, and
    of statistics other than alpha; all but the first only where there are such data."""
    rows, every = validation.dimensions, validation.average.judge
    ways = gathered(((row.scale, row.target, row.onto), name) for name, row in rows.items())
    heads = ("Dimensions", "Scale", "One label from several", "The judge on that scale")
    yield Table(
        "How scores and labels were put on one scale",
        [Column(head, "text") for head in heads],
        [(", ".join(map(words.label, names)), *how) for how, names in ways.items()],
        note=" ".join(f"{note}." for note in validation.basis.notes),
    )
    if any(name.startswith("sample") for name in every):
        average = {name: value for name, value in every.items() if name not in (CALIBRATED, *BASELINES)}
        samples = [(words.label(name), *map(row.variants.get, average)) for name, row in rows.items()]
        yield Table(
            "Samples, their mean and their majority",
            ("Dimension", *map(str.capitalize, average)),
            samples,
            foot=[("Average", *average.values())],
        )
    wrong = {name: (row.false_passes, row.false_failures) for name, row in rows.items() if row.pass_fail}
    if wrong:
        yield Table(
            "Items on which the verdict differs from the label",
            ("Dimension", Column("Judge pass, human fail", "text"), Column("Judge fail, human pass", "text")),
            [(words.label(name), *map(_first, sides)) for name, sides in wrong.items()],
        )
    used = [
        one
        for one in STATISTICS.values()
        if any(row.statistics[one.name].value is not None for row in rows.values())
    ]
    if used:
        yield Table(
            "Other statistics",
            {
                "Dimension": lambda row: words.label(row.dimension),
                **{one.title: ("statistics", one.name) for one in used},
            },
            rows.values(),
            note=" ".join(filter(None, (statistic.about for statistic in used))),
        )


def _replacing(validation: Validation) -> Section:
    title = "Can the judge replace an annotator?"
    note = (
        "The alternative annotator test (Calderon, Reichart and Dror 2025) tests whether the judge or the annotator is "
        "closer to the other annotators. As the judge is cheaper, it may lose to the annotator on up to "
        f"{validation.basis.settings.epsilon:.0%} more of the items than it wins (epsilon)."
    )
    tests = {(row.alternative.reason, row.alternative.passed) for row in validation.dimensions.values()}
    if len(tests) == 1 and (None in (test := tests.pop())):
        reason = str(test[0]).removeprefix("no test: ")
        return Section(
            title, [PageRemarks([f"This test is not possible on any dimension ({reason})."])], note
        )
    verdicts = {None: "no test", True: "yes", False: "no"}
    table = Table(
        title,
        {
            "Dimension": lambda row: words.label(row.dimension),
            "Passed": lambda row: verdicts[row.alternative.passed],
            "Winning rate": ("alternative", "winning_rate"),
            "Advantage probability": ("alternative", "advantage"),
            Column("Remark", "text"): ("alternative", "reason"),
        },
        validation.dimensions.values(),
        note="“Winning rate” is the share of annotators to whom the judge is shown to lose by less than epsilon "
        "(one-sided tests, corrected after Benjamini and Yekutieli); the judge passes with 0.5 or more, which does not "
        "show that it equals them. “Advantage probability” is the share of items on which the judge is at least as "
        "close to the other annotators as the one it replaces. "
        f"{words.symmetry_note(validation.basis.clusters)}".rstrip(),
    )
    return Section(title, [table], note)


def _means(validation: Validation) -> Table | None:
    """Return the table of the mean label of each dimension, without those of pass and fail, whose pass rate is shown
    elsewhere; None if no other dimension is left."""
    rows = [row for row in validation.dimensions.values() if row.pass_fail is None]
    if not rows:
        return None
    both = any(row.mean.power for row in rows)
    used = (
        "“Both” adds the judge's scores of unlabeled items, corrected by its error on labeled ones (prediction-powered "
        "inference), with their “Weight”. "
    )
    return Table(
        "Mean human label over all judged items, in [0, 1]",
        {
            "Dimension": lambda row: words.label(row.dimension),
            "Mean score": ("mean", "naive"),
            "Mean label": ("mean", "labels"),
            "Both": lambda row: row.mean.corrected if both else "",
            "Weight": lambda row: row.mean.power if both else "",
        },
        rows,
        note=f"“Mean score” is of all items, “Mean label” of the labeled ones. {used * both}Valid for all items if the "
        "labeled ones are a random sample, or state their inclusion_probability.",
    )


def _join(validation: Validation) -> Section:
    join, title = validation.join, "Which items have both a judgment and a label"
    unmatched = (
        ("Judged, not labeled", join.unlabelled),
        ("Labeled, not judged", join.unjudged),
        ("Labeled parts that the judgments do not have", join.unknown_parts),
        ("Dimensions without a metric", join.unknown_dimensions),
        ("Metrics without labels", list(map(words.label, join.unlabelled_metrics))),
        ("Items with several judgments (the last counts)", join.duplicate_judgments),
    )
    rows = [(what, len(names), _first(names)) for what, names in unmatched if names]
    items = words.number(join.items, "item")
    if not rows:
        all_of = f"All {items}, with every part and metric, are both judged and labeled."
        return Section(title, [PageRemarks([all_of])])
    note = f"{words.capitalised(items)} are both judged and labeled, of {join.judged} judged, {join.labelled} labeled."
    return section(Table(title, ("What is not matched", "Count", Column("Names", "text")), rows, note=note))
