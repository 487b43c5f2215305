"""``conqret labels collect``: the command, its links, and what comes of them."""

from __future__ import annotations

import json
import re
import urllib.request
from pathlib import Path

import pytest

from conqret.labels.answer_ledger import Ledger
from tests.cli.conftest import Cli, Done
from tests.labels.studies import begun
from tests.web.commands import started

ITEMS = Path(__file__).resolve().parents[2] / "fixtures" / "demo" / "items.jsonl"


def answered(folder: Path, name: str, *values: str) -> None:
    ledger = Ledger(folder)
    person = ledger.annotator(name)
    for value in values:
        turn = ledger.next(person)
        assert turn is not None
        ledger.answer(person, turn, {"overall_quality": value}, "=1+1", turn.revision)
    ledger.close()


def test_served_stopped_and_served_again_with_the_same_links(tmp_path: Path) -> None:
    links = []
    for _ in range(2):
        with started("labels", "collect", ITEMS, "--annotators", "anna,ben", "-o", tmp_path) as server:
            assert re.search(r"  anna  http://127\.0\.0\.1:\d+/in/\S{22}\n", server.said)
            link = server.links["anna"]
            links.append(link.rpartition("/")[2])
            with urllib.request.urlopen(link) as answer:
                assert "Welcome" in answer.read().decode()
                assert "HttpOnly" in answer.headers["set-cookie"]
                assert "SameSite=strict" in answer.headers["set-cookie"]
            request = urllib.request.Request(link, headers={"Host": "evil.example"})
            with pytest.raises(urllib.error.HTTPError, match="421"):
                urllib.request.urlopen(request)
    assert links[0] == links[1]
    assert (tmp_path / "secret").stat().st_mode & 0o77 == 0
    for name in ("labels.sqlite", "labels.backup.sqlite"):
        assert (tmp_path / name).stat().st_mode & 0o77 == 0


def test_status_and_export_and_what_reads_it(cli: Cli, tmp_path: Path) -> None:
    begun(tmp_path / "labels", 4, ("anna", "ben")).close()
    assert cli("labels", "export", tmp_path / "labels").code == 2
    answered(tmp_path / "labels", "anna", "5", "4", "2", "cannot judge")
    answered(tmp_path / "labels", "ben", "5", "3", "2", "1")
    told = json.loads(cli("labels", "manage", tmp_path / "labels", "--json").out)
    assert (told["labels"], told["wanted"]) == (8, 8)
    assert told["agreement"]["rows"][0]["cannot_judge"] == 1
    file = tmp_path / "out" / "labels.csv"
    done = cli("labels", "export", tmp_path / "labels", "-o", file)
    assert "conqret labels agreement" in done.out
    assert "anna" not in file.read_text()
    assert ",=1+1" not in file.read_text()
    _, _, _, *words = done.out.splitlines()[-1].removeprefix("read it with: ").split()
    assert cli("labels", "agreement", *words).code == 0
    # An export that nobody has touched is replaced by the next one; one that was edited is not.
    first = file.read_bytes()
    assert cli("labels", "export", tmp_path / "labels", "--final", "-o", file).code == 0
    assert file.read_bytes() != first
    file.write_bytes(first + b"by hand\n")
    refused = cli("labels", "export", tmp_path / "labels", "-o", file)
    assert (refused.code, "labels.csv already exists" in refused.err) == (2, True)
    assert file.read_bytes() == first + b"by hand\n"
    assert cli("labels", "export", tmp_path / "labels", "-o", file, "--overwrite").code == 0
    assert file.read_bytes() == first
    studio = tmp_path / "out" / "studio.json"
    assert cli("labels", "export", tmp_path / "labels", "--to", "label-studio", "-o", studio).code == 0
    assert cli("labels", "agreement", studio, "--scale", "1:5").code == 0


def test_what_is_done_to_a_person(cli: Cli, tmp_path: Path) -> None:
    folder = tmp_path / "labels"
    begun(folder, 3, ("anna", "ben")).close()
    answered(folder, "ben", "1")

    def managed(*words: object) -> Done:
        return cli("labels", "manage", folder, *words)

    assert managed("pause", "ben").code == 0
    assert managed("resume", "p02").code == managed("backup", tmp_path / "copy.sqlite").code == 0
    assert (tmp_path / "copy.sqlite").exists()
    assert managed("drop", "ben", "--why", "too fast").code == 0
    assert cli("labels", "export", folder, "-o", tmp_path / "x.csv").code == 2
    assert managed("resume", "ben").code == 0
    assert "0 screens of ben are free" in managed("reassign", "ben").out
    refused = managed("forget", "ben")
    assert (refused.code, "deletes 1 answer of ben" in refused.err) == (2, True)
    assert "1 answer of ben are deleted" in managed("forget", "ben", "--yes").out
    assert "no annotator has the name 'ben'" in managed("pause", "ben").err
    assert (managed("forget").code, "forget NAME" in managed("forget").err) == (2, True)
