"""From collected topics to a set that can be debated: two-sided, and each there once (DEBATunE, section 2).

Whether a topic has two sides, and which claim they affirm and deny, is judged by the format ``two-sided``. Of topics
that say nearly the same the first is kept.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial

from conqret.data import Item, Judgment
from conqret.debate.debatune.debate_arguments import Arguing, argue, lacking
from conqret.debate.debatune.debate_topics import SIDES, DebateTopic
from conqret.debate.debatune.sifting import Dropped, Sifted, unanswered
from conqret.debate.debatune.transcript import Spoken
from conqret.errors import DeclarationError
from conqret.judges.two_sided import CLAIM, VERDICT
from conqret.runs.session import Session
from conqret.runs.study_run import lost
from conqret.runs.trials import collect
from conqret.text.analysis import Text, weight

FORMAT = "two-sided"
METRIC = "two_sided"
COLLECTED = "collected"
"""Under this key of a topic stands how it was collected, where its claim is worded otherwise."""
DUPLICATE = "duplicate"

SAME = 0.77
"""The share of words in common from which two topics are one; chosen by hand on DEBATunE's 710 topics, which people had
cleared of doubles: all six pairs above it are doubles that were overlooked, and of the four at .75 three are none."""


def two_sided(items: Iterable[Item], judgments: Iterable[Judgment]) -> Sifted:
    """The topics that can be argued from both sides, each once, as rows with ``id`` and ``topic`` (the claim).

    Args:
        items: the collected topics.
        judgments: theirs by the format ``two-sided``, in the same order.
    """
    kept: list[dict[str, str]] = []
    dropped: list[Dropped] = []
    known = _Known()
    for item, judgment in zip(items, judgments, strict=True):
        measure = judgment.measures[METRIC]
        said = {part.id: part.label or "" for part in measure.parts}
        if measure.value is None:
            dropped.append(unanswered(item.id, item.topic, measure))
        elif CLAIM not in said:
            dropped.append(Dropped(item.id, item.topic, said[VERDICT], measure.explanation))
        elif (place := known.alike(said[CLAIM])) is not None:
            same = kept[place]
            dropped.append(Dropped(item.id, item.topic, DUPLICATE, f"as {same['id']}: {same['topic']}"))
        else:
            row = {"id": item.id, "topic": said[CLAIM]}
            kept.append(row if said[CLAIM] == item.topic else {**row, COLLECTED: item.topic})
    return Sifted(kept, dropped)


def with_arguments(
    found: Sifted, session: Session, count: int, on_row: Callable[[Spoken], None] = lambda row: None
) -> tuple[Sifted, dict[str, int]]:
    """The same with ``count`` arguments of each side in each kept row, under ``affirmative`` and ``negative``, as
    ``conqret debate hold`` asks for them; and how many sides got none, by reason: their rows lack that side.

    Raises:
        DeclarationError: fewer than 1 argument a side is asked for.
    """
    if count < 1:
        raise DeclarationError(f"--arguments is 1 or more a side, not {count}")
    topics = [DebateTopic(row["id"], row["topic"], dict.fromkeys(SIDES, ())) for row in found.kept]
    asked = list(lacking(topics, count))

    async def one(arguing: Arguing) -> Spoken:
        row = await argue(arguing, session)
        on_row(row)
        return row

    rows = session.run(
        lambda client: collect(
            ((arguing.key, partial(one, arguing)) for arguing in asked), in_flight=client.in_flight
        )
    )
    said: dict[str, dict[str, list[str]]] = {}
    for arguing, row in zip(asked, rows, strict=True):
        if row.answered:
            said.setdefault(arguing.topic.id, {})[arguing.side] = list(row.arguments)
    kept = [{**row, **said.get(row["id"], {})} for row in found.kept]
    return Sifted(kept, found.dropped), lost(rows)


def similarity(one: str, other: str) -> float:
    """The share of content words that two topics have in common, in [0, 1]: ``w(A and B) / w(A or B)`` over their
    stems, a common word at half a weight; 0 where neither has any."""
    return _shared(Text(one).terms, Text(other).terms)


class _Known:
    """The topics so far, found by their stems."""

    def __init__(self) -> None:
        self._terms: list[frozenset[str]] = []
        self._places: dict[str, list[int]] = {}

    def alike(self, topic: str) -> int | None:
        """The place of the topic that this one repeats, the most alike first; None, and it is known from now on."""
        terms = Text(topic).terms
        near = sorted({place for term in terms for place in self._places.get(term, ())})
        best = max(near, key=lambda place: _shared(terms, self._terms[place]), default=None)
        if best is not None and _shared(terms, self._terms[best]) >= SAME:
            return best
        for term in terms:
            self._places.setdefault(term, []).append(len(self._terms))
        self._terms.append(terms)
        return None


def _shared(one: frozenset[str], other: frozenset[str]) -> float:
    union = sum(weight(term) for term in sorted(one | other))
    return sum(weight(term) for term in sorted(one & other)) / union if union else 0.0
