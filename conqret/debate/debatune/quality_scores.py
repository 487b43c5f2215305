"""Response quality: are a system's responses better than a baseline system's to the same instructions? (DEBATunE,
section 4.1, Equation 5)

Each pair is read in both orders by the format ``response-quality``. A response wins where it is better in both orders,
or better in one and equal in the other; it loses likewise; all else is a tie: equal in both orders, or better in one
and worse in the other. (The paper leaves open how the orders go together.)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, Literal, TypeVar, Unpack

from conqret.data import Item, Judgment, Measure
from conqret.data.digest import gathered
from conqret.data.item import Frozen
from conqret.debate.debatune import controllability_scores as keeping
from conqret.debate.debatune.controllability_scores import GOOD_FROM, Controllability
from conqret.debate.debatune.debate_files import SYSTEM, instruction_from_item, read_statements, system_of
from conqret.debate.debatune.statement_filters import JudgedResult, judge_by_format
from conqret.errors import DeclarationError, check_known
from conqret.judges.response_quality import GIVEN, SWAPPED
from conqret.judging.judge_settings import JudgeSettings
from conqret.show.table import Column, Table
from conqret.stats.estimate import Estimate
from conqret.stats.resampling import mean_interval

FORMAT = "response-quality"
TOPIC = "topic"
"""Under this key of a pair's metadata stands what its instruction is about."""

Verdict = Literal["win", "tie", "lose"]
_POINTS = {"first": 1, "tie": 0, "second": -1}
_VERDICTS: dict[int, Verdict] = {1: "win", 0: "tie", -1: "lose"}


class Quality(Frozen):
    """How one system fares against the baseline system.

    ``score`` is ``(win - lose) / all + 1`` in [0, 2], 1 where both are alike, with a 95% interval over topics.
    ``flip_rate`` is the share of pairs whose better response is not the same in both orders (a tie in one of them
    included). ``unanswered`` pairs lack an answer in one of the orders, and are left out.
    """

    system: str
    win: int
    tie: int
    lose: int
    score: Estimate
    flip_rate: float | None
    unanswered: int


def pair(items: Sequence[Item], baseline: str | None = None) -> tuple[Item, ...]:
    """A pair for each instruction that the baseline system and another one have answered.

    Args:
        items: the statements (:func:`conqret.debate.debatune.debate_files.read_statements`), of two systems at least.
            Two belong to one instruction where topic, side and, if given, argument and instruction are the same.
        baseline: the system that the others are held against; the first by default.

    Returns:
        Items whose topic is the instruction, ``argument`` the system's response and ``second_argument`` the baseline's.

    Raises:
        UnknownNameError: there is no such system.
        DeclarationError: there is one system only, a system answers an instruction twice, or shares none with the
            baseline.
    """
    systems: dict[str, dict[tuple[str, ...], Item]] = {}
    for item in items:
        by_instruction = systems.setdefault(system_of(item), {})
        extra = (str(item.metadata.get(name, "")) for name in ("argument", "instruction"))
        twin = by_instruction.setdefault((item.topic, item.stance, *extra), item)
        if twin is not item:
            raise DeclarationError(
                f"{twin.id} and {item.id} of {system_of(item)} answer one instruction: keep one of them"
            )
    name = next(iter(systems), "") if baseline is None else baseline
    check_known("system", systems, name)
    if len(systems) < 2:
        raise DeclarationError(f"{name} is the only system: add the statements of another one")
    pairs: list[Item] = []
    for system, by_instruction in systems.items():
        shared = [] if system == name else [key for key in by_instruction if key in systems[name]]
        if system != name and not shared:
            raise DeclarationError(f"{system} and {name} have no instruction in common")
        for item, other in ((by_instruction[key], systems[name][key]) for key in shared):
            metadata = {SYSTEM: system, "baseline": name, TOPIC: item.topic}
            pairs.append(
                Item(
                    id=item.id,
                    topic=instruction_from_item(item),
                    stance=item.stance,
                    argument=item.argument,
                    second_argument=other.argument,
                    metadata=metadata,
                )
            )
    return tuple(pairs)


def quality(pairs: Iterable[Item], judgments: Iterable[Judgment]) -> list[Quality]:
    """How each system fares, from its pairs and their judgments by the format ``response-quality``."""
    by_system = gathered(
        (system_of(item), (str(item.metadata[TOPIC]), judgment.measures["preference"]))
        for item, judgment in zip(pairs, judgments, strict=True)
    )
    return [_of_system(system, results) for system, results in by_system.items()]


def verdict(preference: Measure) -> Verdict | None:
    """Win, tie or lose of the first response, from both orders; None where one of them has no answer."""
    if preference.value is None:
        return None
    total = sum(_POINTS[label] for label in _labels(preference))
    return _VERDICTS[(total > 0) - (total < 0)]


def _of_system(system: str, results: Sequence[tuple[str, Measure]]) -> Quality:
    known = [
        (topic, measure, verdict_label)
        for topic, measure in results
        if (verdict_label := verdict(measure)) is not None
    ]
    counts = Counter(label for _, _, label in known)
    score = mean_interval(
        [{"win": 2, "tie": 1, "lose": 0}[label] for _, _, label in known],
        [topic for topic, _, _ in known],
        ends=(0, 2),
        reason="no pair has an answer in both orders",
    )
    flips = [len(set(_labels(measure))) > 1 for _, measure, _ in known]
    return Quality(
        system=system,
        win=counts["win"],
        tie=counts["tie"],
        lose=counts["lose"],
        score=score,
        flip_rate=sum(flips) / len(flips) if flips else None,
        unanswered=len(results) - len(known),
    )


def _labels(preference: Measure) -> list[str]:
    """The better response in the given and in the swapped order."""
    return [part.label or "tie" for part in preference.parts if part.id in (GIVEN, SWAPPED)]


S = TypeVar("S", Controllability, Quality)

Statements = str | Path | Iterable[str | Path | Item]
"""A file, several files (each a system), or items with a stance."""


@dataclass(frozen=True, slots=True)
class Systems(JudgedResult, Generic[S]):
    """What a judge says of each system, in the order in which they first come, and the judgments behind it."""

    systems: tuple[S, ...]


def controllability(
    statements: Statements, *, good_from: int = GOOD_FROM, **settings: Unpack[JudgeSettings]
) -> Systems[Controllability]:
    """How often each system's statements are wholly on the side that they were to take (DEBATunE, section 4.1).

    Args:
        statements: files with columns ``topic``, ``side`` and ``statement``, or items.
        good_from: per cent on the assigned side from which a statement is good, above 50 and up to 100.
        settings: those of :func:`conqret.judge`, without ``format``.

    Raises:
        DeclarationError: anything wrong with the call or the statements.
    """
    keeping.check_good_from(good_from)
    items = _items(statements)
    judgments = judge_by_format(items, keeping.FORMAT, settings)
    return Systems(judgments, tuple(keeping.controllability(items, judgments, good_from=good_from)))


def response_quality(
    statements: Statements, *, against: str | None = None, **settings: Unpack[JudgeSettings]
) -> Systems[Quality]:
    """How good each system's statements are compared with those of one system to the same instructions (DEBATunE,
    section 4.1, Equation 5).

    Args:
        statements: files with columns ``topic``, ``side`` and ``statement``, or items; of two systems at least.
        against: the system that all others are held against; by default the first.
        settings: those of :func:`conqret.judge`, without ``format``.

    Raises:
        DeclarationError: anything wrong with the call or the statements.
    """
    items = _items(statements)
    pairs = pair(items, against or system_of(items[0]))
    judgments = judge_by_format(pairs, FORMAT, settings)
    return Systems(judgments, tuple(quality(pairs, judgments)))


def _items(statements: Statements) -> tuple[Item, ...]:
    sources = [statements] if isinstance(statements, str | Path) else list(statements)
    items = tuple(source for source in sources if isinstance(source, Item))
    files = [Path(source) for source in sources if not isinstance(source, Item)]
    if not sources or (items and files):
        raise DeclarationError("give at least one file of statements, or items")
    return items or read_statements(files)


def quality_table(scores: Sequence[Quality], baseline: str) -> Table:
    """A row for each system, as the left half of DEBATunE's Table 1."""
    return Table(
        f"Response quality against {baseline}",
        {
            Column("System", "text"): "system",
            "Win": "win",
            "Tie": "tie",
            "Lose": "lose",
            "Score": "score",
            "Flips": "flip_rate",
            "No answer": "unanswered",
        },
        scores,
        note="A win is better in both orders of the two responses, or better in one and equal in the other; a loss "
        "likewise. Score is (win - lose) / all + 1: 1 is as good as the other, 2 always better. Flips: the share of "
        "pairs whose better response is not the same in both orders. Intervals (95%) are over topics.",
    )
