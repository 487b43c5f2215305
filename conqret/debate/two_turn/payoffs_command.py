"""``conqret debate two-turn payoffs``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from conqret.console import shared_options as options
from conqret.console.option_groups import grouped
from conqret.console.printing import result

if TYPE_CHECKING:
    from conqret.debate.two_turn.payoffs import PayoffInstruction


@grouped
def payoffs(
    *,
    instruction: Literal["simple", "encourage-abstain"] | None = None,
    bonuses: str | None = None,
    json_output: options.Json = False,
) -> None:
    """Compute from which confidence it pays a judge to answer instead of abstaining, and to choose a more confident
    point: what the bonuses for the seven points of the answer scale reward (its middle point abstains).

    The thresholds follow from the bonuses alone.

    Args:
        instruction: Use only one of the two instructions of Parrish et al. 2022, which differ in what abstaining earns:
            `simple` or `encourage-abstain`. Default: both.
        bonuses: Your own bonuses in dollars for the seven points of the answer scale, comma-separated: from completely
            confident and right, over abstaining, to completely confident and wrong.

    Examples:

    conqret debate two-turn payoffs

    conqret debate two-turn payoffs --bonuses=0.5,0.4,0.3,0.1,-0.1,-0.4,-0.8 --json
    """
    from itertools import chain

    from conqret.debate.two_turn.payoff_tables import payoff_tables
    from conqret.debate.two_turn.payoffs import payoffs as rewarded
    from conqret.show.table import spaced

    wanted = "--bonuses are seven numbers such as 0.6,0.45,0.3,0.15,-0.05,-0.3,-0.6"
    bonus_values = None if bonuses is None else options.numbers(bonuses, wanted)
    shown = rewarded(instruction=instruction, bonuses=bonus_values)
    result(
        [_plain(payoff) for payoff in shown],
        spaced(chain.from_iterable(map(payoff_tables, shown))),
        as_json=json_output,
    )


def _plain(instruction: PayoffInstruction) -> dict[str, Any]:
    from conqret.debate.two_turn.payoffs import STRENGTHS

    return {
        "instruction": instruction.name,
        "bonuses": [float(bonus) for bonus in instruction.bonuses],
        "pays_from": {
            STRENGTHS[strength]: float(share) for strength, share in instruction.pays_from().items()
        },
        "wins_from_percent": {
            name: instruction.first_winner(strength) for strength, name in enumerate(STRENGTHS)
        },
    }
