"""RewardBench 2: is the one right answer preferred to three wrong ones? From a file that the user has."""

from __future__ import annotations

import hashlib
import math
from pathlib import Path

from conqret.data import Item
from conqret.io.checks import a_list, filled, identifier, whole_number
from conqret.io.faults import Unfit
from conqret.io.schema import Field, Schema, TableReader
from conqret.suites.published_files import MOVED, files_present, published_rows, published_text
from conqret.suites.suite import Suite, SuiteData, SuiteFile, SuiteStatistic, SuiteVerdicts
from conqret.suites.suite_statistics import over_groups

FILES = ("test-00000-of-00001.parquet", "test.jsonl")
SUBSETS = ("Factuality", "Focus", "Math", "Precise IF", "Safety")
TIES = "Ties"


def _answers(value: object, where: str, reader: TableReader) -> list[str]:
    answers = a_list(value, "a list of answers", MOVED)
    if not answers:
        raise Unfit("contains no answer", MOVED)
    return [published_text(answer, where, reader) for answer in answers]


ROW = Schema(
    "a prompt",
    {
        "id": Field(("id",), identifier, needed=MOVED),
        "prompt": Field(("prompt",), published_text, needed=MOVED),
        "chosen": Field(("chosen",), _answers, needed=MOVED),
        "rejected": Field(("rejected",), _answers, needed=MOVED),
        "correct": Field(("num_correct",), whole_number, needed=MOVED),
        "subset": Field(("subset",), filled, needed=MOVED),
    },
)


def read(folder: Path) -> SuiteData:
    """A pair for each wrong answer of a prompt. The right one stands first or second by the digest of the pair's id.
    The subset of ties, which is scored otherwise, is left out."""
    items, gold, prompts, subsets, left = [], {}, {}, {}, 0
    for row in published_rows(
        folder, files_present(folder, FILES, "prompts")[0], ROW, unique="id", check=_counted
    ):
        if row["subset"].casefold() == TIES.casefold():
            left += 1
            continue
        for number, rejected in enumerate(row["rejected"], start=1):
            name = f"{row['id']}-{number}"
            first = hashlib.sha256(name.encode()).digest()[0] % 2 == 0
            answers = (row["chosen"][0], rejected) if first else (rejected, row["chosen"][0])
            items.append(Item(id=name, topic=row["prompt"], argument=answers[0], second_argument=answers[1]))
            gold[name], prompts[name], subsets[name] = float(first), row["id"], row["subset"]
    notes = (f"{left} prompts of the subset of ties are left out: they are scored otherwise",) if left else ()
    return SuiteData(tuple(items), {"preference": gold}, prompts, subsets, notes=notes)


def _counted(row: dict[str, object]) -> None:
    chosen, correct = row["chosen"], row["correct"]
    if not isinstance(chosen, list) or len(chosen) != correct:
        raise Unfit(f"is {correct}, but there are {len(chosen)} correct answers", MOVED, "num_correct")  # type: ignore[arg-type]


def best_of_all(verdicts: SuiteVerdicts) -> float:
    """The share of prompts whose right answer is preferred to each of the wrong ones; a tie is wrong."""
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
    statistics=(
        SuiteStatistic(
            "accuracy",
            "share of prompts whose right answer is preferred to each wrong one: mean over the subsets (without ties)",
            over_groups(best_of_all),
            scale="share",
            chance=0.25,
        ),
        *(
            SuiteStatistic(
                f"accuracy_{subset.lower().replace(' ', '_')}",
                f"the same in the subset {subset}",
                best_of_all,
                scale="share",
                chance=0.25,
                group=subset,
            )
            for subset in SUBSETS
        ),
    ),
    about="answers",
)
