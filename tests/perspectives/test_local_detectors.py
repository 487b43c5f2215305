"""BeRDS's evaluator (a LoRA adapter that answers Yes or No) and its T5 as detectors, against the bare libraries."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from conqret.errors import DeclarationError
from conqret.io.pairs import Pair
from conqret.perspectives.detector_models import SLACK, load_detector
from conqret.prompts import Library
from tests.commands import run_conqret
from tests.local.small_seq2seq import seq2seq
from tests.needed import Needed

torch = Needed("torch", reason="the extra tune is not installed: torch is missing")
peft = Needed("peft", reason="the extra tune is not installed: peft is missing")
transformers = Needed("transformers", reason="the extra tune is not installed: transformers is missing")

pytestmark = pytest.mark.usefixtures("one_thread")

WORDS = "<unk> </s> Yes yes No trams pay cats sleep here Document: Statement: Answer: [INST] [/INST]".split()
TEMPLATE = "{% for message in messages %}[INST] {{ message['content'] }} [/INST]{% endfor %}"
WINDOW = 240
PAIRS = [
    Pair("1", "trams pay here", "trams pay"),
    Pair("2", "cats sleep", "trams pay"),
    Pair("3", "cats sleep here trams pay", "cats"),
]


def causal(folder: Path, words: list[str] = WORDS) -> Path:
    """A small causal model with random weights, whose tokens are words."""
    from tokenizers import Tokenizer, models, pre_tokenizers

    inner = Tokenizer(models.WordLevel({word: n for n, word in enumerate(words)}, unk_token="<unk>"))
    inner.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tokenizer = transformers.PreTrainedTokenizerFast(
        tokenizer_object=inner, eos_token="</s>", unk_token="<unk>"
    )
    tokenizer.chat_template = TEMPLATE
    tokenizer.save_pretrained(folder)
    torch.manual_seed(5)
    config = transformers.LlamaConfig(
        vocab_size=len(words),
        hidden_size=32,
        intermediate_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        max_position_embeddings=WINDOW,
        initializer_range=0.5,
    )
    transformers.LlamaForCausalLM(config).save_pretrained(folder)
    return folder


def adapter(tmp_path: Path) -> tuple[Path, object]:
    """A LoRA adapter on disk as peft saves it, without a tokenizer, and the model with it."""
    base = transformers.AutoModelForCausalLM.from_pretrained(causal(tmp_path / "base"))
    settings = peft.LoraConfig(
        r=64, task_type="CAUSAL_LM", target_modules="all-linear", init_lora_weights=False
    )
    model = peft.get_peft_model(base, settings).eval()
    model.save_pretrained(tmp_path / "evaluator")
    return tmp_path / "evaluator", model


def test_an_adapter_is_read_by_its_yes_and_no(tmp_path: Path) -> None:
    folder, model = adapter(tmp_path)
    tokenizer = transformers.AutoTokenizer.from_pretrained(tmp_path / "base")
    prompt = Library()["perspectives/zero-shot"]
    yes, no = [WORDS.index("Yes"), WORDS.index("yes")], [WORDS.index("No")]
    detector = load_detector(folder)
    for pair, score in zip(PAIRS, detector.scores(PAIRS), strict=True):
        user = prompt.render({"document": pair.document, "perspective": pair.perspective}).user
        ids = tokenizer(f"[INST] {user} [/INST]", return_tensors="pt").input_ids
        chances = model(ids).logits[0, -1].detach().softmax(0)  # type: ignore[operator]
        assert detector.probability(score) == pytest.approx(
            float(chances[yes].sum() / chances[[*yes, *no]].sum()), abs=1e-5
        )
    assert load_detector(tmp_path / "base").identity != detector.identity


def test_a_t5_entails_where_its_first_token_is_one(tmp_path: Path) -> None:
    folder = Path(seq2seq("t5", tmp_path / "t5"))
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    model = transformers.AutoModelForSeq2SeqLM.from_pretrained(folder)
    one, zero = (tokenizer(digit, add_special_tokens=False).input_ids[0] for digit in "10")
    detector = load_detector(folder)
    for pair, score in zip(PAIRS, detector.scores(PAIRS), strict=True):
        text = f"premise: {pair.document} hypothesis: {pair.perspective}"
        inputs = tokenizer(text, return_tensors="pt").input_ids
        logits = model(input_ids=inputs, decoder_input_ids=torch.tensor([[1]])).logits[0, 0].detach()
        assert score == pytest.approx(float(logits[one] - logits[zero]), rel=1e-3)


def test_a_long_document_is_read_to_its_end(tmp_path: Path) -> None:
    detector = load_detector(causal(tmp_path / "causal"))
    pair = Pair("long", "cats sleep " * 300 + "trams pay", "trams pay")
    read = detector.windows(pair)
    assert len(read) > 2
    assert max(map(len, read)) <= WINDOW - SLACK
    assert "trams pay Statement:" in detector.tokenizer.decode(read[-1])


def test_the_command(tmp_path: Path) -> None:
    folder, _ = adapter(tmp_path)
    file = tmp_path / "pairs.jsonl"
    file.write_text(
        "".join(
            json.dumps({"id": pair.id, "document": pair.document, "perspective": pair.perspective}) + "\n"
            for pair in PAIRS
        )
    )
    done = run_conqret("perspectives", "detect", file, "--detector", folder, "-o", tmp_path / "out", "--json")
    assert (done.code, json.loads(done.out)["pairs"]) == (0, 3), done.err
    with pytest.raises(DeclarationError, match="no token for Yes or for No"):
        list(load_detector(causal(tmp_path / "mute", ["<unk>", "</s>", "No"])).scores(PAIRS))
