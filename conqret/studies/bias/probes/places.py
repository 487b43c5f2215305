"""Probes of the order in which arguments and dimensions stand, and of which of two arguments wins."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

from conqret.data import Item
from conqret.errors import number
from conqret.judging.scales import swap_item
from conqret.perturb.perturbation import QUALITY
from conqret.studies.bias.contrast import (
    AS_IS,
    ONE_ORDER,
    PREFERENCE,
    REVERSED,
    Contrast,
    ProbeContext,
    ProbeUnavailableError,
    VersionPair,
    own_contrast,
    own_probe,
)
from conqret.text.words import count_words

SWAPPED = "+swapped"


def both_orders(context: ProbeContext) -> Sequence[Contrast]:
    """Return the contrast of each pair of arguments judged in both orders (Zheng et al. 2023, section 3.3).

    With the preference v in {0, 0.5, 1} for the first place, the effect is the mean of ``v(given) +
    v(swapped) - 1``. It is 1 if the first place always wins, -1 if the second does, and 0 if verdicts follow
    the arguments.

    Raises:
        ProbeUnavailableError: the judge states no preference, or no item has two arguments.
    """
    context.check_preference()
    items = [item for item in context.items if _paired(item)]
    if not items:
        raise ProbeUnavailableError("no item has two arguments")
    contrast = own_contrast(
        "position", metrics=(PREFERENCE,), pairs=(), versions={ONE_ORDER: ()}, mirrored=True
    )
    return (_turned(contrast, [(item, item.topic, "") for item in items]),)


def in_every_version(both_orders: Sequence[Contrast], swaying: Collection[str]) -> list[Contrast]:
    """Extend position contrasts to all versions of the items that other probes judge with the usual request.

    This makes the estimate more precise; versions are judged anyway. Changed versions of the probes in
    ``swaying`` are left out, but not their controls.
    """
    version_items: dict[str, tuple[Item, str, str]] = {}
    for contrast in both_orders:
        versions = {item.id: item for item in contrast.versions.get(AS_IS, ()) if _paired(item)}
        for pair in contrast.pairs:
            for variant, name in (pair.base,) if contrast.probe in swaying else (pair.base, pair.changed):
                if variant == AS_IS and name in versions:
                    version_items.setdefault(name, (versions[name], pair.cluster, pair.item or pair.base[1]))
    further = list(version_items.values())
    places = [contrast.mirrored and not contrast.observed for contrast in both_orders]
    return [
        _turned(contrast, further) if of_places else contrast
        for contrast, of_places in zip(both_orders, places, strict=True)
    ]


def _paired(item: Item) -> bool:
    return bool(item.argument and item.second_argument)


def _turned(contrast: Contrast, versions: Iterable[tuple[Item, str, str]]) -> Contrast:
    """Return the contrast with ``versions`` (item, topic, id of the original item) added, each in both orders of its
    arguments; those that it already has are left out."""
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


POSITION = own_probe("position", both_orders)
"""Does the place of an argument decide which of two is preferred?

Formats that state a preference request both orders and call a flip a tie. This probe compares the two responses: the
requests are the same, so recordings have them. Items changed by other probes are judged in both orders, too, and count
as further pairs."""

CHANCE = "the first place: its wins say something of the judge only where the order was drawn by chance"


def first_places(context: ProbeContext) -> Sequence[Contrast]:
    """Return the observed contrast of how often the first argument wins: the mean of ``2 v - 1``, with v its
    preference.

    Raises:
        ProbeUnavailableError: the judge states no preference, or every pair was judged in both orders.
    """
    context.check_preference()
    log = context.log
    single = [item for item in context.items if log is None or not log.times(swap_item(item))]
    if not single:
        raise ProbeUnavailableError(
            "every pair was judged in both orders: the probe position is more informative"
        )
    return observed(
        context, single, ONE_ORDER, name="the first place", up="more often than the second", remark=CHANCE
    )


FIRST_PLACE = own_probe("first place", first_places)
"""How often does the first place win, where each pair was judged in one order only?"""

MERIT = (
    "the longer argument: it may also be the better one; the probe length tells, and asks the judge itself"
)


def longer_arguments(context: ProbeContext) -> Sequence[Contrast]:
    """Return the observed contrast of how often the longer argument wins: the mean of ``2 v - 1``, with v
    its preference.

    Raises:
        ProbeUnavailableError: the judge states no preference, or all arguments are equally long.
    """
    context.check_preference()
    longer = {
        item.id: count_words(item.argument or "") - count_words(item.second_argument or "")
        for item in context.items
    }
    uneven = [item for item in context.items if longer[item.id]]
    if not uneven:
        raise ProbeUnavailableError("no pair has arguments of different lengths")
    return observed(
        context,
        uneven,
        AS_IS,
        name="the longer argument",
        up="more often than the shorter",
        remark=MERIT,
        turned=frozenset(name for name, more in longer.items() if more < 0),
    )


LONGER_ARGUMENT = own_probe("longer argument", longer_arguments)
"""How often does the longer of two arguments win?"""


def reversed_dimensions(context: ProbeContext) -> Sequence[Contrast]:
    """Return the contrast of the dimensions of argument quality in reversed and in given order (ConQRet,
    Table 13).

    Raises:
        ProbeUnavailableError: no prompt of this judge has several dimensions.
    """
    judge_prompts = context.setup.judge.select(context.setup.options.metrics)
    together = [
        metric for ask in judge_prompts if len(set(ask.metrics) & set(QUALITY)) > 1 for metric in ask.metrics
    ]
    several = [metric for metric in together if metric in QUALITY]
    metrics = context.select_metrics(several, "no question of this judge asks for several dimensions")
    return (
        own_contrast(
            "dimension order",
            metrics=metrics,
            pairs=tuple(
                VersionPair((AS_IS, item.id), (REVERSED, item.id), item.topic) for item in context.items
            ),
            versions={AS_IS: context.items, REVERSED: context.items},
        ),
    )


DIMENSION_ORDER = own_probe("dimension order", reversed_dimensions)
"""Does the order matter in which dimensions are requested?"""


def observed(
    context: ProbeContext,
    items: Sequence[Item],
    variant: str,
    *,
    name: str,
    up: str,
    remark: str,
    turned: frozenset[str] = frozenset(),
) -> tuple[Contrast]:
    """Return an observed contrast: how often the first of two arguments wins in the judgments of ``items``.

    For items in ``turned`` it is the second argument. The judgments are those with this ``variant`` of the
    request.
    """
    keys = [((variant, item.id), item.topic) for item in items]
    return (
        Contrast(
            name=name,
            adverse="any",
            up=up,
            metrics=(PREFERENCE,),
            pairs=tuple(VersionPair(version, version, topic) for version, topic in keys),
            versions={variant: context.items},
            mirrored=True,
            observed=True,
            turned=turned,
            notes=(remark,),
        ),
    )


PROBES = (POSITION, FIRST_PLACE, LONGER_ARGUMENT, DIMENSION_ORDER)
