"""Likelihoods by a sequence-to-sequence model against one pair at a time."""

from __future__ import annotations

import pytest

from conqret.local.scorer import Seq2SeqLikelihood
from tests.local.small_models import PAIRS
from tests.local.small_seq2seq import WINDOW, seq2seq
from tests.needed import Needed

torch = Needed("torch", reason="the extra perplexity is not installed: torch is missing")
transformers = Needed("transformers", reason="the extra perplexity is not installed: torch is missing")

BOTH = [(target, answer) for answer, targets in PAIRS for target in targets]


@pytest.fixture(scope="session")
def model(tmp_path_factory):
    made = {}

    def build(kind: str) -> str:
        if kind not in made:
            made[kind] = seq2seq(kind, tmp_path_factory.mktemp(kind))
        return made[kind]

    return build


def naive(folder: str, source: str, target: str, window: int = WINDOW) -> tuple[float, int]:
    """The mean log-probability of the target's tokens by the model's own labels, nothing padded; and their number."""
    words = transformers.AutoTokenizer.from_pretrained(folder)
    network = transformers.AutoModelForSeq2SeqLM.from_pretrained(folder, dtype=torch.float32).eval()
    read, held = (
        words(text, truncation=True, max_length=window, return_tensors="pt").input_ids
        for text in (source, target)
    )
    with torch.inference_mode():
        logs = network(input_ids=read, labels=held).logits[0].double().log_softmax(-1)
    return float(logs.gather(1, held[0][:, None]).mean()), held.shape[1]


@pytest.mark.parametrize(("kind", "budget"), [("bart", 1), ("bart", 300), ("t5", 100_000)])
def test_batches_equal_one_pair_at_a_time(model, kind, budget):
    found = Seq2SeqLikelihood(model(kind), token_budget=budget).score(BOTH)
    expected = [naive(model(kind), *pair) for pair in BOTH]
    assert [one.tokens for one in found] == [tokens for _, tokens in expected]
    assert [one.mean for one in found] == pytest.approx([mean for mean, _ in expected], rel=1e-4)
    assert all(one.mean < 0 for one in found)
    assert len({round(one.mean, 4) for one in found}) > len(PAIRS)  # the source matters


def test_what_does_not_fit_is_cut_at_the_end_and_counted(model):
    source, target = BOTH[0]
    long = " ".join([target] * 3)
    (found,) = Seq2SeqLikelihood(model("bart"), window=12).score([(source, long)])
    words = transformers.AutoTokenizer.from_pretrained(model("bart"))
    assert found.tokens == 12
    assert found.target_cut == len(words(long).input_ids) - 12
    assert found.source_cut == len(words(source).input_ids) - 12 > 0
    assert found.mean == pytest.approx(naive(model("bart"), source, long, 12)[0], rel=1e-4)


def test_the_budget_halves_when_memory_runs_out(model, monkeypatch):
    expected = Seq2SeqLikelihood(model("bart")).score(BOTH)
    scorer = Seq2SeqLikelihood(model("bart"), token_budget=100_000)
    step = scorer._step

    def scarce(batch):
        if len(batch) > 2:
            raise RuntimeError("DefaultCPUAllocator: not enough memory: you tried to allocate 1 byte")
        return step(batch)

    monkeypatch.setattr(scorer, "_step", scarce)
    found = scorer.score(BOTH)
    assert [one.mean for one in found] == pytest.approx([one.mean for one in expected], rel=1e-4)
    assert scorer.budget.halvings > 0


def test_what_is_not_finite_is_no_likelihood(model, monkeypatch):
    scorer = Seq2SeqLikelihood(model("bart"))
    values = [float("nan"), float("-inf"), -3.0]
    monkeypatch.setattr(scorer, "_step", lambda batch: [values[row.place] for row in batch])
    found = scorer.score(BOTH[:3])
    reason = "the model gave no finite probability"
    assert [(one.log_likelihood, one.reason) for one in found] == [(None, reason), (None, reason), (-3.0, "")]
    assert found[0].mean is None
