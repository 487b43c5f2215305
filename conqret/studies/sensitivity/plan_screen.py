"""What ``conqret sensitivity --dry-run`` says."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from conqret.judging.cost_table import tell_cost

if TYPE_CHECKING:
    from conqret.judging.cost import Expected
    from conqret.studies.sensitivity.sensitivity_plan import Plan


def tell_plan(plan: Plan, found: Sequence[Expected], budget: float | None, json_output: bool) -> None:
    """Print the size of the plan, what it is expected to cost, and what a ``budget`` (dollars) would do to it."""
    facts = {
        "items": len(plan.items),
        "versions": len(plan.versions),
        "judgments": plan.judgments,
        "requests": sum(one.calls for one in found if one.task == "judge"),
        "left_out": {name: len(outs) for name, outs in plan.left_out.items()},
        "unreached": [level.model_dump() for level in plan.unreached],
    }
    lines = (
        f"{facts['items']:,} items in {facts['versions']} versions: {facts['judgments']:,} judgments",
        f"{facts['requests']:,} requests (what is alike is asked once)\n",
    )
    tell_cost(found, budget=budget, as_json=json_output, facts=facts, lines=lines)
