"""judgecal: its probes of position and verbosity, and the flags of its card (q < .05, and off by 5 points at least)."""

from answers import LENGTH, POSITION, Alarms, SimulatedVerdicts, answer, texts
from judgecal import Judgment, PairwiseItem
from judgecal.probes import ProbeConfig, analyze_suite, plan_suite
from judgecal.report import build_card

PROBES = ("position", "verbosity")
FLAGS = {POSITION: "position_bias_detected", LENGTH: "verbosity_bias_detected"}


def audit(callback: SimulatedVerdicts) -> Alarms:
    items = []
    for number in range(len(callback.pairs)):
        question, argument, rival = texts(number)
        items.append(PairwiseItem(str(number), question, argument, rival))
    config = ProbeConfig(seed=callback.seed)
    probes = PROBES[:1] if callback.position_alone else PROBES
    said = {
        ("position", "orig"): [pair[0] for pair in callback.pairs],
        ("position", "swap"): [pair[1] for pair in callback.pairs],
        ("verbosity", "pad_second"): [one[0] for one in callback.itself],
        ("verbosity", "pad_first"): [one[1] for one in callback.itself],
    }
    judgments = []
    for request in plan_suite(items, probes, config):
        meta = request.meta
        wins = said[meta["probe"], meta["condition"]][int(meta["item_id"])]
        judgments.append(Judgment(request.custom_id, "first" if wins else "second", None, meta))
    card = build_card(analyze_suite(judgments, probes, config), {"model": "simulated"})
    flags = {name: flag in card.overall_flags for name, flag in FLAGS.items()}
    return {**flags, LENGTH: None} if callback.position_alone else flags


answer(audit)
