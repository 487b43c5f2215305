"""A folder of files is one table, and so is what lies at an address."""

from __future__ import annotations

import json
from pathlib import Path

import fsspec
import pytest

from conqret.errors import DeclarationError, ItemsError
from conqret.io import open_items


def text(*numbers: int) -> str:
    return "".join(json.dumps({"id": f"item-{n}", "topic": f"Is {n} too many?"}) + "\n" for n in numbers)


def write(folder: Path, **files: str) -> Path:
    folder.mkdir()
    for name, content in files.items():
        (folder / f"{name}.jsonl").write_text(content, encoding="utf-8")
    return folder


def ids(source: str | Path) -> list[str]:
    opened = open_items(source)
    checked = opened.check()
    found = [item.id for item in opened]
    assert checked.count == len(found)
    return found


def test_the_files_of_a_folder_come_in_the_order_of_their_names(tmp_path: Path) -> None:
    folder = write(tmp_path / "items", b=text(3), a=text(1, 2), _success="", c=text(4))
    (folder / ".hidden.jsonl").write_text("no item", encoding="utf-8")
    (folder / "README").write_text("no item", encoding="utf-8")
    assert ids(folder) == ["item-1", "item-2", "item-3", "item-4"]


def test_faults_name_the_file_and_an_id_counts_over_all(tmp_path: Path) -> None:
    folder = write(tmp_path / "items", a=text(1), b=text(1) + "{broken\n")
    with pytest.raises(ItemsError) as refused:
        open_items(folder).check()
    said = str(refused.value)
    assert f"{folder}/b.jsonl:1" in said
    assert f"as in line 1 of {folder}/a.jsonl" in said
    assert f"{folder}/b.jsonl:2" in said


@pytest.mark.parametrize(
    ("files", "said"), [((), "no file of items"), (("a.jsonl", "b.csv"), r"\(.csv, .jsonl\)")]
)
def test_a_folder_of_nothing_or_of_several_kinds_is_refused(
    files: tuple[str, ...], said: str, tmp_path: Path
) -> None:
    for name in files:
        (tmp_path / name).write_text(text(1), encoding="utf-8")
    with pytest.raises(ItemsError, match=said):
        open_items(tmp_path)


def test_of_a_runs_folder_the_items_are_read_here_and_at_an_address(tmp_path: Path) -> None:
    run = write(tmp_path / "run", items=text(1), generations=text(2))
    (run / "run.json").write_text("{}", encoding="utf-8")
    assert ids(run) == ids(run.as_uri()) == ["item-1"]
    (run / "items.jsonl").unlink()
    for place in (run, run.as_uri()):
        with pytest.raises(ItemsError, match=r"is the folder of a run, and contains no items\.jsonl"):
            open_items(place)


def test_items_at_an_address_are_fetched_whole_and_named_by_it() -> None:
    system = fsspec.filesystem("memory")
    system.pipe({"/bucket/items/a.jsonl": text(1).encode(), "/bucket/items/x/b.jsonl": text(2).encode()})
    system.pipe("/bucket/items/_temporary/c.jsonl", b"no item")
    assert ids("memory://bucket/items") == ["item-1", "item-2"]
    assert ids(Path("memory://bucket/items/a.jsonl")) == ["item-1"]  # a path has one slash less
    system.pipe("/bucket/broken.jsonl", b"{broken\n")
    with pytest.raises(ItemsError, match=r"memory://bucket/broken\.jsonl:1"):
        open_items("memory://bucket/broken.jsonl").check()
    system.rm("/bucket", recursive=True)


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("memory://nowhere/items", "memory://nowhere/items"),
        ("unheard-of://key:secret@bucket/x?sign=s", "unheard-of://bucket/x"),
    ],
)
def test_an_address_where_nothing_is_is_named_without_its_secrets(address: str, said: str) -> None:
    with pytest.raises((DeclarationError, ItemsError)) as refused:
        open_items(address)
    assert said in str(refused.value)
    assert "secret" not in str(refused.value)
