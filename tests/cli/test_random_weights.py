"""Whatever command loads a checkpoint without its weights ends with code 2, names them, and writes nothing."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.cli.conftest import Cli
from tests.local.checkpoints import causal, encoder, foreign, tart
from tests.needed import Needed

Needed("torch", reason="the extra perplexity is not installed: torch is missing")
Needed("sentence_transformers", reason="the extra dense is not installed")

FIXTURES = Path(__file__).parents[2] / "fixtures"
ITEMS, CORPUS = FIXTURES / "demo" / "items.jsonl", "corpus"
LABELED = ("pairs.jsonl", "--labels", "label")


def other_layer(folder: Path) -> Path:
    """An encoder whose dense layer has the names of another library."""
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import Dense

    model = SentenceTransformer(str(encoder(folder)))
    model.append(Dense(32, 8))
    model.save(str(folder), create_model_card=False)
    foreign(folder / "2_Dense")
    return folder


def headless_nli(folder: Path) -> Path:
    """An encoder that calls its labels those of an NLI model."""
    file = encoder(folder) / "config.json"
    labels = {"id2label": {0: "entailment", 1: "neutral"}, "label2id": {"entailment": 0, "neutral": 1}}
    file.write_text(json.dumps(json.loads(file.read_text()) | labels))
    return folder


@pytest.fixture
def _inputs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copytree(FIXTURES / "corpus", CORPUS)
    row = {"document": "Trams pay.", "perspective": "trams pay"}
    pairs = [{**row, "question": f"question {n // 4}", "label": n % 2} for n in range(24)]
    Path("pairs.jsonl").write_text("".join(json.dumps(pair) + "\n" for pair in pairs))


JUDGE = ("judge", ITEMS, "--format", "likelihood", "--model")
DETECT = ("perspectives", "detect", "pairs.jsonl", "--detector")
INDEX = ("retrieve", "index", CORPUS, "--engine", "dense", "--encoder")
RERANK = ("retrieve", "run", CORPUS, "--engine", "bm25s", "--cross-encoder")


@pytest.mark.parametrize(
    ("make", "command", "named"),
    [
        (
            lambda folder: foreign(causal(folder)),
            (*JUDGE, "local/./model"),
            "weights are not in it (lm_head.weight, ",
        ),
        (tart, (*RERANK, "model"), "T5ForSequenceClassification, but of EncT5ForSequenceClassification"),
        (other_layer, (*INDEX, "model"), '"linear.bias", "linear.weight"'),
        (headless_nli, (*DETECT, "model"), "(classifier.bias, classifier.weight)"),
    ],
)
@pytest.mark.usefixtures("_inputs")
def test_a_command_refuses_weights_of_another_class(make, command, named, cli: Cli) -> None:
    make(Path("model"))
    done = cli(*command) if command[:2] == INDEX[:2] else cli(*command, "-o", "out")
    assert (done.code, done.out) == (2, ""), done.err
    assert named in " ".join(done.err.split())
    assert "LOAD REPORT" not in done.err
    assert not Path("out").exists()
    assert not list(Path(CORPUS).rglob("vectors*"))


@pytest.mark.usefixtures("_inputs", "one_thread")
def test_training_says_which_weights_are_new(cli: Cli) -> None:
    pytest.importorskip("accelerate", reason="the extra tune is not installed: accelerate is missing")
    encoder(Path("model"))
    done = cli("perspectives", "tune", *LABELED, "-m", "model", "-o", "out", "--epochs", "1", "--json")
    assert done.code == 0, done.err
    assert "new, drawn at random and trained: classifier.bias, classifier.weight" in " ".join(
        done.err.split()
    )
    assert json.loads(done.out)["new_head"] == ["classifier.bias", "classifier.weight"]
