"""From topics and statements to training data (DEBATunE, sections 2, 3.2 and 8).

A topic stays where the format ``two-sided`` finds two sides to it; of topics that say nearly the same the first stays.
A statement stays where the format ``harmlessness`` finds no harm in it and, where it was judged for controllability,
where all that it argues is on its own side. What got no answer is not kept. In training data the instruction names
topic, side and argument, and the response is the statement; each topic has as many statements of either side, and is
either trained on or tested on, never both.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal, Unpack

from conqret.data import Item, Judgment, Measure
from conqret.debate.debatune.debate_files import (
    COLLECTED,
    SIDE_OF,
    SIDED,
    SIDES,
    Side,
    instruction_from_item,
    judged_run,
    read_statements,
    statements_file,
    statements_in,
)
from conqret.debate.debatune.statement_scores import CONTROLLABILITY, JudgedResult, is_good, judge_by_format
from conqret.errors import DeclarationError, strict_options
from conqret.io import open_items
from conqret.io.cell_values import plain
from conqret.io.jsonl import json_lines
from conqret.io.rows import Row
from conqret.io.safe_files import write_new
from conqret.judges.controllability import declines
from conqret.judges.two_sided import CLAIM, VERDICT
from conqret.judging.judge_settings import JudgeSettings
from conqret.runs.run_folder import stem
from conqret.show.table import Table
from conqret.text.analysis import Text, weight
from conqret.text.words import caseless

NO_ANSWER = "no_answer"
"""Why a row is dropped of which the judge gave no valid answer."""
DUPLICATE = "duplicate"
"""Why a topic is dropped that repeats an earlier one."""


@dataclass(frozen=True, slots=True)
class DroppedRow:
    """A dropped row: its id and text, the reason, and a detail."""

    id: str
    text: str
    reason: str
    detail: str = ""


@dataclass(frozen=True, slots=True)
class FilterResult:
    """The rows that a filter keeps, as they are to be written, and those that it drops."""

    kept: Sequence[Mapping[str, Any]]
    dropped: Sequence[DroppedRow]

    @property
    def reasons(self) -> dict[str, int]:
        """Return how many rows are dropped for each reason, the most frequent first."""
        return dict(Counter(dropped_row.reason for dropped_row in self.dropped).most_common())

    def write(self, file: Path, *, overwrite: bool = False, register: Path | None = None) -> Path:
        """Write the kept rows to ``file`` and the dropped ones next to it, as JSON Lines; return the second
        path.

        ``overwrite``, ``register`` and the errors raised are those of
        :func:`conqret.io.safe_files.write_new`.
        """
        beside = file.with_name(f"{stem(file)}.dropped.jsonl")
        lines = {file: json_lines(self.kept), beside: json_lines(map(asdict, self.dropped))}
        write_new(lines, overwrite=overwrite, register=register)
        return beside


@dataclass(frozen=True, slots=True)
class FilterRun(JudgedResult):
    """The kept and dropped rows, and the judgments that decided it."""

    found: FilterResult


def unanswered(row: str, text: str, measure: Measure) -> DroppedRow:
    """Return the dropped row for a text for which ``measure`` has no value."""
    return DroppedRow(row, text, NO_ANSWER, f"{measure.reason}: {measure.detail}".strip(" :"))


FORMAT = METRIC = "harmlessness"
NOT_ITS_SIDE = "not_its_side"

StatementKey = tuple[str, str, str]
"""Topic, side and text: by these a statement is known in another run."""


@strict_options
def filter_statements(
    statements: str | Path, *, scored: str | Path | None = None, **settings: Unpack[JudgeSettings]
) -> FilterRun:
    """Keep the statements that a model judges to be harmless, before another model is trained on them.

    Statements without a valid verdict are dropped.

    Args:
        statements: a file with columns ``topic``, ``side`` and ``statement``; its rows are not changed.
        scored: a run of ``conqret debate score`` on these statements: those that are not wholly on their
            side are dropped, too.
        settings: those of :func:`conqret.judge`, without ``format``.

    Returns:
        The kept and dropped rows, and the judgments.

    Raises:
        DeclarationError: the call or the statements are wrong.
    """
    file, skip_invalid = Path(statements), settings.get("skip_invalid", False)
    items = read_statements([file], skip_invalid=skip_invalid, language=settings.get("language"))
    sides = None if scored is None else controllability_of(Path(scored))
    judgments = judge_by_format(items, FORMAT, settings)
    rows = rows_of(file, skip_invalid=skip_invalid)
    return FilterRun(judgments, filtered(rows, items, judgments, sides))


def filtered(
    rows: Sequence[Mapping[str, Any]],
    items: Sequence[Item],
    judgments: Iterable[Judgment],
    kept_to_side: Mapping[StatementKey, Measure] | None = None,
) -> FilterResult:
    """Split the rows of statements into kept and dropped ones by their judgments.

    Args:
        rows: the rows of the file.
        items: the same statements as items.
        judgments: their judgments by the format ``harmlessness``, in the same order.
        kept_to_side: their controllability (:func:`controllability_of`); with None, the side is not
            checked.

    Raises:
        DeclarationError: a statement was not judged for controllability.
    """
    kept: list[Mapping[str, Any]] = []
    dropped: list[DroppedRow] = []
    for row, item, judgment in zip(rows, items, judgments, strict=True):
        side = None
        if kept_to_side is not None:
            side = kept_to_side.get((item.topic, item.stance, item.argument or ""))
            if side is None:
                raise DeclarationError(
                    f"statement {item.id!r} is not in that run of `conqret debate score`: score the same statements"
                )
        why = _why(item, judgment.measures[METRIC], side)
        if why is None:
            kept.append(row)
        else:
            dropped.append(why)
    return FilterResult(kept, dropped)


def rows_of(file: Path, *, skip_invalid: bool = False) -> list[dict[str, Any]]:
    """Return the rows of a file of statements as dictionaries of JSON types, one for each item.

    The file was checked before (:func:`read_statements`), so that no fault is raised here: lines that cannot be read
    are left out, and with ``skip_invalid`` rows with faults, too.
    """
    source = statements_in(statements_file(file), skip_invalid=skip_invalid)
    return [
        {str(key): plain(value) for key, value in row.record.items()}
        for row, place in zip(source.rows, source.places(), strict=True)
        if isinstance(row, Row) and isinstance(place, int)
    ]


def controllability_of(folder: Path) -> dict[StatementKey, Measure]:
    """Return a mapping from statement to its controllability in a run of ``conqret debate score``; one without a
    score has a measure with the reason.

    Raises:
        DeclarationError: there is no finished run, or it is one of another format.
    """
    run = judged_run(folder, CONTROLLABILITY, "conqret debate score")
    keys = {item.id: (item.topic, item.stance, item.argument or "") for item in run.items()}
    return {keys[judgment.item]: judgment.measures[CONTROLLABILITY] for judgment in run.judgments()}


def _why(item: Item, harm: Measure, side: Measure | None) -> DroppedRow | None:
    """Return the row of a statement that is dropped, with the reason: the first kind of harm, another side, or a
    missing verdict; None if the statement is kept. Without ``side`` only harm counts."""
    text = item.argument or ""
    if harm.value is None:
        return unanswered(item.id, text, harm)
    if kinds := [part.id for part in harm.parts]:
        also = f" (also {', '.join(kinds[1:])})" if kinds[1:] else ""
        return DroppedRow(item.id, text, kinds[0], f"{harm.explanation}{also}")
    if side is None or is_good(side):
        return None
    if side.value is None:
        return unanswered(item.id, text, side)
    return DroppedRow(item.id, text, NOT_ITS_SIDE, side.explanation)


TWO_SIDED = "two-sided"
"""The format that judges topics."""

SAME = 0.77
"""The share of words in common from which two topics are one; chosen by hand on DEBATunE's 710 topics, which its
authors had cleared of doubles: all six pairs above it are doubles that were overlooked, and of the four at .75 three
are none."""


def two_sided(items: Iterable[Item], judgments: Iterable[Judgment]) -> FilterResult:
    """Keep the topics that can be argued from both sides, each once, as rows with ``id``, ``topic`` (the claim)
    and the arguments that were collected with it. Topics without a valid verdict are dropped, and those as
    similar as :data:`SAME` (:func:`shared`) to an earlier one.

    Args:
        items: the collected topics.
        judgments: their judgments by the format ``two-sided``, in the same order.
    """
    kept: list[dict[str, Any]] = []
    dropped: list[DroppedRow] = []
    known: list[frozenset[str]] = []
    for item, judgment in zip(items, judgments, strict=True):
        measure = judgment.measures["two_sided"]
        labels = {part.id: part.label or "" for part in measure.parts}
        if measure.value is None:
            dropped.append(unanswered(item.id, item.topic, measure))
        elif CLAIM not in labels:
            dropped.append(DroppedRow(item.id, item.topic, labels[VERDICT], measure.explanation))
        elif (place := _same_topic(terms := Text(labels[CLAIM]).terms, known)) is not None:
            same = kept[place]
            dropped.append(DroppedRow(item.id, item.topic, DUPLICATE, f"as {same['id']}: {same['topic']}"))
        else:
            known.append(terms)
            row = {"id": item.id, "topic": labels[CLAIM]}
            row |= {} if labels[CLAIM] == item.topic else {COLLECTED: item.topic}
            kept.append(row | {name: item.metadata[name] for name in sorted(SIDED & item.metadata.keys())})
    return FilterResult(kept, dropped)


@strict_options
def two_sided_topics(collected: str | Path, **settings: Unpack[JudgeSettings]) -> FilterRun:
    """Turn collected topics into claims with two sides, and keep each once.

    Args:
        collected: a file with a column ``topic``, optionally ``id``.
        settings: those of :func:`conqret.judge`, without ``format``.

    Returns:
        The kept and dropped topics, and the judgments.

    Raises:
        DeclarationError: the call or the topics are wrong.
    """
    source = open_items(
        Path(collected), skip_invalid=settings.get("skip_invalid", False), language=settings.get("language")
    )
    source.check()
    items = tuple(source)
    judgments = judge_by_format(items, TWO_SIDED, settings)
    return FilterRun(judgments, two_sided(items, judgments))


def _same_topic(terms: frozenset[str], known: Sequence[frozenset[str]]) -> int | None:
    """The place of the most similar topic; None where no topic is the same."""
    similarity = {place: shared(terms, others) for place, others in enumerate(known) if terms & others}
    best = max(similarity, key=lambda place: similarity[place], default=None)
    return None if best is None or similarity[best] < SAME else best


def shared(first: frozenset[str], other: frozenset[str]) -> float:
    """Return the weighted Jaccard similarity of two topics' stems, in [0, 1]: ``w(A and B) / w(A or B)``.

    Common words have half weight; the result is 0 where neither topic has a stem.
    """
    union = sum(weight(term) for term in sorted(first | other))
    return sum(weight(term) for term in sorted(first & other)) / union if union else 0.0


DROPPED = {
    NO_ANSWER: "the judge gave no answer",
    DUPLICATE: "says the same as an earlier one",
    "one_sided": "hardly anybody defends one of the sides",
    "matter_of_fact": "a matter of fact, and settled",
    "no_claim": "no claim that could be affirmed or denied",
    NOT_ITS_SIDE: "not wholly on the side that it was to take",
    "hate": "demeans a group for what it is",
    "violence": "calls for violence, or praises it",
    "dangerous_help": "tells how to do serious harm",
    "self_harm": "encourages self-harm",
    "sexual": "sexual content",
    "private_data": "private details of a named individual",
}
"""Why a row is dropped, in words."""


def filter_table(title: str, rows: str, outcome: FilterResult) -> Table:
    """Build the table of how many rows are kept, and how many are dropped for each reason."""
    total = len(outcome.kept) + len(outcome.dropped)
    return Table(
        title,
        ("", rows),
        [
            ("kept", len(outcome.kept)),
            *(
                (f"dropped: {DROPPED.get(reason, reason)}", count)
                for reason, count in outcome.reasons.items()
            ),
        ],
        foot=(("all", total),),
    )


Shape = Literal["chat", "instruction"]

TEST_SHARE = 80 / 710
"""The share of the topics that are tested on (section 2: 80 of 710)."""
SEED = 13
"""Draws the topics that are tested on."""

EMPTY, REFUSAL, REPEATED, UNBALANCED = "empty", "refusal", "repeated", "unbalanced"
LEFT_OUT = {
    EMPTY: "without any text",
    REFUSAL: "that decline the task",
    REPEATED: "that stand there before, word for word",
    UNBALANCED: "more than the other side of their topic has",
}
"""Why statements are left out, in words."""


@dataclass(frozen=True, slots=True)
class TrainingExample:
    """A training example: an instruction and the response to learn, with topic, side and argument."""

    instruction: str
    response: str
    topic: str
    side: Side
    argument: str

    def row(self, shape: Shape) -> dict[str, Any]:
        """Return the example as a row for trl: two messages (``chat``), or instruction and output
        (``instruction``)."""
        fields = {"topic": self.topic, "side": self.side, "argument": self.argument}
        if shape == "instruction":
            return {"instruction": self.instruction, "input": "", "output": self.response, **fields}
        messages = (("user", self.instruction), ("assistant", self.response))
        return {"messages": [{"role": role, "content": text} for role, text in messages], **fields}


@dataclass(frozen=True, slots=True)
class TrainingData:
    """The training and test examples, and how many statements are left out for each reason."""

    train: tuple[TrainingExample, ...]
    test: tuple[TrainingExample, ...]
    left_out: dict[str, int]

    def numbers(self) -> dict[str, Any]:
        """Return the numbers of statements (``train``, ``test``) and topics (``train_topics``,
        ``test_topics``), and ``left_out``: the statements left out by reason."""
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
) -> TrainingData:
    """Select concluded statements as training data: equally many for both sides, and no test topic in
    training.

    Args:
        sources: folders of ``conqret debate hold``, or files with columns ``topic``, ``side`` and
            ``statement``.
        test_share: the share of the topics used for testing.
        seed: the random seed of the choice of test topics.

    Returns:
        The training and test examples.

    Raises:
        DeclarationError: as :func:`training_data`, or a file cannot be read.
    """
    places = [sources] if isinstance(sources, str | Path) else sources
    statements = [item for place in map(Path, places) for item in read_statements([place], blank=True)]
    return training_data(statements, test_share=test_share, seed=seed)


def training_data(
    statements: Iterable[Item], *, test_share: float = TEST_SHARE, seed: int = SEED
) -> TrainingData:
    """Select statements, balance the sides of each topic, and split the topics into training and test.

    Refusals and repeated statements are left out. Of each topic, as many statements of each side are kept as
    the side with fewer has, the first ones. Topics that differ only in case are one.

    Args:
        statements: items with topic, stance, and the statement as the argument (None or blank: left out).
        test_share: the share of the topics used for testing, from 0 to below 1. If it is not 0, each part
            gets at least one topic. The split depends only on the topics and ``seed``.
        seed: the random seed of the choice of test topics.

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
    """Return a text that says how many statements are left out for each reason."""
    return ", ".join(f"{count:,} {LEFT_OUT[why]}" for why, count in left_out.items() if count)
