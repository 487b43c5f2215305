"""juryrig: what position_bias and verbosity_bias flag by its own thresholds (a fifth of the verdicts flip or the first
place wins 30 or 70%; padding lifts the score by .05 on average or by .15 once)."""

from dataclasses import dataclass

from answers import LENGTH, POSITION, Alarms, SimulatedVerdicts, answer, texts
from juryrig import position_bias, verbosity_bias
from juryrig.judge import Judgment


@dataclass
class Simulated:
    """The simulated judge, as juryrig wants one."""

    told: SimulatedVerdicts
    name: str = "simulated"

    def compare(self, *, prompt: str, a: str, b: str, rubric: str) -> str:
        """Which of two is better."""
        number = int(prompt.split()[1].strip("?"))
        given, swapped = self.told.pairs[number]
        return "A" if (given if a == texts(number)[1] else swapped) else "B"

    def judge(self, *, prompt: str, response: str, rubric: str) -> Judgment:
        """How good one is."""
        number = int(prompt.split()[1].strip("?"))
        plain, padded = self.told.scores[number]
        return Judgment(plain if response == texts(number)[1] else padded)


def audit(callback: SimulatedVerdicts) -> Alarms:
    judge, cases = Simulated(callback), [texts(number) for number in range(len(callback.pairs))]
    position = position_bias(judge, cases, "the better argument").flagged
    if callback.position_alone:
        return {POSITION: position, LENGTH: None}
    return {
        POSITION: position,
        LENGTH: verbosity_bias(judge, [case[:2] for case in cases], "the better argument").flagged,
    }


answer(audit)
