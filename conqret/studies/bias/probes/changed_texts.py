"""Probes that change the text of an item; remarks in the argument are compared with neutral ones of the same length
(``texts.toml``)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial

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
    Adverse,
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
    """``line`` with what stands before the first words, those words, and the rest of each sentence."""
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


def remark_probe(
    name: str,
    pairs: Sequence[tuple[str, str]],
    *,
    thing: str,
    up: str,
    advice: str,
    source: str,
    adverse: Adverse = "rise",
    variant: AddingVariant = at_the_end,
    level: int = 1,
) -> Probe:
    """Return a probe that inserts a remark into the argument; it runs only if it is named.

    Args:
        name: the probe's name, without spaces, as it is part of the ids of changed items.
        pairs: remarks, each with a neutral one of as many characters and words.
        thing: what is inserted, in words.
        up: what a positive effect means, in words.
        advice: what to do about an alarm.
        source: who described the bias.
        adverse: which difference is a bias.
        variant: where the remarks are inserted.
        level: the number of remarks.

    Raises:
        DeclarationError: a remark and its neutral one differ in length.
    """
    change, control = matched(variant, pairs)
    expects = expect(no_rise=ARGUMENT_METRICS) if adverse == "rise" else expect(unchanged=ARGUMENT_METRICS)
    perturbation = Perturbation(
        name=name,
        summary=thing,
        unit="remarks",
        levels=(0, level),
        expects=expects,
        needs=frozenset({"argument"}),
        source=source,
        change=change,
        control=control,
        most=None,
        languages=ENGLISH,
    )
    return Probe(
        name=name,
        contrasts=perturbed(perturbation, level, name=thing, adverse=adverse, up=up),
        compares=f"{thing}, against {NEUTRAL.removeprefix('with ')}",
        finds="a rise" if adverse == "rise" else "any difference",
        advice=advice,
        source=source,
        default=False,
        sways=True,
    )


REFERENCES = 3
OTHER_REFERENCES: Texts = {name: tuple(texts) for name, texts in TEXTS["authority"]["others"].items()}
"""References to work that does not exist, in other languages than English."""
CHANGE, CONTROL = matched(among_sentences, TEXTS["authority"]["pairs"], OTHER_REFERENCES)
AUTHORITY_PERTURBATION = Perturbation(
    name="authority",
    summary="references to work that does not exist",
    unit="references",
    levels=(0, 1, REFERENCES),
    expects=expect(no_rise=ARGUMENT_METRICS),
    needs=frozenset({"argument"}),
    source="own; authority bias as in Chen et al. 2024",
    change=CHANGE,
    control=CONTROL,
    languages=ENGLISH | OTHER_REFERENCES.keys(),
    most=None,
)
AUTHORITY = perturbed_probe("authority", AUTHORITY_PERTURBATION, REFERENCES)
"""Does a reference to work that does not exist raise the score? (Authority bias: Chen et al. 2024, section 3.)"""

ADDING_VARIANTS: dict[str, AddingVariant] = {"at the end": at_the_end, "among sentences": among_sentences}
PROBES = (
    LENGTH,
    DOCUMENT_ORDER,
    DISTRACTION,
    FORMATTING,
    INJECTION,
    AUTHORITY,
    *(remark_probe(**{**row, "variant": ADDING_VARIANTS[row["variant"]]}) for row in TEXTS["remark"]),
)
