"""Training data from concluded statements: DEBATunE, section 3.2, Equation 4.

The instruction names topic, side and argument, and the response is the statement. Each topic has as many statements of
either side, and is either trained on or tested on, never both.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from conqret.data import Item
from conqret.debate.debatune.debate_files import SIDE_OF, SIDES, Side, instruction_from_item, read_statements
from conqret.debate.debatune.debate_run import DebatesFolder
from conqret.debate.debatune.statement_filters import harmless
from conqret.debate.debatune.transcript import DebatesSummary
from conqret.errors import DeclarationError, strict_options
from conqret.judges.controllability import declines
from conqret.text.words import caseless

Shape = Literal["chat", "instruction"]

TEST_SHARE = 80 / 710
"""The share of the topics that are tested on (section 2: 80 of 710)."""
SEED = 13
"""Draws the topics that are tested on."""

EMPTY, REFUSAL, REPEATED, UNBALANCED, NOT_CONCLUDED, FILTERED = (
    "empty",
    "refusal",
    "repeated",
    "unbalanced",
    "not_concluded",
    "filtered",
)
LEFT_OUT = {
    EMPTY: "without any text",
    REFUSAL: "that decline the task",
    REPEATED: "that stand there before, word for word",
    UNBALANCED: "more than the other side of their topic has",
    NOT_CONCLUDED: "that were not concluded, as their debate is not finished",
    FILTERED: "that did not pass the output filter",
}
"""Why statements are left out, in words."""


@dataclass(frozen=True, slots=True)
class TrainingExample:
    """What a model is told, and what it is to respond."""

    instruction: str
    response: str
    topic: str
    side: Side
    argument: str

    def row(self, shape: Shape) -> dict[str, Any]:
        """The example as trl and datasets read it: a ``chat`` of two messages, or ``instruction`` and output."""
        fields = {"topic": self.topic, "side": self.side, "argument": self.argument}
        if shape == "instruction":
            return {"instruction": self.instruction, "input": "", "output": self.response, **fields}
        messages = (("user", self.instruction), ("assistant", self.response))
        return {"messages": [{"role": role, "content": text} for role, text in messages], **fields}


@dataclass(frozen=True, slots=True)
class TrainingData:
    """What is trained on and what is tested on, and how many statements are left out for each reason."""

    train: tuple[TrainingExample, ...]
    test: tuple[TrainingExample, ...]
    left_out: dict[str, int]

    def numbers(self) -> dict[str, Any]:
        """How many statements and topics each part has, and what is left out."""
        parts = {"train": self.train, "test": self.test}
        counts = {name: len(examples) for name, examples in parts.items()}
        topics = {
            f"{name}_topics": len({caseless(example.topic) for example in part})
            for name, part in parts.items()
        }
        return {**counts, **topics, "left_out": self.left_out}


@strict_options
def debate_training_data(
    sources: str | Path | Sequence[str | Path],
    *,
    test_share: float = TEST_SHARE,
    seed: int = SEED,
    passed: str | Path | None = None,
) -> TrainingData:
    """Choose concluded statements as training data: as many for both sides, and test topics that are not trained on.

    Args:
        sources: folders of ``conqret debate hold``, or files with columns ``topic``, ``side`` and ``statement``.
        test_share: the share of the topics that are tested on.
        seed: draws these topics.
        passed: a run of ``conqret debate filter`` on these statements: those that did not pass are left out.

    Raises:
        DeclarationError: as :func:`training_data`, or a folder holds no finished run.
    """
    places = [sources] if isinstance(sources, str | Path) else sources
    files, lacking = [], 0
    for place in map(Path, places):
        if not place.is_dir():
            files.append(place)
            continue
        folder = DebatesFolder(place)
        folder.record()
        summary = folder.result(folder.summary_file, DebatesSummary)
        lacking += len(SIDES) * summary.debates - summary.statements
        files += [folder.statements_file] if summary.statements else []
    statements = [item for file in files for item in read_statements([file], blank=True)]
    lost = {NOT_CONCLUDED: lacking}
    if passed is not None:
        statements, lost[FILTERED] = harmless(statements, Path(passed))
    data = training_data(statements, test_share=test_share, seed=seed)
    data.left_out.update({why: count for why, count in lost.items() if count})
    return data


def training_data(
    statements: Iterable[Item], *, test_share: float = TEST_SHARE, seed: int = SEED
) -> TrainingData:
    """Choose, balance and divide statements.

    Args:
        statements: items with topic, stance, and the statement as the argument (None or blank: left out).
        test_share: the share of the topics that are tested on, 0 to below 1; of several topics at least one is, unless
            it is 0, and at least one is trained on. A topic falls on the same side of the division in every export with
            the same topics and ``seed``.
        seed: draws these topics.

    Raises:
        DeclarationError: the share is out of range, or no statement is left.
    """
    if not 0 <= test_share < 1:
        raise DeclarationError(
            f"--test-share must be a share of the topics, at least 0 and below 1, not {test_share:g}"
        )
    left_out: Counter[str] = Counter()
    by_topic: dict[str, list[TrainingExample]] = {}
    met: set[TrainingExample] = set()
    for item in statements:
        text = (item.argument or "").strip()
        argument = str(item.metadata.get("argument", ""))
        example = TrainingExample(
            instruction_from_item(item), text, item.topic, SIDE_OF[item.stance], argument
        )
        why = EMPTY if not text else REFUSAL if declines(text) else REPEATED if example in met else ""
        if why:
            left_out[why] += 1
            continue
        met.add(example)
        # one topic in other spelling is still one topic, and must not be trained on and tested on
        by_topic.setdefault(caseless(item.topic), []).append(example)
    for topic, examples in by_topic.items():
        sides = Counter(example.side for example in examples)
        left = dict.fromkeys(SIDES, min(sides[side] for side in SIDES))
        by_topic[topic] = balanced = []
        for example in examples:  # as many of each side as the side with fewer has, those that come first
            if left[example.side]:
                left[example.side] -= 1
                balanced.append(example)
        left_out[UNBALANCED] += len(examples) - len(by_topic[topic])
    topics = [topic for topic, examples in by_topic.items() if examples]
    if not topics:
        raise DeclarationError(f"no statement is left to train on ({in_words(left_out) or 'there is none'})")
    count = min(max(round(test_share * len(topics)), test_share > 0), len(topics) - 1)
    by_hash = sorted(topics, key=lambda topic: hashlib.sha256(f"{seed}\0{topic}".encode()).digest())
    tested = frozenset(by_hash[:count])
    train, test = (
        tuple(example for topic in topics if (topic in tested) is wanted for example in by_topic[topic])
        for wanted in (False, True)
    )
    return TrainingData(train, test, {why: count for why, count in left_out.items() if count})


def in_words(left_out: dict[str, int]) -> str:
    """How many statements are left out, and why."""
    return ", ".join(f"{count:,} {LEFT_OUT[why]}" for why, count in left_out.items() if count)
