"""``conqret judges systems``: judges as rankers of systems."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from conqret.console import label_options
from conqret.console import shared_options as options
from conqret.console.option_groups import OptionGroup
from conqret.console.printing import note

Shape = Literal["ir_measures", "tot", "rag4reports", "trec_eval", "ranking", "jsonl"]


@dataclass(frozen=True, kw_only=True)
class SystemMeasures(OptionGroup):
    """Which measures are compared, and how.

    What is compared:
        measure: Use only this measure of the judges' leaderboards. May be repeated.
        truth_measure: Use only this measure of the human leaderboard (`--truth`). May be repeated.
        correlation: `kendall`, `pearson`, `spearman`, `tauap_b` or `tau_gap`; with `@10`, over the reference's first
            ten systems only. May be repeated; the first is tested. Default: all, and `kendall@10`.
    """

    measure: list[str] | None = None
    truth_measure: list[str] | None = None
    correlation: list[str] | None = None


def meta(
    judges: list[Path],
    *,
    truth: Path,
    format: Shape = "ir_measures",  # noqa: A002 - the option's name
    truth_format: Shape = "ir_measures",
    reports: list[Path] | None = None,
    measured: SystemMeasures,
    on_missing: Literal["error", "skip", "default"] = "error",
    only_shared: bool = False,
    page: options.PageFile,
    confidence: label_options.Confidence = 0.95,
    json_output: options.Printed = None,
) -> None:
    """Evaluate judges at the system level: rank correlations of judge and human system rankings, with intervals over
    topics.

    Coefficients, ties and missing runs are those of `auto-judge-evaluate meta-evaluate`.

    Args:
        judges: The judges' leaderboards, with a score for each system: files, folders of files, or folders of `conqret
            judge` runs over TREC RAG reports.
    Files:
        truth: The reference: a human leaderboard.
        format: The file format of the judges' leaderboards, named as in TREC's auto-judge-evaluate.
        truth_format: The file format of the human leaderboard (`--truth`), named as in TREC's auto-judge-evaluate.
        reports: The reports that were judged: their length is shown as one more judge. May be repeated.
    What is compared:
        on_missing: What to do with missing values, and with systems that only one leaderboard has: `error` refuses
            them, `skip` leaves them out, `default` counts them as 0.
        only_shared: Use only the topics and systems that both the judges and the human leaderboard have; scores over
            all topics are then means over these topics.

    Examples:

    conqret judges systems out/*.eval.txt --truth truth.eval.txt --correlation kendall --correlation tauap_b

    conqret judges systems runs/trec --truth truth.jsonl --truth-format jsonl --reports reports.jsonl -o systems.html
    """
    from conqret.judging.judge_folder import JudgeFolder
    from conqret.studies.systems import meta_evaluation, result

    settings = result.MetaSettings(
        methods=tuple(dict.fromkeys(measured.correlation or result.METHODS)),
        truth_measures=tuple(measured.truth_measure or ()),
        measures=tuple(measured.measure or ()),
        on_missing=on_missing,
        shared=only_shared,
        confidence=confidence,
    )
    results = meta_evaluation.systems(
        judges, truth, format=format, truth_format=truth_format, reports=reports or (), settings=settings
    )
    note(*results.notes)
    folders = [JudgeFolder(path) for path in judges]
    baselines = [folder.record_file.is_file() and folder.record().baseline for folder in folders]
    sheet = result.ranking_page(results, baselines=baselines)
    page.show(results, sheet, result.ranking_tables(results), as_json=json_output)
