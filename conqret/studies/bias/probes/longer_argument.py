"""How often does the longer of two arguments win?"""

from __future__ import annotations

from collections.abc import Sequence

from conqret.data import Item
from conqret.studies.bias.contrast import AS_IS, Contrast, NotAskedError, Probe, ProbeContext, observed
from conqret.text.words import count_words

MERIT = (
    "the longer argument: it may also be the better one; the probe length tells, and asks the judge itself"
)


def contrasts(ground: ProbeContext) -> Sequence[Contrast]:
    """With v the preference for the one with more words, the mean of ``2 v - 1`` over pairs of different lengths.

    Raises:
        NotAskedError: the judge states no preference, or all arguments are equally long.
    """
    ground.check_preference()
    longer = {item.id: words(item, 0) - words(item, 1) for item in ground.items}
    uneven = [item for item in ground.items if longer[item.id]]
    if not uneven:
        raise NotAskedError("no pair has arguments of different lengths")
    return observed(
        ground,
        uneven,
        AS_IS,
        name="the longer argument",
        up="more often than the shorter",
        remark=MERIT,
        turned=frozenset(name for name, more in longer.items() if more < 0),
    )


def words(item: Item, place: int) -> int:
    """The words of the first or the second argument."""
    return count_words((item.argument, item.second_argument)[place] or "")


PROBE = Probe(
    name="longer argument",
    contrasts=contrasts,
    compares="the longer of two arguments with the shorter",
    finds="none: it is only observed",
    default=False,
)
