"""The offline debater: it puts sentences together from the argument, the topic, and what the other side said.

It understands nothing and is a floor: what it writes keeps to its side in so many words, answers each question with its
own argument, and takes up the sentence of the other side that says most that is new to it.
"""

from __future__ import annotations

from collections.abc import Sequence

from conqret.debate.debatune.debate_files import Side
from conqret.text.analysis import Text, weight
from conqret.text.sentences import sentences

_TAKES = {
    "affirmative": 'In favour of "{topic}": the answer is yes.',
    "negative": 'Against "{topic}": the answer is no.',
}
_ARGUES = {
    "affirmative": "On grounds of {ground} there is more to gain from it than to lose: {topic}",
    "negative": "On grounds of {ground} there is more to lose from it than to gain: {topic}",
}
_GROUNDS = (
    "fairness", "safety", "cost", "freedom", "health", "trust", "those who come after us", "what works elsewhere",
)  # fmt: skip
"""What nearly every topic can be argued from; the offline debater names one an argument."""
_STILL = "Still: "
"""Stands between what the other side says and what the own side sets against it."""


def arguments(topic: str, side: Side, count: int) -> list[str]:
    """So many arguments for a side, each from another ground, in one sentence."""
    again = [f" ({n // len(_GROUNDS) + 1})" if n >= len(_GROUNDS) else "" for n in range(count)]
    grounds = [_GROUNDS[n % len(_GROUNDS)] + again[n] for n in range(count)]
    return [_ARGUES[side].format(ground=ground, topic=_stop(topic)) for ground in grounds]


def statement(topic: str, side: Side, argument: str, other: Sequence[str]) -> str:
    """The side, the argument, and what is set against the main point of each text of the ``other`` side."""
    point = _stop(argument or topic)
    met = (f'It is said that "{main_point(text, topic, argument)}" {_STILL}{point}' for text in other)
    return "\n\n".join(dict.fromkeys((_TAKES[side].format(topic=topic), point, *met)))


def answer(number: int, topic: str, argument: str) -> str:
    """To a question, by its number, the argument once more."""
    return f"To question {number}: {_stop(argument or topic)}"


def question(reply_text: str, topic: str, argument: str) -> str:
    """A question on the main point of what the other side says."""
    return f'Why should "{main_point(reply_text, topic, argument)}" weigh more than this: {_stop(argument or topic)}'


def main_point(reply_text: str, topic: str, argument: str) -> str:
    """The sentence with the most weight of stems that neither topic nor argument has; of equals the first.

    What only quotes the other side, or the topic, is passed over as long as there is anything else.
    """
    known = Text(f"{topic}\n{argument}").terms
    candidates = [sentence.text.removeprefix(_STILL) for sentence in sentences(reply_text)]

    def new(sentence: str) -> tuple[bool, float]:
        return '"' not in sentence, sum(weight(term) for term in sorted(Text(sentence).terms - known))

    return max(candidates, key=new, default=reply_text.strip())


def _stop(sentence: str) -> str:
    return sentence if sentence.endswith((".", "!", "?")) else f"{sentence}."
