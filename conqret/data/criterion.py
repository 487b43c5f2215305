"""A criterion in a sentence: how it is declared and read, as text, table or record."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

from conqret.errors import DeclarationError

LOOKS_AT = ("answer", "documents", "question", "reference", "second_answer")
"""What a criterion can look at."""

PAIRED = "preference"
"""The metric that compares two answers in both orders; no criterion is called so."""
FIELDS = {
    "answer": "argument",
    "documents": "documents",
    "reference": "reference",
    "second_answer": "second_argument",
}
"""The field of an item that holds what is looked at. The question is the topic, which every item has."""
Importance = Literal["vital", "okay"]
"""How much a criterion of a rubric matters: without it an answer is not good, or it is good to have."""
IMPORTANCES: tuple[str, ...] = get_args(Importance)
WEIGHT_OF = {"vital": 1.0, "okay": 0.5}
"""What a criterion weighs that has an importance and no weight; one that has neither weighs 1."""
_MENTIONS = {
    "documents": r"documents?|passages?|contexts?|retrieved|evidence",
    "reference": r"references? (?:answer|text)|reference|gold (?:answer|standard)|expected (?:answer|output)",
    "second_answer": r"(?:second|other) (?:answer|argument|response|text)",
}
_MENTIONED = {name: re.compile(rf"\b(?:{words})\b", re.I) for name, words in _MENTIONS.items()}
_SCALE_AT_END = re.compile(
    r"(?<![\s(\[,;])[\s(\[,;]*+\b(?P<low>\d{1,3}) ?(?:-|–|to|\.\.) ?(?P<high>\d{1,3})[)\]]?\.?\Z"
)
_NAME = re.compile(r"[a-z][a-z0-9_]{0,59}\Z")
_NAMED = re.compile(r"(?P<name>[A-Za-z][\w -]{0,59}?)\s*:\s+(?P<question>\S.*)", re.S)
_NO_NAME = {"the", "a", "an", "does", "do", "is", "are"}
"""Words that begin a sentence, and no name before one."""
_SCALE_WITHIN = re.compile(r"\bscale (?:of|from) \d{1,3} ?(?:-|–|to|\.\.) ?\d{1,3}\b", re.I)
_FILE = re.compile(r"\S{1,60}\.(?:toml|ya?ml|jsonl?|csv|txt)(?:\.gz)?\Z", re.I)
_LONGEST_NAME = 40
_MOST_POINTS = 101
_NAME_FORM = (
    "its name must have at most 60 lower-case letters, digits and underscores, and begin with a letter"
)
_SCALE_FORM = (
    f"its scale must be two whole numbers, such as (1, 5): the lower first, at most {_MOST_POINTS} ratings"
)
_ANCHORS_FORM = "anchors must map ratings of its scale to texts, as in {1: 'not at all'}"
_LONGEST_QUESTION = 4000
_LONGEST_AXIS = 100
_LEFT_OUT_OF_NAMES = {"the", "a", "an", "answer", "argument", "text", "response", "is", "are", "does", "do"}


@dataclass(frozen=True)
class Criterion:
    """One criterion by which a judge rates an answer: a yes/no statement, or a question with a scale.

    Unset fields stay unset: read :attr:`shows` and :attr:`points` for what applies by default.

    Args:
        name: the name of the metric: at most 60 lower-case letters, digits and underscores, the first a
            letter; not ``preference``.
        question: a statement that is met or not, or, with a scale, a question about the text.
        scale: the lowest and the highest rating, whole numbers; None for yes or no.
        anchors: the meaning of ratings, by rating; not every rating needs one. They need a scale, and are
            kept as sorted pairs.
        looks_at: the parts of an item that the prompt shows, of :data:`LOOKS_AT`. Default: the question, the
            answer, and whatever else the criterion mentions (documents, a reference, a second answer).
        weight: in a rubric, the points for meeting the criterion, below 0 for a fault. Default: 1, or by
            importance 1 (vital) or 0.5 (okay).
        importance: in a rubric, ``vital`` or ``okay``.
        axis: in a rubric, its group: the criteria of each axis also get a joint score.

    Raises:
        DeclarationError: a field is invalid.
    """

    name: str
    question: str
    scale: tuple[int, int] | None = None
    anchors: Mapping[int, str] | Sequence[tuple[int, str]] = ()
    looks_at: Sequence[str] = ()
    weight: float | None = None
    importance: Importance | None = None
    axis: str = ""

    def __post_init__(self) -> None:
        given: Any = self  # of any type, as long as it is not checked
        where = f"criterion {str(given.name)[:60]!r}"

        def check(fits: object, problem: str) -> None:
            if not fits:
                raise DeclarationError(f"{where}: {problem}")

        def is_number(value: object, kind: type = int) -> bool:
            return isinstance(value, int | kind) and not isinstance(value, bool)

        check(isinstance(given.name, str) and _NAME.match(given.name), _NAME_FORM)
        check(
            given.name != PAIRED,
            "the formats that compare two answers have a metric of this name: choose another",
        )
        question = given.question.strip() if isinstance(given.question, str) else ""
        check(re.search(r"\w", question), "it has no question: write in a sentence what is judged")
        check(
            len(question) <= _LONGEST_QUESTION, f"its question has more than {_LONGEST_QUESTION} characters"
        )
        scale = (
            None if given.scale is None else tuple(given.scale) if isinstance(given.scale, Iterable) else ()
        )
        if scale is not None:
            check(
                len(scale) == 2 and all(map(is_number, scale)) and 0 < scale[1] - scale[0] < _MOST_POINTS,
                _SCALE_FORM,
            )
        try:
            anchors = sorted(dict(given.anchors).items())
        except (TypeError, ValueError):
            raise DeclarationError(f"{where}: {_ANCHORS_FORM}") from None
        for rating, text in anchors:
            check(is_number(rating) and scale and scale[0] <= rating <= scale[1], _ANCHORS_FORM)
            check(isinstance(text, str) and text.strip(), f"the anchor {rating} is empty")
        looks_at = (given.looks_at,) if isinstance(given.looks_at, str) else given.looks_at
        check(
            isinstance(looks_at, Iterable) and all(name in LOOKS_AT for name in looks_at),
            f"looks_at must be a list of {', '.join(LOOKS_AT)}",
        )
        weight = given.weight
        check(
            weight is None or (is_number(weight, float) and math.isfinite(weight)),
            f"its weight is {str(weight)[:60]!r}: write a number",
        )
        check(
            given.importance in (None, *IMPORTANCES),
            f"its importance must be {' or '.join(IMPORTANCES)}, not {str(given.importance)[:60]!r}",
        )
        check(
            isinstance(given.axis, str) and len(given.axis) <= _LONGEST_AXIS,
            f"its axis must be a text of at most {_LONGEST_AXIS} characters",
        )
        made = {
            "question": question,
            "scale": scale,
            "anchors": tuple((rating, text.strip()) for rating, text in anchors),
            "looks_at": tuple(name for name in LOOKS_AT if name in looks_at),
            "weight": None if weight is None else float(weight),
            "axis": " ".join(given.axis.split()),
        }
        for name, value in made.items():
            object.__setattr__(self, name, value)

    @property
    def points(self) -> float:
        """The weight of the criterion in a rubric: its own weight, or else that of its importance, or
        else 1.
        """
        return WEIGHT_OF.get(self.importance or "", 1.0) if self.weight is None else self.weight

    @property
    def in_a_rubric(self) -> dict[str, Any]:
        """The fields that only rubrics use (weight, importance, axis), by name, where they are set."""
        found = {"weight": self.weight, "importance": self.importance, "axis": self.axis}
        return {name: value for name, value in found.items() if value not in (None, "")}

    @property
    def shows(self) -> tuple[str, ...]:
        """The parts of an item that the prompt shows:

        ``looks_at``, or else those that the question mentions.
        """
        if self.looks_at:
            return tuple(self.looks_at)
        mentioned = {name for name, pattern in _MENTIONED.items() if pattern.search(self.question)}
        return tuple(name for name in LOOKS_AT if name in {"answer", "question"} | mentioned)

    def __str__(self) -> str:
        """Question, scale and anchors, as they are typed."""
        scale = "" if self.scale is None else f" {self.scale[0]}-{self.scale[1]}"
        anchors = "; ".join(f"{rating}: {meaning}" for rating, meaning in self._anchors)
        return f"{self.question}{scale}{f' ({anchors})' if anchors else ''}"

    def plain(self) -> dict[str, Any]:
        """Return the criterion as JSON data, which :func:`criterion_of` reads."""
        return {
            "name": self.name,
            "question": self.question,
            "scale": None if self.scale is None else list(self.scale),
            "anchors": [list(anchor) for anchor in self._anchors],
            "looks_at": list(self.shows),
            **self.in_a_rubric,
        }

    @property
    def _anchors(self) -> tuple[tuple[int, str], ...]:
        return tuple(self.anchors)  # type: ignore[arg-type]


def fields_of(criteria: Iterable[Criterion]) -> frozenset[str]:
    """Return the names of the item fields that these criteria need."""
    return frozenset(FIELDS[name] for criterion in criteria for name in criterion.shows if name in FIELDS)


def parse_criterion(text: str) -> Criterion:
    """Parse a criterion as a user types it: ``[name: ]statement or question[ low-high]``.

    ``The answer names at least one source`` is answered with yes or no, ``clarity: How clear is the wording?
    1-5`` with a rating. A missing name is made from the first words.

    Raises:
        DeclarationError: the question is missing; the scale is invalid, not at the end, or missing from a
            "how" question; or the text is the name of a file.
    """
    body, name = text.strip(), None
    if not re.search(r"\w", body) or body.endswith(":"):
        raise DeclarationError(f"the criterion {text[:60]!r} has no question: write what is judged")
    if _FILE.match(body):
        raise DeclarationError(f"the criterion {text[:60]!r} is the name of a file: give it as --rubric FILE")
    if named := _NAMED.match(body):
        words = named["name"].lower().replace("-", " ").split()
        if len(words) <= 4 and words[0] not in _NO_NAME:  # any other beginning belongs to the sentence
            name, body = "_".join(words), named["question"]
    scale = None
    if at_end := _SCALE_AT_END.search(body):
        scale = int(at_end["low"]), int(at_end["high"])
        body = body[: at_end.start()].strip()
    elif _SCALE_WITHIN.search(body) or re.match(r"how\b.*\?\Z", body, re.I | re.S):
        raise DeclarationError(
            f"the criterion {text[:60]!r} would be answered with yes or no: put a scale at its end, as in "
            '"clarity: How clear is the wording? 1-5"'
        )
    return Criterion(name or name_from(body), body, scale)


def name_from(question: str) -> str:
    """Return a name for a criterion, made of the first telling words of its question: letters, digits and underscores,
    beginning with a letter."""
    words = re.findall(r"[a-z0-9]+", question.lower())
    telling = [
        word
        for place, word in enumerate(words, start=1)
        if word not in _LEFT_OUT_OF_NAMES or words[place : place + 1] == ["not"]
    ] or words
    name = ""
    for word in telling:
        if name and len(name) + len(word) >= _LONGEST_NAME:
            break
        name = f"{name}_{word}".strip("_")
    name = name[:_LONGEST_NAME]
    return name if name[:1].isalpha() else f"criterion_{name}".strip("_")


def is_named(given: Criterion | str | Mapping[str, Any], criterion: Criterion) -> bool:
    """Return True if the user gave the criterion's name, False if conqret made it from its first words."""
    if isinstance(given, str):
        return criterion.name != name_from(criterion.question)
    return isinstance(given, Criterion) or bool(given.get("name"))


def unique(criterion: Criterion, taken: set[str], *, named: bool) -> Criterion:
    """Return the criterion under a name not yet in ``taken``, and add that name to ``taken``.

    A generated name gets a number where another criterion has it.

    Raises:
        DeclarationError: the user gave the name (``named``), and another criterion has it.
    """
    name, times = criterion.name, 2
    if named and name in taken:
        raise DeclarationError(
            f'two criteria have the name {name}: write "clarity: How clear is the wording? 1-5"'
        )
    while name in taken:
        name, times = f"{criterion.name[:55]}_{times}", times + 1
    taken.add(name)
    return criterion if name == criterion.name else replace(criterion, name=name)


_TABLE = ("name", "question", "scale", "anchors", "looks_at")
"""The fields of a criterion as a table; one of a rubric has those besides."""
OF_A_RUBRIC = ("weight", "importance", "axis")


def criterion_of(data: Criterion | str | Mapping[str, Any]) -> Criterion:
    """Return a criterion from a Criterion, from its text, or from a mapping of its fields.

    Raises:
        DeclarationError: ``data`` is none of these, or not a valid criterion.
    """
    if isinstance(data, Criterion):
        return data
    if isinstance(data, str):
        return parse_criterion(data)
    if not isinstance(data, Mapping):
        raise DeclarationError(f"a criterion must be a text or a table, not {type(data).__name__}")
    if unknown := [str(key) for key in data if key not in _TABLE]:
        of_a_rubric = "; that belongs to one of a rubric (--rubric)" if unknown[0] in OF_A_RUBRIC else ""
        raise DeclarationError(
            f"a criterion has no field {unknown[0]!r}; its fields are {', '.join(_TABLE)}{of_a_rubric}"
        )
    return criterion_in(data)


def criterion_in(table: Mapping[str, Any]) -> Criterion:
    """Build a criterion from a mapping of its fields; a missing name is made from the first words.

    Raises:
        DeclarationError: a field is invalid, or the question is missing.
    """
    given = {name: value for name, value in table.items() if value not in (None, "")}
    if not isinstance(given.get("question"), str):
        raise DeclarationError("a criterion has no question: write in a sentence what is judged")
    if isinstance(anchors := given.get("anchors"), Mapping):  # the keys of JSON and TOML are texts
        given["anchors"] = {
            int(key) if isinstance(key, str) and re.fullmatch(r"-?\d{1,3}", key) else key: text
            for key, text in anchors.items()
        }
    return Criterion(**{"name": name_from(given["question"]), **given})


Criteria = str | Criterion | Sequence[str | Criterion | Mapping[str, Any]]
"""One criterion or several: texts, tables, or criteria."""


def criteria_of(given: Criteria) -> tuple[Criterion, ...]:
    """Return several criteria with distinct names; names generated from the same first words are numbered.

    Raises:
        DeclarationError: a criterion is invalid, two have the same given name, or one occurs twice.
    """
    several = [given] if isinstance(given, str | Criterion | Mapping) else given
    if not isinstance(several, Iterable):
        raise DeclarationError(f"criteria must be a list, not {type(given).__name__}")
    criteria, taken, met = list[Criterion](), set[str](), set[Criterion]()
    for one in several:
        criterion = criterion_of(one)
        if criterion in met:
            raise DeclarationError(
                f"the criterion {criterion.name} ({str(criterion)[:60]}) is given twice: remove one of them"
            )
        met.add(criterion)
        criteria.append(unique(criterion, taken, named=is_named(one, criterion)))
    if weighed := [criterion for criterion in criteria if criterion.in_a_rubric]:
        raise DeclarationError(
            f"the criterion {weighed[0].name} has {', '.join(weighed[0].in_a_rubric)}, which only a rubric "
            "uses: give it as rubric=… (--rubric FILE)"
        )
    return tuple(criteria)
