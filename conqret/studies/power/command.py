"""``conqret judges power``: how many topics, items or comparisons a study needs."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from annotated_types import Interval

from conqret.console import label_options
from conqret.console import shared_options as options
from conqret.console.option_groups import OptionGroup
from conqret.console.printing import note, progress
from conqret.errors import DeclarationError

SEED = 13
NAMES = {
    "agreement": {"effect": "alpha"},
    "difference": {"effect": "shift"},
    "bias": {"effect": "size", "probe": "probes"},
    "tournament": {"sd": "spread"},
}
"""Options of each study that its function has under another name."""
TAKES = {
    "agreement": ("effect", "icc", "pilot", "labels", "half_width"),
    "difference": ("effect", "icc", "sd", "pilot", "reference", "metric", "half_width"),
    "bias": ("effect", "probe"),
    "tournament": ("sd", "comparisons"),
}
"""The options of each study, apart from those of all."""
DEFAULTS: dict[str, tuple[str, str, int]] = {
    "agreement": ("6,8,12,20,50", "1,3,10", 200),
    "difference": ("6,8,12,20,50", "1,3,10", 200),
    "bias": ("8,12,20,40", "2,5", 100),
    "tournament": ("10", "8,20", 10),
}
"""Topics, items a topic, and simulations."""


@dataclass(frozen=True)
class PlannedSizes(OptionGroup):
    """What is simulated.

    Args:
        topics: Numbers of topics to simulate, comma-separated (`tournament`: one number).
        items: Numbers of items per topic to simulate, comma-separated; each is combined with each number of topics.
        simulations: How many studies are simulated of each size.
    """

    topics: str | None = None
    items: str | None = None
    simulations: Annotated[int | None, Interval(ge=1, le=100_000)] = None


@dataclass(frozen=True)
class Assumed(OptionGroup):
    """What is wanted, and what is assumed of the data.

    Args:
        half_width: The half width of the interval that you accept: the smallest plan that reaches it is marked.
            Default: the smallest plan with a power of 80% is marked, and with `agreement` one of ±0.1.
    Assumptions:
        effect: The true value of the simulated data: Krippendorff's alpha (`agreement`, 0.5), the difference of two
            means (`difference`, 0.05), or the bias (`bias`, 0.1: the favored argument wins 60% of comparisons).
        sd: The standard deviation of a score or of a paired difference (`difference`, 0.2), or of true strengths in
            log-odds (`tournament`, 2: the better of two items is preferred in 83% of pairs; with 1 in 73%).
        icc: The share of the variance of scores that is between topics (intraclass correlation). Default: 0.2.
        pilot: A finished run of a judge whose topics and items are resampled instead: for `agreement` with `--labels`,
            for `difference` with `--reference` and `--metric`.
        reference: `difference`: a second finished run over the items of `--pilot`.
        metric: `difference`: the metric of both runs.
        probe: `bias`: only this probe (`conqret bias --list`). May be repeated.
        comparisons: `tournament`: comparisons per item, at most. Default: 8.
    """

    half_width: Annotated[float | None, Interval(ge=0.001, le=1)] = None
    effect: float | None = None
    sd: float | None = None
    icc: Annotated[float | None, Interval(ge=0, le=1)] = None
    pilot: Path | None = None
    reference: Path | None = None
    metric: str | None = None
    probe: list[str] | None = None
    comparisons: Annotated[float | None, Interval(ge=1)] = None
    labels: Annotated[
        list[Path] | None, label_options.label_files("Human labels of the items of `--pilot`.")
    ] = None


def power(
    *,
    target: Literal["agreement", "difference", "bias", "tournament"],
    planned: PlannedSizes,
    assumed: Assumed,
    reading: label_options.LabelReading,
    confidence: label_options.Confidence = 0.95,
    page: options.PageFile,
    json_output: options.Printed = None,
) -> None:
    """Simulate how many topics and items a study needs: the width of its interval and its power, before anything is
    paid for.

    Data are simulated from assumptions or a pilot, and tested as the command does that is planned: `conqret validate`
    (agreement of judge and annotators), `conqret runs diff` (difference of two runs), `conqret bias` (all its probes
    on pairs of arguments) or `conqret tournament`.

    Args:
        target (--for): What is planned: `agreement`, `difference`, `bias` or `tournament`.

    Examples:

    conqret judges power --for agreement --effect 0.5 --topics 8,12,20,50 --items 1,4,16 -o power.html

    conqret judges power --for difference --effect 0.05 --pilot runs/a --reference runs/b --metric clarity

    conqret judges power --for bias --effect 0.1 --topics 8,12,20,40 --items 2,5

    conqret judges power --for tournament --items 8,20 --comparisons 8
    """
    from conqret.studies.power import bias_power, sample_sizes
    from conqret.studies.power import page as pages

    usual_topics, usual_items, usual_simulations = DEFAULTS[target]
    counts = options.counts("--topics", planned.topics or usual_topics)
    each = options.counts("--items", planned.items or usual_items)
    given = assumed.given()
    if strange := next((name for name in given if name not in TAKES[target]), None):
        studies = ", ".join(study for study, taken in TAKES.items() if strange in taken)
        option = strange.replace("_", "-")
        raise DeclarationError(f"--{option} has no meaning with --for {target}: it belongs to {studies}")
    extra = {NAMES[target].get(name, name): value for name, value in given.items()}
    plan: dict[str, Any] = {"topics": counts, "items": each, "seed": SEED}
    plan["simulations"] = planned.simulations or usual_simulations
    with progress("simulating", len(counts) * len(each)) as bar:
        plan["on_cell"] = bar.advance
        if target == "bias":
            biases = bias_power.power_bias(**extra, **plan)
            rows: list[dict[str, Any]] = [cell.model_dump(mode="json") for cell in biases]
            sheet = pages.bias_power_page(biases, SEED)
        elif target == "tournament":
            from conqret.studies.tournament import tournament_power as tournaments

            if len(counts) > 1:
                raise DeclarationError("--for tournament takes one number of --topics")
            plan["topics"] = counts[0]
            held = tournaments.power_tournament(**extra, **plan)
            rows = [asdict(cell) for cell in held]
            sheet = tournaments.tournament_power_page(held, plan["simulations"], SEED)
        else:
            goal = extra.pop("half_width", None)
            plan["confidence"] = confidence
            if "labels" in extra:
                extra["labels"] = reading.load(extra["labels"])
            simulate = (
                sample_sizes.power_agreement if target == "agreement" else sample_sizes.power_difference
            )
            sizes = simulate(**extra, **plan)
            note(*filter(None, [sizes.pilot, pages.lost_cells(sizes.cells)]))
            rows = [asdict(cell) for cell in sizes.cells]
            sheet = pages.sample_size_page(sizes, goal, SEED)
    page.show(rows, sheet, as_json=json_output)
