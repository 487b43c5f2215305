"""Does the judge favour arguments of its own family of models? (Panickssery et al. 2024.)

Who wrote an argument is read from the item's metadata: ``generation``, ``generator`` or ``model``, as text or as a
mapping with a ``model``. Where the judge and a generator are of one family, it is said, whether or not it can be
measured.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from conqret.data import Item
from conqret.studies.bias.contrast import Contrast, NotAskedError, Probe, ProbeContext
from conqret.studies.bias.matching import compared

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
    """The family of a model: by the last part of its name, without the provider's prefix."""
    name = model.strip().lower().rsplit("/", 1)[-1]
    for pattern, known in FAMILIES.items():
        if re.match(rf"(?:[a-z0-9]+[-_])*(?:{pattern})", name):
            return known
    return name


def generator_of(item: Item) -> str | None:
    """The model that wrote the item's argument, where the metadata says so."""
    for field in FIELDS:
        generator = item.metadata.get(field)
        if isinstance(generator, Mapping):
            generator = generator.get("model")
        if isinstance(generator, str) and generator.strip():
            return generator
    return None


def warning(ground: ProbeContext) -> str | None:
    """What must be said where generator and judge are of one family."""
    judge_family = family(ground.setup.client.model)
    kin = sorted(
        {
            generator
            for generator in map(generator_of, ground.items)
            if generator is not None and family(generator) == judge_family
        }
    )
    if not kin:
        return None
    count = sum(generator_of(item) in kin for item in ground.items)
    return (
        f"judge and generator are of one family ({judge_family}): {ground.setup.client.model} judges {count} "
        "arguments by "
        f"{', '.join(kin)}; models are known to favour their own"
    )


def contrasts(ground: ProbeContext) -> Sequence[Contrast]:
    """Arguments of the judge's family minus others of the same topic, beyond what people find.

    Raises:
        NotAskedError: nobody is named as the writer, all are of one kind, or there are no labels or pairs.
    """
    judge_family = family(ground.setup.client.model)
    families = {family(name) for item in ground.items if (name := generator_of(item)) is not None}
    if not families:
        raise NotAskedError("no item says which model wrote its argument (metadata: generator)")
    if judge_family not in families:
        raise NotAskedError(f"no argument is by the judge's family ({judge_family})")
    if len(families) == 1:
        raise NotAskedError(
            f"every argument is by the judge's family ({judge_family}): there is nothing to compare"
        )

    def kin(item: Item) -> bool | None:
        name = generator_of(item)
        return None if name is None else family(name) == judge_family

    return compared(
        ground, kin, name=f"{judge_family} minus other generators", up="its own family is favoured"
    )


PROBE = Probe(
    name="self-preference",
    contrasts=contrasts,
    warning=warning,
    compares="arguments of the judge's family minus others, beyond what people find",
    finds="any difference",
    advice="judge with a model of another family than the writers'",
    source="Panickssery et al. 2024; CALM: self-enhancement",
)
