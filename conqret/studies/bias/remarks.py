"""Probes that put a remark into the argument, and hold it against a neutral one of the same length."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from conqret.perturb import Perturbation
from conqret.perturb.added import AddingVariant, at_the_end, matched
from conqret.perturb.expectations import ANSWER, GROUNDING, PREFERENCE, QUALITY, expect
from conqret.perturb.perturbation import ENGLISH
from conqret.studies.bias.contrast import NEUTRAL, Adverse, Probe, perturbed

OF_THE_ARGUMENT = (*GROUNDING, *ANSWER, *QUALITY, *PREFERENCE)
"""The metrics in which a remark in the argument could show."""

FINDS: Mapping[Adverse, str] = {
    "rise": "a rise",
    "any": "any difference",
    "none": "none: it is only measured",
}


def remark_probe(
    name: str,
    pairs: Sequence[tuple[str, str]],
    *,
    thing: str,
    up: str,
    advice: str,
    source: str,
    adverse: Adverse = "rise",
    way: AddingVariant = at_the_end,
    level: int = 1,
) -> Probe:
    """A probe that is made only where it is named.

    Args:
        name: of the probe; without spaces, as it stands in the ids of the changed items.
        pairs: remarks, each with a neutral one of as many characters and words.
        thing: what is put into the argument, in words.
        up: what a positive effect means.
        advice: what to do about an alarm.
        source: who found the bias.
        adverse: which difference is a bias.
        way: where the remarks stand.
        level: how many of them there are.

    Raises:
        DeclarationError: a remark and its neutral one are not of one length.
    """
    change, control = matched(way, pairs)
    expects = expect(no_rise=OF_THE_ARGUMENT) if adverse == "rise" else expect(unchanged=OF_THE_ARGUMENT)
    perturbation = Perturbation(
        name=name, summary=thing, unit="remarks", levels=(0, level), expects=expects,
        needs=frozenset({"argument"}), source=source, change=change, control=control, most=None, languages=ENGLISH,
    )  # fmt: skip

    return Probe(
        name=name,
        contrasts=perturbed(perturbation, level, name=thing, adverse=adverse, up=up),
        compares=f"{thing}, against {NEUTRAL.removeprefix('with ')}",
        finds=FINDS[adverse],
        advice=advice,
        source=source,
        default=False,
        sways=True,
    )
