"""Qrels and runs, written and read."""

import gzip
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conqret.errors import DeclarationError
from conqret.io.trec import ScoredDoc, read_qrels, read_rankings, read_run, write_run

ID = st.text(alphabet="abz09._-é", min_size=1, max_size=6)


def test_a_run_is_sorted_within_topics_by_score_and_id(tmp_path: Path) -> None:
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


@pytest.mark.parametrize("text", ["t 0 d\n", "t 0 d 1_0\n", "t 0 d 1.0\n"])
def test_broken_lines_are_named(tmp_path: Path, text: str) -> None:
    file = tmp_path / "a.qrels"
    file.write_text("t 0 d 1\n\n" + text)
    with pytest.raises(DeclarationError, match=r"a\.qrels:3 is not “"):
        list(read_qrels(file))
    with pytest.raises(DeclarationError, match=r"a\.qrels:1 is not “"):
        list(read_run(file))


@pytest.mark.parametrize("backwards", [False, True])
@pytest.mark.parametrize(
    "scores", [{"a": 2, "b": 1, "c": 1}, {"a10": 1, "a9": 1, "A": 1, "é": 1}, {"a": 16777217, "b": 16777216}]
)
def test_ties_stand_as_trec_eval_has_them(tmp_path: Path, scores: dict[str, float], backwards: bool) -> None:
    """By reciprocal ranks of each document alone; the order and the ranks in the file never count."""
    names = list(reversed(scores)) if backwards else list(scores)
    file = tmp_path / "a.res"
    file.write_text(
        "".join(f"t Q0 {name} {rank} {scores[name]!r} x\n" for rank, name in enumerate(names, start=1))
    )
    ir_measures = pytest.importorskip("ir_measures")
    rankings, measure = read_rankings(file), ir_measures.RR
    run = list(ir_measures.read_trec_run(str(file)))
    for name in scores:
        value = ir_measures.calc_aggregate([measure], [ir_measures.Qrel("t", name, 1)], run)[measure]
        assert 1 / (rankings["t"].index(name) + 1) == pytest.approx(value)
    assert rankings.tied == ("t",)
    assert "sorted by id, descending" in rankings.remarks()[0]
