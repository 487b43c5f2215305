"""ContextualJudgeBench: which of two answers to a question about a given context is better, from files
that the user has.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from conqret.data import Document
from conqret.io.checks import text
from conqret.io.schema import Field
from conqret.suites.suite import Suite, SuiteData, SuiteFile
from conqret.suites.suite_files import data_of_rows, files_present, published, published_rows, published_text
from conqret.suites.suite_statistics import in_groups, preference_accuracy, share

SPLITS = (
    *(
        f"{what}_{task}"
        for what in ("completeness", "conciseness", "faithfulness")
        for task in ("qa", "summ")
    ),
    "refusal_answerable",
    "refusal_unanswerable",
)
_END = "-00000-of-00001.parquet"
PAIR = published(
    question=Field(("question",), text, ""),
    context=("context", published_text),
    better=("positive_response", published_text),
    worse=("negative_response", published_text),
)
SUMMARIZE = "Summarize the document."
"""The topic of a pair without a question."""


def read(folder: Path) -> SuiteData:
    """Read the pairs of all splits in the folder.

    Raises:
        DeclarationError: a file is missing or empty.
        ItemsError: rows are faulty; all are listed.
    """
    return data_of_rows(_rows(folder), "preference")


def _rows(folder: Path) -> Iterator[dict[str, Any]]:
    """Yield the pairs of all splits in the folder as rows of items. The better answer stands first in every other pair;
    the id is SPLIT/NUMBER from 1."""
    for name in files_present(folder, tuple(f"{split}{_END}" for split in SPLITS), "pairs"):
        split = name.removesuffix(_END)
        for number, row in enumerate(published_rows(folder, name, PAIR), start=1):
            first = number % 2 == 1
            yield {
                "id": f"{split}/{number}",
                "topic": row["question"].strip() or SUMMARIZE,
                "documents": (Document(id="context", text=row["context"]),),
                "argument": row["better" if first else "worse"],
                "second_argument": row["worse" if first else "better"],
                "preference": float(first),
                "group": split,
            }


SUITE = Suite(
    name="contextualjudgebench",
    title="ContextualJudgeBench",
    question="Which of two answers about a given context is better?",
    source=(
        "Xu et al., Does Context Matter? ContextualJudgeBench for Evaluating LLM-based Judges in Contextual Settings, "
        "ACL 2025, https://arxiv.org/abs/2503.15620"
    ),
    license="CC-BY-4.0 (the data set's card on Hugging Face): use and pass on with attribution",
    files=tuple(
        SuiteFile(
            f"{split}{_END}",
            optional=True,
            note="the data set Salesforce/ContextualJudgeBench on Hugging Face, folder data",
        )
        for split in SPLITS
    ),
    public_since="2025-03",
    task="preference",
    read=read,
    metrics=("preference",),
    judging={"format": "direct"},
    statistics=in_groups(
        share(
            "accuracy",
            "consistent accuracy: share of pairs whose better answer is preferred in both orders",
            preference_accuracy,
            chance=0.25,
        ),
        "the same in the split {}",
        SPLITS,
    ),
    whole={"items": 2_000},
    about="answers",
)
