"""Which prefixes are encoded together, and which rows follow them together: alike in length, within the budget."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from conqret.perplexity.definitions import Continuation, Group
from conqret.perplexity.memory import TokenBudget


def group_batches(groups: Sequence[Group], budget: TokenBudget, batch_size: int) -> Iterator[list[Group]]:
    """Groups whose prefixes are encoded in one step: longest first, so that what does not fit shows at once.

    The budget is looked at for every batch: it may have sunk since the last.
    """
    batch: list[Group] = []
    longest = 0
    for group in sorted(groups, key=lambda one: -len(one.prefix)):
        if batch and ((len(batch) + 1) * longest > budget.tokens or len(batch) == batch_size):
            yield batch
            batch = []
        if not batch:
            longest = len(group.prefix)
        batch.append(group)
    if batch:
        yield batch


def row_batches(
    groups: Sequence[Group], budget: TokenBudget, batch_size: int
) -> Iterator[list[tuple[int, Continuation]]]:
    """The rows behind encoded prefixes, each with its group's place, as many at a time as the budget allows."""
    prefix = max(len(group.prefix) for group in groups)
    rows = [(place, row) for place, group in enumerate(groups) for row in group.rows]
    batch: list[tuple[int, Continuation]] = []
    width = 0
    for place, row in sorted(rows, key=lambda pair: -len(pair[1].ids)):
        if batch and ((len(batch) + 1) * (prefix + width) > budget.tokens or len(batch) == batch_size):
            yield batch
            batch = []
        if not batch:
            width = len(row.ids)
        batch.append((place, row))
    if batch:
        yield batch
