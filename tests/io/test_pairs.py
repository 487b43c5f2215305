"""Pairs of a document and a perspective, from tables, with people's labels."""

import json

import pytest

from conqret.errors import DeclarationError, ItemsError
from conqret.io.pairs import Pair, read_pairs

HEAD = "question\tid\tdocument\tperspective\tlabel\n"


def table(tmp_path, text, name="pairs.tsv"):
    path = tmp_path / name
    path.write_text(text)
    return path


def test_berds_own_table_reads_as_it_is(tmp_path):
    path = table(
        tmp_path, HEAD + "Trams?\t7\tTrams are cheap.\tTrams are good.\t1\nTrams?\t8\tCats.\tNo.\t0\n"
    )
    assert read_pairs(path, "label") == (
        Pair("7", "Trams are cheap.", "Trams are good.", "Trams?", True),
        Pair("8", "Cats.", "No.", "Trams?", False),
    )
    assert [pair.label for pair in read_pairs(path)] == [None, None]


def test_what_has_no_id_has_the_number_of_its_row(tmp_path):
    lines = [{"document": "d", "perspective": "p"}, {"document": "e", "statement": "p", "said": "yes"}]
    path = table(tmp_path, "".join(json.dumps(line) + "\n" for line in lines), "pairs.jsonl")
    assert read_pairs(path, "said") == (Pair("1", "d", "p"), Pair("2", "e", "p", label=True))


def test_labels_may_stand_in_a_file_of_their_own(tmp_path):
    path = table(tmp_path, "id,document,perspective\na,d,p\nb,e,p\n", "pairs.csv")
    labels = table(tmp_path, "id,label\nb,No\nz,1\n", "labels.csv")
    assert [pair.label for pair in read_pairs(path, str(labels))] == [None, False]


@pytest.mark.parametrize(
    ("text", "labels", "message"),
    [
        (HEAD + "q\t1\td\t\t1\n", None, r"\[perspective\] is missing"),
        (HEAD + "q\t1\td\tp\tmaybe\n", "label", "is 'maybe', which is not a valid label"),
    ],
)
def test_rows_that_cannot_be_used_are_named(tmp_path, text, labels, message):
    with pytest.raises(ItemsError, match=message):
        read_pairs(table(tmp_path, text), labels)


@pytest.mark.parametrize(
    ("labels", "message"),
    [("gold", "'gold', which is neither a file nor a column"), ("label", "no pair of .* has a label")],
)
def test_labels_that_are_not_there(tmp_path, labels, message):
    with pytest.raises(DeclarationError, match=message):
        read_pairs(table(tmp_path, HEAD + "q\t1\td\tp\t\n"), labels)
