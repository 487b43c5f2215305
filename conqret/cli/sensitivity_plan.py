"""What ``conqret sensitivity --dry-run`` says."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from conqret.cli.console import note, result
from conqret.cli.expected_cost import cost_facts, cost_table

if TYPE_CHECKING:
    from conqret.judging.expected_cost import Expected
    from conqret.reliability.sensitivity.plan import Plan


def tell_plan(plan: Plan, found: Sequence[Expected], budget: float | None, json_output: bool) -> None:
    """Print the size of the plan, what it is expected to cost, and what a ``budget`` (dollars) would do to it."""
    from conqret.llm.sender import EXPECTED_ANSWER

    facts = {
        "items": len(plan.items),
        "versions": len(plan.versions),
        "judgments": plan.judgments,
        "requests": sum(one.calls for one in found if one.task == "judge"),
        "left_out": {name: len(outs) for name, outs in plan.left_out.items()},
        "unreached": [level.model_dump() for level in plan.unreached],
    }
    stop = _budget_words(found, budget)
    lines = (
        f"{facts['items']:,} items in {facts['versions']} versions: {facts['judgments']:,} judgments",
        f"{facts['requests']:,} requests (what is alike is asked once)\n",
        cost_table(found),
    )
    shown = {**facts, **cost_facts(found), "budget_usd": budget, "budget_note": stop}
    result(shown, lines, as_json=json_output)
    share = min((one.sampled for one in found), default=1.0)
    if share < 1:
        note(f"prompt tokens are estimated from a sample: {share:.0%} or more of the prompts of each format")
    if any(one.completion_tokens for one in found):
        note(f"the answer of a judge is assumed to take {EXPECTED_ANSWER:,} tokens")
    note("answers that are recorded already cost nothing")
    if stop:
        note(stop)


def _budget_words(found: Sequence[Expected], budget: float | None) -> str | None:
    """What the budget would do to the run, if it would do anything."""
    from conqret.report.words import money

    if budget is None:
        return None
    unknown = sorted({one.model for one in found if one.cost_usd is None})
    if unknown:
        return f"the run would refuse --budget-usd: the price of {', '.join(unknown)} is unknown"
    for task, words in (("rewrite", "rewriting"), ("judge", "judging")):
        cost = sum(one.cost_usd or 0.0 for one in found if one.task == task)
        if cost > budget:
            return (
                f"the budget of {money(budget)} would stop the run before its end: {words} is expected to cost "
                f"{money(cost)}"
            )
    return None
