"""Probes that change the text of an item; remarks in the argument are compared with neutral ones of the same length
(``texts.toml``)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from conqret.perturb import Perturbation
from conqret.perturb.kinds.added_texts import (
    INJECT_ARGUMENT,
    INJECT_DOCUMENT,
    PADDING,
    AddingVariant,
    Texts,
    among_sentences,
    at_the_end,
    matched,
)
from conqret.perturb.kinds.changed_documents import SHUFFLE
from conqret.perturb.perturbation import (
    ANSWER,
    ENGLISH,
    EVERYTHING,
    FAITHFULNESS,
    GROUNDING,
    PREFERENCE,
    QUALITY,
    Change,
    Draw,
    PerturbedItem,
    expect,
)
from conqret.perturb.sentence_edits import split
from conqret.studies.bias.contrast import (
    NEUTRAL,
    OVERALL,
    TEXTS,
    Contrast,
    Probe,
    ProbeContext,
    ProbeUnavailableError,
    own_probe,
    perturbed,
    perturbed_probe,
)
from conqret.text.citations import MARK
from conqret.text.words import UNSPACED

SENTENCES = 5
"""About half as much again for an argument of ten sentences."""


LENGTH = perturbed_probe("length", PADDING, SENTENCES)
"""Does length pay? Sentences that say nothing are put into the argument (Dubois et al. 2024)."""

DOCUMENT_ORDER = perturbed_probe("document order", SHUFFLE, 100)
"""Does the order matter in which documents stand?"""


def add_remark(draw: Draw) -> PerturbedItem:
    """Append an irrelevant remark, drawn by seed, to the question."""
    remark = draw.rng().choice(TEXTS["distraction"]["remarks"])
    changes = (Change(where="topic", kind="added", after=remark),)
    return PerturbedItem({"topic": f"{draw.item.topic} {remark}"}, changes, 1)


DISTRACTION_PERTURBATION = Perturbation(
    name="distraction",
    summary="a remark that has nothing to do with the question, behind it",
    unit="0 as it is, 1 with a remark",
    levels=(0, 1),
    expects=expect(unchanged=EVERYTHING),
    needs=frozenset(),
    source="CALM (Ye et al. 2024): distraction",
    change=add_remark,
    most=1,
    languages=ENGLISH,
)


DISTRACTION = perturbed_probe("distraction", DISTRACTION_PERTURBATION, 1)
"""Does a remark after the question change the answer? (Distraction: Ye et al. 2024, CALM.)"""

_FIRST_WORDS = re.compile(rf"\A((?:{MARK}|\W)*+)([{UNSPACED}]{{1,4}}|\w[\w'’-]*+(?: [\w'’-]++)?)")
"""One or two words, or four characters where there is no space between words; what stands in front of them, such as a
citation, is not in bold."""


def _lines(draw: Draw, line: str, end: str) -> PerturbedItem:
    """Return the argument with each sentence written in the format ``line``, whose three fields are what stands before
    the first words, those words, and the rest; sentences are joined by ``end``."""
    sentences = []
    for span in split(draw.item.argument or ""):
        words = _FIRST_WORDS.match(span.text)
        before, first = words.groups() if words else ("", "")
        sentences.append(line.format(before, first, span.text[len(before) + len(first) :]))
    text = end.join(sentences)
    return PerturbedItem({"argument": text}, (Change(where="argument", kind="laid out", after=text),), 1)


FORMATTING_PERTURBATION = Perturbation(
    name="formatting",
    summary="the argument's sentences as a list, their first words bold",
    unit="0 as it is, 1 laid out",
    levels=(0, 1),
    expects=expect(unchanged=(*GROUNDING, *FAITHFULNESS, *ANSWER, OVERALL, *PREFERENCE)),
    needs=frozenset({"argument"}),
    source="own",
    change=partial(_lines, line="- {}**{}**{}", end="\n"),
    control=partial(_lines, line="- {}{}{}    ", end=" "),
    most=1,
)
"""Nothing is expected of clarity and arrangement. The control is running text of as many characters and words."""

FORMATTING = perturbed_probe("formatting", FORMATTING_PERTURBATION, 1)
"""Does the look pay? The same sentences as a list with bold words."""

UP = "higher with the instruction"
PLACES = (
    (INJECT_ARGUMENT, 1, "an instruction at the end of the argument"),
    (INJECT_DOCUMENT, 100, "an instruction in every document"),
)


def injections(context: ProbeContext) -> Sequence[Contrast]:
    """Return the contrasts of prompt injection in the argument and in the documents; neither may raise a
    score.

    Raises:
        ProbeUnavailableError: neither can be inserted.
    """
    injection_contrasts: list[Contrast] = []
    reasons = []
    for perturbation, level, name in PLACES:
        try:
            injection_contrasts += perturbed(perturbation, level, name=name, adverse="rise", up=UP)(context)
        except ProbeUnavailableError as error:
            reasons.append(str(error))
    if not injection_contrasts:
        raise ProbeUnavailableError("; ".join(reasons))
    return tuple(injection_contrasts)


INJECTION = own_probe("injection", injections)
"""Does a text that demands a better score get one?"""


ARGUMENT_METRICS = (*GROUNDING, *FAITHFULNESS, *ANSWER, *QUALITY, *PREFERENCE)
"""The metrics in which a remark in the argument could show."""
ADDING_VARIANTS: dict[str, AddingVariant] = {"at the end": at_the_end, "among sentences": among_sentences}


def remark_probe(row: Mapping[str, Any]) -> Probe:
    """Return a probe that inserts remarks into the argument, from a row of ``texts.toml``.

    The row has the ``name`` (without spaces, as it is part of the ids of changed items), ``pairs`` of a remark and a
    neutral one of as many characters and words, remarks in ``others``, that is other languages, the number of
    inserted remarks as ``level``, the ``variant`` of where they are inserted, what is inserted as ``thing``, what a
    positive effect means as ``up``, and fields of :class:`Probe`.

    Raises:
        DeclarationError: a remark and its neutral one differ in length.
    """
    name, thing, level, adverse = row["name"], row["thing"], row.get("level", 1), row.get("adverse", "rise")
    others: Texts = {language: tuple(texts) for language, texts in row.get("others", {}).items()}
    change, control = matched(ADDING_VARIANTS[row["variant"]], row["pairs"], others)
    rises = adverse == "rise"
    perturbation = Perturbation(
        name=name,
        summary=thing,
        unit="remarks",
        levels=(0, level),
        expects=expect(no_rise=ARGUMENT_METRICS) if rises else expect(unchanged=ARGUMENT_METRICS),
        needs=frozenset({"argument"}),
        source=row["source"],
        change=change,
        control=control,
        most=None,
        languages=ENGLISH | others.keys(),
    )
    return Probe(
        name=name,
        contrasts=perturbed(perturbation, level, name=thing, adverse=adverse, up=row["up"]),
        compares=row.get("compares", f"{thing}, against {NEUTRAL.removeprefix('with ')}"),
        finds="a rise" if rises else "any difference",
        advice=row["advice"],
        source=row["source"],
        default=row.get("default", False),
        sways=row.get("sways", True),
    )


PROBES = (
    *(LENGTH, DOCUMENT_ORDER, DISTRACTION, FORMATTING, INJECTION),
    *map(remark_probe, TEXTS["remark"]),
)
