"""From log-probabilities to a distribution over ratings."""

from __future__ import annotations

import bisect
import itertools
import math
import re
from collections.abc import Sequence

from conqret.llm.request import TokenLogprobs

ROUNDING = 1e-3
"""A log-probability so little above 0 is a 0 that was rounded; what is greater is none."""


def rating_distribution(
    logprobs: Sequence[TokenLogprobs] | None, field: str, choices: Sequence[int]
) -> dict[int, float] | None:
    """P(choice) for the number that follows ``"field":`` in the generated JSON, over ``choices``.

    The probabilities exp(logprob) of the alternatives that are one of ``choices`` as a whole number,
    divided by their sum (G-Eval, Liu et al. 2023, equation 1 uses them as weights). None where there are
    no log-probabilities, the field does not occur, its value starts in the middle of a token, the number
    goes on in the next token (10 after 1), or no choice is among the alternatives; nor where one of the alternatives'
    numbers is no log-probability: not finite, or above 0 by more than :data:`ROUNDING`.
    """
    if not logprobs:
        return None
    text = "".join(token.token for token in logprobs)
    places = [match.end() for match in re.finditer(rf'"{re.escape(field)}"\s*:\s*(?=[-\d])', text)]
    if not places:
        return None
    place = places[-1]  # as in the JSON itself, the last one counts
    ends = list(itertools.accumulate(len(token.token) for token in logprobs))
    index = bisect.bisect_right(ends, place)
    token = logprobs[index]
    if text[ends[index] - len(token.token) : place].strip() or _goes_on(logprobs, index):
        return None
    if not all(-math.inf < logprob <= ROUNDING for logprob in token.alternatives.values()):
        return None
    masses = dict.fromkeys(choices, 0.0)
    choice_of = {str(choice): choice for choice in choices}
    for alternative, logprob in token.alternatives.items():
        choice = choice_of.get(alternative.strip())
        if choice is not None:
            masses[choice] += math.exp(logprob)
    total = math.fsum(masses.values())
    return {choice: mass / total for choice, mass in masses.items()} if total > 0 else None


def _goes_on(logprobs: Sequence[TokenLogprobs], index: int) -> bool:
    if not logprobs[index].token.strip().isdigit():
        return True
    return index + 1 < len(logprobs) and logprobs[index + 1].token[:1].isdigit()
