"""Small sequence-to-sequence models with random weights, and a small text encoder, in folders."""

from __future__ import annotations

import json
from pathlib import Path

from tests.local.small_models import PAIRS, byte_level
from tests.needed import Needed

torch = Needed("torch", reason="the extra perplexity is not installed: torch is missing")
tokenizers = Needed("tokenizers", reason="the extra perplexity is not installed: torch is missing")
transformers = Needed("transformers", reason="the extra perplexity is not installed: transformers is missing")

WINDOW = 128
TEXTS = [text for answer, targets in PAIRS for text in (answer, *targets)]


def seq2seq(kind: str, folder: Path) -> str:
    """A small BART or T5: BART begins and ends every text with a token of its own, T5 ends it."""
    special = ["<s>", "<pad>", "</s>"]
    inner = byte_level(special)
    template = "<s> $A </s>" if kind == "bart" else "$A </s>"
    inner.post_processor = tokenizers.processors.TemplateProcessing(
        single=template, special_tokens=[(name, special.index(name)) for name in ("<s>", "</s>")]
    )
    words = transformers.PreTrainedTokenizerFast(
        tokenizer_object=inner, bos_token="<s>", eos_token="</s>", pad_token="<pad>", model_max_length=WINDOW
    )
    words.save_pretrained(folder)
    torch.manual_seed(13)
    if kind == "bart":
        config = transformers.BartConfig(
            vocab_size=len(words),
            d_model=32,
            encoder_layers=2,
            decoder_layers=2,
            encoder_attention_heads=4,
            decoder_attention_heads=4,
            encoder_ffn_dim=64,
            decoder_ffn_dim=64,
            max_position_embeddings=WINDOW,
            init_std=0.3,
        )
        made = transformers.BartForConditionalGeneration(config)
    else:
        config = transformers.T5Config(
            vocab_size=len(words),
            d_model=32,
            d_kv=8,
            d_ff=64,
            num_layers=2,
            num_heads=4,
            pad_token_id=1,
            eos_token_id=2,
            decoder_start_token_id=1,
            initializer_factor=3.0,
        )
        made = transformers.T5ForConditionalGeneration(config)
    made.eval().save_pretrained(folder)
    return str(folder)


def encoder(folder: Path, window: int = 24) -> str:
    """A small BERT with mean pooling, as sentence-transformers keeps its models."""
    inner = tokenizers.Tokenizer(tokenizers.models.WordPiece(unk_token="[UNK]"))
    inner.normalizer = tokenizers.normalizers.BertNormalizer()
    inner.pre_tokenizer = tokenizers.pre_tokenizers.BertPreTokenizer()
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"]
    inner.train_from_iterator(
        TEXTS,
        tokenizers.trainers.WordPieceTrainer(vocab_size=400, special_tokens=special, show_progress=False),
    )
    inner.post_processor = tokenizers.processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    words = transformers.PreTrainedTokenizerFast(
        tokenizer_object=inner,
        pad_token="[PAD]",
        unk_token="[UNK]",
        cls_token="[CLS]",
        sep_token="[SEP]",
        model_max_length=64,
    )
    words.save_pretrained(folder)
    torch.manual_seed(13)
    config = transformers.BertConfig(
        vocab_size=len(words),
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=64,
        max_position_embeddings=64,
        initializer_range=0.3,
    )
    transformers.BertModel(config).eval().save_pretrained(folder)
    (folder / "1_Pooling").mkdir()
    pooling = {"word_embedding_dimension": 32, "pooling_mode_mean_tokens": True}
    (folder / "1_Pooling" / "config.json").write_text(json.dumps(pooling))
    parts = [("", "Transformer"), ("1_Pooling", "Pooling")]
    (folder / "modules.json").write_text(
        json.dumps(
            [
                {"idx": i, "name": str(i), "path": path, "type": f"sentence_transformers.models.{kind}"}
                for i, (path, kind) in enumerate(parts)
            ]
        )
    )
    (folder / "sentence_bert_config.json").write_text(
        json.dumps({"max_seq_length": window, "do_lower_case": False})
    )
    return str(folder)
