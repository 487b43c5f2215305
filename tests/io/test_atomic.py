"""A file is there whole or not at all."""

import gzip

import pytest

from conqret.io.safe_files import replacing, write_all


def test_the_file_appears_at_the_end(tmp_path):
    path = tmp_path / "out.json"
    with replacing(path) as file:
        file.write(b"new")
        assert not path.exists()
    assert path.read_bytes() == b"new"
    assert [one.name for one in tmp_path.iterdir()] == ["out.json"]


def test_an_error_leaves_the_old_file(tmp_path):
    path = tmp_path / "out.json"
    path.write_bytes(b"old")

    def stopped() -> None:
        with replacing(path) as file:
            file.write(b"half")
            raise ValueError("stop")

    with pytest.raises(ValueError, match="stop"):
        stopped()
    assert path.read_bytes() == b"old"
    assert [one.name for one in tmp_path.iterdir()] == ["out.json"]


def test_lines_are_counted_packed_by_their_name_and_put_into_a_folder_that_is_made(tmp_path):
    lines = [b"one\n", b"two\n"]
    plain, packed = tmp_path / "made" / "out.txt", tmp_path / "made" / "out.txt.gz"
    assert [write_all(plain, iter(lines)), write_all(packed, iter(lines)), write_all(plain, iter(()))] == [
        2,
        2,
        0,
    ]
    assert (plain.read_bytes(), gzip.decompress(packed.read_bytes())) == (b"", b"one\ntwo\n")
    before = packed.read_bytes()
    write_all(packed, lines)
    assert packed.read_bytes() == before
