"""`conqret perspectives collect`, and the score of rankings over corpora of which each is one question's."""

import json

import pytest

pytest.importorskip("pyterrier", reason="the extra retrieval is not installed: pyterrier is missing")


@pytest.fixture
def given(tmp_path):
    questions = [
        {"question": "Do trams pay?", "perspectives": ["Trams pay.", "Trams do not pay."]},
        {"question": "Do cats pay?", "perspectives": ["Cats pay.", "Cats do not pay."]},
    ]
    pages = [("1", "Trams pay."), ("1", "Trams do not pay."), ("2", "Cats pay."), ("2", "Trams pay cats.")]
    lines = {
        "questions.jsonl": questions,
        "pages.jsonl": [{"question_id": name, "text": text} for name, text in pages],
    }
    for name, rows in lines.items():
        (tmp_path / name).write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return tmp_path


def test_collect_then_score(cli, given):
    typed = ("perspectives", "collect", given / "questions.jsonl", "--pages", given / "pages.jsonl")
    made = cli(*typed, "-o", given / "w")
    assert made.code == 0, made.err
    assert "Corpora of the questions" in made.out
    scored = ("perspectives", "score", "bm25", "--corpus", given / "w", "-k", "2", "--json", "-o")
    done = cli(*scored, given / "out", "--perspectives", given / "questions.jsonl")
    assert done.code == 0, done.err
    recalled = {one["measure"]: one for one in json.loads(done.out)["scores"]}["MRecall@2"]
    values = (given / "out" / "values.csv").read_text(encoding="utf-8")
    assert recalled["n"] == 2
    assert "bm25,MRecall@2,1,1.0" in values
    assert "bm25,MRecall@2,2,0.0" in values  # "Trams do not pay." is not in the corpus of this question
    other = given / "other.jsonl"
    other.write_text('{"id": "9", "question": "So?", "perspectives": ["Yes.", "No."]}\n', encoding="utf-8")
    refused = cli(*scored, given / "x", "--perspectives", other)
    assert (refused.code, "has corpora of other questions" in refused.err) == (2, True)
