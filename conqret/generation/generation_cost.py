"""What writing arguments will ask of a model, before the first call."""

from __future__ import annotations

from collections.abc import Sequence

from conqret.errors import number as number_of
from conqret.generation.budget import ANSWER_ROOM, shortage
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
    """The calls, tokens and dollars of an argument for each task; none where the strategy asks no model.

    What does not fit the model's window is not counted, and a note says what it lacks.
    """
    if not wanted.way.prompts:
        return expected("generate", model, 0, 0, 0, of=of)
    client = counter(model)
    room = model.max_tokens or ANSWER_ROOM
    generator = Generator(wanted, library, client, model.model, room)
    calls = prompt = 0
    lacking = []
    for task in tasks:
        for number, bare in enumerate(generator.bare(task)):
            examples = () if number else task.examples
            documents = [
                *task.documents,
                *(document for example in examples for document in example.documents),
            ]
            fixed = prompt_tokens(bare, client) + GENERATED_TOKENS * number
            if lack := shortage(fixed + len(documents), client, room, shots=len(examples)):
                lacking.append(lack)
                break
            prompt += capped(fixed + sizes.all(documents, client), client, room)
            calls += 1
    notes: tuple[str, ...] = ()
    if lacking:
        notes = (f"{len(lacking):,} of {number_of(len(tasks), 'argument')} cannot be written: {lacking[0]}",)
    return expected("generate", model, calls, prompt, GENERATED_TOKENS * calls, of=of, notes=notes)
