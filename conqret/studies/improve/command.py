"""``conqret judges improve``: a judge and labels in, an improved judge and what it is worth out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from annotated_types import Interval
from rich.console import RenderableType

from conqret.console import label_options
from conqret.console import shared_options as options
from conqret.console.exit_codes import end
from conqret.console.option_groups import OptionGroup
from conqret.console.printing import at, note, result, spaced
from conqret.console.shared_options import StudyOptions
from conqret.errors import metric_name

if TYPE_CHECKING:
    from conqret.studies.improve.result import ImproveResult

COMMON = (
    "labels held_out criterion format metric model scale output replay budget_usd dry_run json_output"
).split()
"""The options that ``--help`` shows."""


@dataclass(frozen=True, kw_only=True)
class ImprovedJudge(OptionGroup):
    """The judge that is improved.

    Judging:
        criterion: The criterion to improve, instead of `--format`: a statement, or a question with a scale at its end
            (`clarity: How clear is the wording? 1-5`).
        metric: The metric to improve, one of those of `--format`.
    """

    criterion: str | None = None
    format: options.Format = None
    metric: str | None = None
    model: options.Model = None

    def given(self) -> dict[str, Any]:
        """What the user gave, as settings of the public function."""
        settings = super().given()
        if "criterion" in settings:
            settings["criteria"] = [settings.pop("criterion")]
        if "metric" in settings:
            settings["metric"] = metric_name(settings["metric"])
        return settings


def improve(
    items: options.Items,
    *,
    labels: label_options.Labels,
    held_out: Path | None = None,
    reading: label_options.LabelFileOptions,
    judged: ImprovedJudge,
    excerpt: Annotated[int, Interval(ge=100, le=20_000)] = 2000,
    item_reading: label_options.ItemOptions,
    output: Path = Path("runs/improved"),
    run_options: StudyOptions,
) -> None:
    """Improve a judge from human labels, and measure on other topics whether it improved.

    A new wording that the model proposes where judge and annotators differ, labeled examples in the prompt, and a
    calibration are tried. What is best on some topics is measured on others that had no part in it. The gain is
    shown with its interval, and compared with that of a calibration alone; that no gain is shown is a result.

    Args:
        excerpt: The most characters of an item's texts in the prompt, where items are shown as examples or to the model
            that proposes a wording; longer texts are cut.
    Files:
        held_out: A file of labeled items of other topics, used only to measure the improvement. Default:
            cross-validation over topics, which costs more.
        output (--output, -o): The run's folder, for the prompts and calibration map of the improved judge and a report
            page. The same command again goes on where it stopped.

    Examples:

    conqret judges improve items.jsonl --labels labels.csv --scale 1:5 --criterion
    "quality: How good is the speech? 1-5" --model gpt-4o-mini -o runs/improved

    conqret judges improve items.jsonl --labels labels.csv --scale 1:5 --criterion
    "quality: How good is the speech? 1-5" --model gpt-4o-mini --dry-run

    conqret judges improve train.jsonl --held-out test.jsonl --labels labels.csv --scale 1:5 --format direct --metric
    groundedness --model gpt-4o-mini -o runs/improved
    """
    from conqret.studies.improve import improve_run, improve_study

    settings, label_columns = item_reading.apart(labels)
    read = reading.read(labels, label_columns)
    plan = improve_study.improve_plan(
        items,
        read,
        held_out=held_out,
        output=output,
        **settings,
        **run_options.calls.given(),
        **run_options.settings,
        **judged.given(),
        excerpt=excerpt,
    )
    run_options.shown.note(*read.notes, *plan.setup.notes)
    outcome = run_options.study(improve_study.run_improve, plan, rows="answers", doing="improving")
    result(outcome, _lines(outcome, improve_run.ImproveFolder(output)), as_json=run_options.shown.json_output)
    if not outcome.shown:
        note(f"no gain over the judge as it is is shown (alpha {outcome.gain.alpha})")
    end(outcome.unscored or outcome.missing, outcome.session)


def _lines(outcome: ImproveResult, folder: Any) -> Iterator[RenderableType]:
    from conqret.studies.improve.result import improve_tables, remarks

    yield outcome.headline
    yield ""
    yield from spaced(improve_tables(outcome))
    yield from remarks(outcome)
    yield ""
    if outcome.final.variant != "as_it_is":
        yield at(folder.prompts_folder, "prompts")
    if outcome.final.calibrated:
        yield at(folder.calibration_file, "map")
    yield at(folder.card_file, "card")
    yield at(folder.report_file, "report")
    if outcome.use:
        yield f"use it     {outcome.command(str(folder.path))}"
