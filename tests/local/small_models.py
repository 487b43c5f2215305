"""Small models with random weights and tokenizers trained here, with the texts of the tests."""

from __future__ import annotations

from tests.needed import Needed

torch = Needed("torch", reason="the extra perplexity is not installed: torch is missing")
tokenizers = Needed("tokenizers", reason="the extra perplexity is not installed: torch is missing")
transformers = Needed("transformers", reason="the extra perplexity is not installed: transformers is missing")


ANSWERS = [
    "The question is widely debated. Some hold that cities are better off without cars; others point to shops.",
    "Cars should go. Air gets cleaner, streets get safer, and children play again.\n\nStill, much depends on trains.",
    "No.",
    "It depends on whom you ask: drivers, walkers, and the people who run shops all see it differently, and all "
    "of them have reasons that deserve to be heard before a street is closed for good.",
    "Opponents fear for trade. Supporters cite Ghent, where trade grew by 5% after the change of 2017.",
]
TARGETS = [
    [
        "Cleaner air. Without cars the air in a city gets cleaner.",
        "Shops lose. Customers who come by car stay away.",
    ],
    [
        "Safer streets. Fewer people are hurt where fewer cars drive, as Ghent has shown.",
        "Trains first.",
        "Costs. A ban is dear.",
    ],
    ["Freedom. To drive is a freedom that many will not give up, and they say so."],
    [
        "Trade grows. Walkers buy more often.",
        "Cleaner air. The air gets cleaner.",
        "Noise. Streets get quiet.",
        "x",
        "Old people need cars.",
    ],
    ["Fairness. Those who live outside pay the price of those who live inside."],
]
PAIRS = list(zip(ANSWERS, TARGETS, strict=True))
CHAT = (
    "{{ bos_token }}{% for message in messages %}<|im_start|>{{ message['role'] }}\n{{ message['content'] }}<|im_end|>"
    "\n{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
WINDOW = 256


def byte_level(special: list[str]) -> tokenizers.Tokenizer:
    """A byte-level BPE with these special tokens, trained on all texts."""
    inner = tokenizers.Tokenizer(tokenizers.models.BPE())
    inner.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    inner.decoder = tokenizers.decoders.ByteLevel()
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=400,
        special_tokens=special,
        initial_alphabet=tokenizers.pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    inner.train_from_iterator([text for answer, targets in PAIRS for text in (answer, *targets)], trainer)
    return inner


def tokenizer(begins: bool, chat: bool) -> transformers.PreTrainedTokenizerFast:
    """A byte-level BPE; with ``begins`` it puts a token before every text, as Llama's does."""
    inner = byte_level(["<|end|>", "<s>", "<|im_start|>", "<|im_end|>"])
    if begins:
        inner.post_processor = tokenizers.processors.TemplateProcessing(
            single="<s> $A", special_tokens=[("<s>", 1)]
        )
    made = transformers.PreTrainedTokenizerFast(
        tokenizer_object=inner,
        bos_token="<s>" if begins else "<|end|>",
        eos_token="<|end|>",
        model_max_length=WINDOW,
        additional_special_tokens=["<|im_start|>", "<|im_end|>"],
    )
    if chat:
        made.chat_template = CHAT if begins else CHAT.removeprefix("{{ bos_token }}")
    return made


SIZES = {
    "hidden_size": 32,
    "intermediate_size": 64,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "max_position_embeddings": WINDOW,
    "initializer_range": 0.2,
    "pad_token_id": 0,
}
CHANGES_AT = 96
"""Tokens from which the rotation of a small longrope model changes."""
LONGROPE = {
    "rope_type": "longrope",
    "rope_theta": 10_000.0,
    "short_factor": [1.0] * 4,
    "long_factor": [8.0] * 4,
    "original_max_position_embeddings": CHANGES_AT,
    "factor": WINDOW / CHANGES_AT,
}
KINDS = {
    "gpt2": {"n_positions": WINDOW, "n_embd": 32, "n_layer": 2, "n_head": 4, "initializer_range": 0.2},
    "llama": SIZES,
    "qwen2": SIZES,
    "gemma2": {**SIZES, "sliding_window": 16, "head_dim": 8, "query_pre_attn_scalar": 8},
    "phi3": {**SIZES, "rope_parameters": LONGROPE, "original_max_position_embeddings": CHANGES_AT},
    "mpt": {"d_model": 32, "n_heads": 4, "n_layers": 2, "max_seq_len": WINDOW},
    "mamba": {"hidden_size": 32, "num_hidden_layers": 2},
}
"""Settings of small models by their kind, as transformers calls it."""


def network(kind: str, size: int):
    """A small model of this kind with random weights that are large enough to tell texts apart."""
    config = transformers.AutoConfig.for_model(kind, vocab_size=size, **KINDS[kind])
    torch.manual_seed(13)
    return transformers.AutoModelForCausalLM.from_config(config).eval()
