"""What is shown of expected calls, tokens and prices; the same for every command with a dry run."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from itertools import groupby
from typing import TYPE_CHECKING, Any

from conqret.console.printing import NONE, complain, note, result

if TYPE_CHECKING:
    from conqret.judging.cost import ExpectedCost
    from conqret.llm.client_options import ClientOptions
    from conqret.show.table import Cell, Table


WORK = {
    "rewrite": "rewriting",
    "generate": "writing",
    "judge": "judging",
    "score": "scoring",
    "detect": "detecting",
    "curate": "collecting",
    "make": "writing perspectives",
    "check": "checking",
    "answer": "answering",
}
"""What each task is called that has a budget of its own."""


def tell_cost(
    estimates: Sequence[ExpectedCost],
    *,
    as_json: bool | None,
    budget: float | None = None,
    facts: Mapping[str, Any] = NONE,
    lines: Iterable[str] = (),
    asked: Iterable[ClientOptions] = (),
) -> None:
    """Print what is expected, after ``lines`` (for a machine: ``facts``; the sums have ``cost_usd`` null where a price
    is unknown), what is assumed in it, and what a ``budget``
    (dollars) would do to the run; end with exit code 2 where the run is impossible: a model that is to be ``asked``
    cannot be, its price is unknown under a budget, or no prompt fits."""
    stop, refused = budget_words(estimates, budget), refusal(estimates, budget, asked)
    stages = [{"stage": estimate.stage, **asdict(estimate)} for estimate in estimates]
    costs = {"stages": stages, **total(estimates), "budget_usd": budget, "budget_note": stop}
    shown = {**facts, **costs, "refusal": refused}
    result(shown, [*lines, cost_table(estimates)], as_json=as_json)
    share = min((estimate.sampled for estimate in estimates), default=1.0)
    if share < 1:
        note(
            f"prompt tokens are estimated from a sample of at least {share:.0%} of the prompts of each format"
        )
    if any(estimate.completion_tokens for estimate in estimates):
        note("the lengths of responses are assumptions, based on what each response must contain")
    note("responses that are already recorded cost nothing")
    note(*dict.fromkeys(remark for each in estimates for remark in each.notes))
    if stop is not None:
        note(stop)
    if refused is not None:
        complain(refused)
        sys.exit(2)


def refusal(
    estimates: Sequence[ExpectedCost], budget: float | None, asked: Iterable[ClientOptions]
) -> str | None:
    """Why a run would come to nothing, as a user has to correct something first; None where it would not."""
    unknown = sorted({estimate.model for estimate in estimates if estimate.cost_usd is None})
    if budget is not None and unknown:
        return f"the run would refuse --budget-usd: the price of {', '.join(unknown)} is unknown"
    impossible = [estimate.impossible for estimate in estimates if estimate.impossible]
    return next(filter(None, (*map(_refused_model, asked), *impossible)), None)


def _refused_model(asked: ClientOptions) -> str | None:
    """Why a hosted model cannot be asked; None where it can."""
    from dataclasses import replace

    from conqret.errors import DeclarationError
    from conqret.llm.backends.hosted import BACKEND
    from conqret.runs.session import Session

    try:
        if asked.backend is BACKEND:
            Session(replace(asked, budget_usd=None)).check()
    except DeclarationError as error:
        return f"the run would refuse: {error}"
    return None


def budget_words(estimates: Sequence[ExpectedCost], budget: float | None) -> str | None:
    """What the budget would do to the run, if it would do anything."""
    from conqret.show.words import money

    if budget is None:
        return None
    costs: dict[str, float] = {}
    for estimate in estimates:
        work = WORK.get(estimate.task, "all of it")
        costs[work] = costs.get(work, 0.0) + (estimate.cost_usd or 0.0)
    for work, cost in costs.items():
        if cost > budget:
            return (
                f"the budget of {money(budget)} would stop the run before its end: {work} is expected to cost "
                f"{money(cost)}"
            )
    return None


def cost_table(estimates: Sequence[ExpectedCost]) -> Table:
    """A line for each piece of work, under the system whose it is, and the sums."""
    from conqret.show.table import Column, Table

    rows: list[tuple[Cell, ...]] = []
    for system, parts in groupby(estimates, key=lambda cost: cost.of):
        rows += [(system,)] if system else []
        rows += [(_words(part), *_figures(asdict(part))) for part in parts]
    columns = (Column("prompt", "text"), "calls", "prompt tokens", "answer tokens", "price")
    return Table("", columns, rows, foot=[("all", *_figures(total(estimates)))])


def total(parts: Sequence[ExpectedCost]) -> dict[str, Any]:
    """The sums of several; the price is None if any price is unknown."""
    sums: dict[str, Any] = {
        name: sum(getattr(part, name) for part in parts)
        for name in ("calls", "prompt_tokens", "completion_tokens")
    }
    costs = [part.cost_usd for part in parts]
    return {**sums, "cost_usd": None if None in costs else sum(cost or 0.0 for cost in costs)}


def _figures(cost: Mapping[str, Any]) -> tuple[Cell, ...]:
    from conqret.show.words import money

    return cost["calls"], cost["prompt_tokens"], cost["completion_tokens"], money(cost["cost_usd"])


def _words(expected: ExpectedCost) -> str:
    """``judge by direct with gpt-4o``; a judge whose label ends with the model's name needs no second mention."""
    words = expected.stage.replace(f" {expected.of}", "", 1) if expected.of else expected.stage
    slug = re.sub(r"[^A-Za-z0-9.]+", "-", expected.model).strip("-.")
    return words if expected.by.endswith(f"-{slug}") else f"{words} with {expected.model}"
