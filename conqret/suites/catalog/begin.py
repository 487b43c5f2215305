"""BEGIN, Wizard of Wikipedia: whether all that a dialogue model's answer says is supported by the
knowledge that it was given.
"""

from __future__ import annotations

from pathlib import Path

from conqret.data.digest import text_digest_of
from conqret.io.checks import identifier, text
from conqret.io.schema import Field
from conqret.suites.suite import Suite, SuiteData, SuiteFile, SuiteVerdicts
from conqret.suites.suite_files import (
    MOVED,
    data_of_rows,
    files_present,
    published,
    published_rows,
    published_text,
    word,
)
from conqret.suites.suite_statistics import area, balanced_accuracy, share

METRIC = "faithfulness"
TURNS, TEST, DEV = "turns.jsonl", "begin_test_wow.tsv", "begin_dev_wow.tsv"
LABELS = {"Fully attributable": 1.0, "Not fully attributable": 0.0, "Generic": float("nan")}
TURN = published(
    id=Field(("id",), identifier, ""),
    system=Field(("system", "model", "model name", "model_name"), text, ""),
    knowledge=("knowledge", published_text),
    message=("message", published_text),
    response=("response", published_text),
    label=Field(("label", "begin_label"), word(LABELS), needed=MOVED),
)


def read(folder: Path) -> SuiteData:
    """Read the answers with their knowledge and the message before. Gold is 1 where an answer is fully
    attributable to knowledge and 0 where it is not; generic answers have none. Intervals are over the
    pieces of knowledge.

    Raises:
        DeclarationError: a file is missing or empty.
        ItemsError: rows are faulty; all are listed.
    """
    rows = []
    for name in files_present(folder, (TURNS, TEST, DEV), "turns"):
        for number, turn in enumerate(published_rows(folder, name, TURN), start=1):
            rows.append(
                {
                    "id": turn["id"] or f"{name.removesuffix('.tsv')}-{number}",
                    "topic": turn["message"],
                    "documents": ({"id": "knowledge", "text": turn["knowledge"]},),
                    "argument": turn["response"],
                    METRIC: turn["label"],
                    "cluster": text_digest_of(turn["knowledge"]),
                    "group": turn["system"],
                }
            )
    return data_of_rows(rows, METRIC)


def every_claim_supported(verdicts: SuiteVerdicts) -> float:
    """Return the balanced accuracy (0 to 1) of the verdict 1, "every claim is supported", for the gold
    label 1.
    """
    return balanced_accuracy(verdicts.verdicts >= 1, verdicts.gold)


_FROM = ("google/BEGIN-dataset", "78e2215a158744b14d080e90c8135a2039f52eb8")
SUITE = Suite(
    name="begin",
    title="BEGIN, Wizard of Wikipedia",
    question="Is all that an answer says attributable to the knowledge that it was given?",
    source=(
        "Dziri et al., Evaluating Attribution in Dialogue Systems: The BEGIN Benchmark, TACL 2022, "
        "https://arxiv.org/abs/2105.00071"
    ),
    license="CC BY 4.0",
    files=(
        SuiteFile(
            TURNS, optional=True, note="all turns in one file, a turn a line, in place of the published ones"
        ),
        *(SuiteFile(name, *_FROM, f"wow/{name}", optional=True) for name in (TEST, DEV)),
    ),
    public_since="2022-06",
    task="label",
    read=read,
    metrics=(METRIC,),
    judging={"format": "rag", "metrics": (METRIC,)},
    statistics=(
        share(
            "balanced_accuracy",
            "mean of sensitivity and specificity for fully attributable answers; an answer counts as such if every "
            "claim is supported",
            every_claim_supported,
            chance=0.5,
        ),
        share(
            "auroc",
            "area under the ROC curve of faithfulness for fully attributable answers",
            area,
            chance=0.5,
        ),
    ),
)
