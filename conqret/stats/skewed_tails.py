"""How far out t over topics comes by chance where the effects of topics are as skewed as exponential ones.

t is that of a mean over topics whose true value is 0. Where few topics move far one way and most a little the other,
samples that hold none of the few look all of one kind, and t is then far out on that side more often than Student's
distribution says. The tails are from a million samples a row (``benchmarks/skewed_verdicts.py``).
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
    4.2: (
        (0.238044, 0.179946, 0.137743, 0.107005, 0.067177, 0.043926, 0.020839, 0.008322, 0.002533, 0.000442),
        (0.286602, 0.202368, 0.149032, 0.113117, 0.069221, 0.044733, 0.021018, 0.008361, 0.002539, 0.000443),
    ),
    5.5: (
        (0.217973, 0.158853, 0.116823, 0.086928, 0.04965, 0.029696, 0.011781, 0.003637, 0.00078, 0.000082),
        (0.260412, 0.17564, 0.12402, 0.090217, 0.050491, 0.029948, 0.01181, 0.003642, 0.00078, 0.000082),
    ),
    8.0: (
        (0.193273, 0.133684, 0.093106, 0.06493, 0.032571, 0.0168, 0.004967, 0.001035, 0.000124, 0.000002),
        (0.229533, 0.145106, 0.096892, 0.066252, 0.032762, 0.016838, 0.004969, 0.001035, 0.000124, 0.000002),
    ),
    13.2: (
        (0.165061, 0.106605, 0.068167, 0.043568, 0.018014, 0.0076, 0.001425, 0.000139, 0.000006, 0.000001),
        (0.199402, 0.115125, 0.070144, 0.044021, 0.018033, 0.0076, 0.001425, 0.000139, 0.000006, 0.000001),
    ),
    32.6: (
        (0.129451, 0.073621, 0.040586, 0.022066, 0.006183, 0.001657, 0.000101, 0.000004, 0.000001, 0.000001),
        (0.16732, 0.081742, 0.041878, 0.022227, 0.006185, 0.001657, 0.000101, 0.000004, 0.000001, 0.000001),
    ),
    65.0: (
        (0.110676, 0.057071, 0.028017, 0.013057, 0.002694, 0.000479, 0.00001, 0.000001, 0.000001, 0.000001),
        (0.153007, 0.066553, 0.029485, 0.013216, 0.002695, 0.000479, 0.00001, 0.000001, 0.000001, 0.000001),
    ),
}
"""Topics of 1 to 12 items, by their effective number."""
ALIKE = 0.9
"""Where the effective number is at least this share of the number of topics, they count as being of one size."""


def skewed_p(t: float, topics: int, effective: float, *, two_sided: bool) -> float:
    """The probability of a t as far out as this one, or further, with so many ``topics`` of exponential effects, in the
    worse direction; below the first t that is known, 1.

    Between rows those of fewer topics are taken, and between two t logarithms are interpolated.
    """
    table, number = (EVEN, float(topics)) if effective >= ALIKE * topics else (UNEVEN, effective)
    tails = table[max((row for row in table if row <= number), default=min(table))][two_sided]
    if t < GRID[0]:
        return 1.0
    for (low, high), (more, less) in zip(pairwise(GRID), pairwise(tails), strict=True):
        if t <= high:
            share = math.log(t / low) / math.log(high / low)
            return math.exp((1 - share) * math.log(more) + share * math.log(less))
    return tails[-1]
