"""What writing arguments will ask of a model, before the first call."""

from __future__ import annotations

from collections.abc import Sequence

from conqret.generation.generator import GenerateOptions, GenerationTask, Generator
from conqret.judging.cost import ExpectedCost, Sizes, capped, counter, expected
from conqret.judging.prompt_fitting import prompt_tokens
from conqret.llm.client_options import ClientOptions
from conqret.prompts import Library

GENERATED_TOKENS = 1_500
"""An argument of some 750 words as JSON, with the reasons for what is left out."""


def expected_writing(
    tasks: Sequence[GenerationTask],
    wanted: GenerateOptions,
    model: ClientOptions,
    library: Library,
    sizes: Sizes,
    *,
    of: str = "",
) -> ExpectedCost:
    """The calls, tokens and dollars of an argument for each task; none where the strategy asks no model."""
    if not wanted.way.prompts:
        return expected("generate", model, 0, 0, 0, of=of)
    client = counter(model)
    generator = Generator(wanted, library, client, model.model)
    calls = prompt = 0
    for task in tasks:
        for number, bare in enumerate(generator.bare(task)):
            documents = [*task.documents]
            if not number:
                documents += (document for example in task.examples for document in example.documents)
            earlier_tokens = GENERATED_TOKENS * number
            prompt += capped(
                prompt_tokens(bare, client) + earlier_tokens + sizes.all(documents, client), client
            )
            calls += 1
    return expected("generate", model, calls, prompt, GENERATED_TOKENS * calls, of=of)
