"""What of a comparison a log of verdicts can answer: only what was judged when it was made."""

from __future__ import annotations

from dataclasses import replace

from conqret.judging.verdict_log import VerdictLog
from conqret.studies.bias.contrast import AGAIN, ONE_ORDER, Contrast, Ground, Key, NotAskedError


def within_log(contrast: Contrast, ground: Ground, log: VerdictLog) -> Contrast:
    """The comparison on the pairs that the log holds, with a note where those are not all.

    Raises:
        NotAskedError: it holds none of them; the message says what is needed.
    """
    items = {(way, item.id): item for way, several in contrast.versions.items() for item in several}

    def held(key: Key) -> bool:
        way = key[0]
        sample = int(way.removeprefix(AGAIN)) if way.startswith(AGAIN) else 0
        return log.answers(items[key], contrast.metrics, sample, one_order=way == ONE_ORDER)

    pairs = tuple(pair for pair in contrast.pairs if all(map(held, pair.keys)))
    asked, have = ({pair.base[1] for pair in several} for several in (contrast.pairs, pairs))
    lacks = f"needs {_needed(contrast, ground)}, and {len(have)} of {len(asked)} have it"
    if not pairs:
        raise NotAskedError(lacks)
    notes = contrast.notes if len(have) == len(asked) else (*contrast.notes, f"{contrast.name} {lacks}")
    return replace(contrast, pairs=pairs, notes=notes)


def _needed(contrast: Contrast, ground: Ground) -> str:
    own = {item.id for item in ground.items}
    if contrast.mirrored:
        return "a verdict in one order" if contrast.observed else "the pair in both orders"
    if any(pair.changed[0].startswith(AGAIN) for pair in contrast.pairs):
        return "the same item judged again"
    if any(pair.changed[1] not in own for pair in contrast.pairs):
        return f"a judgment of the item changed ({contrast.name})"
    return "a judgment of the item"
