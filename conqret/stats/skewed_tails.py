"""How far out t over topics comes by chance where the effects of topics are as skewed as exponential ones.

t is that of a mean over topics whose true value is 0. Where few topics move far one way and most a little the other,
samples that hold none of the few look all of one kind, and t is then far out on that side more often than Student's
distribution says. The tails are from a million samples a row, or 400,000 where sizes differ
(``benchmarks/skewed_verdicts.py``).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import pairwise

GRID = (1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 7.0, 10.0, 15.0, 25.0)
"""The t for which tails are known."""

Tails = Mapping[float, tuple[tuple[float, ...], tuple[float, ...]]]
"""By the number of topics: how often t lies beyond each of :data:`GRID` on the side where it does so more often, and on
either side. No tail is below a millionth, as no more than that is known."""

EVEN: Tails = {
    6: (
        (0.208633, 0.153515, 0.114424, 0.086321, 0.051472, 0.032104, 0.014097, 0.005049, 0.001317, 0.000189),
        (0.245429, 0.165265, 0.118565, 0.088031, 0.051887, 0.032238, 0.014117, 0.005053, 0.001319, 0.000189),
    ),
    8: (
        (0.187714, 0.131569, 0.093456, 0.067015, 0.035921, 0.020158, 0.007289, 0.002011, 0.000341, 0.000027),
        (0.222731, 0.140912, 0.096035, 0.067759, 0.036025, 0.02018, 0.007291, 0.002011, 0.000341, 0.000027),
    ),
    12: (
        (0.162737, 0.106954, 0.070556, 0.046586, 0.021279, 0.010161, 0.002678, 0.000464, 0.000041, 0.000003),
        (0.197845, 0.115, 0.072261, 0.046943, 0.021297, 0.010162, 0.002678, 0.000464, 0.000041, 0.000003),
    ),
    20: (
        (0.137442, 0.082757, 0.04947, 0.029604, 0.010718, 0.003992, 0.000613, 0.000043, 0.000003, 0.000001),
        (0.174538, 0.090878, 0.050791, 0.029785, 0.010721, 0.003992, 0.000613, 0.000043, 0.000003, 0.000001),
    ),
    50: (
        (0.108949, 0.056332, 0.028031, 0.013479, 0.002993, 0.000648, 0.000027, 0.000001, 0.000001, 0.000001),
        (0.152051, 0.066203, 0.029523, 0.013622, 0.002993, 0.000648, 0.000027, 0.000001, 0.000001, 0.000001),
    ),
    100: (
        (0.095329, 0.04479, 0.019505, 0.008018, 0.0012, 0.000147, 0.000004, 0.000001, 0.000001, 0.000001),
        (0.143408, 0.056668, 0.0215, 0.008245, 0.001202, 0.000147, 0.000004, 0.000001, 0.000001, 0.000001),
    ),
}
"""Topics of one size."""
UNEVEN: Tails = {
    6: (
        (0.32439, 0.26122, 0.218845, 0.173718, 0.121105, 0.08796, 0.042, 0.018873, 0.006442, 0.001055),
        (0.357075, 0.272597, 0.223057, 0.175215, 0.121375, 0.08801, 0.042008, 0.018873, 0.006442, 0.001055),
    ),
    8: (
        (0.288798, 0.231473, 0.180402, 0.147307, 0.092442, 0.060562, 0.02854, 0.009085, 0.002633, 0.000282),
        (0.319453, 0.2411, 0.183395, 0.148172, 0.092538, 0.060572, 0.028543, 0.009085, 0.002633, 0.000282),
    ),
    12: (
        (0.24865, 0.189523, 0.143132, 0.1106, 0.064008, 0.038848, 0.014063, 0.003565, 0.000493, 0.00003),
        (0.279695, 0.19783, 0.14526, 0.111102, 0.064028, 0.038848, 0.014063, 0.003565, 0.000493, 0.00003),
    ),
    20: (
        (0.196885, 0.14192, 0.1024, 0.073577, 0.037852, 0.020175, 0.005745, 0.000878, 0.000063, 0.000001),
        (0.229303, 0.149685, 0.103995, 0.073885, 0.03786, 0.020175, 0.005745, 0.000878, 0.000063, 0.000001),
    ),
    50: (
        (0.135477, 0.081288, 0.049355, 0.030445, 0.011727, 0.00437, 0.00061, 0.000043, 0.000003, 0.000001),
        (0.173125, 0.08986, 0.050723, 0.030583, 0.01173, 0.00437, 0.00061, 0.000043, 0.000003, 0.000001),
    ),
    100: (
        (0.110945, 0.058153, 0.02972, 0.01499, 0.003672, 0.00093, 0.00008, 0.000005, 0.000001, 0.000001),
        (0.153987, 0.06842, 0.03142, 0.015203, 0.00368, 0.00093, 0.00008, 0.000005, 0.000001, 0.000001),
    ),
}
"""Topics of 1 to 12 items, of which the larger ones have the larger effects: a sample that holds none of these looks
as if topics were nearly of one size."""
ALIKE, UNLIKE = 0.98, 0.6
"""Where the effective number of topics is at least the first share of their number, they count as being of one size;
where it is less than the second, it is taken for their number."""


def skewed_p(t: float, topics: int, effective: float, *, two_sided: bool) -> float:
    """The probability of a t as far out as this one, or further, with so many ``topics`` of exponential effects, in the
    worse direction; below the first t that is known, 1.

    ``effective`` is their number by size (:func:`conqret.stats.estimate.freedom_by_size`, and 1). Between rows those of
    fewer topics are taken, and between two t logarithms are interpolated.
    """
    table = EVEN if effective >= ALIKE * topics else UNEVEN
    number = topics if effective >= UNLIKE * topics else effective
    tails = table[max((row for row in table if row <= number), default=min(table))][two_sided]
    if t < GRID[0]:
        return 1.0
    for (low, high), (more, less) in zip(pairwise(GRID), pairwise(tails), strict=True):
        if t <= high:
            share = math.log(t / low) / math.log(high / low)
            return math.exp((1 - share) * math.log(more) + share * math.log(less))
    return tails[-1]
