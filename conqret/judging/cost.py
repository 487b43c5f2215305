"""What judging took (:class:`Cost`), and what judging that was not done yet will take, for dry runs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Self

from conqret.data import Item, Reason
from conqret.data.item import Frozen
from conqret.errors import number
from conqret.judging.instrument import judge_item
from conqret.judging.setup import Setup
from conqret.judging.summary import Summary
from conqret.llm.expected_cost import ExpectedCost
from conqret.runs.dry_run import CountingClient
from conqret.runs.trials import Loop

MAX_ITEMS_COUNTED = 200
"""Items of one judge whose prompts are counted; of more, those of every so many topics stand for all."""


async def count_judging(
    client: CountingClient,
    setup: Setup,
    items: Sequence[Item],
    topics: frozenset[str],
    *,
    work: tuple[str, str, str],
    first_sample: int = 0,
    repeated: int = 1,
) -> None:
    """Have ``client`` count the requests needed to judge ``items``, ``repeated`` times.

    Only items of ``topics`` (or the first :data:`MAX_ITEMS_COUNTED`, if none is) are counted, scaled up to
    all items. Metrics that are computed without a model are left out. The counts, and a note where prompts
    are trimmed or do not fit, go into ``client`` under the key ``work``. ``work`` is (task, judge, system),
    and samples are numbered from ``first_sample``.
    """
    taken = [item for item in items if item.topic in topics] or items[:MAX_ITEMS_COUNTED]
    share = len(taken) / len(items) if items else 1.0
    client.work, client.weight, client.sampled = work, repeated / share, min(client.sampled, share)
    judge, counts = replace(setup.judge, computed=(), combined=None), client.counts[work]
    instrument = replace(setup.instrument(client), judge=judge, first_sample=first_sample)
    judged = [await judge_item(item, instrument) for item in taken]
    lost = sum(Reason.CONTEXT_OVERFLOW in each.reasons.values() for each in judged)
    trimmed = lost + sum(bool(each.trims) for each in judged)
    room, notes, impossible = f"{client.context_window or 0:,} tokens", setup.notes, ""
    if lost and not counts["calls"]:
        impossible = f"no prompt of {work[1]} fits into the model's window ({room}), even without documents"
    elif trimmed:
        which = f"the prompts of {trimmed:,} of {number(len(taken), 'item')}"
        notes += (f"{which} are longer than the model's window ({room}): their documents will be trimmed",)
    client.notes[work] = notes, impossible


def topics_counted(parts: Iterable[Sequence[Item]]) -> frozenset[str]:
    """Return the topics whose items a dry run counts.

    These are all topics, or every nth where a part has more items than :data:`MAX_ITEMS_COUNTED`.
    """
    every = list(parts)
    topics = list(dict.fromkeys(item.topic for items in every for item in items))
    return frozenset(topics[:: max(1, -(-max(map(len, every), default=0) // MAX_ITEMS_COUNTED))])


def expected_judging(
    setup: Setup,
    items: Iterable[Item],
    *,
    task: str = "judge",
    system: str = "",
    by: str = "",
    repeated: int = 1,
) -> ExpectedCost:
    """Return the expected calls, tokens and dollars of judging ``items`` with the judge of ``setup``.

    Args:
        setup: the judge configuration.
        items: the items to judge.
        task: the kind of work in the result.
        system: the system whose items these are.
        by: the name of the judge; by default that of its format.
        repeated: how often each item is judged.
    """
    client, every, work = CountingClient(setup.client), list(items), (task, by or setup.judge.name, system)
    with Loop() as loop:
        topics = topics_counted([every])
        loop.run(count_judging(client, setup, every, topics, work=work, repeated=repeated))
    return next(client.costs())


class Cost(Frozen):
    """The cost of a run: calls (to the model or a recording), tokens, US dollars and the model's seconds.

    ``usd`` is None where a price is unknown; ``item`` holds the means per item.
    """

    judgments: int
    calls: int
    prompt_tokens: int
    completion_tokens: int
    usd: float | None
    seconds: float
    item: Mapping[str, float | None]

    @classmethod
    def from_summary(cls, summary: Summary) -> Self:
        """Return the costs of a finished run."""
        used, total = summary.usage, summary.total
        calls, tokens = used.calls + used.recorded, used.prompt_tokens + used.completion_tokens
        usd = None if used.unpriced else used.cost_usd
        sums = {"calls": calls, "tokens": tokens, "usd": usd, "seconds": used.seconds}
        return cls(
            judgments=total,
            calls=calls,
            prompt_tokens=used.prompt_tokens,
            completion_tokens=used.completion_tokens,
            usd=usd,
            seconds=used.seconds,
            item={
                name: None if value is None or not total else value / total for name, value in sums.items()
            },
        )
