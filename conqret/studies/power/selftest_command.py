"""``conqret judges power planted``: what a bias run on one's own items would find, miss and falsely raise."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from conqret.console import label_options
from conqret.console import shared_options as options
from conqret.console.option_groups import OptionGroup, grouped
from conqret.console.printing import note_left_out, progress, result
from conqret.judging.command_options import OwnJudge
from conqret.options import Within

if TYPE_CHECKING:
    from conqret.studies.bias.bias_run import BiasPlan


@dataclass(frozen=True, kw_only=True)
class PlantedBias(OptionGroup):
    """The judge that is simulated, and how often.

    Args:
        size: The size of the bias that is planted: 0.1 changes a score by 0.1; in comparisons of two arguments it lets
            the argument that the bias favors win 60% instead of 50%.
        noise: The standard deviation of one score's noise (scores are in [0, 1]).
        noise_from: A finished run of the judge with `--samples` 2 or more: the variation between its samples is the
            noise of the simulated judge, instead of `--noise`.
        vary: How far the bias differs between topics, as a share of its size: 0 is the same in each, 1 lets few topics
            carry most of it, which takes more topics to find.
        simulations: How many judges are simulated without a bias, and as many with each probe's.
        seed: The seed of the simulated judges.
    """

    size: float = 0.1
    noise: float = 0.1
    noise_from: Path | None = None
    vary: Annotated[float, Within(0, 3)] = 0.0
    simulations: Annotated[int, Within(20, 10000)] = 100
    seed: Annotated[int, Within(0)] = 13


@dataclass(frozen=True, kw_only=True)
class SimulatedItems(OptionGroup):
    """How the items are read."""

    item_columns: options.Columns = None
    skip_invalid: options.SkipInvalid = False
    language: options.Language = None


@grouped
def selftest(
    items: Annotated[Path, options.ITEMS],
    *,
    format: options.Format = None,  # noqa: A002 - the option's name
    own: OwnJudge,
    read: SimulatedItems,
    planted: PlantedBias,
    probe: list[str] | None = None,
    metric: options.Metric = None,
    labels: Annotated[
        list[Path] | None,
        label_options.label_files(
            "Human labels of the items. The probes stance and self-preference need them, to compare texts of equal "
            "quality."
        ),
    ] = None,
    reading: label_options.LabelReading,
    page: options.PageFile,
    json_output: options.Json = False,
) -> None:
    """Plant biases of known size into a simulated judge on your items, and test which of them a bias run detects.

    Comparisons, tests and corrections are those of `conqret bias` with the same items and options; only the judge is
    simulated, and no model is called. More topics help more than more items of a topic, because items of one topic are
    alike.

    Args:
        probe: Only this probe (`conqret bias --list`). May be repeated.

    Examples:

    conqret judges power planted items.jsonl --format direct --size 0.1 -o planted.html

    conqret judges power planted items.jsonl --noise-from runs/sampled --vary 1

    conqret judges power planted pairs.jsonl --judge my_judge:better --probe position --probe length
    """
    from conqret.studies.bias.result import primary_contrasts
    from conqret.studies.power.selftest import power_planted, repeated_noise
    from conqret.studies.power.selftest_table import selftest_answer, selftest_screen, selftest_sheet

    with progress("simulating judges") as bar:

        def planned(plan: BiasPlan) -> None:
            if plan.checked is not None:
                note_left_out(plan.checked)
            bar.reach(0, total=planted.simulations * (1 + len(primary_contrasts(plan.contrasts))))

        selftest_result = power_planted(
            items,
            format=format,
            **own.given(),
            columns=options.column_map(read.item_columns, options.ITEM_COLUMNS),
            skip_invalid=read.skip_invalid,
            language=read.language,
            probes=probe or (),
            labels=None if labels is None else reading.load(labels),
            metrics=metric or (),
            size=planted.size,
            noise=planted.noise if planted.noise_from is None else repeated_noise(planted.noise_from),
            vary=planted.vary,
            simulations=planted.simulations,
            seed=planted.seed,
            on_plan=planned,
            on_judge=bar.advance,
        )
    screen, answer = selftest_screen(selftest_result), selftest_answer(selftest_result)
    result(selftest_result, screen, as_json=json_output, answer=answer)
    page.write(lambda found: selftest_sheet(found, planted.seed), selftest_result)
