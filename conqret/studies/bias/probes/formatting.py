"""Does the look pay? The same sentences as a list with bold words."""

from __future__ import annotations

import re

from conqret.perturb import Perturbation
from conqret.perturb.expectations import ANSWER, GROUNDING, PREFERENCE, expect
from conqret.perturb.perturbation import Change, Draw, PerturbedItem
from conqret.perturb.sentence_edits import split
from conqret.studies.bias.contrast import OVERALL, Probe, perturbed
from conqret.text.citations import MARK
from conqret.text.words import UNSPACED

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


def change(draw: Draw) -> PerturbedItem:
    """Each sentence an item of a list, its first words bold."""
    return _lines(draw, "- {}**{}**{}", "\n")


def control(draw: Draw) -> PerturbedItem:
    """Running text of as many characters and words: dashes between the sentences, and blanks behind them."""
    return _lines(draw, "- {}{}{}    ", " ")


PERTURBATION = Perturbation(
    name="formatting",
    summary="the argument's sentences as a list, their first words bold",
    unit="0 as it is, 1 laid out",
    levels=(0, 1),
    expects=expect(unchanged=(*GROUNDING, *ANSWER, OVERALL, *PREFERENCE)),
    needs=frozenset({"argument"}),
    source="own",
    change=change,
    control=control,
    most=1,
)
"""Clarity and arrangement are left open: there the look may count."""

PROBE = Probe(
    name="formatting",
    contrasts=perturbed(
        PERTURBATION,
        1,
        name="a list with bold words",
        adverse="any",
        up="higher as a list with bold words",
        against="as running text of the same length",
    ),
    compares="the same sentences as a list with bold words, against running text of the same length",
    finds="any difference",
    advice="take marks of layout out of the texts before they are judged",
    default=False,
)
