"""Probes of what a judge finds of one group of arguments beyond what it finds of another.

Items that annotators *called* equally good are not equally good where their labels err: of the better group the unlucky
ones would be matched with the lucky ones of the other. So nothing is matched: what the judge finds of a group beyond
annotators is what counts (:mod:`conqret.studies.bias.result`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import cycle, islice

from conqret.data import Document, Item
from conqret.perturb.perturbation import ANSWER, FAITHFULNESS, GROUNDING, QUALITY
from conqret.studies.bias.contrast import (
    NO_QUALITY,
    TEXTS,
    Contrast,
    ProbeContext,
    ProbeUnavailableError,
    VersionPair,
    own_contrast,
    own_probe,
    paired,
)


def compared(
    context: ProbeContext, group: Callable[[Item], bool | None], *, name: str, up: str
) -> tuple[Contrast, ...]:
    """Return one contrast for each metric: items of a group minus other items of the same topic, adjusted
    for human labels.

    Items are paired without regard to scores or labels. If one side has fewer items on a topic, its items are
    used in turn.

    Args:
        context: the items and the judge.
        group: True for an item of the group, False for another one, None for an item to leave out.
        name: the name of the contrasts.
        up: what a positive effect means, in words.

    Raises:
        ProbeUnavailableError: there are no labels, no metric of quality, or no topic with items on both
            sides.
    """
    if not context.human_quality:
        raise ProbeUnavailableError("it needs human labels (conqret bias --labels FILE)")
    contrasts = []
    for metric in context.select_metrics((*QUALITY, *ANSWER), NO_QUALITY):
        if metric not in context.human_quality and context.comparable_metric(metric) != metric:
            continue  # labels of overall quality are no labels of a user-defined criterion
        dimension, known = context.quality(metric)
        if pairs := _pairs(context, group, known):
            contrasts.append(
                Contrast(
                    name=f"{name}, people's {dimension.replace('_', ' ')} allowed for",
                    adverse="any",
                    up=up,
                    metrics=(metric,),
                    pairs=tuple(pairs),
                    human_quality=known,
                )
            )
    if not contrasts:
        raise ProbeUnavailableError("no topic has labeled items of both groups")
    return tuple(contrasts)


def _pairs(
    context: ProbeContext, group: Callable[[Item], bool | None], known: Mapping[str, float]
) -> list[VersionPair]:
    topics: dict[str, tuple[list[Item], list[Item]]] = {}
    for item in context.items:
        side = group(item)
        if side is not None and item.id in known:
            topics.setdefault(item.topic, ([], []))[0 if side else 1].append(item)
    pairs: list[VersionPair] = []
    for sides in topics.values():
        if all(sides):
            inside, outside = (islice(cycle(side), max(map(len, sides))) for side in sides)
            pairs += paired(outside, inside)
    return pairs


def stance_contrasts(context: ProbeContext) -> Sequence[Contrast]:
    """Return the contrasts of pro minus con arguments, adjusted for human labels.

    Raises:
        ProbeUnavailableError: the items do not have both stances, or there are no labels or pairs.
    """
    if {"pro", "con"} - {item.stance for item in context.items}:
        raise ProbeUnavailableError("the items do not state both stances")
    sides = {"pro": True, "con": False}
    return compared(context, lambda item: sides.get(item.stance), name="pro minus con", up="pro is favoured")


STANCE = own_probe("stance", stance_contrasts)
"""Does the judge favor a side? Pro against con of one topic, beyond what annotators find."""

FIELDS = ("generation", "generator", "model")

FAMILIES: Mapping[str, str] = {
    r"gpt|chatgpt|davinci|o[1-9](?=$|[-_])": "GPT (OpenAI)",
    r"claude": "Claude (Anthropic)",
    r"gemini|gemma|palm": "Gemini (Google)",
    r"llama|vicuna": "Llama (Meta)",
    r"mistral|mixtral|ministral|magistral": "Mistral",
    r"qwen|qwq": "Qwen (Alibaba)",
    r"deepseek": "DeepSeek",
    r"command|aya": "Command (Cohere)",
    r"phi(?=$|[-_0-9])": "Phi (Microsoft)",
    r"grok": "Grok (xAI)",
    r"olmo|tulu": "OLMo (Ai2)",
    r"prometheus": "Prometheus",
    r"offline": "offline baseline",
}
"""The families by what their models are called; a name that is in none is a family of its own."""


def family(model: str) -> str:
    """Return the family of a model, from the last part of its name without the provider's prefix."""
    name = model.strip().lower().rsplit("/", 1)[-1]
    for pattern, known in FAMILIES.items():
        if re.match(rf"(?:[a-z0-9]+[-_])*(?:{pattern})", name):
            return known
    return name


def generator_of(item: Item) -> str | None:
    """Return the model that wrote the item's argument, from its metadata; None if unknown."""
    for field in FIELDS:
        generator = item.metadata.get(field)
        if isinstance(generator, Mapping):
            generator = generator.get("model")
        if isinstance(generator, str) and generator.strip():
            return generator
    return None


def warning(context: ProbeContext) -> str | None:
    """Return a warning if the judge and the generator of some items are of one family; otherwise None."""
    judge_family = family(context.setup.client.model)
    model, names = context.setup.client.model, map(generator_of, context.items)
    kin = [name for name in names if name is not None and family(name) == judge_family]
    if not kin:
        return None
    return (
        f"judge and generator are of one family ({judge_family}): {model} judges {len(kin)} arguments by "
        f"{', '.join(sorted(set(kin)))}; models are known to favour their own"
    )


def family_contrasts(context: ProbeContext) -> Sequence[Contrast]:
    """Return the contrasts of arguments by the judge's family minus others of the same topic, adjusted for
    human labels.

    Raises:
        ProbeUnavailableError: no item names its generator, all or none are of the judge's family, or there
            are no labels or pairs.
    """
    judge_family = family(context.setup.client.model)
    families = {family(name) for item in context.items if (name := generator_of(item)) is not None}
    if not families:
        raise ProbeUnavailableError("no item says which model wrote its argument (metadata: generator)")
    if judge_family not in families:
        raise ProbeUnavailableError(f"no argument is by the judge's family ({judge_family})")
    if len(families) == 1:
        raise ProbeUnavailableError(f"every argument is by the judge's family ({judge_family})")

    def kin(item: Item) -> bool | None:
        name = generator_of(item)
        return None if name is None else family(name) == judge_family

    name = f"{judge_family} minus other generators"
    return compared(context, kin, name=name, up="its own family is favoured")


SELF_PREFERENCE = own_probe("self-preference", family_contrasts, warning)
"""Does the judge favor arguments of its own family of models? (Panickssery et al. 2024.)

Who wrote an argument is read from the item's metadata: ``generation``, ``generator`` or ``model``, as text or as a
mapping with a ``model``. Where the judge and a generator are of one family, it is said, whether or not it can be
measured."""


def _item(number: int, kind: str, it: str) -> Item:
    texts = TEXTS["severity"]
    return Item(
        id=f"severity-{number}-{kind}",
        topic=f"Should there be {it}?",
        stance="pro",
        documents=(Document(id=f"severity-{number}-{kind}", text=texts["document"].format(it=it)),),
        argument=texts["arguments"][number % len(texts["arguments"])].format(it=it),
    )


CHARGED, EVERYDAY = (
    tuple(
        _item(n, kind, frame.format(names[place]))
        for n, (frame, *names) in enumerate(TEXTS["severity"]["subjects"])
    )
    for place, kind in enumerate(("charged", "everyday"))
)


def severity_contrasts(context: ProbeContext) -> Iterator[Contrast]:
    """Yield the contrast of the same argument under an everyday and under a controversial question (the
    former minus the latter).

    Raises:
        ProbeUnavailableError: the judge rates no single argument; severity is the same for both arguments of
            a pair.
    """
    missing_note = "the judge rates no single argument, and severity is the same for both of a pair"
    metrics = context.select_metrics((*QUALITY, *ANSWER, *GROUNDING, *FAITHFULNESS), missing_note)
    yield own_contrast("severity", metrics=metrics, pairs=paired(CHARGED, EVERYDAY))


SEVERITY = own_probe("severity", severity_contrasts)
"""Is the judge more severe on controversial questions? The same argument under both kinds of question, word by word.

The items are our own, so neither labels nor the topics of anybody's items are needed."""

PROBES = (STANCE, SELF_PREFERENCE, SEVERITY)
