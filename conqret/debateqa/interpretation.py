"""What a difference of Perspective Diversity means in probability (DebateQA, Appendix H)."""

from __future__ import annotations

import math

from conqret.errors import DeclarationError

MOST = 1e300
"""A ratio above this has no value: it says nothing more, and little above it a float ends."""


def probability_ratio(difference: float, partial_answers: float) -> float | None:
    """``exp(-difference / n)``: how many times likelier a partial answer is under the second answer (Equation 7).

    ``difference`` is the second answer's P.D. less the first's, ``partial_answers`` the number n of perspectives. The
    reading takes ``exp(x)`` for ``1 + x`` and the change for the same in every partial answer, so it is an order of
    magnitude. The ratio is that of a token (the geometric mean over the partial answer's), as the 1/N of the
    derivation's sums says; over N tokens it stands to the power of N. None where the
    ratio is above 1e300.

    Raises:
        DeclarationError: n is not above 0, or the difference is not finite.
    """
    if not partial_answers > 0 or not math.isfinite(difference):
        raise DeclarationError(
            "the reading needs a finite difference and a positive number of partial answers"
        )
    exponent = -difference / partial_answers
    return None if exponent > math.log(MOST) else math.exp(exponent)
