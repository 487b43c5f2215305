"""An index whose files are not as they were built is given to no engine's native code: the command names the file."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import pytest

from conqret.errors import DeclarationError
from conqret.retrieval import build_index, open_index
from tests.commands import run_conqret
from tests.retrieval.conftest import TEXTS, write_corpus
from tests.torture.effort import times

TOPICS = {"cats": "Should cats be kept indoors?"}


def flipped(file: Path, draw: random.Random) -> None:
    data = bytearray(file.read_bytes())
    data[draw.randrange(len(data))] ^= 1 << draw.randrange(8)
    file.write_bytes(data)


def test_the_command_names_the_file_and_the_remedy(tmp_path: Path) -> None:
    corpus = write_corpus(tmp_path / "corpus", TEXTS, TOPICS)
    assert run_conqret("retrieve", "index", corpus).code == 0
    shutil.copytree(corpus / "index", tmp_path / "sound")
    draw = random.Random(13)
    files = [file.relative_to(corpus / "index") for file in (corpus / "index").rglob("*") if file.is_file()]
    names = sorted(
        name for name in files if name.name != "index.json" and (corpus / "index" / name).stat().st_size
    )
    for name in draw.sample(names, min(len(names), times(2, 99))):
        for damage in (flipped, lambda file, _: file.unlink()):
            damage(corpus / "index" / name, draw)
            done = run_conqret("retrieve", "run", corpus, "-o", tmp_path / "run.res")
            text = " ".join(done.err.split())
            assert done.code == 2, (name, text)
            assert "--rebuild" in text, text
            assert not (tmp_path / "run.res").exists()
            shutil.rmtree(corpus / "index")
            shutil.copytree(tmp_path / "sound", corpus / "index")
    flipped(corpus / "index" / names[0], draw)
    assert run_conqret("retrieve", "index", corpus, "--rebuild").code == 0
    assert run_conqret("retrieve", "run", corpus, "-o", tmp_path / "run.res").code == 0


def test_the_engine_of_another_index_is_noticed(tmp_path: Path) -> None:
    first, second = (write_corpus(tmp_path / name, TEXTS, TOPICS) for name in ("first", "second"))
    with (second / "documents.jsonl").open("a") as file:
        file.write('{"id": "one-more", "text": "Cats sleep."}\n')
    for corpus in (first, second):
        build_index(corpus, engine="bm25s")
    shutil.rmtree(first / "index/engine")
    shutil.copytree(second / "index/engine", first / "index/engine")
    with pytest.raises(DeclarationError, match="is corrupt"):
        open_index(first)
    shutil.rmtree(first / "index")
    shutil.copytree(second / "index", first / "index")  # whole: of another corpus, so that it is built anew
    assert len(open_index(first)) == len(TEXTS)
