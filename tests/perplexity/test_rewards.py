"""Reward models as judges: small ones, saved and loaded as anybody's are, against transformers itself."""

from __future__ import annotations

import math

import pytest

from conqret import bias, judge
from conqret.errors import DeclarationError
from conqret.local.rewards import RewardModel, RewardOutcome
from tests.needed import Needed
from tests.perplexity.small_models import ANSWERS, tokenizer
from tests.perplexity.small_seq2seq import reward

torch = Needed("torch", reason="the extra perplexity is not installed: torch is missing")
transformers = Needed("transformers", reason="the extra perplexity is not installed: transformers is missing")

QUESTION = "Should cars be kept out of cities?"
ITEMS = [{"id": f"a{n}", "topic": QUESTION, "argument": text} for n, text in enumerate(ANSWERS)]
PAIRS = [{**item, "second_argument": ANSWERS[n - 1]} for n, item in enumerate(ITEMS)]
SIZES = {"hidden_size": 16, "intermediate_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2}


@pytest.fixture(scope="module")
def pairwise(tmp_path_factory):
    """A BERT with one logit, which reads question and answer as a pair of texts."""
    return reward(tmp_path_factory.mktemp("bert"))


@pytest.fixture(scope="module")
def chatting(tmp_path_factory):
    """A Llama with three classes, which reads a chat, and has no token to pad with."""
    folder = tmp_path_factory.mktemp("llama")
    words = tokenizer(begins=True, chat=True)
    words.pad_token = None
    words.save_pretrained(folder)
    config = transformers.LlamaConfig(
        vocab_size=len(words), max_position_embeddings=256, initializer_range=0.9, num_labels=3, **SIZES
    )
    torch.manual_seed(6)
    transformers.LlamaForSequenceClassification(config).save_pretrained(folder)
    return str(folder)


def alone(folder, text, chat):
    """The logits of one answer, without any batch."""
    words = transformers.AutoTokenizer.from_pretrained(folder)
    model = transformers.AutoModelForSequenceClassification.from_pretrained(folder).eval()
    if chat:
        turns = [{"role": "user", "content": QUESTION}, {"role": "assistant", "content": text}]
        shown = words.apply_chat_template(turns, tokenize=False)
        read = words(shown, add_special_tokens=False, return_tensors="pt")
    else:
        read = words(QUESTION, text, return_tensors="pt")
    with torch.inference_mode():
        return model(**read).logits[0].tolist()


def test_one_logit_becomes_the_probability_to_beat_nothing(pairwise):
    found = judge(ITEMS, judge=f"reward/{pairwise}")
    rewards = [alone(pairwise, text, chat=False)[0] for text in ANSWERS]
    scores = [one.measures["overall_quality"].value for one in found]
    assert scores == pytest.approx([1 / (1 + math.exp(-one)) for one in rewards], abs=1e-5)
    assert len(set(scores)) == len(ANSWERS)
    assert found.record.model.startswith(f"reward/{pairwise}@")
    assert pairwise not in str(found.record.identity)  # a copied folder is the same judge


def test_of_two_the_difference_of_their_rewards_counts_whatever_stands_first(pairwise):
    found = judge(PAIRS, judge=f"reward/{pairwise}")
    rewards = [alone(pairwise, text, chat=False)[0] for text in ANSWERS]
    values = [one.measures["preference"].value for one in found]
    expected = [1 / (1 + math.exp(rewards[n - 1] - rewards[n])) for n in range(len(rewards))]
    assert values == pytest.approx(expected, abs=1e-5)
    (row,) = bias(PAIRS, judge=f"reward/{pairwise}", probes=["position"]).rows
    assert row.effect is not None
    assert row.effect.moved < 1e-6


def test_of_classes_the_expected_one_counts_in_the_chat_that_the_model_knows(chatting):
    found = judge(ITEMS, judge=f"reward/{chatting}", metrics=["clarity"])
    for one, text in zip(found, ANSWERS, strict=True):
        weights = torch.tensor(alone(chatting, text, chat=True)).softmax(0)
        assert one.measures["clarity"].value == pytest.approx(
            float(weights @ torch.arange(3.0)) / 2, abs=1e-5
        )


def test_batches_change_nothing_and_names_of_special_tokens_are_text(chatting):
    model = RewardModel(chatting)
    together = model.rewards([(QUESTION, text) for text in ANSWERS])
    for one, text in zip(together, ANSWERS, strict=True):
        (own,) = model.rewards([(QUESTION, text)])
        assert own.logits == pytest.approx(one.logits, abs=1e-4)
    special = next(iter(transformers.AutoTokenizer.from_pretrained(chatting).all_special_tokens))
    (posing,) = model.rewards([(QUESTION, f"No.{special}")])
    (plain,) = model.rewards([(QUESTION, "No.")])
    assert posing.tokens > plain.tokens + 1


def test_what_does_not_fit_has_no_score(pairwise):
    long = {**ITEMS[0], "argument": "Cars are loud. " * 200}
    first, second = judge([long, ITEMS[1]], judge=f"reward/{pairwise}")
    assert first.measures["overall_quality"].reason == "context_overflow"
    assert "room for 64" in first.measures["overall_quality"].detail
    assert second.measures["overall_quality"].value is not None


def test_endless_rewards_are_held_apart_without_overflow():
    high, low = RewardOutcome((1e4,), 3), RewardOutcome((-1e4,), 3)
    assert (high.value, low.value) == (1.0, pytest.approx(0.0))
    assert high.over(low) == 1.0
    assert low.over(high) == pytest.approx(0.0)
    assert RewardOutcome((float("-1e4"), 1e4), 3).value == 1.0


def test_what_is_no_reward_model_is_refused(tmp_path, chatting, folder):
    with pytest.raises(DeclarationError, match="no folder"):
        judge(ITEMS, judge="reward/./nothing-here")
    with pytest.raises(DeclarationError, match=r"config\.json is missing"):
        judge(ITEMS, judge=f"reward/{tmp_path}")
    with pytest.raises(DeclarationError, match=r"GPT2ForSequenceClassification.*score\.weight"):
        judge(ITEMS, judge=f"reward/{folder('gpt2')}")
    with pytest.raises(DeclarationError, match=r"is not the model that was named.*, not 0123456789ab"):
        judge(ITEMS, judge=f"reward/{chatting}@0123456789ab")
    with pytest.raises(DeclarationError, match="takes items"):
        judge(PAIRS, format="direct", metrics=["preference"], model=f"reward/{chatting}")
