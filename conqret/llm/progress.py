"""Numbers for a live display, and the list of what a replay lacked."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from conqret.errors import shortened
from conqret.llm.request import MAX_NAME, Completion
from conqret.llm.retry import FailureLimit


@dataclass(slots=True)
class Progress:
    """Running counts of one client.

    ``calls`` counts requests sent (retries included), ``recorded`` answers taken from the store,
    ``retries`` the requests sent again after an error, ``limit`` the concurrency allowed just now.
    Tokens and ``cost_usd`` are those of the calls made now; the cost is None once any of them had no
    known price. ``estimated`` counts answers whose cost was estimated because the server did not say what they used.
    ``retried`` counts the recorded answers that could not be used and were asked for again.
    ``others`` counts the answers, recorded ones too, by the name of another model than was asked.
    ``brake`` counts the questions that came to nothing, and says whether any more should be asked.
    """

    calls: int = 0
    recorded: int = 0
    retries: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost_usd: float | None = 0.0
    limit: int = 0
    estimated: int = 0
    retried: int = 0
    others: Counter[str] = field(default_factory=Counter)
    brake: FailureLimit = field(default_factory=FailureLimit)

    def add(self, completion: Completion, cost: float | None) -> None:
        """Count a fresh answer that cost so many dollars (None: unknown)."""
        self.estimated += completion.cost_usd is None and cost is not None
        self.prompt_tokens += completion.prompt_tokens or 0
        self.completion_tokens += completion.completion_tokens or 0
        if self.cost_usd is not None:
            self.cost_usd = None if cost is None else self.cost_usd + cost

    def count_on(self, now: Progress, before: Progress) -> None:
        """Count what another client did between ``before`` and ``now``."""
        for name in (
            "calls",
            "recorded",
            "retries",
            "prompt_tokens",
            "completion_tokens",
            "estimated",
            "retried",
        ):
            setattr(self, name, getattr(self, name) + getattr(now, name) - getattr(before, name))
        if self.cost_usd is not None:
            known = now.cost_usd is not None and before.cost_usd is not None
            self.cost_usd = (
                self.cost_usd + (now.cost_usd or 0.0) - (before.cost_usd or 0.0) if known else None
            )
        self.others += now.others - before.others
        self.brake.count_on(now.brake, before.brake)

    def named(self, asked: str, completion: Completion) -> None:
        """Count an answer whose model has another name than the one that was ``asked``.

        A provider's prefix is no other name, and neither is a longer one (``gpt-4o-2024-08-06`` for ``gpt-4o``).
        """
        wanted, actual = (name.rpartition("/")[2].lower() for name in (asked, completion.model))
        if actual and not (actual.startswith(wanted) or wanted.startswith(actual)):
            self.others[shortened(completion.model, MAX_NAME)] += 1


@dataclass(frozen=True, slots=True)
class Missing:
    """A request that a replay found no recording of."""

    ask: str
    item: str
    sample: int
    key: str

    def __str__(self) -> str:
        return f"{self.ask} of item {self.item}, sample {self.sample} (key {self.key[:12]})"
