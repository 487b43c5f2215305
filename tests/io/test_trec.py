"""Qrels and runs, written and read."""

import gzip
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conqret.data.corpus import Qrel
from conqret.errors import DeclarationError
from conqret.io.trec import ScoredDoc, read_qrels, read_run, write_qrels, write_run

ID = st.text(alphabet="abz09._-é", min_size=1, max_size=6)


def test_qrels_as_trec_eval_reads_them(tmp_path: Path) -> None:
    file = tmp_path / "deep" / "a.qrels"
    assert write_qrels(file, [Qrel("t1", "d1", 1), Qrel("t1", "d2", 0, "Q0")]) == 2
    assert file.read_text() == "t1 0 d1 1\nt1 Q0 d2 0\n"
    assert list(read_qrels(file)) == [Qrel("t1", "d1", 1), Qrel("t1", "d2", 0, "Q0")]


def test_a_run_is_sorted_within_topics_and_ties_stay(tmp_path: Path) -> None:
    lines = [
        ScoredDoc("b", "x", 1),
        ScoredDoc("a", "y", 0.1),
        ScoredDoc("b", "z", 2.5),
        ScoredDoc("b", "w", 1),
    ]
    file = tmp_path / "run.res.gz"
    assert write_run(file, lines, "tag") == 4
    assert gzip.decompress(file.read_bytes()).decode() == (
        "b Q0 z 1 2.5 tag\nb Q0 x 2 1.0 tag\nb Q0 w 3 1.0 tag\na Q0 y 1 0.1 tag\n"
    )
    first = file.read_bytes()
    write_run(file, lines, "tag")
    assert file.read_bytes() == first


@settings(max_examples=30, deadline=None)
@given(
    st.lists(
        st.tuples(ID, ID, st.floats(allow_nan=False, allow_infinity=False)), unique_by=lambda one: one[:2]
    )
)
def test_runs_come_back(tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, str, float]]) -> None:
    file = tmp_path_factory.mktemp("run") / "run.res"
    write_run(file, [ScoredDoc(*row) for row in rows])
    assert sorted(read_run(file)) == sorted(ScoredDoc(*row) for row in rows)


@pytest.mark.parametrize("text", ["t 0 d\n", "t 0 d one\n", "t 0 d 1 2\n"])
def test_broken_lines_are_named(tmp_path: Path, text: str) -> None:
    file = tmp_path / "a.qrels"
    file.write_text("t 0 d 1\n\n" + text)
    with pytest.raises(DeclarationError, match=r"a\.qrels:3 does not have the form"):
        list(read_qrels(file))
    with pytest.raises(DeclarationError, match=r"a\.qrels:1 does not have the form"):
        list(read_run(file))


def test_what_the_formats_cannot_hold(tmp_path: Path) -> None:
    file = tmp_path / "x"
    with pytest.raises(DeclarationError, match="white space"):
        write_qrels(file, [Qrel("a b", "d", 1)])
    with pytest.raises(DeclarationError, match="empty"):
        write_run(file, [ScoredDoc("a", "", 1)])
    with pytest.raises(DeclarationError, match="twice"):
        write_run(file, [ScoredDoc("a", "d", 1), ScoredDoc("a", "d", 2)])
    with pytest.raises(DeclarationError, match="nan"):
        write_run(file, [ScoredDoc("a", "d", float("nan"))])
    assert not file.exists()
    with pytest.raises(DeclarationError, match="no such file"):
        read_run(file)
    file.with_suffix(".gz").write_bytes(gzip.compress(b"a Q0 d 1 1 t\n")[:-9])
    with pytest.raises(DeclarationError, match="gzip"):
        list(read_run(file.with_suffix(".gz")))
