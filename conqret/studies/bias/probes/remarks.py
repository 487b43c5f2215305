"""Probes that put a remark into the argument, against a neutral one of the same length (``texts.toml``)."""

from __future__ import annotations

from collections.abc import Sequence

from conqret.perturb import Perturbation
from conqret.perturb.kinds.added_texts import (
    AddingVariant,
    Texts,
    among_sentences,
    at_the_end,
    languages_of,
    matched,
)
from conqret.perturb.perturbation import ANSWER, ENGLISH, GROUNDING, PREFERENCE, QUALITY, expect
from conqret.studies.bias.contrast import NEUTRAL, TEXTS, Adverse, Probe, perturbed, perturbed_probe

ARGUMENT_METRICS = (*GROUNDING, *ANSWER, *QUALITY, *PREFERENCE)
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
    languages=languages_of(OTHER_REFERENCES),
    most=None,
)
AUTHORITY = perturbed_probe("authority", AUTHORITY_PERTURBATION, REFERENCES)
"""Does a reference to work that does not exist raise the score? (Authority bias: Chen et al. 2024, section 3.)"""

ADDING_VARIANTS: dict[str, AddingVariant] = {"at the end": at_the_end, "among sentences": among_sentences}
PROBES = (
    AUTHORITY,
    *(remark_probe(**{**row, "variant": ADDING_VARIANTS[row["variant"]]}) for row in TEXTS["remark"]),
)
