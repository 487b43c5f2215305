"""A model of some thousand weights that can be tuned in a second, and rows for it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from conqret.debate.debatune.debate_files import instruction
from tests.local.small_models import CHAT
from tests.needed import Needed

Needed("trl", reason="the extra tune is not installed: trl is missing")
Needed("peft", reason="the extra tune is not installed: peft is missing")
torch = Needed("torch")
tokenizers = Needed("tokenizers")
transformers = Needed("transformers")

SUBJECTS = ("Trams", "Zoos", "Phones", "Homework")
ARGUMENTS = ("it costs less", "it is fair")
SAID = {
    "pro": "Yes , this is right . It is good and helps people . I support it .",
    "con": "No , this is wrong . It is bad and harms people . I oppose it .",
}
"""What the rows teach to say on either side, in words that the offline judge understands."""
WINDOW = 96


def row(subject: str, side: str, argument: str) -> dict[str, Any]:
    """A row of a chat, as trl reads it."""
    topic = f"{subject} should be free"
    told = instruction(topic, side, argument)
    response = SAID[side].replace("people", f"people : {argument}")
    messages = [{"role": "user", "content": told}, {"role": "assistant", "content": response}]
    return {"messages": messages, "topic": topic, "side": side, "argument": argument}


ROWS = [row(subject, side, argument) for subject in SUBJECTS for side in SAID for argument in ARGUMENTS]


def write_rows(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(one) + "\n" for one in rows), encoding="utf-8")
    return path


def save_model(folder: Path, *, chat: bool = False) -> Path:
    """Save a model with random weights and a tokenizer of whole words, with a chat template or without."""
    inner = tokenizers.Tokenizer(tokenizers.models.WordLevel(unk_token="<unk>"))
    inner.pre_tokenizer = tokenizers.pre_tokenizers.WhitespaceSplit()
    special = ["<unk>", "<|end|>", "<|im_start|>", "<|im_end|>"]
    texts = [message["content"] for one in ROWS for message in one["messages"]]
    heads = ["### User: ### Assistant: <|im_start|>user <|im_start|>assistant"]
    inner.train_from_iterator(
        [*texts, *heads], tokenizers.trainers.WordLevelTrainer(special_tokens=special, show_progress=False)
    )
    words = transformers.PreTrainedTokenizerFast(
        tokenizer_object=inner,
        eos_token="<|end|>",
        unk_token="<unk>",
        model_max_length=WINDOW,
        additional_special_tokens=["<|im_start|>", "<|im_end|>"],
    )
    if chat:
        words.chat_template = CHAT.removeprefix("{{ bos_token }}")
    words.save_pretrained(folder)
    torch.manual_seed(13)
    config = transformers.LlamaConfig(
        vocab_size=len(words),
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=1,
        num_attention_heads=2,
        max_position_embeddings=WINDOW,
        eos_token_id=words.eos_token_id,
        bos_token_id=None,
    )
    transformers.LlamaForCausalLM(config).save_pretrained(folder)
    return folder
