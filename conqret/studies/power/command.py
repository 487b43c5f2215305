"""``conqret judges power``: how many topics, how many items a topic."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from conqret.console import label_options
from conqret.console import shared_options as options
from conqret.console.option_groups import OptionGroup, add_commands, grouped
from conqret.console.printing import note, progress, result
from conqret.options import Within

if TYPE_CHECKING:
    from conqret.studies.power.sample_sizes import SampleSizes

EPILOG = (
    "Examples:\n\n"
    "conqret judges power agreement --alpha 0.5 --topics 8,12,20,50 --items 1,4,16 -o power.html\n\n"
    "conqret judges power agreement --alpha 0.6 --shares 0.8,0.15,0.05 --topics 8,20,50\n\n"
    "conqret judges power agreement --pilot runs/first --labels labels.csv --scale 1:3 --dimension clarity\n\n"
    "conqret judges power difference --shift 0.05 --sd 0.2\n\n"
    "conqret judges power difference --shift 0.05 --pilot runs/a --reference runs/b --metric clarity\n\n"
    "conqret judges power bias --size 0.1 --topics 8,12,20,40 --items 2,5\n\n"
    "conqret judges power probe --shift 0.1 --rows 100\n\n"
    "conqret judges power drift --shift 0.05 --sd 0.1 --topics 12 --items 5\n\n"
    "conqret judges power curve --shift 0.1 --pilot runs/sens --perturbation irrelevant --metric context-relevance"
)
PANEL = "Plan"
SHARES = "0.8,0.15,0.05"


@dataclass(frozen=True)
class Planning(OptionGroup):
    """Which plans are simulated, and which of them is wanted.

    Plan:
        topics: Numbers of topics to simulate, comma-separated.
        items: Numbers of items per topic to simulate, comma-separated; each is combined with each number of topics.
        unequal: Simulate topics with unequal numbers of items: from 1 to 2 × `--items` − 1, all equally likely.
        simulations: How many studies are simulated for each number of topics and items.
        seed: The random seed of the simulations.
        half_width: The half width of the interval that you accept: the smallest plan that reaches it is marked.
            Default: the smallest plan with a power of 80% is marked, and in `power agreement` one of ±0.1.
    """

    topics: str = "6,8,12,20,50"
    items: str = "1,3,10"
    unequal: bool = False
    simulations: Annotated[int, Within(20, 100000)] = 200
    seed: Annotated[int, Within(0)] = 13
    half_width: Annotated[float | None, Within(0.001, 1)] = None
    json_output: options.Json = False

    def show(
        self, power: Callable[..., SampleSizes], confidence: float, page: options.PageFile, **settings: Any
    ) -> None:
        """Simulate by ``power``, one of the public functions, print the plan, and write its ``page``."""
        from dataclasses import asdict

        from conqret.studies.power.page import lost_cells, plan_answer, plan_sheet, plan_tables

        topics, items = options.counts("--topics", self.topics), options.counts("--items", self.items)
        with progress("simulating", len(topics) * len(items)) as bar:
            found = power(
                **settings, topics=topics, items=items, simulations=self.simulations, seed=self.seed,
                confidence=confidence, unequal=self.unequal, on_cell=bar.advance,
            )  # fmt: skip
        note(*filter(None, [found.pilot, lost_cells(found.cells)]))
        result(
            [asdict(cell) for cell in found.cells],
            plan_tables(found),
            as_json=self.json_output,
            answer=plan_answer(found, self.half_width),
        )
        page.write(lambda sizes: plan_sheet(sizes, self.half_width, self.seed), found)


Icc = Annotated[
    float,
    typer.Option(
        help="The assumed share of the variance of scores that is between topics (intraclass correlation).",
        min=0,
        max=1,
    ),
]
Sd = Annotated[
    float,
    typer.Option(
        help="The standard deviation of a single score, or of a single paired difference (scores are in [0, 1])."
    ),
]
Shift = Annotated[float, typer.Option(help="The true difference that the study should detect.")]


@grouped
def agreement(
    *,
    alpha: float = 0.5,
    icc: Icc = 0.2,
    shares: str | None = None,
    pilot: Path | None = None,
    labels: Annotated[
        list[Path] | None, label_options.label_files("Human labels of the items of `--pilot`.")
    ] = None,
    reading: label_options.LabelReading,
    aggregate: label_options.Aggregate = "auto",
    confidence: label_options.Confidence = 0.95,
    planning: Planning,
    page: options.PageFile,
) -> None:
    """Simulate how wide the interval of Krippendorff's alpha will be, from assumptions or from a pilot.

    Without a pilot, values at the interval level are assumed. A pilot's labels keep their level and scale; if
    they have several dimensions, `--dimension` says which one.

    Args:
        alpha: The assumed true alpha of judge and annotators. With `--shares` it is the alpha of the continuous values
            that are cut into labels.
        shares: The assumed share of each label, from the lowest label up, such as 0.8,0.15,0.05. With rare labels many
            studies have no interval.
        pilot: A finished run of a judge (pilot): its topics and items are resampled, instead of simulated from
            assumptions. Needs `--labels`.
    """
    from conqret.studies.power.sample_sizes import power_agreement

    known = None if labels is None else reading.load(labels)
    planning.show(
        power_agreement,
        confidence,
        page,
        alpha=alpha,
        icc=icc,
        shares=() if shares is None else options.numbers(shares, f"--shares is a list such as {SHARES}"),
        pilot=pilot,
        labels=known,
        aggregate=aggregate,
    )


@grouped
def bias(
    *,
    size: float = 0.1,
    topics: str = "8,12,20,40",
    items: str = "2,5",
    probe: list[str] | None = None,
    simulations: Annotated[int, Within(20, 10000)] = 100,
    seed: Annotated[int, Within(0)] = 13,
    page: options.PageFile,
    json_output: options.Json = False,
) -> None:
    """Simulate how often a run of `conqret bias` on pairs of arguments finds a bias of this size, with all probes
    corrected together.

    The simulated judges are assumed to be noisy (a third of the verdicts flip with the order) and to differ
    between topics (an intraclass correlation of some .1; where it is lower, more is found). For your own items
    use `conqret judges power planted`.

    Args:
        size: The size of the bias that the study should detect: with 0.1 the argument that the bias favors wins 60% of
            comparisons instead of 50%.
        topics: Numbers of topics to simulate, comma-separated.
        items: Numbers of items (pairs of arguments) per topic to simulate, comma-separated.
        probe: Only this probe (`conqret bias --list`). May be repeated.
        simulations: How many judges are simulated without a bias, and as many with each probe's.
        seed: The seed of the simulated judges.
    """
    from conqret.studies.power.page import bias_answer, bias_sheet
    from conqret.studies.power.sample_sizes import power_bias
    from conqret.studies.power.selftest_table import power_table

    counts, pairs = options.counts("--topics", topics), options.counts("--items", items)
    with progress("simulating", len(counts) * len(pairs)) as bar:
        results = power_bias(
            size=size, topics=counts, items=pairs, probes=probe or (), simulations=simulations, seed=seed,
            on_cell=bar.advance,
        )  # fmt: skip
    result(
        [{"topics": count, "items": each, **selftest_result.model_dump(mode="json", exclude={"items", "topics"})}
         for (count, each), selftest_result in results.items()],
        [power_table(results)],
        as_json=json_output,
        answer=bias_answer(results),
    )  # fmt: skip
    page.write(lambda cells: bias_sheet(cells, seed), results)


Metric = Annotated[str | None, typer.Option(help="The metric of the pilot run to use.")]
Perturbation = Annotated[
    str | None,
    typer.Option(
        help="The perturbation of the pilot: irrelevant, padding … (`conqret generate perturbations --list`)."
    ),
]


@grouped
def difference(
    *,
    shift: Shift = 0.05,
    sd: Sd = 0.2,
    icc: Icc = 0.2,
    pilot: Path | None = None,
    reference: Path | None = None,
    metric: Metric = None,
    confidence: label_options.Confidence = 0.95,
    planning: Planning,
    page: options.PageFile,
) -> None:
    """Simulate how wide the interval of a mean or of a paired difference will be, and how often the difference is
    significant.

    `--sd` is the standard deviation of the differences (of the scores themselves, if a mean is planned); a pilot
    of two runs over the same items gives it instead. The test is that of `conqret runs diff` for one metric;
    corrected over several metrics it finds less.

    Args:
        pilot: A finished run of a judge (pilot), from which the standard deviation is taken, instead of `--sd`. For a
            difference also give `--reference`.
        reference: A second finished run over the items of `--pilot`; the standard deviation is then that of the
            differences between the two runs.
    """
    from conqret.studies.power.sample_sizes import power_difference

    planning.show(
        power_difference,
        confidence,
        page,
        shift=shift,
        sd=sd,
        icc=icc,
        pilot=pilot,
        reference=reference,
        metric=metric,
    )


@grouped
def probe(
    *,
    shift: float = 0.1,
    rows: Annotated[int, Within(1)] = 8,
    sd: Sd = 0.15,
    icc: Icc = 0.1,
    pilot: Path | None = None,
    perturbation: Perturbation = None,
    metric: Metric = None,
    confidence: label_options.Confidence = 0.95,
    planning: Planning,
    page: options.PageFile,
) -> None:
    """Simulate how often one probe of `conqret bias` raises its alarm, corrected over all probes.

    The other probes are assumed to find no bias, to have the same spread, and to be independent.

    Args:
        shift: The true difference in scores that the bias causes (scores are in [0, 1]).
        rows: How many bias probes the study runs; its p-values are corrected for this number.
        pilot: A finished run of `conqret bias`, from which the standard deviation of differences is taken.
    """
    from conqret.studies.power.sample_sizes import power_probe

    planning.show(
        power_probe, confidence, page, shift=shift, rows=rows, sd=sd, icc=icc, pilot=pilot, perturbation=perturbation,
        metric=metric,
    )  # fmt: skip


@grouped
def curve(
    *,
    shift: float = 0.2,
    levels: Annotated[int, Within(2)] = 4,
    sd: float = 0.15,
    icc: Icc = 0.2,
    pilot: Path | None = None,
    perturbation: Perturbation = None,
    metric: Metric = None,
    confidence: label_options.Confidence = 0.95,
    planning: Planning,
    page: options.PageFile,
) -> None:
    """Simulate how often a decreasing sensitivity curve is shown to decrease, by the one-sided test over topics.

    A pilot gives the spread and the number of levels; how far its own curve fell is not used.

    Args:
        shift: How far the mean score falls from the first perturbation level to the last.
        levels: Perturbation levels, including the one without perturbation.
        sd: The standard deviation of a single score around the straight line of its item's scores over perturbation
            levels.
        pilot: A finished run of `conqret sensitivity`, from which the standard deviation of scores is taken.
    """
    from conqret.studies.power.sample_sizes import power_curve

    planning.show(
        power_curve, confidence, page, shift=shift, levels=levels, sd=sd, icc=icc, pilot=pilot,
        perturbation=perturbation, metric=metric,
    )  # fmt: skip


@grouped
def drift(
    *,
    shift: Shift = 0.05,
    sd: float = 0.1,
    icc: Annotated[float, Within(0, 1)] = 0.0,
    topics: str = "6,12,24",
    items: str = "1,5",
    waves: int = 20,
    baseline: Annotated[int, Within(1)] = 3,
    after: int = 10,
    metrics: Annotated[int, Within(1)] = 1,
    rate: float = 0.05,
    seed: Annotated[int, Within(0)] = 13,
    shown: options.StudyOutput,
) -> None:
    """Simulate how often and how soon `conqret judges drift` detects that a judge has shifted, and how often it raises
    a false alarm.

    Args:
        sd: The standard deviation of an item's score from wave to wave when the judge has not changed.
        icc: The intraclass correlation: the share of the variance of `--sd` that is common to all items of a topic,
            from 0 to 1.
    Plan:
        topics: Numbers of topics to simulate, comma-separated.
        items: Numbers of items per topic to simulate, comma-separated.
        waves: How many waves (dated runs over the same items) the series has, including those of the baseline.
        baseline: How many of the first waves (dated runs over the same items) are the baseline.
        after: In the simulation the judge shifts after this many waves (dated runs over the same items).
        metrics: How many metrics are monitored; each has two control charts, of the mean and of the standard deviation.
        rate: The allowed rate of false alarms per series, with noise independent between waves.
        seed: The random seed of the simulations.
    """
    from dataclasses import asdict

    from conqret.studies.power.page import series_answer, series_sheet, series_table
    from conqret.studies.power.sample_sizes import power_drift

    counts, each = options.counts("--topics", topics), options.counts("--items", items)
    with progress("simulating", len(counts) * len(each)) as bar:
        found = power_drift(
            shift=shift, sd=sd, icc=icc, topics=counts, items=each, waves=waves, baseline=baseline,
            after=after, metrics=metrics, rate=rate, seed=seed, on_cell=bar.advance,
        )  # fmt: skip
    result(
        [asdict(cell) for cell in found.cells],
        [series_table(found)],
        as_json=shown.json_output,
        answer=series_answer(found),
    )
    shown.write(series_sheet, found)


app = typer.Typer(
    help="How many topics and labels are needed: widths of intervals and power, simulated before anything is paid for.",
    no_args_is_help=True,
    epilog="Example: conqret judges power agreement --alpha 0.5 --topics 8,12,20,50 --items 1,4,16",
)
add_commands(
    app,
    {
        "agreement": agreement,
        "difference": difference,
        "bias": bias,
        "probe": probe,
        "curve": curve,
        "drift": drift,
    },
)
