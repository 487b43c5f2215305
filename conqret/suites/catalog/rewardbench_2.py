"""RewardBench 2: whether the right answer is preferred to three wrong ones, from a file that the user has."""

from __future__ import annotations

import hashlib
import math
from pathlib import Path
from typing import Any

from conqret.io.checks import a_list, filled, identifier, whole_number
from conqret.io.rows import InvalidCell
from conqret.io.schema import TableReader
from conqret.suites.suite import Suite, SuiteData, SuiteFile, SuiteVerdicts
from conqret.suites.suite_files import (
    MOVED,
    data_of_rows,
    files_present,
    published,
    published_rows,
    published_text,
)
from conqret.suites.suite_statistics import in_groups, over_groups, share

FILES = ("test-00000-of-00001.parquet", "test.jsonl")
SUBSETS = ("Factuality", "Focus", "Math", "Precise IF", "Safety")
TIES = "Ties"


def _answers(value: object, where: str, reader: TableReader) -> list[str]:
    answers = a_list(value, "a list of answers", MOVED)
    if not answers:
        raise InvalidCell("contains no answer", MOVED)
    return [published_text(answer, where, reader) for answer in answers]


ROW = published(
    id=("id", identifier),
    prompt=("prompt", published_text),
    chosen=("chosen", _answers),
    rejected=("rejected", _answers),
    correct=("num_correct", whole_number),
    subset=("subset", filled),
)


def read(folder: Path) -> SuiteData:
    """Read one pair for each wrong answer of a prompt; the subset of ties, which is scored differently, is
    left out.

    Raises:
        DeclarationError: a file is missing or empty.
        ItemsError: rows are faulty; all are listed.
    """
    name = files_present(folder, FILES, "prompts")[0]
    every = list(published_rows(folder, name, ROW, unique="id", check=_counted))
    rows = [row for row in every if row["subset"].casefold() != TIES.casefold()]
    left = len(every) - len(rows)
    notes = (f"{left} prompts of the subset of ties are left out: they are scored otherwise",) if left else ()
    pairs = (_pair(row, number) for row in rows for number in range(len(row["rejected"])))
    return data_of_rows(pairs, "preference", notes=notes)


def _pair(row: dict[str, Any], number: int) -> dict[str, Any]:
    """Return the item of the right answer and wrong answer ``number`` (from 0) of a row. A digest of the pair's id
    decides which of them stands first."""
    name = f"{row['id']}-{number + 1}"
    first = hashlib.sha256(name.encode()).digest()[0] % 2 == 0
    right, wrong = row["chosen"][0], row["rejected"][number]
    return {
        "id": name,
        "topic": row["prompt"],
        "argument": right if first else wrong,
        "second_argument": wrong if first else right,
        "preference": float(first),
        "cluster": row["id"],
        "group": row["subset"],
    }


def _counted(row: dict[str, Any]) -> None:
    chosen, correct = row["chosen"], row["correct"]
    if len(chosen) != correct:
        raise InvalidCell(f"is {correct}, but there are {len(chosen)} correct answers", MOVED, "num_correct")


def best_of_all(verdicts: SuiteVerdicts) -> float:
    """Return the share of prompts whose right answer is preferred to every wrong one; a tie counts as
    wrong, and NaN without prompts.
    """
    right: dict[str, bool] = {}
    for cluster, gold, verdict in zip(verdicts.clusters, verdicts.gold, verdicts.verdicts, strict=True):
        right[cluster] = right.get(cluster, True) and bool((verdict - 0.5) * (gold - 0.5) > 0)
    return sum(right.values()) / len(right) if right else math.nan


SUITE = Suite(
    name="rewardbench-2",
    title="RewardBench 2",
    question="Is the right answer preferred to three wrong ones?",
    source=(
        "Malik et al., RewardBench 2: Advancing Reward Model Evaluation, 2025, https://arxiv.org/abs/2506.01937"
    ),
    license="as the data set's card on Hugging Face says (allenai/reward-bench-2)",
    files=tuple(
        SuiteFile(
            name,
            optional=True,
            note="the data set allenai/reward-bench-2 on Hugging Face"
            + (", as it is" if name == FILES[0] else ", its rows as JSON Lines"),
        )
        for name in FILES
    ),
    public_since="2025-06",
    task="preference",
    read=read,
    metrics=("preference",),
    judging={"format": "direct"},
    statistics=in_groups(
        share(
            "accuracy",
            "share of prompts whose right answer is preferred to each wrong one: mean over the subsets (without ties)",
            over_groups(best_of_all),
            chance=0.25,
        ),
        "the same in the subset {}",
        SUBSETS,
    ),
    about="answers",
)
