"""judicator: an audit asks about its own items, so its two tests are given the simulated pairs instead. It fails a
judge of which 30% of the verdicts flip, or whose padded texts win 65%."""

from answers import LENGTH, POSITION, Alarms, SimulatedVerdicts, answer, texts
from judicator import Judge
from judicator.biases.position import PositionBiasTest
from judicator.biases.verbosity import VerbosityBiasTest
from judicator.cost import CallCounter

TEMPLATE = "{question}|{response_a}|{response_b}"
PADDING = " And so on." * 5


def audit(callback: SimulatedVerdicts) -> Alarms:
    def say(prompt: str) -> str:
        question, first, second = prompt.split("|")
        number = int(question.split()[1].strip("?"))
        argument = texts(number)[1]
        beside = first.startswith(argument) and second.startswith(argument)
        given, swapped = (callback.itself if beside else callback.pairs)[number]
        return "A" if (given if first == argument else swapped) else "B"

    judge = Judge(say, "Which argument is better?", TEMPLATE, judge_type="pairwise")
    items = []
    for number in range(len(callback.pairs)):
        question, argument, rival = texts(number)
        items.append(
            {
                "question": question,
                "winner_response": argument,
                "loser_response": rival,
                "original_response": argument,
                "manipulated_response": argument + PADDING,
            }
        )
    tests = {POSITION: PositionBiasTest()}
    if not callback.position_alone:
        tests[LENGTH] = VerbosityBiasTest()
    failed = {name: test.run(judge, items, CallCounter()).verdict == "FAIL" for name, test in tests.items()}
    return {LENGTH: None, **failed}


answer(audit)
