"""The typed answer of a generator, and its rendering to text.

ConQRet, section 3.2.2 and Table 10: an argument is a set of conclusions, each followed by the premises that
justify it, and a premise that uses documents ends in their citations ``[1]``, ``[2]``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Annotated

from pydantic import AfterValidator, Field

from conqret.judging.responses import Typed, Written
from conqret.text.citations import citations, find_marks

_END_MARKS = ".!?\u2026\u3002\uff01\uff1f"
_CLOSED = re.compile(r"[.!?\u2026\u3002\uff01\uff1f][\"'\u2019\u201d\u00bb)\]*_]+$")


def _start_of_marks(line: str, end: int) -> int:
    """Where the marks begin that stand one after another before ``end``; there, where none does."""
    start = end
    for mark in reversed(list(find_marks(line))):
        if mark.end() <= end:
            if line[mark.end() : start].strip():
                break
            start = mark.start()
    return start


def _one_line(text: str) -> str:
    """A blank text is no answer; white space of any kind is one space (a blank line would end a sentence)."""
    line = " ".join(text.split())
    if not line:
        raise ValueError("the text is empty")
    return line


Line = Annotated[Written, AfterValidator(_one_line)]


class Premise(Typed):
    """One reason, and the numbers (from 1) of the documents that it rests on."""

    text: Line
    citations: list[int]


class Conclusion(Typed):
    """One claim in support of the stance, and what justifies it."""

    conclusion: Line
    premises: list[Premise] = Field(min_length=1)


class LeftOut(Typed):
    """A document that was of no use to the argument, and why."""

    document: int
    reason: str


class GeneratedArgument(Typed):
    """A whole argument: its conclusions, none where nothing speaks for the stance, and the documents left out."""

    conclusions: list[Conclusion]
    left_out: list[LeftOut]


def render(argument: GeneratedArgument) -> str:
    """The argument as text: a paragraph for each conclusion, the conclusion first, then its premises.

    Every conclusion and premise ends as a sentence does, and its citations stand before the last full stop,
    so that ``conqret.text.sentences`` and ``conqret.text.citations`` read the same structure back.
    """
    return "\n\n".join(
        " ".join(
            [cited(conclusion.conclusion, ()), *(cited(p.text, p.citations) for p in conclusion.premises)]
        )
        for conclusion in argument.conclusions
    )


def cited(text: str, numbers: Sequence[int]) -> str:
    """``text`` as one sentence that ends in the citations ``numbers``, each once.

    Marks that the text itself ends in are put together with them; marks inside it stay where they are, and
    what they cite already is cited again only where it is named. ``cited("It rose [2].", [1])`` is
    ``"It rose [2][1]."``.
    """
    line = " ".join(text.split())
    existing: tuple[int, ...] = ()
    end = len(line.rstrip(_END_MARKS).rstrip())
    start = _start_of_marks(line, end)
    if start < end:
        existing = citations(line[start:end])
        line = line[:start].rstrip() + line[end:].lstrip()
    marks = "".join(f"[{number}]" for number in dict.fromkeys((*existing, *numbers)) if number >= 0)
    if _CLOSED.search(line):  # a closing quotation mark comes last: the citation follows it
        return f"{line} {marks}".rstrip()
    body = line.rstrip(_END_MARKS)
    body, stop = (body, line[len(body) :]) if body != line else (line.rstrip(" ,;:"), ".")
    return f"{body} {marks}{stop}" if marks else f"{body}{stop}"
