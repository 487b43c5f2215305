"""Contributed results are checked as what strangers wrote."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import conqret
from conqret.errors import DeclarationError
from conqret.suites.contributions import checked, contribution_name, submitted
from conqret.suites.result import read_result


@pytest.fixture
def results(small_suite, tmp_path) -> Path:
    """A folder of results, with one in it."""
    made = conqret.run_suite("small", source=small_suite, sample=24, output=tmp_path / "run")
    (file,) = submitted([tmp_path / "run"], tmp_path / "results")
    assert file == tmp_path / "results" / contribution_name(made.result)
    return tmp_path / "results"


def changed(results: Path, **more: object) -> Path:
    """The result with other fields, under its name."""
    (file,) = results.rglob("*.json")
    data = json.loads(file.read_text("utf-8"))
    for path, value in more.items():
        *way, last = path.split("__")
        part = data
        for name in way:
            part = part[int(name) if name.isdigit() else name]
        part[last] = value
    file.write_text(json.dumps(data), encoding="utf-8")
    return file


def test_what_was_submitted_is_sound(results, tmp_path):
    ((file, result),) = checked([results])
    assert (file.parent.name, result.suite) == ("small", "small")
    assert submitted([tmp_path / "run"], results) == [file]


def test_another_result_of_the_name_is_not_overwritten(results, tmp_path):
    changed(results, figures__0__reason="other")
    with pytest.raises(DeclarationError, match="already exists, with other figures"):
        submitted([tmp_path / "run"], results)


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"figures__0__value": 0.99}, "figures.0.low"),
        ({"figures__0__low": 0.9}, "figures.0.low"),
        ({"figures__0__value": 1.5}, "figures.0.value"),
        ({"figures__0__n": 3}, "figures.0.n"),
        ({"figures__0__without": [0.5]}, "figures.0.without"),
        ({"figures__0__statistic": "luck"}, "figures"),
        ({"figures__0__scale": "plain"}, "figures.0"),
        ({"figures__0__extra": 1}, "figures.0.extra"),
        ({"figures__0__value": float("nan")}, ""),
        ({"figures__0__value": "high"}, "figures.0.value"),
        ({"figures__0__sizes": [1] * 5000}, "figures.0.sizes"),
        ({"figures": []}, "figures"),
        ({"suite": "unknown"}, "suite"),
        ({"suite": "../../etc"}, "suite"),
        ({"created": "2999-01-01T00:00:00+00:00"}, "created"),
        ({"created": "yesterday"}, "created"),
        ({"judge__published": True}, "judge.published"),
        ({"judge__model": "x\x1b[31m"}, "judge.model"),
        ({"judge__model": "x\x9b31m"}, "judge.model"),
        ({"judge__model": "x\u202egpj"}, "judge.model"),
        ({"judge__model": "x" * 300}, "judge.model"),
        ({"judge__fingerprint": "../../../../x"}, "judge.fingerprint"),
        ({"judge__model": "another"}, "has another name"),
        ({"sample__n": 5}, "sample.n"),
        ({"text": "an item"}, "text"),
        ({"layout": 2}, "layout"),
        ({"cost__usd": -1}, "cost.usd"),
    ],
    ids=str,
)
def test_a_faulty_result_is_told_with_file_and_field(results, changes, field):
    file = changed(results, **changes)
    with pytest.raises(DeclarationError) as told:
        checked([results])
    assert str(file) in str(told.value)
    assert field in str(told.value)
    assert "\x1b" not in str(told.value)


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"[]", b"\xff\xfe", b"[" * 100_000, b'{"kind": 1, "kind": 2}', b" " * (2**20 + 1)],
    ids=["empty", "cut", "list", "no text", "deep", "twice", "large"],
)
def test_what_is_no_result_is_told(results, content):
    (file,) = results.rglob("*.json")
    file.write_bytes(content)
    with pytest.raises(DeclarationError, match=file.name):
        checked([results])


def test_a_field_twice_a_link_and_a_copy_are_told(results, tmp_path):
    (file,) = results.rglob("*.json")
    text = file.read_text("utf-8")
    link = results / "small" / "link.json"
    link.symlink_to(tmp_path / "run" / "suite.json")
    with pytest.raises(DeclarationError, match="is a link"):
        checked([results])
    link.unlink()
    (results / "small" / "copy.json").write_text(text, encoding="utf-8")
    with pytest.raises(DeclarationError, match=r"copy\.json has another name"):
        checked([results])
    (results / "small" / "copy.json").unlink()
    file.write_text(text.replace('"kind"', '"layout": 1, "kind"', 1), encoding="utf-8")
    with pytest.raises(DeclarationError, match="names a field twice"):
        checked([results])


def test_names_of_strangers_stay_on_one_line_and_large_files_are_not_read(results):
    (file,) = results.rglob("*.json")
    changed(results, **{"\x1b[31mred\nline" + "x" * 1000: 1})
    odd = file.with_name("a\n  b.json")
    odd.write_bytes(b"{}")
    with (results / "small" / "large.json").open("wb") as large:
        large.truncate(2 * 2**30)
    (results / "small" / "folder.json").mkdir()
    with pytest.raises(DeclarationError) as told:
        checked([results])
    lines = str(told.value).splitlines()
    assert all(line.startswith(f"  {results}") for line in lines[1:])
    assert max(map(len, lines)) < 500 + len(str(results))
    assert "Extra inputs" in str(told.value)
    assert "is larger than 1 MiB" in str(told.value)


def test_there_has_to_be_a_result(tmp_path):
    with pytest.raises(DeclarationError, match="no result to check"):
        checked([tmp_path])
    with pytest.raises(DeclarationError, match="is missing"):
        read_result(tmp_path)
