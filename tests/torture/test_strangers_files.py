"""A corpus or an experiment from a stranger runs no code, and sends nothing to an address of its own."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

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


@dataclass(frozen=True)
class Done:
    returncode: int
    stdout: str
    stderr: str


Run = Callable[..., Done]


@pytest.fixture
def run(forks: Forks, tmp_path: Path) -> Run:
    """The command in a folder, which is on the path of modules as with ``python -m``."""

    def call(folder: Path, *arguments: str) -> Done:
        out, err = tmp_path / "stdout", tmp_path / "stderr"
        forks.start(*arguments, out=out, err=err, environment={"OPENAI_API_KEY": KEY}, folder=folder)
        return Done(forks.end(), out.read_text(), err.read_text())

    return call


@pytest.mark.parametrize(
    ("command", "home"),
    [
        (("retrieve", "run", "corpus", "--engine", "{engine}", "-o", "out.res"), "index-dense"),
        (("debateqa", "curate", "questions.jsonl", "--corpus", "corpus", "-o", "out"), "index"),
    ],
    ids=["run", "curate"],
)
def test_an_index_that_names_code_does_not_run_it(
    stranger: Path, run: Run, command: tuple[str, ...], home: str
) -> None:
    shutil.copy(ROOT / "fixtures" / "questions.jsonl", stranger)
    (stranger / "corpus" / home).mkdir()
    manifest = {"fingerprint": "0" * 16, "engine": "dense", "version": "1", "documents": 1}
    manifest |= {"settings": {"encoder": "corpus.readme_tools:make"}}
    (stranger / "corpus" / home / "index.json").write_text(json.dumps(manifest))
    engine = "dense" if home == "index-dense" else "bm25"
    done = run(stranger, *(word.format(engine=engine) for word in command))
    assert not (stranger / "ran").exists()
    assert "Traceback" not in done.stderr
    if home == "index-dense":
        assert done.returncode == 2
        assert "--encoder corpus.readme_tools:make" in done.stderr


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
        assert done.returncode == 2, done.stderr
        assert field in done.stderr
        assert "--trust-file" in done.stderr
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
        assert done.returncode == 2, done.stderr
        assert f"judge.{field}" in done.stderr
        assert not server.requests
    assert not (stranger / "out").exists()


def test_a_trusted_file_names_its_addresses_in_the_dry_run(stranger: Path, run: Run) -> None:
    more = '[models."openai/judge"]\napi_base = "http://me:secret@127.0.0.1:9/v1"'
    text = EXPERIMENT.format(retriever="depth = 10", model="openai/judge", more=more)
    (stranger / "experiment.toml").write_text(text)
    done = run(stranger, "experiment", "experiment.toml", "--trust-file", "--dry-run")
    assert done.returncode == 2, done.stderr  # nothing listens there
    assert "requests to openai/judge go to http://127.0.0.1:9/v1" in done.stdout
    assert "secret" not in done.stdout + done.stderr
