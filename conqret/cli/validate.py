"""``conqret validate``: a run's judgments beside people's labels."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from conqret.cli import label_options
from conqret.cli.console import complain, err, note, out, plain_table

if TYPE_CHECKING:
    from rich.table import Table

    from conqret.reliability.validation.validate import Validation
    from conqret.stats.estimate import Estimate

EPILOG = (
    "Examples:\n\n"
    "conqret validate runs/first --labels labels.csv --scale 1:3 -o card/\n\n"
    'conqret validate runs/first --labels labels.csv --scale 1:3 --require "alpha[overall_quality] >= 0.4" '
    '--require "coverage >= 0.98"'
)
JSON_NAME, PAGE_NAME = "validation.json", "validation.md"


def validate(
    run: Annotated[Path, typer.Argument(help="The folder of a run.")],
    labels: Annotated[Path, typer.Option(help="What people say of the items.")],
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help="The folder for validation.json and validation.md. Default: the run's."
        ),
    ] = None,
    require: Annotated[
        list[str] | None,
        typer.Option(
            help="A condition such as alpha[overall_quality] >= 0.4, alpha.low >= 0.3 or coverage >= 0.98; the exit "
            "code is 1 where one is not met. May be repeated."
        ),
    ] = None,
    level: label_options.Level = None,
    scale: label_options.ScaleSetting = None,
    words: label_options.Words = None,
    columns: label_options.Columns = None,
    dimension: label_options.Dimensions = None,
    layout: label_options.LayoutName = None,
    cannot_judge: label_options.CannotJudge = None,
    number_annotators: label_options.Numbered = False,
    metric: label_options.Metrics = None,
    people: label_options.People = label_options.PeopleChoice.auto,
    positive_from: Annotated[
        float | None, typer.Option(help="The label from which an item counts as positive.")
    ] = None,
    epsilon: Annotated[
        float,
        typer.Option(
            help="What the cheaper judge is forgiven: 0.2 beside experts, 0.1 beside a crowd.",
            min=0,
            max=0.99,
        ),
    ] = 0.2,
    bias: Annotated[Path | None, typer.Option(help="A folder of conqret bias, for the judge card.")] = None,
    sensitivity: Annotated[
        Path | None, typer.Option(help="A folder of conqret sensitivity, for the judge card.")
    ] = None,
    resamples: label_options.Resampling = 2_000,
    confidence: label_options.Confidence = 0.95,
    seed: label_options.Seed = 13,
    json_output: Annotated[bool, typer.Option("--json", help="Print JSON on standard output.")] = False,
) -> None:
    """How far a judge agrees with people, beside how far people agree among themselves.

    Labels need a scale (--scale, --map, or a published layout) to be compared with scores: nothing is mapped
    silently. What has no partner is counted and listed.
    """
    from rich.text import Text

    from conqret.io.atomic import replacing
    from conqret.judging.folder import JudgeFolder
    from conqret.judging.summary import summarise
    from conqret.reliability.bias.run import read_bias
    from conqret.reliability.cards.card import make_card
    from conqret.reliability.sensitivity.results import SensitivityDirectory
    from conqret.reliability.validation.requirements import check_requirement, parse_requirement
    from conqret.reliability.validation.settings import Settings
    from conqret.reliability.validation.validate import validate as compute
    from conqret.report.card import write_card
    from conqret.report.validation_page import validation_markdown

    requirements = [parse_requirement(text) for text in require or ()]
    metrics = label_options.metric_map(metric)
    found = label_options.load(
        labels, level, scale, words, columns, dimension, layout, cannot_judge, number_annotators
    )
    directory = JudgeFolder(run)
    record = directory.record()
    result = compute(
        directory.judgments(),
        found,
        items=directory.items(),
        metrics=metrics,
        settings=Settings(
            people=people.value,
            positive_from=positive_from,
            epsilon=epsilon,
            resamples=resamples,
            confidence=confidence,
            seed=seed,
        ),
        baseline=record.baseline,
    )
    outcomes = [check_requirement(requirement, result) for requirement in requirements]
    folder = output or run
    folder.mkdir(parents=True, exist_ok=True)
    with replacing(folder / JSON_NAME) as file:
        file.write(result.model_dump_json(indent=1).encode() + b"\n")
    with replacing(folder / PAGE_NAME) as file:
        file.write(validation_markdown(result, outcomes).encode())
    card = make_card(
        record,
        summarise(directory.judgments()),
        result,
        directory.items(),
        bias=read_bias(bias) if bias is not None else None,
        sensitivity=SensitivityDirectory(sensitivity).results() if sensitivity is not None else None,
    )
    written = write_card(card, folder)
    if json_output:
        out().out(result.model_dump_json(indent=1))
    else:
        _show(result, folder)
        for path in written:
            err().print(Text(f"{path.name:<16} {path}"), soft_wrap=True)
    for outcome in outcomes:
        value = "none" if outcome.value is None else f"{outcome.value:.3f}"
        if outcome.met:
            note(f"met: {outcome.requirement} ({value})")
        else:
            complain(
                f"not met: {outcome.requirement} ({value}{', ' if outcome.reason else ''}{outcome.reason})"
            )
    if not all(outcome.met for outcome in outcomes):
        raise typer.Exit(1)


def _show(result: Validation, folder: Path) -> None:
    from rich.text import Text

    join = result.join
    for text in result.label_notes:
        note(text)
    for count, what in (
        (len(join.unlabelled), "judged items have no label"),
        (len(join.unjudged), "labelled items were not judged"),
        (len(join.unknown_parts), "labelled parts are not in the judgments"),
        (
            len(join.unknown_dimensions),
            f"labelled dimensions are no metric: {', '.join(join.unknown_dimensions)}",
        ),
    ):
        if count:
            note(f"{count} {what}")
    out().print(_table(result))
    for name in (JSON_NAME, PAGE_NAME):
        err().print(Text(f"{name:<16} {folder / name}"), soft_wrap=True)


def _table(result: Validation) -> Table:
    from rich.text import Text

    table = plain_table(
        f"Krippendorff's alpha, {result.settings.confidence:.0%} intervals over "
        f"{result.settings.resamples} resamples of {result.clusters} {result.clustered_by}s",
        ("dimension", "units", "judge and people", "one person", "people", "coverage"),
    )
    reasons: dict[str, None] = {}

    def cell(estimate: Estimate) -> str:
        if estimate.value is not None:
            return str(estimate)
        reasons[estimate.reason] = None
        return "–"

    for name, row in result.dimensions.items():
        estimates = map(cell, (row.alpha, row.person, row.people))
        table.add_row(*map(Text, (name, str(row.compared), *estimates, f"{row.coverage:.1%}")))
    table.add_section()
    average = result.average
    estimates = map(cell, (average.judge["mean"], average.person, average.people))
    table.add_row(*map(Text, ("average", "", *estimates, f"{result.coverage:.1%}")))
    if reasons:
        table.caption = Text("–: " + "; ".join(reasons))
    return table
