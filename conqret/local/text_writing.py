"""Generate a text with a loaded model after messages, greedily or by sampling."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from conqret.llm.request import GREEDY, NucleusSampling
from conqret.local.models import LoadedModel
from conqret.local.prefix import PLAIN_TEMPLATE, rendered

ROOM = 1024
"""The default for the most tokens of a text: of 1,440 published statements of three models none takes 700."""


@dataclass(frozen=True, slots=True)
class WrittenText:
    """A text that a model generated, and its numbers of tokens.

    ``room`` is the largest number of tokens that could be generated; it is 0 where the prompt fills the
    window. ``cut`` is True if the text was ended by that limit.
    """

    text: str
    prompt_tokens: int
    tokens: int
    room: int
    cut: bool


def write(
    loaded: LoadedModel,
    messages: Sequence[Mapping[str, str]],
    *,
    window: int,
    room: int | None = None,
    sampling: NucleusSampling = GREEDY,
    seed: int = 0,
) -> WrittenText:
    """Generate a text with a local model from ``messages`` (role and content), in the model's chat template
    or a plain one.

    Args:
        loaded: the model and its tokenizer.
        messages: the prompt.
        window: the most tokens of prompt and text together.
        room: the most tokens of the text; :data:`ROOM` by default.
        sampling: with a temperature, tokens are sampled; otherwise each is the most probable one.
        seed: the random seed, which is combined with the prompt.

    Returns:
        The text with its numbers of tokens; it is empty where the prompt fills the window.
    """
    torch: Any = import_module("torch")
    transformers: Any = import_module("transformers")
    tokenizer = loaded.tokenizer
    template = getattr(tokenizer, "chat_template", None) or PLAIN_TEMPLATE
    prompt = rendered(tokenizer, messages, add_generation_prompt=True, chat_template=template)
    tokens = tokenizer(prompt, add_special_tokens=False, return_tensors="pt")
    prompt_ids = tokens["input_ids"].to(loaded.device)
    used = prompt_ids.shape[1]
    free = max(0, min(room or ROOM, window - used))
    if not free:
        return WrittenText("", used, 0, 0, cut=False)
    ends = sorted(set(_ends(loaded, messages, template)))
    drawing: dict[str, Any] = {}
    if sampling.temperature:
        top_p = 1.0 if sampling.top_p is None else sampling.top_p
        drawing = {"temperature": sampling.temperature, "top_k": 0, "top_p": top_p}
    settings = transformers.GenerationConfig(
        max_new_tokens=free,
        do_sample=bool(drawing),
        eos_token_id=ends,
        pad_token_id=ends[0] if ends else 0,
        **drawing,
    )
    torch.manual_seed(zlib.crc32(f"{seed} {prompt}".encode()))
    with torch.inference_mode():
        mask = torch.ones_like(prompt_ids)
        whole = loaded.model.generate(prompt_ids, attention_mask=mask, generation_config=settings)
    made = whole[0, used:].tolist()
    text = tokenizer.decode(made, skip_special_tokens=True)
    return WrittenText(text.strip(), used, len(made), free, cut=made[-1] not in ends)


def _ends(loaded: LoadedModel, messages: Sequence[Mapping[str, str]], template: str) -> Iterator[int]:
    """Yield the tokens at which writing stops: the model's and the tokenizer's own, and the special one with which the
    chat template ends the assistant's turn."""
    end_tokens = getattr(loaded.model.generation_config, "eos_token_id", None)
    yield from end_tokens if isinstance(end_tokens, list) else [] if end_tokens is None else [end_tokens]
    if loaded.tokenizer.eos_token_id is not None:
        yield loaded.tokenizer.eos_token_id
    mark = "\u241fANSWER\u241f"
    said = [*messages, {"role": "assistant", "content": mark}]
    turn = rendered(loaded.tokenizer, said, chat_template=template)
    behind = loaded.tokenizer(turn.partition(mark)[2], add_special_tokens=False)["input_ids"]
    yield from (token for token in behind[:1] if token in loaded.tokenizer.all_special_ids)
