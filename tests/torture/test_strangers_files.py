"""A corpus or an experiment from a stranger runs no code, and sends nothing to an address of its own."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.commands import Done
from tests.runs.killed import ROOT, Forks
from tests.server import FaultPlan, FaultServer

CODE = "import pathlib\npathlib.Path('ran').touch()\n\n\ndef make(*given):\n    raise SystemExit(9)\n"
KEY = "sk-the-users-own"


@pytest.fixture
def stranger(tmp_path: Path) -> Path:
    """A folder as somebody sends it: a corpus, and a module that leaves a mark when it is imported."""
    folder = tmp_path / "sent"
    shutil.copytree(
        ROOT / "fixtures" / "corpus", folder / "corpus", ignore=shutil.ignore_patterns("index*", ".index*")
    )
    (folder / "corpus" / "readme_tools.py").write_text(CODE)
    (folder / "corpus" / "__init__.py").touch()
    return folder


Run = Callable[..., Done]


@pytest.fixture
def run(forks: Forks, tmp_path: Path) -> Run:
    """The command in a folder, which is on the path of modules as with ``python -m``."""

    def call(folder: Path, *arguments: str) -> Done:
        out, err = tmp_path / "stdout", tmp_path / "stderr"
        forks.start(*arguments, out=out, err=err, environment={"OPENAI_API_KEY": KEY}, folder=folder)
        return Done(forks.end(), out.read_text(), err.read_text())

    return call


def test_an_index_that_names_code_does_not_run_it(stranger: Path, run: Run) -> None:
    shutil.copy(ROOT / "fixtures" / "questions.jsonl", stranger)
    (stranger / "corpus" / "index").mkdir()
    manifest = {"fingerprint": "0" * 16, "engine": "dense", "version": "1", "documents": 1}
    manifest |= {"settings": {"encoder": "corpus.readme_tools:make"}}
    (stranger / "corpus" / "index" / "index.json").write_text(json.dumps(manifest))
    done = run(stranger, "debateqa", "curate", "questions.jsonl", "--corpus", "corpus", "-o", "out")
    assert not (stranger / "ran").exists()
    assert "Traceback" not in done.err


EXPERIMENT = """corpus = "corpus"
[retrievers.first]
{retriever}
[generators.writer]
model = "offline"
[[systems]]
retriever = ["first"]
generator = ["writer"]
[[judges]]
format = "direct"
model = "{model}"
{more}
"""


@pytest.mark.parametrize(
    ("parts", "field"),
    [
        ({"retriever": 'engine = "dense"\nencoder = "corpus.readme_tools:make"'}, "retrievers.first.encoder"),
        ({"model": "server/{url}"}, "judges[0].model"),
        ({"model": "openai/judge", "more": '[models."openai/judge"]\napi_base = "{url}"'}, "api_base"),
    ],
    ids=["encoder", "server", "address"],
)
def test_an_experiment_file_runs_no_code_and_names_no_address(
    stranger: Path, run: Run, parts: dict[str, str], field: str
) -> None:
    with FaultServer(FaultPlan()) as server:
        filled = {"retriever": "depth = 10", "model": "offline", "more": "", **parts}
        filled = {name: value.format(url=server.url) for name, value in filled.items()}
        (stranger / "experiment.toml").write_text(EXPERIMENT.format(**filled))
        done = run(stranger, "experiment", "experiment.toml", "-o", "out")
        assert done.code == 2, done.err
        assert field in done.err
        assert "--trust-file" in done.err
        assert not server.requests
    assert not (stranger / "ran").exists()
    assert not (stranger / "out").exists()


@pytest.mark.parametrize(("field", "value"), [("api_base", "{url}"), ("items", "{url}/items.jsonl")])
def test_settings_that_lie_in_the_folder_name_no_address(
    stranger: Path, run: Run, field: str, value: str
) -> None:
    shutil.copy(ROOT / "fixtures" / "demo" / "items.jsonl", stranger)
    with FaultServer(FaultPlan()) as server:
        setting = f'[judge]\n{field} = "{value.format(url=server.url)}"\n'
        (stranger / "conqret.toml").write_text(setting)
        given = [] if field == "items" else ["items.jsonl"]
        done = run(stranger, "judge", *given, "--format", "direct", "-o", "out")
        assert done.code == 2, done.err
        assert f"judge.{field}" in done.err
        assert not server.requests
    assert not (stranger / "out").exists()


def test_a_trusted_file_names_its_addresses_in_the_dry_run(stranger: Path, run: Run) -> None:
    more = '[models."openai/judge"]\napi_base = "http://me:secret@127.0.0.1:9/v1"'
    text = EXPERIMENT.format(retriever="depth = 10", model="openai/judge", more=more)
    (stranger / "experiment.toml").write_text(text)
    done = run(stranger, "experiment", "experiment.toml", "--trust-file", "--dry-run")
    assert done.code == 2, done.err  # nothing listens there
    assert "requests to openai/judge go to http://127.0.0.1:9/v1" in done.out
    assert "secret" not in done.out + done.err
