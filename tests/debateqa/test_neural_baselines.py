"""BARTScore and SemScore with small models, against the figures that the models themselves give."""

from __future__ import annotations

import shutil

import pytest

from conqret.debateqa.baseline_metrics import BartScore
from conqret.debateqa.scoring import AnswerCase
from tests.local.small_models import PAIRS
from tests.local.small_seq2seq import encoder, seq2seq
from tests.needed import Needed

torch = Needed("torch", reason="the extra perplexity is not installed: torch is missing")
transformers = Needed("transformers", reason="the extra perplexity is not installed: torch is missing")

CASES = [AnswerCase(str(i), "", answer, tuple(targets)) for i, (answer, targets) in enumerate(PAIRS)]


@pytest.fixture(scope="module")
def bart(tmp_path_factory):
    return seq2seq("bart", tmp_path_factory.mktemp("bart"))


@pytest.fixture(scope="module")
def bert(tmp_path_factory):
    pytest.importorskip("sentence_transformers", reason="the extra baselines is not installed")
    return encoder(tmp_path_factory.mktemp("bert"))


def test_bartscore_is_the_mean_over_partial_answers(bart):
    found = BartScore(bart).compare(CASES)
    words = transformers.AutoTokenizer.from_pretrained(bart)
    network = transformers.AutoModelForSeq2SeqLM.from_pretrained(bart).eval()
    for case, one in zip(CASES, found, strict=True):
        means = []
        for partial in case.partial:
            read, held = (words(text, return_tensors="pt").input_ids for text in (partial, case.answer))
            with torch.inference_mode():
                means.append(-float(network(input_ids=read, labels=held).loss))  # the mean over the tokens
        assert one.value == pytest.approx(sum(means) / len(means), rel=1e-4)
        assert one.detail == ""


def test_bartscore_says_what_was_cut(bart):
    (found,) = BartScore(bart).compare([AnswerCase("a", "", "word " * 300, ("Short.", "word " * 200))])
    assert found.detail.startswith("the answer's last ")
    assert found.detail.endswith("1 of 2 partial answers were cut at 128 tokens")
    assert found.value < 0


def test_the_encoder_s_folders_count_in_the_instrument(bert, tmp_path):
    from conqret.debateqa.baseline_metrics import SemScore

    copy = tmp_path / "copy"
    shutil.copytree(bert, copy)
    before = SemScore(bert).fingerprint
    assert SemScore(str(copy)).fingerprint == before
    (copy / "1_Pooling" / "model.safetensors").write_bytes(b"weights of a layer of its own")
    assert SemScore(str(copy)).fingerprint != before


def test_semscore_is_the_cosine_of_the_mean_token_vectors(bert):
    from conqret.debateqa.baseline_metrics import SemScore

    found = SemScore(bert).compare(CASES)
    words, network = (
        transformers.AutoTokenizer.from_pretrained(bert),
        transformers.AutoModel.from_pretrained(bert).eval(),
    )

    def embedded(text):
        with torch.inference_mode():
            states = network(
                **words(text, truncation=True, max_length=24, return_tensors="pt")
            ).last_hidden_state
        return states[0].mean(dim=0).double()

    for case, one in zip(CASES, found, strict=True):
        answer = embedded(case.answer)
        cosines = [
            float(torch.nn.functional.cosine_similarity(answer, embedded(partial), dim=0))
            for partial in case.partial
        ]
        assert one.value == pytest.approx(sum(cosines) / len(cosines), abs=1e-5)
    assert len({round(one.value, 4) for one in found}) == len(found)
    tokens = len(words(CASES[3].answer).input_ids)
    assert found[3].detail == f"the answer's last {tokens - 24} tokens do not fit the window of 24"
    assert found[2].detail == ""
