"""``read_slider_answers``: what judges of two-turn debates answered on the slider, people and models alike.

A row is one answer: columns ``question``, ``passage``, ``judge``, ``condition``, ``turn``, ``instruction``, ``slider``
and ``right``. An answer that was not given has no ``slider`` and a ``reason``. ``consultant`` says for which option one
side alone argued, and ``for_right`` and ``for_wrong`` may name who wrote for either option.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from conqret.errors import DeclarationError
from conqret.io.checks import between, cell_text, identifier, one_of
from conqret.io.faults import quoted
from conqret.io.files import file_rows
from conqret.io.schema import Check, Field, Schema, TableReader

Design = Literal["main", "pilot"]
CONDITIONS: dict[Design, tuple[str, str]] = {"main": ("PS", "PSA"), "pilot": ("S", "SA")}
"""By design (Parrish et al. 2022, section 2.2) the condition without arguments and the one with them: P is the passage
from the start, S the snippets, A the arguments."""

CONSULTANCY: dict[Design, str] = {"main": "PSC", "pilot": "SC"}
"""By design the control in which one side alone is heard (Khan et al. 2024, Kenton et al. 2024): its snippets, its
argument, and what it says against the other side's."""

TURNS: dict[Design, int] = {"main": 2, "pilot": 3}
"""How many judgments a design has; the pilot's third comes with the passage."""

END = 3
"""The ends of the slider: -3 is surely the option that is shown first, 3 surely the second, and 0 abstains."""


@dataclass(frozen=True, slots=True)
class SliderAnswer:
    """One judgment on one question.

    Attributes:
        passage: what its question is about; questions on one passage belong together.
        condition, turn, instruction: what the judge was shown, the number of the judgment, and what was asked.
        right: which of the two options as they were shown is right, 1 or 2.
        consultant: ``right`` or ``wrong`` where one side alone is heard: which option it argued for; else empty.
        for_right, for_wrong: who wrote for either option, where that is known.
        slider: -3 (surely the first) to 3 (surely the second); None where no answer was given, for ``reason``.
    """

    question: str
    passage: str
    judge: str
    condition: str
    turn: int
    instruction: str
    right: int
    slider: int | None
    reason: str = ""
    consultant: str = ""
    for_right: str = ""
    for_wrong: str = ""

    @property
    def toward_right(self) -> int | None:
        """How far the slider is toward the right option: -3 (surely wrong) to 3 (surely right)."""
        return None if self.slider is None else self.slider if self.right == 2 else -self.slider


def _between(low: int, high: int, what: str) -> Check:
    return between(low, high, f"Write {what}, a whole number from {low} to {high}")


_WORDS = {
    name.casefold(): name
    for study_part in ("main", "pilot")
    for name in (*CONDITIONS[study_part], CONSULTANCY[study_part])
}
ANSWER = Schema(
    "an answer",
    {
        "question": Field(("question", "question_id"), identifier, needed="Name the question"),
        "passage": Field(("passage", "passage_id"), identifier, needed="Name the passage of the question"),
        "judge": Field(("judge", "model", "annotator"), identifier, needed="Name the judge"),
        "condition": Field(
            ("condition",),
            one_of(_WORDS, "condition"),
            needed="Write PS, PSA or PSC (main design), S, SA or SC (pilot)",
        ),
        "turn": Field(
            ("turn", "judgment"), _between(1, 3, "which judgment it is"), needed="Number the judgment"
        ),
        "instruction": Field(
            ("instruction",),
            one_of({name: name for name in ("simple", "encourage-abstain")}, "instruction"),
            needed="Write simple or encourage-abstain",
        ),
        "right": Field(
            ("right",), _between(1, 2, "which option is right"), needed="Write which option is right"
        ),
        "slider": Field(("slider",), _between(-END, END, "where the slider stands")),
        "reason": Field(("reason",), cell_text, ""),
        "consultant": Field(
            ("consultant",), one_of({name: name for name in ("right", "wrong")}, "option"), ""
        ),
        "for_right": Field(("for_right",), identifier, ""),
        "for_wrong": Field(("for_wrong",), identifier, ""),
    },
)


def read_slider_answers(path: Path, design: Design | None = None) -> tuple[SliderAnswer, ...]:
    """Read the answers of one design; of a file that holds both ``design`` says which.

    Raises:
        ItemsError: rows have faults, or an answer stands twice; all are listed.
        DeclarationError: there is no answer, none of the design, or those of both designs and none is chosen.
    """
    reader = TableReader(file_rows(path), ANSWER)
    answers: list[SliderAnswer] = []
    for values in reader:
        answer = SliderAnswer(**values)
        if answer.slider is None and not answer.reason:
            remedy = (
                "Write -3 to 3, 0 to abstain; if no answer was given, write the reason into a column 'reason'"
            )
            reader.fault("slider", "is missing, and no reason is given", remedy)
        if answer.turn > TURNS[design_of(answer)]:
            problem = f"is {answer.turn}, and the main design ({answer.condition}) has two judgments"
            reader.fault("turn", problem, "Correct it; the pilot's conditions are S and SA")
        if bool(answer.consultant) != (answer.condition in CONSULTANCY.values()):
            problem = (
                "is missing"
                if not answer.consultant
                else f"is given, and {answer.condition} hears both sides"
            )
            remedy = "Write right or wrong if only one side argues (PSC, SC), and leave it empty otherwise"
            reader.fault("consultant", problem, remedy)
        question_key = ", ".join(
            filter(
                None,
                (answer.judge, answer.condition, answer.consultant, str(answer.turn), answer.instruction),
            )
        )
        reader.once(
            "question", f"{answer.question} ({question_key}, right {answer.right})", "Keep one of its answers"
        )
        answers.append(answer)
    reader.finish(wanted="answers")
    designs = sorted({design_of(answer) for answer in answers})
    if design is None and len(designs) > 1:
        raise DeclarationError(
            f"{path} contains answers of both designs, which cannot be mixed: choose one with --design "
            f"{' or --design '.join(designs)}"
        )
    kept = tuple(answer for answer in answers if design in (None, design_of(answer)))
    if not kept:
        raise DeclarationError(
            f"{path} contains no answers of the design {quoted(design)}, only of {designs[0]}"
        )
    return kept


def design_of(answer: SliderAnswer) -> Design:
    """The design that an answer's condition belongs to."""
    return "main" if answer.condition.startswith("P") else "pilot"


def conditions_of(answers: Sequence[SliderAnswer]) -> tuple[str, str]:
    """The conditions of these answers' design: without and with arguments."""
    return CONDITIONS[design_of(answers[0])]
