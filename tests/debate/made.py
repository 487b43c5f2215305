"""Made-up judgments, and answers of two-turn debates."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping

from conqret import Item
from conqret.data import Judgment, Measure
from conqret.debate.two_turn.slider_answers import SliderAnswer

NAMES = ("simple", "encourage-abstain")


def judgment(item: Item, name: str, measures: Mapping[str, Measure]) -> Judgment:
    """A judgment of an item by the format of this name."""
    return Judgment(
        item=item.id,
        topic=item.topic,
        stance=item.stance,
        format=name,
        model="m",
        fingerprint="f",
        measures=measures,
    )


def answer(point: int | None, **other: object) -> SliderAnswer:
    """An answer ``point`` toward the right option, which is shown second; the rest as given."""
    fields = {
        "question": "q",
        "passage": "p",
        "judge": "Ann",
        "condition": "PS",
        "turn": 1,
        "instruction": "simple",
        "right": 2,
        "slider": point,
        "reason": "" if point is not None else "refused",
    }
    return SliderAnswer(**{**fields, **other})  # type: ignore[arg-type]


def study(
    chances: dict[str, float], judges: int = 6, questions: int = 24, seed: int = 3
) -> Iterator[SliderAnswer]:
    """A main design in full: each judge answers each question in each cell, right with the condition's chance."""
    drawn = random.Random(seed)
    for judge in range(judges):
        for number in range(questions):
            for condition, chance in chances.items():
                for turn in (1, 2):
                    for name in NAMES:
                        strength = drawn.choice((0, 1, 2, 3, 3))
                        right = drawn.random() < chance
                        yield answer(
                            strength if right else -strength,
                            question=f"q{number}",
                            passage=f"p{number // 3}",
                            judge=f"j{judge}",
                            condition=condition,
                            turn=turn,
                            instruction=name,
                        )
