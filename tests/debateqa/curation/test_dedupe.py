"""Questions without duplicates: the cosines, the cover, and the files that are read."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from conqret.debateqa.curation import deduplication as similarity
from conqret.debateqa.curation.deduplication import deduplicate, similar_pairs, vertex_cover
from conqret.errors import DeclarationError
from conqret.io.questions import SourcedQuestion, read_sourced

EDGES = st.sets(
    st.tuples(st.integers(0, 8), st.integers(0, 8)).filter(lambda pair: pair[0] < pair[1]), max_size=18
)


@given(EDGES)
def test_the_cover_leaves_no_pair_and_is_within_its_bound(edges):
    cover = vertex_cover(edges)
    assert all(first in cover or second in cover for first, second in edges)
    degrees = [sum(node in edge for edge in edges) for node in range(9)]
    bound = sum(1 / k for k in range(1, max(degrees) + 1))
    least = next(
        size
        for size in range(10)
        if any(
            all(set(edge) & set(some) for edge in edges) for some in itertools.combinations(range(9), size)
        )
    )
    assert len(cover) <= bound * least
    for node in cover:  # none is removed in vain
        assert any(set(edge) & set(cover) == {node} for edge in edges)


@pytest.mark.parametrize("block", [1, 3, 64])
def test_blocks_give_the_pairs_of_the_full_matrix(block, monkeypatch):
    monkeypatch.setattr(similarity, "BLOCK", block)
    vectors = np.random.default_rng(4).normal(size=(25, 3))
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    full = unit @ unit.T
    wanted = [(i, j) for i in range(25) for j in range(i + 1, 25) if full[i, j] >= 0.6]
    found = similar_pairs(vectors, 0.6)
    assert [(one.first, one.second) for one in found] == wanted
    assert [one.similarity for one in found] == pytest.approx([full[pair] for pair in wanted], abs=1e-5)


def test_an_embedding_that_is_no_number_is_refused():
    with pytest.raises(DeclarationError, match="must be finite numbers"):
        similar_pairs(np.array([[1.0, 0.0], [np.nan, 1.0]]), 0.6)


def test_questions_are_counted_by_source():
    questions = [SourcedQuestion(str(n), f"Is {n}?", "ab"[n % 2]) for n in range(4)]
    kept, found = deduplicate(questions, np.array([[1, 0], [0, 1], [1, 0.01], [0.5, -1]]), encoder="given")
    assert [one.id for one in kept] == ["0", "1", "3"]
    assert (found.before, found.after, found.removed) == ({"a": 2, "b": 2}, {"a": 1, "b": 2}, ("2",))
    assert [(pair.first, pair.second, pair.removed) for pair in found.pairs] == [("0", "2", "second")]


def test_delphi_gets_its_texts_from_the_question_pairs(tmp_path):
    delphi, quora = tmp_path / "delphi.tsv", tmp_path / "train.csv"
    delphi.write_text(
        "qid\tr1\tr2\tControversial question\n3\t1\t2\tFALSE\n71\t4\t5\tTRUE\n74\t4\t4.8\tTRUE\n"
    )
    quora.write_text(
        "id,qid1,qid2,question1,question2,is_duplicate\n0,71,3,Is it fair?,Who is it?,0\n"
        '1,9,74,Is it?,"Is that, then, right?",0\n'
    )
    sourced = read_sourced([delphi], quora)
    assert [(one.id, one.question) for one in sourced] == [
        ("delphi-71", "Is it fair?"),
        ("delphi-74", "Is that, then, right?"),
    ]
    with pytest.raises(DeclarationError, match="name that file with --texts"):
        read_sourced([delphi])
    delphi.write_text(delphi.read_text() + "99\t4\t5\tTRUE\n")
    with pytest.raises(DeclarationError, match=r"lacks 1 of DELPHI's 3 controversial questions .*qid 99"):
        read_sourced([delphi], quora)


def test_conflictingqa_has_a_row_for_each_page(tmp_path):
    file = tmp_path / "conflicting.csv"
    file.write_text("category,search_query,url\nTea,Is tea good?,a\nTea,Is tea good?,b\nTea,Is  tea bad?,c\n")
    assert [(one.id, one.question) for one in read_sourced([file])] == [
        ("conflictingqa-1", "Is tea good?"),
        ("conflictingqa-2", "Is tea bad?"),
    ]
