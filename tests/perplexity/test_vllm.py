"""vLLM's offline engine, which cannot run here: what it is asked, and what is made of ``prompt_logprobs`` as it gives
them, a mapping for each place (none for the first) from the prompt's token to an object with ``logprob``."""

import sys
from dataclasses import dataclass
from types import ModuleType, SimpleNamespace

import pytest

from conqret.errors import DeclarationError, UnknownNameError
from conqret.local.scorer import ConditionalPerplexity
from tests.perplexity.small_models import PAIRS


@dataclass
class Logprob:
    """As vLLM's, whose rank and token text are not used."""

    logprob: float
    rank: int | None = None
    decoded_token: str | None = None


class Engine:
    """An engine that answers as vLLM's does, by a model of transformers."""

    asked: dict

    def __init__(self, model, **settings):
        from transformers import AutoModelForCausalLM

        type(self).asked = {"model": model, **settings}
        self.model = AutoModelForCausalLM.from_pretrained(model).eval()

    def generate(self, prompts, sampling, *, use_tqdm):
        import torch

        assert (sampling.prompt_logprobs, sampling.max_tokens, use_tqdm) == (0, 1, False)
        for prompt in prompts:
            ids = prompt["prompt_token_ids"]
            with torch.inference_mode():
                logs = self.model(torch.tensor([ids])).logits[0].double().log_softmax(-1)
            places = [{token: Logprob(float(logs[at, token]), 1)} for at, token in enumerate(ids[1:])]
            yield SimpleNamespace(prompt_token_ids=ids, prompt_logprobs=[None, *places])


@pytest.fixture
def engine(monkeypatch):
    module = ModuleType("vllm")
    module.LLM, module.SamplingParams = Engine, SimpleNamespace
    monkeypatch.setitem(sys.modules, "vllm", module)


@pytest.mark.parametrize("definition", ["paper", "released"])
@pytest.mark.parametrize("kind", ["gpt2", "llama"])
def test_it_scores_as_transformers_does(folder, engine, kind, definition):
    one, other = (
        ConditionalPerplexity(folder(kind), definition=definition, reader=reader)
        for reader in ("transformers", "vllm")
    )
    expected, found = one.score(PAIRS), other.score(PAIRS)
    assert [row.perplexity for row in found] == pytest.approx([row.perplexity for row in expected], rel=1e-4)
    assert [row.tokens for row in found] == [row.tokens for row in expected]
    assert other.fingerprint != one.fingerprint
    assert Engine.asked["dtype"] == "float32"
    assert Engine.asked["trust_remote_code"] is False


def test_an_engine_without_log_probabilities_of_prompts(folder, engine, monkeypatch):
    monkeypatch.setattr(
        Engine,
        "generate",
        lambda self, prompts, sampling, use_tqdm: [SimpleNamespace(prompt_logprobs=None)] * len(prompts),
    )
    with pytest.raises(DeclarationError, match="no log-probabilities of the prompt"):
        ConditionalPerplexity(folder("gpt2"), reader="vllm").score(PAIRS)


def test_without_vllm_it_is_said_what_to_do(folder):
    with pytest.raises(DeclarationError, match="pip install vllm"):
        ConditionalPerplexity(folder("gpt2"), reader="vllm")
    with pytest.raises(UnknownNameError, match="did you mean 'vllm'"):
        ConditionalPerplexity(folder("gpt2"), reader="vlm")
