"""A file is there whole or not at all."""

import pytest

from conqret.io.safe_files import replacing


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
