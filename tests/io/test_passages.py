"""Wikipedia's and Sphere's passage files become a corpus; faults are told by line, and nothing half is written."""

import gzip
import itertools
import json

import pytest

from conqret.errors import DeclarationError, ItemsError
from conqret.io.corpus_sources import read_passages

WIKIPEDIA = (
    "id\ttext\ttitle\n"
    '1\t"Aaron (or ""Aron""), with a\ttab, is a prophet."\tAaron\n'
    "2\tTrams run on rails.\tTram (vehicle)\n"
)
SPHERE = {
    "id": "0a1b",
    "url": "https://example.org/trams",
    "title": "Trams",
    "sha": "x",
    "raw": "They cost little.",
    "vector": [0.1, 0.2],
}


def packed(path, text):
    with gzip.open(path, "wt", encoding="utf-8") as file:
        file.write(text)
    return path


def test_wikipedia_and_sphere_plain_and_packed(tmp_path):
    plain = tmp_path / "psgs_w100.tsv"
    plain.write_text(WIKIPEDIA, encoding="utf-8")
    gzipped = packed(tmp_path / "psgs.tsv.gz", WIKIPEDIA)
    read, again = (
        list(read_passages([file], licence="CC BY-SA", url="https://w.org/{title}#{id}"))
        for file in (plain, gzipped)
    )
    assert read == again
    assert read[0]["text"] == 'Aaron (or "Aron"), with a\ttab, is a prophet.'
    assert (read[1]["id"], read[1]["url"], read[1]["licence"]) == (
        "2",
        "https://w.org/Tram_%28vehicle%29#2",
        "CC BY-SA",
    )
    (web,) = read_passages([packed(tmp_path / "s.jsonl.gz", json.dumps(SPHERE) + "\n")], url="https://w.org")
    assert web == {
        "id": "0a1b",
        "title": "Trams",
        "url": "https://example.org/trams",
        "text": "They cost little.",
        "licence": "",
    }


def test_one_passage_is_held_at_a_time(tmp_path):
    """The second is not looked at before the first is taken, however long the file is."""
    file = tmp_path / "long.jsonl"
    file.write_text(f"{json.dumps(SPHERE)}\n" * 3 + "broken\n", encoding="utf-8")
    assert len(list(itertools.islice(read_passages([file]), 3))) == 3
    with pytest.raises(ItemsError, match=r"long\.jsonl:4"):
        list(read_passages([file]))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("id\ttext\ttitle\n1\t\tAaron\n", ":2.*Give the document its text"),
        ('id\ttext\ttitle\n1\t"Aaron\t\n', "quoted cell never ends"),
    ],
)
def test_faulty_files(tmp_path, text, told):
    file = tmp_path / "psgs.tsv"
    file.write_text(text, encoding="utf-8")
    with pytest.raises((ItemsError, DeclarationError), match=told):
        list(read_passages([file]))
