"""What a local model's name means: which files make its identity, which folder it is, and how long its texts may be."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from conqret.errors import DeclarationError
from conqret.llm.backends.local import FILLED, identity_of, name_and_identity
from conqret.llm.client_options import ClientOptions
from conqret.local.models import window_in

COMMIT = "0123456789abcdef0123456789abcdef01234567"
CONFIG = {"model_type": "qwen2", "vocab_size": 9, "hidden_size": 8, "max_position_embeddings": 131_072}


def folder(path: Path, weights: bytes = b"weights", **config: object) -> Path:
    path.mkdir(parents=True)
    (path / "config.json").write_text(json.dumps(config))
    (path / "model.safetensors").write_bytes(weights)
    return path


def test_one_byte_anywhere_is_another_model(tmp_path: Path) -> None:
    content = bytearray(3_000_000)
    found = set()
    for place in (None, 0, 40_000, 2_999_999):  # 40,000 lies behind the first 16 KiB of a sixty-fourth
        changed = bytearray(content)
        if place is not None:
            changed[place] = 1
        found.add(identity_of(str(folder(tmp_path / str(place), bytes(changed)))))
    assert len(found) == 4


def test_a_run_below_the_folder_is_no_part_of_the_model(tmp_path: Path) -> None:
    model = folder(tmp_path / "model")
    before = identity_of(str(model))
    folder(model / "runs" / "items-likelihood")
    assert identity_of(str(model)) == before


def test_a_folder_that_is_named_like_an_identity_is_that_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    folder(tmp_path / "exp")
    own = identity_of(str(folder(tmp_path / "exp@0123456789ab", b"others")))
    assert name_and_identity("local/./exp@0123456789ab") == ("./exp@0123456789ab", None)
    model = ClientOptions("local/./exp@0123456789ab").resolved().model
    assert model == f"local/./exp@0123456789ab@{own}"
    assert name_and_identity(model) == ("./exp@0123456789ab", own)
    assert name_and_identity("local/./exp@ba9876543210") == ("./exp", "ba9876543210")


def test_a_changing_rotation_and_the_tokenizer_end_the_window(tmp_path: Path) -> None:
    long = folder(
        tmp_path / "long",
        max_position_embeddings=131_072,
        original_max_position_embeddings=4_096,
        rope_scaling={"type": "longrope"},
    )
    assert ClientOptions(f"local/{long}").resolved().context_window == int(FILLED * 4_096)
    short = folder(tmp_path / "short", max_position_embeddings=131_072)
    (short / "tokenizer_config.json").write_text('{"model_max_length": 32768}')
    assert ClientOptions(f"local/{short}").resolved().context_window == int(FILLED * 32_768)
    dynamic = {"rope_type": "dynamic", "factor": 2.0}  # as loaded; the folders above are as published
    assert window_in({"max_position_embeddings": 4_096, "rope_parameters": dynamic}, {}) == 4_096
    assert window_in({}, {"max_len": 512}) == 512


@pytest.mark.parametrize(("file", "text"), [("config.json", "{"), ("tokenizer_config.json", "[]")])
def test_settings_that_are_no_settings(tmp_path: Path, file: str, text: str) -> None:
    (folder(tmp_path / "model") / file).write_text(text)
    with pytest.raises(DeclarationError, match=file):
        ClientOptions(f"local/{tmp_path / 'model'}").resolved()


@pytest.fixture
def hub(tmp_path: Path) -> Path:
    """The cache of a hub that is away, with one model in it."""
    pytest.importorskip(
        "transformers", reason="the extra perplexity is not installed: transformers is missing"
    )
    stored = tmp_path / "hub" / "models--Some--Small"
    snapshot = stored / "snapshots" / COMMIT
    snapshot.mkdir(parents=True)
    (stored / "refs").mkdir()
    (stored / "refs" / "main").write_text(COMMIT)
    (snapshot / "config.json").write_text(json.dumps(CONFIG))
    (snapshot / "tokenizer_config.json").write_text('{"model_max_length": 32768}')
    return tmp_path


def test_a_hubs_model_has_one_window_pinned_or_not(hub: Path) -> None:
    """In another process: transformers settles where its cache is when it is imported."""
    names = ["local/Some/Small", f"local/Some/Small@{COMMIT[:12]}", "local/Some/Other@0123456789ab"]
    code = (
        "import json; from conqret.llm.client_options import ClientOptions\n"
        "from conqret.local.models import revision\n"
        f"found = [ClientOptions(name).resolved() for name in {names}]\n"
        "print(json.dumps([[one.model, one.context_window] for one in found] + [revision('Some/Small')]))"
    )
    away = {"HF_HUB_CACHE": str(hub / "hub"), "HF_HOME": str(hub), "HF_HUB_OFFLINE": "1"}
    done = subprocess.run(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, check=True, env=os.environ | away
    )
    pinned = f"local/Some/Small@{COMMIT[:12]}"
    wanted = [[pinned, 26_214], [pinned, 26_214], [names[2], None], f"Some/Small@{COMMIT}"]
    assert json.loads(done.stdout) == wanted


def test_a_models_own_code_is_neither_run_nor_asked_about(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("torch", reason="the extra perplexity is not installed: torch is missing")
    pytest.importorskip(
        "transformers", reason="the extra perplexity is not installed: transformers is missing"
    )
    from conqret.local.models import load

    asked: list[object] = []
    monkeypatch.setattr("builtins.input", lambda *text: asked.append(text) or "y")
    auto = {
        "AutoConfig": "own.Own",
        "AutoModelForCausalLM": "own.Model",
        "AutoTokenizer": ["own.Words", None],
    }
    model = folder(tmp_path / "model", model_type="never-seen", auto_map=auto)
    (model / "tokenizer_config.json").write_text(json.dumps({"auto_map": auto}))
    (model / "own.py").write_text("raise SystemExit('it was run')")
    with pytest.raises(DeclarationError, match="cannot be loaded"):
        load(str(model))
    assert not asked
