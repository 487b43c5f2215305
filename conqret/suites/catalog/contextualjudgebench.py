"""ContextualJudgeBench: which of two answers to a question about a given context is better? From files that the user
has."""

from __future__ import annotations

from pathlib import Path

from conqret.data import Document, Item
from conqret.io.checks import text
from conqret.io.schema import Field, Schema
from conqret.suites.published_files import MOVED, files_present, published_rows, published_text
from conqret.suites.suite import Suite, SuiteData, SuiteFile, SuiteStatistic
from conqret.suites.suite_statistics import preference_accuracy

SPLITS = (
    "completeness_qa", "completeness_summ", "conciseness_qa", "conciseness_summ", "faithfulness_qa",
    "faithfulness_summ", "refusal_answerable", "refusal_unanswerable",
)  # fmt: skip
_END = "-00000-of-00001.parquet"
PAIR = Schema(
    "a pair",
    {
        "question": Field(("question",), text, ""),
        "context": Field(("context",), published_text, needed=MOVED),
        "better": Field(("positive_response",), published_text, needed=MOVED),
        "worse": Field(("negative_response",), published_text, needed=MOVED),
    },
)
SUMMARIZE = "Summarize the document."
"""The question of a pair that has none."""


def read(folder: Path) -> SuiteData:
    """The pairs of the splits that are there. The better answer stands first in every other pair."""
    items, gold, splits = [], {}, {}
    for name in files_present(folder, tuple(f"{split}{_END}" for split in SPLITS), "pairs"):
        split = name.removesuffix(_END)
        for number, row in enumerate(published_rows(folder, name, PAIR), start=1):
            first = number % 2 == 1
            answers = (row["better"], row["worse"]) if first else (row["worse"], row["better"])
            item = Item(
                id=f"{split}/{number}",
                topic=row["question"].strip() or SUMMARIZE,
                documents=(Document(id="context", text=row["context"]),),
                argument=answers[0],
                second_argument=answers[1],
            )
            items.append(item)
            gold[item.id], splits[item.id] = float(first), split
    return SuiteData(tuple(items), {"preference": gold}, {}, splits)


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
    statistics=(
        SuiteStatistic(
            "accuracy",
            "consistent accuracy: share of pairs whose better answer is preferred in both orders",
            preference_accuracy,
            scale="share",
            chance=0.25,
        ),
        *(
            SuiteStatistic(
                f"accuracy_{split}",
                f"the same in the split {split}",
                preference_accuracy,
                scale="share",
                chance=0.25,
                group=split,
            )
            for split in SPLITS
        ),
    ),
    whole={"items": 2_000},
    about="answers",
)
