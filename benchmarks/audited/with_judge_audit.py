"""judge-audit: its rates have neither interval nor test, so its bootstrap_ci is taken of each pair's share of first
places, and of length_bias its t (beyond 1.96), with quality as people see it partialled out."""

import numpy as np
from answers import LENGTH, POSITION, Alarms, SimulatedVerdicts, answer
from judge_audit import bootstrap_ci, length_bias, position_bias

WORDS, PADDED = 10, 60
"""Words of an argument, and of a padded one."""
T = 1.96


def audit(callback: SimulatedVerdicts) -> Alarms:
    given, swapped = ([0 if pair[order] else 1 for pair in callback.pairs] for order in (0, 1))
    shares = [position_bias([ab], [ba])["first_pos_rate"] for ab, ba in zip(given, swapped, strict=True)]
    interval = bootstrap_ci(shares, seed=callback.seed)
    position = bool(not interval["lo"] <= 0.5 <= interval["hi"])
    if callback.position_alone:
        return {POSITION: position, LENGTH: None}
    scores = [score for order in (0, 1) for score in (one[order] for one in callback.scores)]
    lengths = [length for length in (WORDS, PADDED) for _ in callback.scores]
    people = [float(annotator) for annotator in callback.people]
    verbose = length_bias(scores, lengths, control=people + people)
    return {
        POSITION: position,
        LENGTH: bool(np.abs(verbose["t_stat"]) > T),
    }


answer(audit)
