"""judgemetry: whether the 95% interval of slot-1 preference excludes one half, and that of verbosity bias (beyond what
people prefer, with the argument padded) 0. Its letter grades are thresholds on the values alone."""

from answers import LENGTH, POSITION, Alarms, Orders, SimulatedVerdicts, answer, texts
from judgemetry.metrics import slot1_preference, verbosity_bias
from judgemetry.records import JudgedPair, PairRecord, Verdict


def judged(orders: Orders, people: list[bool], padding: str = "") -> list[JudgedPair]:
    found = []
    for number, ((given, swapped), better) in enumerate(zip(orders, people, strict=True)):
        question, argument, rival = texts(number)
        record = PairRecord(str(number), question, argument + padding, rival, "", "", "A" if better else "B")
        forward = Verdict("A" if given else "B", 0.8, "")
        backward = Verdict("B" if swapped else "A", 0.8, "")
        found.append(JudgedPair(record, forward, backward, "simulated"))
    return found


def audit(callback: SimulatedVerdicts) -> Alarms:
    people = list(callback.people)
    slot = slot1_preference(judged(callback.pairs, people), seed=callback.seed)
    position = not slot.ci_low <= 0.5 <= slot.ci_high
    if callback.position_alone:
        return {POSITION: position, LENGTH: None}
    length = verbosity_bias(judged(callback.padded, people, " And so on." * 5), seed=callback.seed)
    return {
        POSITION: position,
        LENGTH: not length.ci_low <= 0 <= length.ci_high,
    }


answer(audit)
