"""Expected costs of a run, printed as the end of a dry run: their table, its assumptions, and what a budget does."""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from itertools import groupby
from operator import itemgetter
from typing import Any

from conqret.console.printing import NONE, complain, note, result
from conqret.errors import DeclarationError, MissingKeyError
from conqret.llm.client_options import ClientOptions
from conqret.llm.expected_cost import ExpectedCost, total
from conqret.runs.session import Session
from conqret.show.table import Cell, Column, Table
from conqret.show.words import money


def tell_cost(
    estimates: Sequence[ExpectedCost],
    *,
    as_json: bool | None,
    budget: float | None = None,
    facts: Mapping[str, Any] = NONE,
    lines: Iterable[str] = (),
    called: Iterable[ClientOptions] = (),
) -> None:
    """Print the expected costs, the assumptions behind them, and what ``budget`` would do to the run.

    Args:
        estimates: the costs of all stages.
        as_json: print JSON instead of text; null prices mean that a price is unknown.
        budget: the budget in dollars.
        facts: further fields for JSON.
        lines: text lines printed before the costs.
        called: the models that the run would call. A missing key is a note, since a dry run needs none.

    Raises:
        SystemExit: with code 2, if the run is impossible (:func:`refusal`).
    """
    errors = [error for error in map(_model_error, called) if error is not None]
    stop, refused = budget_words(estimates, budget), refusal(estimates, budget, errors)
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
    note(*(f"the run will need a key: {error}" for error in errors if isinstance(error, MissingKeyError)))
    if stop is not None:
        note(stop)
    if refused is not None:
        complain(refused)
        sys.exit(2)


def refusal(
    estimates: Sequence[ExpectedCost], budget: float | None, errors: Iterable[DeclarationError]
) -> str | None:
    """Return why a run would fail before its first request, as an error message; None if it would not.

    Reasons are a budget for a model of unknown price, a model that cannot be called (``errors``, of which a
    missing key is none), and prompts that do not fit.
    """
    unknown = sorted({estimate.model for estimate in estimates if estimate.cost_usd is None})
    if budget is not None and unknown:
        return f"the run would refuse --budget-usd: the price of {', '.join(unknown)} is unknown"
    refused = [f"the run would refuse: {error}" for error in errors if not isinstance(error, MissingKeyError)]
    impossible = [estimate.impossible for estimate in estimates if estimate.impossible]
    return next(iter(refused + impossible), None)


def _model_error(called: ClientOptions) -> DeclarationError | None:
    """Return the error that a hosted model cannot be called with; None if it can."""
    try:
        if not called.backend.prefix or called.backend.decides:
            Session(replace(called, budget_usd=None)).check()
    except DeclarationError as error:
        return error
    return None


def budget_words(estimates: Sequence[ExpectedCost], budget: float | None) -> str | None:
    """Return a sentence that names the stage whose expected cost exceeds the budget; None if none does, or there is no
    budget. Stages with unknown prices count as free."""
    if budget is None:
        return None
    costs = Counter[str]()
    for estimate in estimates:
        costs[estimate.task] += estimate.cost_usd or 0.0  # type: ignore[assignment]
    task, cost = max(costs.items(), key=itemgetter(1), default=("", 0.0))
    if cost <= budget:
        return None
    return (
        f"the budget of {money(budget)} would stop the run before its end: its stage “{task}” is expected to cost "
        f"{money(cost)}"
    )


def cost_table(estimates: Sequence[ExpectedCost]) -> Table:
    """Build the table of costs: one row for each stage, grouped by system, and a row of sums."""
    rows: list[tuple[Cell, ...]] = []
    for system, parts in groupby(estimates, key=lambda cost: cost.of):
        rows += [(system,)] if system else []
        rows += [(_words(part), *_figures(asdict(part))) for part in parts]
    columns = (Column("prompt", "text"), "calls", "prompt tokens", "answer tokens", "price")
    return Table("", columns, rows, foot=[("all", *_figures(total(estimates)))])


def _figures(cost: Mapping[str, Any]) -> tuple[Cell, ...]:
    return cost["calls"], cost["prompt_tokens"], cost["completion_tokens"], money(cost["cost_usd"])


def _words(expected: ExpectedCost) -> str:
    """Return a stage with its model, such as ``judge by direct with gpt-4o``; without it, if the judge's
    label ends with it.
    """
    words = expected.stage.replace(f" {expected.of}", "", 1) if expected.of else expected.stage
    slug = re.sub(r"[^A-Za-z0-9.]+", "-", expected.model).strip("-.")
    return words if expected.by.endswith(f"-{slug}") else f"{words} with {expected.model}"
