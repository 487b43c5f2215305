"""Datasets of Hugging Face: a dataset is judged as any list of items, and a judged run is converted to
one, with a card.
"""

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
    """Context manager that yields the folder of a finished run.

    A run that is only in memory is written to a temporary folder, which is deleted on exit.

    Raises:
        DeclarationError: the run is missing or not finished.
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
    """Convert a finished run into a Hugging Face ``datasets.Dataset`` with one row per measure.

    Each row also holds the whole item. ``value`` is null where there is no score; ``status`` and
    ``reason`` then say why. ``parts`` holds the parts that the value is computed from.

    Raises:
        DeclarationError: the run is missing or not finished.
    """
    with run_folder(run) as folder:
        return _dataset(folder)


def save_dataset(run: Run, folder: str | Path) -> Path:
    """Write the dataset of a finished run and its dataset card into ``folder``, and return the folder's path.

    ``datasets.load_dataset`` can open the folder, and the Hugging Face hub can display it.

    Raises:
        DeclarationError: the run is missing or not finished, or the folder contains other files.
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
    """Return the Markdown dataset card of a run: the judge, means with intervals, bounds, and missing
    values.

    Raises:
        DeclarationError: the run is missing or not finished.
    """
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
    """Return a mapping from the name of each missing number (such as ``groundedness.missing``) to the
    reason why it is missing, in words.

    It covers missing values of metrics, missing intervals, and an unknown cost.
    """
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
    """Yield one row per measure of a judgment, with the columns :data:`COLUMNS`.

    A measure without a value has None as its value, and the reason in words.
    """
    for metric, measure in judgment.measures.items():
        why = "" if measure.reason is None else reason(measure.reason)
        missing_reason = f"{why} ({measure.detail})" if measure.detail else why
        parts = [part.model_dump(mode="json") for part in measure.parts]
        values = (metric, measure.value, measure.status.value, missing_reason, measure.explanation, parts)
        yield dict(zip(COLUMNS, (judgment.item, judgment.topic, judgment.stance, *values), strict=True))
