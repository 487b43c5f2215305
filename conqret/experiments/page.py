"""The page of an experiment: systems side by side, from retrieval to judges, with ways into every run; and the page of
any run by its kind, which ``conqret runs report`` writes and ``conqret serve view`` shows.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from conqret.data import Item
from conqret.errors import DeclarationError, strict_options
from conqret.experiments.experiment_tables import (
    arguments_table,
    curve_charts,
    difference_forests,
    difference_sentences,
    difference_tables,
    experiment_tables,
    perturbation_table,
    ranking_forests,
    retrieval_tables,
    score_tables,
)
from conqret.experiments.job import ExperimentFolder
from conqret.generation.generation_run import GenerationFolder
from conqret.io.limits import whole_bytes
from conqret.judging.judge_folder import JudgeFolder, JudgeRecord
from conqret.judging.page import counted, report_page
from conqret.judging.recorded_requests import write_report_with_requests
from conqret.judging.summary import Summary
from conqret.judging.tally import MAX_ITEMS
from conqret.runs.run_folder import REPORT
from conqret.show import words
from conqret.show.markup import tables_markdown
from conqret.show.page import Ways, write_file, write_files
from conqret.show.report_page import PageLinks, ReportPage, Section, section
from conqret.show.visible_text import Piece, cited, cut
from conqret.studies.bias.bias_run import BiasFolder
from conqret.studies.bias.result import bias_page
from conqret.studies.calibrate.result import Calibration, calibrate_run
from conqret.studies.sensitivity.page import sensitivity_page
from conqret.studies.sensitivity.result import SensitivityFolder

MAX_TEXTS = 100
"""Topics and sides whose arguments are shown; all are in the folders of the systems."""
MAX_CHARACTERS = 8_000
"""Characters of an argument that the page shows."""
BASELINE = (
    "This is a lexical baseline and no LLM, as judge or author: its responses come from word statistics, and its "
    "arguments are sentences of the documents, perhaps of the other side."
)


@dataclass(frozen=True, slots=True)
class ArgumentText:
    """A system's argument as the report page shows it, with remarks from the citation check."""

    system: str
    pieces: list[Piece]
    omitted: int
    documents: list[str]
    remarks: list[str]


def write_experiment(out: ExperimentFolder) -> list[Path]:
    """Write ``report.html`` and ``tables.md`` of a finished experiment, and return their paths."""
    tables = experiment_tables(out.summary())
    files = {out.report_file.name: experiment_page(out), "tables.md": tables_markdown(tables)}
    return write_files(out.path, files)


def experiment_page(out: ExperimentFolder, around: Ways = ()) -> Iterator[str]:
    """Yield the HTML report of an experiment piece by piece: tables first, then arguments.

    Args:
        out: the experiment's folder.
        around: links to other files next to the page.
    """
    summary = out.summary()
    record = json.loads(whole_bytes(out.record_file))
    sheet = experiment_report(out, record, summary)
    written = list(texts(out, record["systems"]))
    omitted = max(0, len(written) - MAX_TEXTS)
    return sheet.html(
        "experiment.html.j2",
        texts=written[:MAX_TEXTS],
        omitted=omitted,
        longest=MAX_CHARACTERS,
        around=around,
    )


def experiment_report(
    out: ExperimentFolder, record: Mapping[str, Any], summary: Mapping[str, Any]
) -> ReportPage:
    """Build the report page of an experiment: its tables and figures, with links to every run inside ``out``."""
    experiment, models = record["experiment"], _models(record["experiment"])
    first = next(iter(summary["arguments"]), "")
    came_out = difference_sentences(summary["differences"], first)
    differences, perturbed = summary["differences"], any(summary["sensitivity"].values())
    sections = [
        Section(
            "Differences", [*difference_forests(differences, first), *difference_tables(differences, first)]
        ),
        Section("Retrieval", list(retrieval_tables(summary["retrieval"]))),
        section(arguments_table(summary["arguments"])),
        Section("Scores", list(score_tables(summary["scores"]))),
        Section("Perturbations", [perturbation_table(summary["sensitivity"])] if perturbed else []),
        Section("Runs", [PageLinks(_links(out, summary))]),
    ]
    return ReportPage(
        "experiment",
        f"Experiment {summary['name']}",
        sections,
        answer=[came_out] if came_out else [],
        picture=[*ranking_forests(summary["retrieval"]), *curve_charts(summary["sensitivity"])],
        lede=[
            f"The experiment compares {words.number(len(record['systems']), 'system')} on "
            f"{words.number(summary['topics'], 'topic')} ({' and '.join(experiment['stances'])}), judged by "
            f"{words.number(len(experiment['judges']), 'judge')}. The name of a system consists of its retriever, its "
            "reranker (if it has one) and its generator."
        ],
        badges=[("Offline baseline", BASELINE)] if "offline" in models else [],
        facts=[
            ("Models", ", ".join(models)),
            ("Experiment", record["fingerprint"]),
            ("Seed", str(experiment["seed"])),
            ("conqret", record["conqret"]),
        ],
    )


def _models(experiment: Mapping[str, Any]) -> list[str]:
    """Every model that the experiment uses, each once."""
    tables = [*experiment["rerankers"].values(), *experiment["generators"].values(), *experiment["judges"]]
    return list(dict.fromkeys(table["model"] for table in tables))


def _links(out: ExperimentFolder, summary: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return the pages of the runs inside the folder that exist, as pairs of title and relative address."""
    pages = [
        (f"{system}, judged by {judge}", f"judgments/{system}/{judge}/report.html")
        for system, judges in summary["scores"].items()
        for judge in judges
    ]
    pages += [(f"{name}, perturbed", f"sensitivity/{name}/report.html") for name in summary["sensitivity"]]
    return [(title, address) for title, address in pages if (out.path / address).is_file()]


def texts(out: ExperimentFolder, systems: Sequence[str]) -> Iterator[tuple[str, str, list[ArgumentText]]]:
    """Yield for each topic and side its question, stance, and the argument of each system."""
    texts_by_id: dict[str, tuple[str, str, list[ArgumentText]]] = {}
    for system in systems:
        folder = GenerationFolder(out.path / "arguments" / system)
        for item in folder.items() if folder.items_file.is_file() else ():
            texts_by_id.setdefault(item.id, (item.topic, item.stance, []))[2].append(_text(system, item))
    yield from texts_by_id.values()


def _text(system: str, item: Item) -> ArgumentText:
    argument = item.argument or ""
    check = item.metadata["generation"]["citations"]
    return ArgumentText(
        system,
        cited(argument[:MAX_CHARACTERS], len(item.documents)),
        max(0, len(argument) - MAX_CHARACTERS),
        [document.title or document.id for document in item.documents],
        list(_remarks(check)),
    )


def _remarks(check: Mapping[str, Any]) -> Iterator[str]:
    """Yield sentences on how many sentences cite, and on each citation out of range and each misquotation."""
    sound = not check["out_of_range"] and not check["misquoted"]
    citations_note = " Every cited document exists, and every quotation is in its document." * sound
    yield (
        f"{check['cited_sentences']} of {words.number(check['sentences'], 'sentence')} cite a document.{citations_note}"
    )
    for citation in check["out_of_range"]:
        yield f"Sentence {citation['sentence']} cites [{citation['number']}], which is no document of this argument."
    for quotation in check["misquoted"]:
        cites = "".join(f"[{number}]" for number in quotation["cites"])
        holds = "".join(f"[{number}]" for number in quotation["found_in"])
        where = f"it is in {holds}" if holds else "it is in no document"
        quote = f"“{cut(quotation['quote'], 300)}” from {cites}"
        yield f"Sentence {quotation['sentence']} quotes {quote}, but the text is not there: {where}."


def run_page(run: Path, *, with_requests: bool = False, around: Ways = ()) -> Iterator[str] | None:
    """Yield the HTML report of the run in a folder, piece by piece; None if runs of this kind have no such
    page.

    Args:
        run: the folder of the run.
        with_requests: whether items of a judge's run are linked to pages of their requests.
        around: links to other files next to the page.

    Raises:
        DeclarationError: the run is not finished (a judge's run may be unfinished), or its files are
            corrupt.
    """
    if (judged := JudgeFolder(run)).is_there():
        return report_page(judged, counted(judged), with_requests=with_requests, around=around)
    return study_page(run, around)


def study_page(run: Path, around: Ways = ()) -> Iterator[str] | None:
    """Yield the HTML report of a finished experiment, sensitivity run or bias run; None for other folders."""
    if (experiment := ExperimentFolder(run)).is_there():
        return experiment_page(experiment, around)
    if (sensitivity := SensitivityFolder(run)).is_there():
        return sensitivity_page(sensitivity.results()).html(around=around)
    if (bias := BiasFolder(run)).is_there():
        return bias_page(bias.table()).html(around=around)
    return None


@dataclass(frozen=True, slots=True)
class RunReport:
    """The report files that were written.

    A judge's run also has ``summary`` and ``record``. An experiment has ``experiment``, its summary.
    """

    files: tuple[Path, ...]
    summary: Summary | None = None
    record: JudgeRecord | None = None
    experiment: Mapping[str, Any] | None = None


@strict_options
def report_run(
    run: str | Path,
    to: str | Path | None = None,
    *,
    recordings: str | Path | None = None,
    prompts: str | Path | None = None,
    calibration: str | Path | None = None,
    max_items: int = MAX_ITEMS,
) -> RunReport:
    """Write the HTML report of a judge's run, a study or an experiment.

    The prompts and raw responses of the items shown are written next to a judge's report, and linked.

    Args:
        run: the folder of a run, finished or not.
        to: the page to write, by default ``report.html`` in the run's folder.
        recordings: a store, export or run with the raw responses, if they are not in the run's folder.
        prompts: the folder of custom prompts that the run used, if any.
        calibration: a file of ``conqret judges calibrate`` for this judge. Calibrated scores are shown
            and written into ``scores.parquet``.
        max_items: how many items are shown in full.

    Returns:
        The files written and the run's summary.

    Raises:
        DeclarationError: there is no run, or an option applies only to a judge's run.
    """
    folder = Path(run)
    alone = to or recordings or prompts or calibration
    if (experiment := ExperimentFolder(folder)).is_there():
        _check_alone(folder, "an experiment", alone)
        return RunReport(tuple(write_experiment(experiment)), experiment=experiment.summary())
    if (study := study_page(folder)) is not None:
        _check_alone(folder, "a study of a judge", alone)
        return RunReport((write_file(folder / REPORT, study),))
    judged = JudgeFolder(folder)
    summary = judged.so_far()
    if calibration is not None:
        summary = calibrate_run(judged, Calibration.read(Path(calibration)))
    written = write_report_with_requests(
        judged,
        None if to is None else Path(to),
        max_items=max_items,
        recordings=None if recordings is None else Path(recordings),
        prompts=None if prompts is None else Path(prompts),
    )
    return RunReport((written,), summary, judged.record())


def _check_alone(run: Path, what: str, given: object) -> None:
    """Refuse the options of a judge's run for what is none."""
    if given is not None:
        raise DeclarationError(
            f"{run} contains {what}, whose page is already in its folder: leave out --to, --recordings, "
            "--prompts and --calibration, or give the folder of a run of conqret judge"
        )
