"""Small checkpoints in folders: whole, and with weights that are missing, renamed or of another shape."""

from __future__ import annotations

import json
from pathlib import Path

from tests.local import small_seq2seq
from tests.local.small_models import tokenizer
from tests.needed import Needed

torch = Needed("torch", reason="the extra perplexity is not installed: torch is missing")
safetensors = Needed(
    "safetensors.torch", reason="the extra perplexity is not installed: safetensors is missing"
)
transformers = Needed("transformers", reason="the extra perplexity is not installed: transformers is missing")

QWEN = {
    "hidden_size": 16,
    "intermediate_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "num_key_value_heads": 1,
    "max_position_embeddings": 256,
}


def causal(folder: Path, **settings) -> Path:
    words = tokenizer(begins=False, chat=False)
    words.save_pretrained(folder)
    config = transformers.Qwen2Config(vocab_size=len(words), **QWEN, **settings)
    transformers.Qwen2ForCausalLM(config).save_pretrained(folder)
    return folder


def changed(folder: Path, change) -> Path:
    """The folder with other weights, or other names of them."""
    file = folder / "model.safetensors"
    safetensors.save_file(change(safetensors.load_file(file)), file, metadata={"format": "pt"})
    return folder


def foreign(folder: Path) -> Path:
    """All names with the prefix of another library."""
    return changed(folder, lambda weights: {f"net.{name}": weight for name, weight in weights.items()})


def encoder(folder: Path) -> Path:
    return Path(small_seq2seq.encoder(folder))


def tart(folder: Path) -> Path:
    """A T5 encoder with a linear head, as TART has it."""
    small_seq2seq.seq2seq("t5", folder)

    def change(weights):
        kept = {
            name: weight for name, weight in weights.items() if not name.startswith(("decoder", "lm_head"))
        }
        return {**kept, "classifier.weight": torch.zeros(2, 32), "classifier.bias": torch.zeros(2)}

    config = json.loads((folder / "config.json").read_text())
    config |= {"architectures": ["EncT5ForSequenceClassification"], "num_labels": 2}
    (folder / "config.json").write_text(json.dumps(config))
    return changed(folder, change)


def wide(folder: Path) -> Path:
    """A classifier whose head has three outputs, where its config.json says one."""
    words = transformers.AutoTokenizer.from_pretrained(small_seq2seq.encoder(folder / "words"))
    words.save_pretrained(folder)
    config = transformers.BertConfig(
        vocab_size=len(words),
        num_labels=1,
        hidden_size=16,
        intermediate_size=32,
        num_hidden_layers=1,
        num_attention_heads=2,
    )
    transformers.BertForSequenceClassification(config).save_pretrained(folder)
    return changed(
        folder,
        lambda weights: {
            **weights,
            "classifier.weight": torch.zeros(3, 16),
            "classifier.bias": torch.zeros(3),
        },
    )


def sharded(folder: Path) -> Path:
    model = transformers.AutoModelForCausalLM.from_pretrained(causal(folder))
    (folder / "model.safetensors").unlink()
    model.save_pretrained(folder, max_shard_size="20KB")
    assert len(list(folder.glob("model-*.safetensors"))) > 1
    return folder
