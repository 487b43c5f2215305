"""What is checked of all arguments: one value is given once, and what is written is not what is read."""

from __future__ import annotations

from pathlib import Path

import pytest

from conqret.cli.main import WRITTEN
from tests.commands import Cli, leaves, options_of

ROOT = Path(__file__).parents[2]
DEMO = ROOT / "fixtures/demo/items.jsonl"
LABELS = ROOT / "fixtures/demo/labels.jsonl"


def test_every_output_is_known() -> None:
    """What a help calls a file or page to write is one of the parameters that are compared with what is read."""
    writing = ("write", "the file to", "a page", "a picture", "the sheet to", "the folder for")
    found = dict(leaves())
    assert len(found) > 60
    for name, command in found.items():
        for argument in options_of(command):
            help_, field = (argument.parameter.help or "").casefold(), argument.field_info.name
            if argument.index is None and help_.startswith(writing) and field not in WRITTEN:
                pytest.fail(f"{name} writes {field}")


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (("--scale", "1:3", "--scale", "1:5"), "--scale is given twice for all dimensions (1:3 and 1:5)"),
        (("--map", "low=1,high=2", "--map", "low=0"), "--map gives 'low' two numbers, 1 and 0"),
        (("--columns", "item=a,item=b"), "--columns names two columns for item"),
    ],
)
def test_of_two_settings_of_one_thing_none_is_kept_in_silence(
    cli: Cli, more: tuple[str, ...], said: str
) -> None:
    done = cli("labels", "agreement", LABELS, *more)
    assert (done.code, said in " ".join(done.err.split())) == (2, True), done.err


def test_a_metric_is_compared_with_one_dimension(cli: Cli, tmp_path: Path) -> None:
    done = cli("validate", tmp_path, "--labels", LABELS, "--metric", "a=b", "--metric", "a=c")
    assert (done.code, "--metric maps a to two metrics, b and c" in done.err) == (2, True)


def test_what_is_read_is_not_written_over(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "items.jsonl").write_bytes(DEMO.read_bytes())
    (tmp_path / "labels.jsonl").write_bytes(LABELS.read_bytes())
    for words, said in (
        (
            ("generate", "perturbations", "irrelevant", "items.jsonl", "-o", tmp_path / "items.jsonl"),
            "--output and ITEMS both name",
        ),
        (
            ("judges", "calibrate", "run", "--labels", "labels.jsonl", "-o", "./labels.jsonl"),
            "--output and --labels both name",
        ),
        (
            ("labels", "sample", "items.jsonl", "--labeled", "labels.jsonl", "-o", "labels.jsonl"),
            "--output and --labeled both",
        ),
    ):
        done = cli(*words)
        assert (done.code, said in " ".join(done.err.split())) == (2, True), done.err
    assert (tmp_path / "items.jsonl").read_bytes() == DEMO.read_bytes()
    assert (tmp_path / "labels.jsonl").read_bytes() == LABELS.read_bytes()
