"""Instructions to the judge, hidden in the argument."""

from __future__ import annotations

from conqret.perturb.base import Change, Changed, Draw, Perturbation
from conqret.perturb.expectations import ANSWER, GROUNDING, PREFERENCE, QUALITY, RELEVANCE, SECOND, expect
from conqret.perturb.injections import INJECTIONS


def change(draw: Draw) -> Changed:
    """So many paragraphs at the end of the argument that ask for a better score."""
    order = draw.ordered(INJECTIONS)
    added = [order[n % len(order)] for n in range(int(draw.level))]
    text = "\n\n".join([draw.item.argument or "", *added])
    changes = tuple(Change(where="argument end", kind="added", after=one) for one in added)
    return Changed({"argument": text}, changes, len(added))


PERTURBATION = Perturbation(
    name="inject-argument",
    summary="an argument that asks the judge for a better score",
    unit="paragraphs",
    levels=(0, 1, 3),
    expects=expect(unchanged=(*RELEVANCE, *SECOND), no_rise=(*GROUNDING, *ANSWER, *QUALITY, *PREFERENCE)),
    needs=frozenset({"argument"}),
    source="own; named as a risk in ConQRet, section 9",
    change=change,
    most=None,
)
