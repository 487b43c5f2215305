"""Over which dimensions the alphas of a judge are averaged: the same everywhere."""

from __future__ import annotations

from collections.abc import Mapping

from conqret.judging.dimensions import DIMENSIONS
from conqret.studies.agreement.annotator_agreement import OVERALL

_TAXONOMY = frozenset(dimension.name for dimension in DIMENSIONS)


def averaged_dimensions(defined: Mapping[str, bool]) -> list[str]:
    """The labelled dimensions of an average, of those given with whether they have an alpha.

    They are the dimensions of argument quality without overall quality, as in ConQRet (section 6.1); where none of
    these is labelled, all others (relevance, preference, criteria of one's own); where overall quality is the only
    one, that. Dimensions without an alpha are left out, unless none has one.
    """
    known = [name for name, there in defined.items() if there] or list(defined)
    others = [name for name in known if name != OVERALL] or known
    return [name for name in others if name in _TAXONOMY] or others
