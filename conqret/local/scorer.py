"""Conditional perplexity of many targets under many contexts, with each context read once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import islice
from typing import Any, Protocol

from conqret.data.digest import digest_of
from conqret.errors import DeclarationError, check_known, check_positive
from conqret.local.definitions import (
    DEFINITIONS,
    ContextGroup,
    Continuation,
    Definition,
    Padding,
    TargetScore,
    released_group,
)
from conqret.local.forward import CPU_BUDGET, GPU_BUDGET, Forward, TokenBudget
from conqret.local.models import load, window_of
from conqret.local.prefix import DEFAULT_WRAPPING, PrefixEncoder, fit

Pair = tuple[str | None, Sequence[str]]

DEFAULT_BATCH_SIZE = 32
"""Rows in one step at most; the token budget binds first but for very short texts."""
LOOK_AHEAD = 64
"""Contexts that are ordered by length together: enough to pad little, few enough to keep memory flat."""


class KnownTargets(Protocol):
    """Scores from before, by answer and target, and where new ones are kept."""

    def find(self, answer: str | None, target: str, context: int, number: int) -> TargetScore | None:
        """The score of a target, under its present numbers; None where there is none."""

    def keep(self, answer: str | None, target: str, score: TargetScore) -> None:
        """Keep a score."""


class ConditionalPerplexity:
    """PPL(target | context) on a local transformers model (DebateQA, Equation 2).

    ``model`` is a folder or a hub's name. ``wrapping`` (1 to 5) is what is asked around the answer, ``chat`` whether
    the model's chat template is used (None: where it has one; ``templated`` says it). ``definition`` is ``paper`` or
    ``released``. ``device`` and ``dtype`` default to a GPU in bfloat16 where there is one, else the CPU in float32.
    ``token_budget`` bounds ``rows x (prefix + target)`` tokens of a step and halves when memory runs out;
    ``batch_size`` bounds its rows. ``padding`` is the side on which the released script's tokenizer pads: it changes
    what ``released`` counts and nothing else.

    Raises:
        DeclarationError: a setting is out of its range, or the model cannot be loaded or used.
        MissingDependencyError: torch or transformers is not installed.
    """

    def __init__(
        self,
        model: str,
        *,
        wrapping: int = DEFAULT_WRAPPING,
        chat: bool | None = None,
        definition: Definition = "paper",
        device: str | None = None,
        dtype: str | None = None,
        token_budget: int | None = None,
        batch_size: int = DEFAULT_BATCH_SIZE,
        padding: Padding = "right",
    ) -> None:
        check_known("definition", DEFINITIONS, definition)
        check_known("padding side", ("right", "left"), padding)
        if definition == "released" and (wrapping != DEFAULT_WRAPPING or chat is not None):
            raise DeclarationError(
                "the released definition has no wrapping prompt and uses the chat template like the released script: "
                "leave the options for wrapping and chat template out"
            )
        check_positive({"the token budget": token_budget, "the batch size": batch_size})

        loaded = load(model, device, dtype)
        self.loaded, self.model, self.device, self.dtype = loaded, model, loaded.device, loaded.dtype
        self.definition, self.wrapping = definition, wrapping
        self.padding, self.batch_size = padding, batch_size
        self.budget = TokenBudget(token_budget or (CPU_BUDGET if loaded.device == "cpu" else GPU_BUDGET))
        self._encoder = PrefixEncoder(loaded.tokenizer, wrapping, chat)
        self.templated: bool = self._encoder.templated
        self.window = window_of(loaded.model.config, loaded.tokenizer)
        self._forward = Forward(loaded.model, self.window)
        prompt = [padding] if definition == "released" else self._encoder.around
        settings = [loaded.revision, definition, prompt, self.templated, self.window, self.dtype]
        self.fingerprint = digest_of(settings)

    def score(self, pairs: Iterable[Pair], *, store: KnownTargets | None = None) -> list[TargetScore]:
        """One row a target, contexts in their order and targets in theirs."""
        return [row for rows in self.stream(pairs, store=store) for row in rows]

    def stream(
        self,
        pairs: Iterable[Pair],
        *,
        store: KnownTargets | None = None,
        on_context: Callable[[int], None] = lambda number: None,
    ) -> Iterator[list[TargetScore]]:
        """The rows of each context (an answer; None for no context), in order; some tens of contexts are read ahead.

        Rows that ``store`` has are not scored again, and those that are scored are added to it as they come.
        ``on_context`` is called with the number of each context that is done.
        """
        source = iter(pairs)
        begin = 0
        while chunk := list(islice(source, LOOK_AHEAD)):
            scores = self._chunk(chunk, begin, store)
            for place in range(len(chunk)):
                on_context(begin + place)
                yield scores[place]
            begin += len(chunk)

    def _chunk(
        self, chunk: Sequence[Pair], begin: int, store: KnownTargets | None
    ) -> list[list[TargetScore]]:
        scores: list[dict[int, TargetScore]] = [{} for _ in chunk]
        groups: list[ContextGroup] = []
        for place, (answer, targets) in enumerate(chunk):
            wanted = []
            for number, target in enumerate(targets):
                known = None if store is None else store.find(answer, target, begin + place, number)
                if known is None:
                    wanted.append((number, target))
                else:
                    scores[place][number] = known
            planned, failed = self._plan(begin + place, answer, targets, wanted)
            groups += planned
            for row in failed:
                scores[place][row.target] = row
        for row in self._run(groups):
            place = row.context - begin
            scores[place][row.target] = row
            if store is not None:
                answer, targets = chunk[place]
                store.keep(answer, targets[row.target], row)
        return [[rows[number] for number in sorted(rows)] for rows in scores]

    def _plan(
        self, context: int, answer: str | None, targets: Sequence[str], wanted: Sequence[tuple[int, str]]
    ) -> tuple[list[ContextGroup], list[TargetScore]]:
        """The rows of one context by the prefix that they share, and those that cannot be scored."""
        if not wanted:
            return [], []
        if self.definition == "released":
            return self._plan_released(context, answer, targets, {number for number, _ in wanted})
        prefix = self._encoder.prefix(answer)
        shared: dict[int, tuple[tuple[int, ...], list[Continuation]]] = {}
        failed = []
        for number, target in wanted:
            ids = self._encoder.target(target)
            fitted = fit(prefix, len(ids), self.window)
            row = Continuation(context, number, ids, 0, max(1, len(ids)), 0 if fitted is None else fitted[1])
            if not ids:
                failed.append(row.failed("the target is empty"))
            elif fitted is None:
                room = f"the window of {self.window} tokens has no room"
                failed.append(row.failed(f"{room} for any of the context with the target"))
            else:
                shared.setdefault(fitted[1], (fitted[0], []))[1].append(row)
        return [ContextGroup(ids, tuple(rows)) for ids, rows in shared.values()], failed

    def _plan_released(
        self, context: int, answer: str | None, targets: Sequence[str], wanted: set[int]
    ) -> tuple[list[ContextGroup], list[TargetScore]]:
        encoded = [self._encoder.released(answer or "", target, self.window) for target in targets]
        rows = [(number, ids) for number, (ids, _, _) in enumerate(encoded)]
        cuts = [cut for _, _, cut in encoded]
        groups, failed = [], []
        for group in released_group(context, rows, encoded[0][1], cuts, padding=self.padding):
            kept = [row for row in group.rows if row.target in wanted]
            failed += [
                row.failed("no token of the target is left in the window") for row in kept if row.counted < 1
            ]
            if kept := [row for row in kept if row.counted > 0]:
                groups.append(ContextGroup(group.prefix, tuple(kept)))
        return groups, failed

    def _run(self, groups: Sequence[ContextGroup]) -> Iterator[TargetScore]:
        def length(group: ContextGroup) -> tuple[int, ...]:
            return (len(group.prefix),)

        for together, encoded in self.budget.steps(groups, self._forward.encode, length, self.batch_size):
            if encoded is None:
                yield from (row.failed("memory ran out on the context alone") for row in together[0].rows)
            else:
                yield from self._rows(together, encoded)
            del encoded  # before the next prefixes are read

    def _rows(self, groups: Sequence[ContextGroup], encoded: Any) -> Iterator[TargetScore]:
        """The rows behind prefixes that are read already."""
        prefix = max(len(group.prefix) for group in groups)
        rows = [(place, row) for place, group in enumerate(groups) for row in group.rows]

        def lengths(placed: tuple[int, Continuation]) -> tuple[int, ...]:
            return prefix, len(placed[1].ids)

        read = partial(self._forward.log_likelihoods, encoded)
        for together, sums in self.budget.steps(rows, read, lengths, self.batch_size):
            if sums is None:
                yield together[0][1].failed("memory ran out on this row alone")
                continue
            for (place, row), value in zip(together, sums, strict=True):
                yield row.scored(value, len(groups[place].prefix))
