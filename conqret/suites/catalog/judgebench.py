"""JudgeBench: which of two answers of GPT-4o to a question of knowledge, reasoning, mathematics or code is
correct.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from conqret.io.checks import a_list, filled, identifier
from conqret.io.rows import InvalidCell, quoted
from conqret.io.schema import TableReader
from conqret.suites.suite import Suite, SuiteData, SuiteFile, printed
from conqret.suites.suite_files import (
    MOVED,
    data_of_rows,
    is_there,
    published,
    published_rows,
    published_text,
    word,
)
from conqret.suites.suite_statistics import in_groups, preference_accuracy, share

PAIRS = "gpt-4o.jsonl"
O1_MINI, SKYWORK = "o1-mini-2024-09-12, Arena-Hard prompt", "Skywork-Reward-Gemma-2-27B"
LOGS = {
    O1_MINI: "judgments_o1-mini-2024-09-12.jsonl",
    SKYWORK: "judgments_Skywork_Skywork-Reward-Gemma-2-27B.jsonl",
}
DECISIONS = {"A>B": 1.0, "B>A": 0.0, "A=B": 0.5}
CATEGORIES = ("knowledge", "reasoning", "math", "coding")
_BY_SOURCE = {"livebench-reasoning": "reasoning", "livebench-math": "math", "livecodebench": "coding"}


def _category(value: object, where: str, reader: TableReader) -> str:
    """The category of a source, as the paper has them: knowledge is MMLU-Pro."""
    source = filled(value, where, reader)
    category = "knowledge" if source.startswith("mmlu-pro-") else _BY_SOURCE.get(source)
    if category is None:
        raise InvalidCell(f"is {quoted(source)}, which is not in a category of the benchmark", MOVED)
    return category


def _decisions(value: object, where: str, reader: TableReader) -> float | None:
    """Return the preference of one judgment, or the mean over both orders of the answers, the second of which is turned
    round first. A judgment without a decision counts as a tie; None if no judgment has one.

    Raises:
        InvalidCell: the value is no list of one or two judgments, or a decision is unknown.
    """
    judgments = a_list(
        value, "a list of judgments", MOVED, lambda entry: entry is None or isinstance(entry, Mapping)
    )
    if not 1 <= len(judgments) <= 2:
        raise InvalidCell(
            f"has {len(judgments)} judgments, but must have one or two (one for each order)", MOVED
        )
    read = word(DECISIONS)
    decisions = [
        None
        if judgment is None or judgment.get("decision") is None
        else read(judgment["decision"], where, reader)
        for judgment in judgments
    ]
    if all(decision is None for decision in decisions):
        return None
    # a missing decision is neither right nor wrong in the paper's rule, as a tie is
    first, *second = [0.5 if decision is None else decision for decision in decisions]
    return (first + 1 - second[0]) / 2 if second else first


PAIR = published(
    id=("pair_id", identifier),
    group=("source", _category),
    topic=("question", published_text),
    argument=("response_A", published_text),
    second_argument=("response_B", published_text),
    preference=("label", word({"A>B": 1.0, "B>A": 0.0})),
)
JUDGED = published(id=("pair_id", identifier), preference=("judgments", _decisions))


def read(folder: Path) -> SuiteData:
    """Read the pairs, and the verdicts of those published judges whose files exist.

    Raises:
        DeclarationError: a file is missing or empty.
        ItemsError: rows are faulty; all are listed.
    """
    logs = {
        judge: {
            "preference": {
                row["id"]: row["preference"]
                for row in published_rows(folder, name, JUDGED, unique="id")
                if row["preference"] is not None
            }
        }
        for judge, name in LOGS.items()
        if is_there(folder, name)
    }
    pairs = published_rows(folder, PAIRS, PAIR, unique="id")
    return data_of_rows(pairs, "preference", logs=logs)


_COLUMNS = (*(f"accuracy_{category}" for category in CATEGORIES), "accuracy")
_NOT_HERE = "its judgments are not among the files of the suite"
_ARENA_HARD = {
    "o3-mini (high)": 80.86,
    "o1-preview": 75.43,
    "DeepSeek-R1": 73.14,
    "Claude-3.5-Sonnet": 64.29,
    "Llama-3.1-405B-Instruct": 56.86,
    "GPT-4o": 56.57,
    "Llama-3.1-70B-Instruct": 52.29,
    "GPT-4o-mini": 50.00,
    "Gemini-1.5-pro": 47.14,
    "Llama-3.1-8B-Instruct": 40.86,
    "Claude-3-Haiku": 33.14,
}
_FROM = ("ScalerLab/JudgeBench", "12a499c5c29f06940d259b49250fca627d2a0ee5")
_RESPONSES = "dataset=judgebench,response_model=gpt-4o-2024-05-13"
_JUDGES = {
    O1_MINI: "judge_name=arena_hard,judge_model=o1-mini-2024-09-12",
    SKYWORK: "judge_name=reward_model,judge_model=Skywork_Skywork-Reward-Gemma-2-27B",
}
SUITE = Suite(
    name="judgebench",
    title="JudgeBench (answers of GPT-4o)",
    question="Which of two answers is the correct one?",
    source=(
        "Tan et al., JudgeBench: A Benchmark for Evaluating LLM-Based Judges, ICLR 2025, "
        "https://arxiv.org/abs/2410.12784"
    ),
    license="MIT (as the data set's card on Hugging Face says): use and pass on with the notice",
    files=(
        SuiteFile(PAIRS, *_FROM, f"data/{_RESPONSES}.jsonl"),
        *(
            SuiteFile(LOGS[judge], *_FROM, f"outputs/{_RESPONSES},{name}.jsonl", optional=True)
            for judge, name in _JUDGES.items()
        ),
    ),
    public_since="2024-10",
    task="preference",
    read=read,
    metrics=("preference",),
    baseline={"format": "response-quality", "metrics": ("preference",)},
    judging={"criteria": ("correctness: The answer to the question is correct",)},
    statistics=in_groups(
        share(
            "accuracy",
            "share of pairs whose correct answer is preferred over both orders; ties, and verdicts that turn with "
            "the order, are wrong (a judge of one order, as a reward model, gets 0.500 by chance)",
            preference_accuracy,
            chance=0.25,
        ),
        "the same on the pairs of the category {}",
        CATEGORIES,
    ),
    published=(
        *printed(
            {O1_MINI: (58.44, 62.24, 82.14, 78.57, 65.71)}, _COLUMNS, 2, "Table 2", logged=True, times=100
        ),
        *printed(
            {SKYWORK: (59.74, 66.33, 83.93, 50.00, 64.29)}, _COLUMNS, 2, "Table 3", logged=True, times=100
        ),
        *printed(
            {f"{model}, Arena-Hard prompt": [figure] for model, figure in _ARENA_HARD.items()},
            ["accuracy"],
            2,
            "Table 2",
            times=100,
            note=_NOT_HERE,
        ),
    ),
    whole={"items": 350, "gold": 350, "logs": 2},
)
