"""FaithBench: whether a summary says what its passage does not support, on samples about which detectors
disagree.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from conqret.data.digest import text_digest_of
from conqret.io.checks import identifier, json_object, text
from conqret.io.schema import Field
from conqret.suites.suite import Suite, SuiteData, SuiteFile, SuiteVerdicts
from conqret.suites.suite_files import (
    MOVED,
    data_of_rows,
    files_present,
    published,
    published_rows,
    published_text,
    typed,
)
from conqret.suites.suite_statistics import area, balanced_accuracy, share

METRIC = "unsupported_claims"
TOPIC = "Summarize the passage."
SAMPLES = "samples.jsonl"
BATCHES = tuple(f"batch_{number}.json" for number in range(1, 17) if number != 13)
UNWANTED = "Unwanted"
NOT_DETECTORS = frozenset({"summarizer", "raw_sample_id"})


SAMPLE = published(
    id=Field(("id", "sample_id"), identifier, needed=MOVED),
    source=("source", published_text),
    summary=("summary", published_text),
    annotations=("annotations", typed(list[dict[str, Any]])),
    summarizer=Field(("summarizer", "metadata.summarizer"), text, ""),
    detectors=Field(("detectors", "metadata"), json_object, {}),
)


def read(folder: Path) -> SuiteData:
    """Read the summaries with their passages. Gold is 1 where an annotator marked a span as unwanted, else
    0 (benign, questionable, consistent). Intervals are over passages. The detectors' verdicts are 1
    where they call a summary inconsistent (a consistency below 0.5).

    Raises:
        DeclarationError: a file is missing or empty.
        ItemsError: rows are faulty; all are listed.
    """
    rows, logs = list[dict[str, Any]](), dict[str, dict[str, float]]()
    for sample in _samples(folder):
        labels = [str(label) for entry in sample["annotations"] for label in entry.get("label") or ()]
        rows.append(
            {
                "id": sample["id"],
                "topic": TOPIC,
                "documents": ({"id": "passage", "text": sample["source"]},),
                "argument": sample["summary"],
                METRIC: float(any(label.startswith(UNWANTED) for label in labels)),
                "cluster": text_digest_of(sample["source"]),
                "group": sample["summarizer"],
            }
        )
        for name, value in sample["detectors"].items():
            if name not in NOT_DETECTORS and isinstance(value, int | float):
                logs.setdefault(name, {})[sample["id"]] = float(value < 0.5)
    return data_of_rows(rows, METRIC, logs={name: {METRIC: verdicts} for name, verdicts in logs.items()})


def _samples(folder: Path) -> Iterator[dict[str, Any]]:
    """The samples of one file, or of the published batches, whose ids then name their batch."""
    for name in files_present(folder, (SAMPLES, *BATCHES), "samples"):
        for sample in published_rows(folder, name, SAMPLE, unique="id"):
            batch = "" if name == SAMPLES else f"b{name.removesuffix('.json').rpartition('_')[2]}-"
            yield {**sample, "id": f"{batch}{sample['id']}"}


def any_claim_unsupported(verdicts: SuiteVerdicts) -> float:
    """Return the balanced accuracy (0 to 1) of a verdict above 0, "any claim is unsupported", for the gold
    label 1.
    """
    return balanced_accuracy(verdicts.verdicts > 0, verdicts.gold)


_FROM = ("vectara/FaithBench", "abb6503bb2356da196260fbc4cb7837fb1742bb5")
SUITE = Suite(
    name="faithbench",
    title="FaithBench, unwanted content of summaries",
    question="Does a summary contain what its passage does not bear out, and a reader would not want?",
    source=(
        "Bao et al., FaithBench: A Diverse Hallucination Benchmark for Summarization by Modern LLMs, NAACL 2025, "
        "https://aclanthology.org/2025.naacl-short.38/"
    ),
    license="CC BY-NC-SA 4.0: not for commercial use",
    files=(
        SuiteFile(
            SAMPLES, optional=True, note="all samples in one file, a sample a line, in place of the batches"
        ),
        *(SuiteFile(name, *_FROM, f"data_for_release/{name}", optional=True) for name in BATCHES),
    ),
    public_since="2024-10",
    task="label",
    read=read,
    metrics=(METRIC,),
    judging={"format": "rag", "metrics": (METRIC,)},
    statistics=(
        share(
            "balanced_accuracy",
            "mean of sensitivity and specificity for unwanted summaries; a summary is flagged if any claim is "
            "unsupported",
            any_claim_unsupported,
            chance=0.5,
        ),
        share(
            "auroc", "area under the ROC curve of unsupported_claims for unwanted summaries", area, chance=0.5
        ),
    ),
)
