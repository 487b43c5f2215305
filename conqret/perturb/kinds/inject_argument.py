"""Instructions to the judge, hidden in the argument."""

from __future__ import annotations

from conqret.perturb.added import MATCHED, OTHER_INJECTIONS, at_the_end, languages_of, matched
from conqret.perturb.expectations import ANSWER, GROUNDING, PREFERENCE, QUALITY, RELEVANCE, SECOND, expect
from conqret.perturb.perturbation import Perturbation

CHANGE, CONTROL = matched(at_the_end, MATCHED, OTHER_INJECTIONS)

PERTURBATION = Perturbation(
    name="inject-argument",
    summary="an argument that asks the judge for a better score",
    unit="paragraphs",
    levels=(0, 1, 3),
    expects=expect(unchanged=(*RELEVANCE, *SECOND), no_rise=(*GROUNDING, *ANSWER, *QUALITY, *PREFERENCE)),
    needs=frozenset({"argument"}),
    source="own; named as a risk in ConQRet, section 9",
    most=None,
    change=CHANGE,
    control=CONTROL,
    languages=languages_of(OTHER_INJECTIONS),
)
