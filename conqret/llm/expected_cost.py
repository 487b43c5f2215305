"""The expected cost of calls to a model that were not made yet."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from conqret.llm.batch_services import SHARE
from conqret.llm.batches import service_of
from conqret.llm.client_options import ClientOptions


@dataclass(frozen=True, slots=True)
class ExpectedCost:
    """The expected number of requests, tokens and dollars of one stage of work with one model.

    ``task`` is the kind of work ("judge", "perturb", "rerank", "generate", "rewrite"), ``of`` the system or
    ranking it is about, and ``by`` the judge or the perturbation. ``sampled`` is the share of its prompts
    that were counted: 1 if all were. ``cost_usd`` is None where the price is unknown. ``notes`` say what the
    run would leave out or trim. ``impossible`` is the reason why the stage cannot run, or empty.
    """

    task: str
    model: str
    calls: int
    prompt_tokens: int
    completion_tokens: int
    cost_usd: float | None
    of: str = ""
    by: str = ""
    sampled: float = 1.0
    notes: tuple[str, ...] = ()
    impossible: str = ""

    @property
    def stage(self) -> str:
        """The stage in one line, such as ``judge bm25+writer by rag-fine-grained-gpt-4o``."""
        joint = "for" if self.task in ("rewrite", "curate") else "by"
        return " ".join(filter(None, (self.task, self.of, f"{joint} {self.by}" if self.by else "")))

    def scaled(self, share: float) -> ExpectedCost:
        """Return the cost for a share (0 to 1) of the calls, with a note that so many of the items are
        expected to be judged.
        """
        note = f"{self.model} is expected to judge {share:.0%} of the items, as in the labeled run"
        return replace(
            self,
            calls=round(self.calls * share),
            prompt_tokens=round(self.prompt_tokens * share),
            completion_tokens=round(self.completion_tokens * share),
            cost_usd=None if self.cost_usd is None else self.cost_usd * share,
            notes=(*self.notes, note),
        )


def batch_price(cost: ExpectedCost, client: ClientOptions) -> ExpectedCost:
    """Return the cost at the price of batches (half); an unknown one stays None.

    Raises:
        DeclarationError: the model cannot be called in batches.
    """
    service_of(client)
    return replace(cost, cost_usd=None if cost.cost_usd is None else SHARE * cost.cost_usd)


def expected(
    task: str, client: ClientOptions, calls: int, prompt: int, completion: int, **more: Any
) -> ExpectedCost:
    """Return the cost of ``calls`` requests, priced for the model of ``client``.

    Args:
        task: the kind of work.
        client: the options of the model, which hold its prices.
        calls: the number of requests.
        prompt: the tokens of all prompts together.
        completion: the tokens of all responses together.
        more: further fields of :class:`ExpectedCost`.
    """
    cost = client.facts.cost(prompt, completion)
    return ExpectedCost(task, client.model, calls, prompt, completion, cost, **more)


def total(parts: Sequence[ExpectedCost]) -> dict[str, Any]:
    """Return the sums over stages as ``calls``, ``prompt_tokens``, ``completion_tokens`` and ``cost_usd``;
    the last is None if any cost is unknown.
    """
    sums: dict[str, Any] = {
        name: sum(getattr(part, name) for part in parts)
        for name in ("calls", "prompt_tokens", "completion_tokens")
    }
    costs = [part.cost_usd for part in parts]
    return {**sums, "cost_usd": None if None in costs else sum(cost or 0.0 for cost in costs)}
