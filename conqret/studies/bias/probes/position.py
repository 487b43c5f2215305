"""Does the place of an argument decide which of two is preferred?

Formats that state a preference ask in both orders and call a flip a tie. Here the two answers are looked at singly:
they are the same requests, so recordings answer them. What other probes change is judged in both orders, too, and says
as much of the places as the pairs themselves.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

from conqret.data import Item
from conqret.errors import number
from conqret.judging.scales import swap_item
from conqret.studies.bias.contrast import (
    AS_IS,
    ONE_ORDER,
    PREFERENCE,
    Contrast,
    NotAskedError,
    Probe,
    ProbeContext,
    VersionPair,
)

SWAPPED = "+swapped"


def contrasts(ground: ProbeContext) -> Sequence[Contrast]:
    """Each pair in both orders. With v in {0, 0.5, 1} the preference for what stands first, the effect is the mean
    of ``v(given) + v(swapped) - 1``, from -1 (always the second place) to 1 (always the first); 0 where verdicts
    follow the arguments (Zheng et al. 2023, section 3.3).

    Raises:
        NotAskedError: the judge states no preference, or no item has two arguments.
    """
    ground.check_preference()
    items = [item for item in ground.items if _paired(item)]
    if not items:
        raise NotAskedError("no item has two arguments")
    contrast = Contrast(
        name="the two arguments change places",
        adverse="any",
        up="the first place is preferred",
        metrics=(PREFERENCE,),
        pairs=(),
        versions={ONE_ORDER: ()},
        mirrored=True,
    )
    return (_turned(contrast, [(item, item.topic, "") for item in items]),)


def in_every_version(contrasts: Sequence[Contrast], swaying: Collection[str]) -> list[Contrast]:
    """The contrasts, those between places over every version of the items that is judged as it is.

    Nothing more is asked, and chance in single verdicts tells less. What the probes ``swaying`` change is left out, and
    not what they hold it against: a judge that does as it is told prefers no place there, whatever it does elsewhere.
    """
    version_items: dict[str, tuple[Item, str, str]] = {}
    for contrast in contrasts:
        versions = {item.id: item for item in contrast.versions.get(AS_IS, ()) if _paired(item)}
        for pair in contrast.pairs:
            for way, name in (pair.base,) if contrast.probe in swaying else (pair.base, pair.changed):
                if way == AS_IS and name in versions:
                    version_items.setdefault(name, (versions[name], pair.cluster, pair.item or pair.base[1]))
    further = list(version_items.values())
    places = [contrast.mirrored and not contrast.observed for contrast in contrasts]
    return [
        _turned(contrast, further) if of_places else contrast
        for contrast, of_places in zip(contrasts, places, strict=True)
    ]


def _paired(item: Item) -> bool:
    return bool(item.argument and item.second_argument)


def _turned(contrast: Contrast, versions: Iterable[tuple[Item, str, str]]) -> Contrast:
    """The contrast with these, too, each in both orders: a version, its topic, and the item behind it."""
    known = {item.id for item in contrast.versions[ONE_ORDER]}
    new = [
        (item, swap_item(item).model_copy(update={"id": f"{item.id}{SWAPPED}"}), topic, original)
        for item, topic, original in versions
        if item.id not in known
    ]
    items = [version for item, swapped, _, _ in new for version in (item, swapped)]
    pairs = [
        VersionPair((ONE_ORDER, item.id), (ONE_ORDER, swapped.id), topic, original)
        for item, swapped, topic, original in new
    ]
    note = f"{contrast.probe}: {number(len(pairs), 'version')} of pairs by other probes count, too"
    return replace(
        contrast,
        pairs=(*contrast.pairs, *pairs),
        versions={ONE_ORDER: (*contrast.versions[ONE_ORDER], *items)},
        notes=(*contrast.notes, note) if known and pairs else contrast.notes,
    )


PROBE = Probe(
    name="position",
    contrasts=contrasts,
    compares="both orders of two arguments, looked at singly, in each pair and in what other probes make of it",
    finds="a place that is preferred",
    advice="ask in both orders, and count what flips as a tie",
    source="Zheng et al. 2023; CALM: position",
)
