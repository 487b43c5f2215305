"""A judge's prompt with what was learned from labels at the end of its instructions: wording, anchors and examples.

What is learned stands as data in the front matter of the prompt file, and ``prompts/_improved.j2`` shows it; so texts
from outside are never a template. The file is what ``--prompts`` takes: a judge that reads it from a folder has the
fingerprint of the one that was measured.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from conqret.data.criterion import Criterion, criteria_of
from conqret.data.item import Frozen, Item
from conqret.errors import DeclarationError
from conqret.judging.judge_options import CONVERSATION, CRITERIA, LANGUAGE
from conqret.judging.rubrics import criteria_judge
from conqret.judging.setup import Setup, set_up
from conqret.prompts import Library
from conqret.prompts.library import SUFFIX, split_front_matter

AS_IT_IS, WORDING, BOTH = "as_it_is", "wording", "both"
"""What a judge can be: as it is, with another wording and anchors, or with examples, too."""
PROMPTS, CALIBRATION = "prompts", "calibration.json"
"""What an improvement leaves in its folder: the prompts for ``--prompts``, the map for ``--calibration``."""
TABLE = "improved"
"""The table of the front matter's data that holds what was learned."""
_SHOWN = '{% from "_improved.j2" import improvements %}\n{{ improvements(data.improved) }}\n'
_SYSTEM = re.compile(r"\{%-? *block +system *-?%\}")
_END = re.compile(r"\{%-? *endblock")
_SIDES = {"pro": "for", "con": "against"}


class Anchor(Frozen):
    """The meaning of one rating, for a prompt."""

    rating: int
    meaning: str


class LabelledExample(Frozen):
    """A labeled item as an example in a prompt.

    It has the question, the side (empty if none), the text (perhaps shortened), and the human label in words.
    """

    item: str
    question: str
    side: str
    text: str
    label: str


class Improvement(Frozen):
    """What was learned from labels: a wording, anchors and examples. ``subject`` is what is rated, in the
    judge's words.
    """

    subject: str
    wording: str = ""
    anchors: tuple[Anchor, ...] = ()
    examples: tuple[LabelledExample, ...] = ()


class ImprovedLibrary(Library):
    """The prompt library ``base`` with the prompt ``identifier`` replaced by ``text``."""

    def __init__(self, base: Library, identifier: str, text: str) -> None:
        super().__init__(base.overlay, base.asked)
        self._base, self._identifier, self._text = base, identifier, text

    def __reduce__(self) -> tuple[Any, ...]:
        return ImprovedLibrary, (self._base, self._identifier, self._text)

    def source(self, name: str) -> str:
        """Return the source text of a prompt file; for the improved prompt, its new text."""
        return self._text if name == self._identifier + SUFFIX else super().source(name)


def side_of(item: Item) -> str:
    """Return the item's side in the words of prompts; empty if it has none."""
    return _SIDES.get(item.stance, "")


def excerpt(text: str, most: int) -> str:
    """Return the text, or its beginning of at most ``most`` characters, cut between words and marked as cut."""
    if len(text) <= most:
        return text
    cut = text[:most].rsplit(None, 1)
    return f"{cut[0]} […]" if cut else excerpt(text.strip(), most)


def improved_prompt(library: Library, identifier: str, improvement: Improvement) -> str:
    """Return the source text of a prompt file with the improvement inserted.

    Raises:
        DeclarationError: the prompt already has an improvement, or has no block of instructions.
    """
    source = library.source(identifier + SUFFIX)
    front, body = split_front_matter(source, identifier)
    if TABLE in front.get("data", {}):
        raise DeclarationError(
            f"the prompt {identifier!r} in {library.overlay} is already an improved one: give the "
            "prompts that it was made from, with all labels"
        )
    block = _SYSTEM.search(body)
    end = _END.search(body, block.end()) if block else None
    if end is None:
        raise DeclarationError(f"the prompt {identifier!r} has no block of instructions to improve")
    fenced = source.removesuffix(body)
    head = fenced[: fenced.rindex("+++")]
    table = "\n".join(_toml(improvement))
    return f"{head}\n{table}\n+++\n{body[: end.start()]}{_SHOWN}{body[end.start() :]}"


def _toml(improvement: Improvement) -> Iterator[str]:
    yield f"[data.{TABLE}]"
    yield f"subject = {_string(improvement.subject)}"
    yield f"wording = {_string(improvement.wording)}"
    if not improvement.anchors:
        yield "anchors = []"
    if not improvement.examples:
        yield "examples = []"
    for name, rows in (("anchors", improvement.anchors), ("examples", improvement.examples)):
        for row in rows:
            yield f"[[data.{TABLE}.{name}]]"
            for field, value in row.model_dump().items():
                yield f"{field} = {value if isinstance(value, int) else _string(value)}"


def _string(text: str) -> str:
    """A basic string of TOML, whose escapes are those of JSON."""
    whole = text.encode("utf-8", "replace").decode()
    return json.dumps(whole, ensure_ascii=False).replace("\x7f", "\\u007f")


def improved_setup(setup: Setup, improvement: Improvement, scale: tuple[int, int] | None = None) -> Setup:
    """Return the judge configuration, which must have one prompt, with the improvement; a criterion then rates on
    ``scale``, if one is given, and loses the meanings of its ratings if its own scale is another."""
    (ask,) = setup.judge_prompts
    text = improved_prompt(setup.library, ask.prompt, improvement)
    library = ImprovedLibrary(setup.library, ask.prompt, text)
    if scale is None:
        return replace(setup, library=library)
    criterion = judge_criterion(setup)
    if criterion.scale != scale:  # whose ratings its anchors do not know
        criterion = replace(criterion, scale=scale, anchors=())
    made = set_up(criteria_judge([criterion]), setup.client, setup.options, library)
    return replace(made, turns=setup.turns, languages=setup.languages)


def judge_criterion(setup: Setup) -> Criterion:
    """Return the only criterion of a judge of user-defined criteria."""
    (criterion,) = criteria_of(setup.judge.declared[CRITERIA])
    return criterion


def subject_of(setup: Setup, metric: str) -> str:
    """Return a phrase that names what is rated, in the judge's words."""
    if setup.judge.name == CRITERIA:
        return f"“{judge_criterion(setup).question}”"
    return f"“{metric.replace('_', ' ')}”, as described above"


def prompt_files(setup: Setup, folder: Path) -> dict[Path, str]:
    """Return the text of each prompt file of an improved judge, by its path in ``folder`` (for
    ``--prompts``).

    They are its prompt, and the user's own prompts that it includes.
    """
    (ask,) = setup.judge_prompts
    library, prompt = setup.library, ask.prompt + SUFFIX
    needed = library.included(ask.prompt)
    if setup.turns:
        needed |= {
            CONVERSATION + SUFFIX: library.source(CONVERSATION + SUFFIX),
            **library.included(CONVERSATION),
        }
    if setup.says_languages:
        needed[LANGUAGE + SUFFIX] = library.source(LANGUAGE + SUFFIX)
    own = () if library.overlay is None else [name for name in needed if (library.overlay / name).is_file()]
    return {folder / prompt: library.source(prompt), **{folder / name: needed[name] for name in own}}
