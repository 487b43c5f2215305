"""A tiny model learns a planted rule, and is a detector then: calibrated, held out, resumed, used in the commands."""

from __future__ import annotations

import json
import random
import shutil

import pytest

import conqret
from conqret.errors import DeclarationError
from conqret.io.pairs import Pair
from conqret.perspectives.detector_models import card_of, load_detector
from conqret.perspectives.detector_tuning import (
    DetectorFolder,
    DetectorSettings,
    class_weights,
    parted,
    tune_detector,
)
from conqret.perspectives.threshold import best_cut, logistic, platt
from tests.commands import run_conqret
from tests.needed import Needed
from tests.perspectives.test_local_detectors import causal

Needed("torch", reason="the extra tune is not installed: torch is missing")
Needed("accelerate", reason="the extra tune is not installed: accelerate is missing")

pytestmark = pytest.mark.usefixtures("one_thread")

WORDS = ["trams", "pay", "cats", "sleep", "rain", "falls", "often", "here", "good", "bad", "Statement:"]
WINDOW = 48
QUICK = DetectorSettings(epochs=3, learning_rate=0.04, batch_size=16)


def made(count, seed=1):
    """Pairs on 20 questions: a document contains its perspective where it says "good" (one in four)."""
    rng = random.Random(seed)
    found = []
    for n in range(count):
        yes = rng.random() < 0.25
        said = [rng.choice(WORDS[:8]) for _ in range(8)]
        said[rng.randrange(8)] = "good" if yes else "bad"
        found.append(Pair(str(n), " ".join(said), "trams pay", f"question {n % 20}", yes))
    return found


def save(folder, *, labels=None):
    from tokenizers import Tokenizer, models, pre_tokenizers, processors
    from transformers import (
        BertConfig,
        BertForSequenceClassification,
        PreTrainedTokenizerFast,
    )

    special = ["<pad>", "<unk>", "<s>", "</s>"]
    known = {word: n for n, word in enumerate([*special, *WORDS])}
    inner = Tokenizer(models.WordLevel(known, unk_token="<unk>"))
    inner.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    inner.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", pair="<s> $A </s> $B </s>", special_tokens=[("<s>", 2), ("</s>", 3)]
    )
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=inner, pad_token="<pad>", unk_token="<unk>", cls_token="<s>", sep_token="</s>"
    )
    more = {} if labels is None else {"id2label": dict(enumerate(labels)), "num_labels": len(labels)}
    config = BertConfig(
        vocab_size=len(known),
        hidden_size=32,
        intermediate_size=32,
        num_hidden_layers=1,
        num_attention_heads=2,
        max_position_embeddings=WINDOW,
        hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0,
        pad_token_id=0,
        **more,
    )
    BertForSequenceClassification(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def encoder(tmp_path_factory):
    import torch

    torch.manual_seed(3)
    return save(tmp_path_factory.mktemp("encoder"))


@pytest.fixture(scope="module")
def tuned(encoder, tmp_path_factory):
    folder = DetectorFolder(tmp_path_factory.mktemp("tuned") / "detector")
    return folder, tune_detector(made(160), encoder, folder.path, QUICK)


def test_it_learns_a_planted_rule_and_its_card_says_how_well(tuned):
    folder, card = tuned
    assert card == card_of(folder.path)
    assert card.held_out.f1.value > 0.9 > card.held_out.always_yes.value
    assert card.held_out.questions == 4
    assert card.held_out.brier < 0.1
    assert card.slope > 0
    assert card.weights[1] > 1 > card.weights[0]  # a yes is rare
    assert not folder.checkpoints.exists()


def test_a_detector_reads_the_end_of_a_long_document(tuned):
    detector = load_detector(tuned[0].path)
    start = "rain falls here often trams sleep bad " * 10
    pairs = [
        Pair("a", start * 2, "trams pay"),
        Pair("b", start + start.replace("bad", "good"), "trams pay"),
        Pair("c", "", "trams pay"),
    ]
    assert len(detector.windows(pairs[0])) >= 3
    low, high, _ = (detector.probability(score) for score in detector.scores(pairs))
    assert low < detector.threshold <= high
    with pytest.raises(DeclarationError, match="the perspective of pair d takes"):
        list(detector.scores([Pair("d", "rain", "trams " * WINDOW)]))


def test_a_run_that_was_stopped_goes_on_and_another_is_refused(tuned, encoder, tmp_path):
    _, expected = tuned
    folder = DetectorFolder(tmp_path / "detector")

    def killed(step, loss):
        if step == 14:
            raise KeyboardInterrupt

    brief = DetectorSettings(epochs=3, learning_rate=0.04, batch_size=16, save_every=10)
    with pytest.raises(KeyboardInterrupt):
        tune_detector(made(160), encoder, folder.path, brief, on_step=killed)
    assert card_of(folder.path) is None
    done = []
    found = tune_detector(
        made(160), encoder, folder.path, brief, on_start=lambda parts, steps, kept: done.append(kept)
    )
    assert done == [10]
    assert found.held_out == expected.held_out
    with pytest.raises(DeclarationError, match="What differs: training data"):
        tune_detector(made(120), encoder, folder.path, QUICK)


def test_a_causal_model_gets_a_head_and_an_adapter_is_merged(tmp_path):
    pytest.importorskip("peft", reason="the extra tune is not installed: peft is missing")
    base = causal(tmp_path / "causal", ["<unk>", "</s>", "[INST]", "[/INST]", *WORDS])
    folder = DetectorFolder(tmp_path / "detector")
    card = tune_detector(
        made(60), base, folder.path, DetectorSettings(epochs=1, lora=True, learning_rate=0.01)
    )
    assert (folder.path / "adapter" / "adapter_config.json").is_file()
    assert card.lora
    detector = load_detector(folder.path)
    assert len(list(detector.scores(made(5)))) == 5
    assert "Statement:" in detector.tokenizer.decode(detector.windows(made(1)[0])[0])


def test_an_nli_model_is_a_detector_and_another_is_none(tmp_path, encoder):
    nli = save(tmp_path / "nli", labels=("ENTAILMENT", "NEUTRAL", "CONTRADICTION"))
    detector = load_detector(nli)
    assert (detector.yes, detector.threshold) == (0, 0.5)
    assert 0 < detector.probability(next(iter(detector.scores(made(1))))) < 1
    with pytest.raises(DeclarationError, match="none of its labels is entailment"):
        load_detector(encoder)
    with pytest.raises(DeclarationError, match="is not a folder"):
        load_detector(tmp_path / "nowhere")


def test_questions_are_parted_and_never_pairs():
    parts = parted(made(200))
    names = [{one.question for one in part} for part in (parts.train, parts.calibration, parts.held_out)]
    assert [len(name) for name in names] == [13, 3, 4]
    assert not names[0] & names[1] | names[0] & names[2] | names[1] & names[2]
    with pytest.raises(DeclarationError, match="on 2 questions, but at least 3"):
        parted([Pair("1", "a", "b", "q1", True), Pair("2", "a", "b", "q2", False)])
    with pytest.raises(DeclarationError, match="same label"):
        parted([Pair(str(n), "a", "b", f"q{n}", True) for n in range(9)])


def test_calibration_by_hand():
    assert class_weights([True, False, False, False]) == (pytest.approx(2 / 3), 2.0)
    # Three of four are yes at 1 and one of four at -1; with smoothed targets (5/6, 1/6) that is 2/3 and 1/3.
    slope, intercept = platt([1.0] * 4 + [-1.0] * 4, [True, True, True, False, True, False, False, False])
    assert (logistic(slope + intercept), logistic(intercept - slope)) == (
        pytest.approx(2 / 3),
        pytest.approx(1 / 3),
    )
    assert platt([1.0, -1.0] * 4, [False, True] * 4)[0] == 0.0  # it is never turned round
    assert best_cut([0.9, 0.8, 0.3, 0.1], [True, True, True, False]) == pytest.approx(0.2)
    assert best_cut([0.9, 0.1], [False, False]) == 0.5


def test_the_commands(tuned, encoder, tmp_path):
    def run(*arguments):
        done = run_conqret("perspectives", *arguments)
        return done.code, done

    file = tmp_path / "pairs.jsonl"
    rows = [
        {
            "id": one.id,
            "document": one.document,
            "perspective": one.perspective,
            "question": one.question,
            "label": int(one.label),
        }
        for one in made(40, seed=2)
    ]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    out = shutil.copytree(tuned[0].path, tmp_path / "copy")
    code, said = run(
        "detect", file, "--labels", "label", "--detector", out, "-o", tmp_path / "found", "--json"
    )
    assert code == 0, said.err
    found = json.loads(said.out)
    assert (found["pairs"], found["against_labels"]["f1"]["value"]) == (40, 1.0)
    assert (tmp_path / "found" / "detections.csv").read_text().count("\n") == 41
    applied = conqret.apply_detector(file, out, labels="label", output=tmp_path / "applied")
    assert (applied.yes, len(applied.probabilities)) == (found["yes"], 40)
    for arguments, told in (
        (("detect", file, "--detector", tmp_path), "contains no model"),
        (("detect", file, "--detector", out, "--model", "offline"), "leave out --model"),
        (("tune", file, "--model", encoder, "--labels", "gold"), "neither a file nor a column"),
    ):
        code, said = run(*arguments, "-o", tmp_path / "refused")
        assert (code, (tmp_path / "refused").exists()) == (2, False)
        assert told in " ".join(said.err.split())
