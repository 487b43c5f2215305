"""``conqret debate sample`` and ``agreement``: statements for people to inspect, and their agreement with the judge."""

from __future__ import annotations

from pathlib import Path

from conqret.console import shared_options as options
from conqret.console.option_groups import grouped
from conqret.console.printing import at, result


@grouped
def sample(
    run: Path,
    *,
    output: Path = Path("sheet.csv"),
    good: int = 100,
    good_from: int = 100,
    seed: int = 13,
    overwrite: options.Replace = False,
    shown: options.OutputOptions,
) -> None:
    """Draw the statements that annotators should inspect: all that were judged bad, and some of the good ones.

    Annotators write good (strictly on its side), bad (it contains something of the other side) or tie (hard to
    judge) into the column `controllability`. The judge's verdicts are not in the form, but in the plan next
    to it, which `conqret debate agreement` reads.

    Args:
        run: A finished run of `conqret debate score`.
        output (--output, -o): The annotation form to write (CSV). Next to it, NAME.plan.json has the judge's verdicts,
            which annotators must not see.
        good: How many of the statements judged good to draw, of each system.
        good_from: The percentage of a statement that must support the assigned side (as the judge says) for the
            statement to count as good.
        seed: The random seed of the sample and of its order.

    Examples:

    conqret debate sample runs/controllability -o sheet.csv

    conqret debate sample runs/controllability --good 50 --seed 7 -o sheet.csv
    """
    from conqret.debate.debatune.manual_inspection import plan_of, sample_statements
    from conqret.debate.debatune.page import inspection_table
    from conqret.io.overwriting import write_new

    inspection, sheet = sample_statements(run, good=good, good_from=good_from, seed=seed)
    texts = {output: sheet.csv()[""], plan_of(output): inspection.model_dump_json(indent=1) + "\n"}
    paths = write_new(texts, overwrite=overwrite)
    result(
        inspection,
        [inspection_table(inspection), *map(at, paths, ("sheet", "plan"))],
        as_json=shown.json_output,
    )


@grouped
def agree(
    sheet: Path,
    *,
    plan: Path | None = None,
    words: str = "good=1,tie=0.5,bad=0",
    shown: options.OutputOptions,
) -> None:
    """How far do annotators agree with the judge, corrected for how the statements were drawn?

    Each label is weighted by the number of statements that it stands for, so that the figures are for the whole run.
    Ties are left out of the agreement, and counted. Intervals are over topics.

    Args:
        sheet: The completed form of `conqret debate sample`.
        plan: The .plan.json file that `conqret debate sample` wrote next to the form. Default: the form's name with
            .plan.json.
        words (--map): The number that each word in the form stands for (1 good, 0.5 tie, 0 bad), such as
            `ok=1,unclear=0.5,wrong=0`.

    Examples:

    conqret debate agreement sheet.csv

    conqret debate agreement sheet-of-anna.csv --plan sheet.csv.plan.json --map gut=1,unklar=0.5,schlecht=0
    """
    from conqret._optional import require
    from conqret.debate.debatune.manual_inspection import statement_agreement
    from conqret.debate.debatune.page import agreement_table

    require("numpy", extra="stats")
    agreements = statement_agreement(sheet, plan=plan, words=words)
    shown.note(*agreements.notes)
    data = {"model": agreements.inspection.model, "good_from": agreements.inspection.good_from,
            "systems": [system.model_dump(mode="json") for system in agreements.systems]}  # fmt: skip
    result(data, [agreement_table(agreements.systems, agreements.inspection)], as_json=shown.json_output)
