"""conqret and Hugging Face ``datasets``: a dataset is judged as any list of items; a judged run is one, with a card."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from conqret._optional import require
from conqret.data import Judgment
from conqret.errors import DeclarationError
from conqret.io import item_record
from conqret.io.safe_files import write_whole
from conqret.judging.judge_folder import JudgeFolder
from conqret.judging.judgments import Judgments
from conqret.judging.summary import Summary
from conqret.judging.summary_tables import metric_table
from conqret.show.markup import safe, tables_markdown
from conqret.show.words import reason

datasets: Any = require("datasets", extra="huggingface")

DATA, CARD = "judgments.parquet", "README.md"


Run = str | Path | Judgments
"""The folder of a judge's run, or what :func:`conqret.judge` returned."""


@contextlib.contextmanager
def run_folder(run: Run) -> Iterator[JudgeFolder]:
    """The folder of a finished run; one that is in memory is written into one that goes again.

    Raises:
        DeclarationError: there is no finished run.
    """
    if not isinstance(run, Judgments):
        folder = JudgeFolder(Path(run))
        folder.summary()
        yield folder
    elif run.folder is not None:
        yield run.folder
    else:
        with TemporaryDirectory(prefix="conqret-run-") as scratch:
            yield run.save(Path(scratch) / "run")


def dataset_of(run: Run) -> Any:
    """A ``datasets.Dataset`` of a finished run: a row for each measure, with the whole item in it.

    ``value`` is null where there is none, and ``status`` and ``reason`` say why; ``parts`` are what is behind it.

    Raises:
        DeclarationError: there is no finished run.
    """
    with run_folder(run) as folder:
        return _dataset(folder)


def save_dataset(run: Run, folder: str | Path) -> Path:
    """Write that dataset with its card into ``folder``, which ``datasets.load_dataset`` opens and the hub shows as it
    is.

    Raises:
        DeclarationError: there is no finished run, or the folder holds something else.
    """
    target = Path(folder)
    if target.exists() and any(path.name not in (DATA, CARD) for path in target.iterdir()):
        raise DeclarationError(
            f"{target} contains other files: name a new folder, or one with such a dataset"
        )
    with run_folder(run) as run_directory:
        made = _dataset(run_directory)
        target.mkdir(parents=True, exist_ok=True)
        made.to_parquet(str(target / DATA))
        write_whole(target / CARD, dataset_card(run_directory).encode())
    return target


def dataset_card(folder: JudgeFolder) -> str:
    """The card of the dataset of a run: what judged what, means with intervals, bounds and what is missing."""
    record, summary = folder.record(), folder.summary()
    baseline = " (a lexical baseline, and no model)" if record.baseline else ""
    lost = [f"- `{name}`: {why}" for name, why in without_number(summary).items()]
    missing = ["What has no number, and why:", "\n".join(lost)] if lost else []
    paragraphs = [
        f"---\ntags: [llm-as-a-judge, conqret]\nconfigs:\n- config_name: default\n  data_files: {DATA}\n---",
        f"# Judgments of {safe(record.items_name)} by {record.format}",
        f"{summary.total} items, judged by {record.format} with {safe(record.model)}{baseline}; fingerprint "
        f"`{record.fingerprint}`. A row is one measure of one item: `value` lies in [0, 1], and where it is null, "
        "`status` and `reason` say why. It is missing then, and no 0.",
        tables_markdown([metric_table(summary)]),
        *missing,
        "The texts are their authors'. Their license is unknown: add it before you publish this.\n",
    ]
    return "\n\n".join(paragraphs)


def _dataset(folder: JudgeFolder) -> Any:
    items: dict[str, dict[str, Any]] = {item.id: item_record(item) for item in folder.items()}
    record = folder.record()
    instrument = {"format": record.format, "model": record.model, "fingerprint": record.fingerprint}

    def row(measure: dict[str, Any]) -> dict[str, Any]:
        name = measure.pop("item")
        item = items[name]
        documents = [{part: each[part] for part in ("id", "text")} for each in item.get("documents", ())]
        texts = {field: item.get(field) for field in ("argument", "second_argument", "reference")}
        more = json.dumps(item.get("metadata", {}))
        return {"id": name, "documents": documents, **texts, **measure, **instrument, "metadata": more}

    dataset_rows = [row(fields) for judgment in folder.judgments() for fields in rows(judgment)]
    return datasets.Dataset.from_list(dataset_rows)


def without_number(summary: Summary) -> dict[str, str]:
    """Why numbers are missing, in words: the reasons of a metric's missing values, and why there is no interval."""
    reasons = {}
    for name, metric in summary.metrics.items():
        if metric.reasons:
            counted = (f"{reason(why)} ({count})" for why, count in metric.reasons.items())
            reasons[f"{name}.missing"] = "; ".join(counted)
        if metric.no_interval:
            reasons[f"{name}.interval"] = metric.no_interval
    if summary.usage.unpriced:
        reasons["cost_usd"] = f"the price of {summary.usage.unpriced} answers is not known"
    return reasons


COLUMNS = ("item", "topic", "stance", "metric", "value", "status", "reason", "explanation", "parts")


def rows(judgment: Judgment) -> Iterator[dict[str, Any]]:
    """A row for each measure, with :data:`COLUMNS`; one without a value has None, and its reason in words."""
    for metric, measure in judgment.measures.items():
        why = "" if measure.reason is None else reason(measure.reason)
        missing_reason = f"{why} ({measure.detail})" if measure.detail else why
        parts = [part.model_dump(mode="json") for part in measure.parts]
        values = (metric, measure.value, measure.status.value, missing_reason, measure.explanation, parts)
        yield dict(zip(COLUMNS, (judgment.item, judgment.topic, judgment.stance, *values), strict=True))
