"""Files that cannot be read as a whole: what is said, and what is told to do."""

import gzip
import io
import json
import os
import zipfile

import pytest

from conqret.errors import ItemsError
from conqret.io import open_items

LINE = '{"topic": "Should zoos be banned?"}\n'


def test_missing(tmp_path, write, fault_of):
    write("items.jsonl", LINE)
    fault = fault_of(tmp_path / "item.jsonl")
    assert (fault.line, fault.problem) == (0, "does not exist")
    assert fault.remedy == f"Did you mean '{tmp_path / 'items.jsonl'}'"
    assert fault_of(tmp_path / "other").remedy == "Check the path"


def test_a_pipe(tmp_path, fault_of):
    os.mkfifo(tmp_path / "pipe")
    assert "is not a regular file" in fault_of(tmp_path / "pipe").problem


@pytest.mark.parametrize("name", ["a.jsonl", "a.parquet"])
def test_empty(name, write, fault_of):
    assert fault_of(write(name, "")).problem == "is empty"


@pytest.mark.parametrize("content", ["[]", '{"results": []}'])
def test_no_item(content, write, fault_of):
    assert fault_of(write("a.json", content)).problem == "contains no item"


def test_an_unknown_extension_is_tried_by_content(write, fault_of):
    assert len(list(open_items(write("items.txt", LINE)))) == 1
    assert len(list(open_items(write("items", "\ufeff" + LINE)))) == 1
    fault = fault_of(write("notes.txt", "hello"))
    assert fault.problem == "has the unknown extension '.txt', and does not begin like JSON"
    assert "JSON Lines (.jsonl, also .gz)" in fault.remedy
    assert fault_of(write("notes", "hello")).problem.startswith("has no extension")


def test_a_log_of_inspect(write, fault_of):
    sample = {
        "id": 1,
        "epoch": 1,
        "target": "Yes",
        "scores": {"a": {"value": float("nan")}},
        "messages": [{"role": "user", "content": "T?"}, {"role": "assistant", "content": "Yes [1]."}],
        "metadata": {"documents": ["Cages."], "x": float("inf")},
    }
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("header.json", "{}")
        archive.writestr("samples/1_epoch_1.json", json.dumps(sample))
        archive.writestr("samples/2_epoch_1.json", "{")
    path = write("log.eval", packed.getvalue())
    (item,) = open_items(path, skip_invalid=True)
    assert (item.id, item.argument, item.reference, len(item.documents)) == ("1", "Yes [1].", "Yes", 1)
    assert fault_of(path).problem.startswith("holds samples/2_epoch_1.json, which cannot be read")


def test_utf_16_is_read_where_it_has_a_mark_as_excel_writes_it(write, fault_of):
    (item,) = open_items(write("a.csv", "\ufefftopic\targument\r\nOù?\té\r\n".encode("utf-16-le")))
    assert (item.topic, item.argument) == ("Où?", "é")
    fault = fault_of(write("a.jsonl", LINE.encode("utf-16-le")))
    assert "is not UTF-8: it contains bytes of zeros" in fault.problem


@pytest.mark.parametrize(
    ("name", "content", "line"),
    [
        ("a.jsonl", f'{LINE}{{"topic": "Où?"}}\n', 2),
        ("a.csv", "topic,argument\nShould zoos be ban?,\nOù?,\n", 3),
    ],
)
def test_not_utf8(name, content, line, write, fault_of):
    data = content.encode("latin-1")
    fault = fault_of(write(name, data))
    place = data.index("ù".encode("latin-1"))
    assert f"is not UTF-8: byte {place} (0xf9) begins no character" in fault.problem
    assert fault.line == line
    assert fault.remedy.startswith("Save it as UTF-8")


def test_gzip_by_content(write):
    assert open_items(write("a.jsonl", gzip.compress(LINE.encode()))).check().count == 1
    assert open_items(write("a.csv.gz", gzip.compress(b"topic\nT?\n"))).check().count == 1


def test_gzip_cut_off(write, faults_of):
    lines = "".join(f'{{"topic": "{os.urandom(40).hex()}"}}\n' for _ in range(500))
    fault = faults_of(write("a.jsonl.gz", gzip.compress(lines.encode())[:-2000]))[-1]
    assert "the gzip stream ends early" in fault.problem


def test_no_permission(write, monkeypatch):
    path = write("a.jsonl", LINE)

    def denied(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("conqret.io.files.head_of", denied)
    with pytest.raises(ItemsError, match="cannot be read: Permission denied"):
        open_items(path)
