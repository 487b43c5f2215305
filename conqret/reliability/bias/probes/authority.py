"""Does a reference to work that does not exist raise the score? (Authority bias: Chen et al. 2024, section 3.)"""

from __future__ import annotations

from collections.abc import Sequence

from conqret.data.gathering import gathered
from conqret.perturb import Perturbation
from conqret.perturb.base import Changed, Draw, additions
from conqret.perturb.expectations import ANSWER, GROUNDING, PREFERENCE, QUALITY, expect
from conqret.perturb.sentences import put_after, split
from conqret.reliability.bias.contrast import Contrast, Ground, Probe, perturbed

REFERENCES = 3

INVENTED = (
    "(Aldermoor and Quist 2019, Transactions on Public Questions 41, pp. 112-131)",
    "(Vesterholt et al. 2021, The Larkhill Review of Policy 8, p. 77)",
    "(Institute for Considered Judgement, Report 14, second edition)",
    "(Prof. I. Tamsin-Brandt, inaugural lecture, University of Westmarch 2018)",
    "(Orrin, Calloway and Dace 2020, Annals of Deliberation 12, table 3)",
)
"""Neither the people nor the places of publication exist; none is a mark that points to a document of the item."""


def change(draw: Draw) -> Changed:
    """So many invented references, each after a sentence drawn by seed, or several after one where those are few."""
    text = draw.item.argument or ""
    spans = split(text)
    references = draw.ordered(INVENTED, "references")
    drawn = draw.ordered(range(len(spans)))
    places = sorted(drawn[n % len(drawn)] for n in range(int(draw.level)))
    added = gathered((place, references[n % len(references)]) for n, place in enumerate(places))
    return Changed({"argument": put_after(text, added)}, additions(added), int(draw.level))


PERTURBATION = Perturbation(
    name="authority",
    summary="references to work that does not exist",
    unit="references",
    levels=(0, 1, REFERENCES),
    expects=expect(no_rise=(*GROUNDING, *ANSWER, *QUALITY, *PREFERENCE)),
    needs=frozenset({"argument"}),
    source="own; authority bias as in Chen et al. 2024",
    change=change,
    most=None,
)


def contrasts(ground: Ground) -> Sequence[Contrast]:
    """References that nobody can look up must not raise a score.

    Raises:
        NotAskedError: there is no argument, or no metric that looks at it.
    """
    name, up = f"{REFERENCES} invented references added", "higher with invented references"
    return (perturbed(ground, PERTURBATION, REFERENCES, name=name, adverse="rise", up=up),)


PROBE = Probe("authority", contrasts)
