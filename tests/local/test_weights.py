"""Checkpoints that are not of the class which loads them (tests/cli/test_random_weights.py has the commands)."""

from __future__ import annotations

from pathlib import Path

import pytest

from conqret.errors import DeclarationError
from conqret.local.models import CAUSAL, SEQ2SEQ, load
from tests.local import small_seq2seq
from tests.local.checkpoints import causal, encoder, sharded, wide
from tests.needed import Needed

torch = Needed("torch", reason="the extra perplexity is not installed: torch is missing")
safetensors = Needed(
    "safetensors.torch", reason="the extra perplexity is not installed: safetensors is missing"
)
transformers = Needed("transformers", reason="the extra perplexity is not installed: transformers is missing")

CLASSIFIER = "AutoModelForSequenceClassification"


def test_a_checkpoint_of_another_shape_is_refused_by_the_names_of_its_weights(tmp_path):
    named = r"2 have another shape \(classifier\.bias: 3 in place of 1, classifier\.weight: 3x16 in"
    with pytest.raises(DeclarationError, match=named):
        load(str(wide(tmp_path)), auto=CLASSIFIER)


@pytest.mark.parametrize(
    ("make", "auto"),
    [
        (sharded, CAUSAL),
        (lambda folder: Path(small_seq2seq.seq2seq("t5", folder)), SEQ2SEQ),
        (causal, "AutoModel"),
    ],
    ids=["shards", "t5", "without its head"],
)
def test_a_checkpoint_with_all_weights_is_loaded(make, auto, tmp_path):
    load(str(make(tmp_path)), auto=auto)


@pytest.mark.parametrize("fault", ["adapter", "base", ""])
def test_an_adapter_and_its_base_are_checked(fault, tmp_path):
    peft = pytest.importorskip("peft", reason="the extra tune is not installed: peft is missing")
    base, folder = encoder(tmp_path / "base"), tmp_path / "adapter"
    transformers.AutoTokenizer.from_pretrained(base).save_pretrained(folder)
    model = transformers.AutoModelForSequenceClassification.from_pretrained(base)
    settings = peft.LoraConfig(task_type="SEQ_CLS" if fault != "base" else None, target_modules=["query"])
    peft.get_peft_model(model, settings).save_pretrained(folder)
    file = folder / "adapter_model.safetensors"
    if fault == "adapter":
        weights = safetensors.load_file(file)
        safetensors.save_file({name.replace("layer.1", "layer.7"): w for name, w in weights.items()}, file)
    if not fault:
        load(str(folder), auto=CLASSIFIER)
        return
    with pytest.raises(DeclarationError, match={"adapter": "lora_A", "base": r"classifier\.weight"}[fault]):
        load(str(folder), auto=CLASSIFIER)
