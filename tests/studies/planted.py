"""Judges with a planted bias, on two pros and two cons of each of twelve topics."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping

import numpy as np

from conqret.data import Document, Item, Judgment, Measure, Reason
from conqret.judging.judge_options import JudgeOptions
from conqret.judging.setup import Setup, set_up
from conqret.llm.client_options import ClientOptions
from conqret.perturb.kinds.added_texts import FILLERS, INJECTIONS
from conqret.studies.bias.bias_effects import bias_rows
from conqret.studies.bias.bias_run import BiasPlan
from conqret.studies.bias.contrast import TEXTS, Key, ProbeContext
from conqret.studies.bias.result import BiasRow

METRICS = ("context_relevance", "answer_relevance", "groundedness", "preference")
TOPICS = 12
INVENTED = tuple(
    text for text, _ in next(row for row in TEXTS["remark"] if row["name"] == "authority")["pairs"]
)


Bias = Callable[[Item], float]


@functools.cache
def setup(model: str = "offline", name: str = "rag-direct") -> Setup:
    return set_up(name, ClientOptions(model), JudgeOptions(METRICS if name == "rag-direct" else ()))


def items(generators: tuple[str, ...] = ("claude-x", "gpt-x")) -> tuple[Item, ...]:
    """Two pros and two cons on each topic, all of the same human quality."""
    text = (
        "Buses are cheap [1]. They run often [2]. People like them [3]. Nobody pays. It works elsewhere [1]."
    )
    return tuple(
        Item(
            id=f"{topic}-{stance}-{number}",
            topic=f"Topic {topic}?",
            stance=stance,
            documents=tuple(Document(id=f"{n}", text=f"Document {n} of topic {topic}.") for n in range(4)),
            argument=f"{text} So much on {topic}.",
            second_argument=f"{text} And more on {topic}.",
            metadata={"generator": {"model": generators[number]}},
        )
        for topic in range(TOPICS)
        for stance in ("pro", "con")
        for number in range(2)
    )


def probe_context(model: str = "offline") -> ProbeContext:
    found = items()
    return ProbeContext(found, setup(model), {"overall_quality": {item.id: 0.5 for item in found}})


@functools.cache
def measure(value: float | Reason) -> Measure:
    return Measure.missing(value) if isinstance(value, Reason) else Measure.model_construct(value=value)


def judgment(values: Mapping[str, float | Reason]) -> Judgment:
    measures = {name: measure(value) for name, value in values.items()}
    return Judgment.model_construct(topic="", measures=measures)


def judged(
    plan: BiasPlan, seed: int, bias: Bias = lambda item: 0.0, noise: float = 0.1
) -> dict[Key, Judgment]:
    """A noisy judge: topics differ, and each reading has chance of its own; scores lie on a scale of twentieths."""
    rng = np.random.default_rng(seed)
    topic = {f"Topic {n}?": rng.normal(0.5, 0.1) for n in range(TOPICS)}
    read = [(way, item) for way, versions in plan.versions.items() for item in versions]
    levels = [
        [0.5 if metric == "preference" else topic[item.topic] for metric in METRICS] for _, item in read
    ]
    shifts = np.array([[bias(item)] for _, item in read])
    values = np.array(levels) + shifts + rng.normal(0, noise, (len(read), len(METRICS)))
    values = np.clip(np.round(values * 20) / 20, 0, 1)
    return {
        (way, item.id): judgment(dict(zip(METRICS, row, strict=True)))
        for (way, item), row in zip(read, values.tolist(), strict=True)
    }


def rows(plan: BiasPlan, readings: dict[Key, Judgment]) -> tuple[BiasRow, ...]:
    return bias_rows(plan.contrasts, readings, seed=13)


def alarms(found: tuple[BiasRow, ...]) -> set[str]:
    return {row.probe for row in found if row.verdict == "alarm"}


def favoured(item: Item, texts: Iterable[str]) -> float:
    """By .1 for the argument that holds one of the texts, wherever it stands."""
    first, second = (
        any(one in (text or "") for one in texts) for text in (item.argument, item.second_argument)
    )
    return 0.1 * (first - second)


def padded(item: Item) -> float:
    return favoured(item, FILLERS)


def injected(item: Item) -> float:
    texts = (item.argument or "", *(document.text for document in item.documents))
    return 0.1 * any(injection in text for text in texts for injection in INJECTIONS)


def learned(item: Item) -> float:
    return favoured(item, INVENTED)


def shuffled(item: Item) -> float:
    """The argument that is not turned round with the documents."""
    return 0.1 * item.id.endswith("+shuffle-100") - 0.1 * item.id.endswith("+shuffle-100+swapped")


def side(item: Item) -> float:
    """Whose argument stands first: what favours an argument goes with it when the two change places."""
    return -0.15 if item.id.endswith("+swapped") else 0.15
