"""`conqret perspectives score` over a corpus, and over judgments alone."""

import csv
import json

import pytest

pytest.importorskip("pyterrier", reason="the extra retrieval is not installed: pyterrier is missing")

from tests.server import FaultServer

DOCUMENTS = {
    "pay": "Trams pay. A tram line is cheap, and the fares of trams pay for it.",
    "lose": "Trams do not pay. No tram line has ever earned what it costs.",
    "cats": "Cats sleep all day.",
}


@pytest.fixture
def given(tmp_path):
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    rows = [{"id": name, "title": "", "url": "", "text": text} for name, text in DOCUMENTS.items()]
    (corpus / "documents.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    question = {"id": "q", "question": "Do trams pay?", "perspectives": ["Trams do not pay.", "Trams pay."]}
    (tmp_path / "questions.jsonl").write_text(json.dumps(question) + "\n", encoding="utf-8")
    lines = [f"q Q0 {name} {n} {9 - n}.0 t\n" for n, name in enumerate(("pay", "cats", "lose"), start=1)]
    (tmp_path / "mine.res").write_text("".join(lines), encoding="utf-8")
    return tmp_path


def by_document(body):
    """Grades by what stands in the prompt, and the second statement as the one that supports."""
    shown = body["messages"][1]["content"]
    if "<document>" not in shown:
        return {"explanation": "so it is", "supports": 2}
    document, _, statement = shown.partition("<statement>")
    same = "Cats" not in document and ("not pay" in document) == ("not pay" in statement)
    return {"explanation": "so it is", "grade": 4 if same else 0}


def test_a_model_says_who_contains_what(cli, given, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    out = given / "out"
    with FaultServer(answer=by_document) as server:
        command = (
            f"perspectives score {given}/mine.res bm25 --corpus {given}/corpus --perspectives "
            f"{given}/questions.jsonl -k 1,2,3 -o {out} --model openai/judge --api-base {server.url}"
        ).split()
        price = cli(*command, "--dry-run", "--json")
        assert price.code == 0, price.err
        assert (json.loads(price.out)["calls"], len(server.requests), out.exists()) == (1 + 3 * 2, 0, False)
        done = cli(*command)
        assert done.code == 0, done.err
        assert len(server.requests) == 1 + 3 * 2
        again = cli(*command, "--json")
        assert len(server.requests) == 1 + 3 * 2
    scores = {(one["system"], one["measure"]): one["mean"] for one in json.loads(again.out)["scores"]}
    assert (scores["mine", "MRecall@2"], scores["mine", "MRecall@3"]) == (0.0, 1.0)
    assert scores["mine", "P@3"] == pytest.approx(2 / 3)
    assert (scores["mine", "supporting@1"], scores["mine", "documents@3"]) == (1.0, 3.0)
    # Both sides are searched with, and to BM25 they are the same words.
    leanings = [scores["bm25", f"leaning@1 asked as {side}"] for side in ("supporting", "opposing")]
    assert leanings[0] == leanings[1] != 0.0
    assert json.loads((out / "perspectives.jsonl").read_text())["perspectives"][1]["side"] == "supporting"
    assert "mine,MRecall@2,q,0.0" in (out / "values.csv").read_text(encoding="utf-8")
    # The judgments and sides that it leaves serve another ranking without a model or a text.
    known = ("--perspectives", out / "perspectives.jsonl", "--judgments", out / "judgments.qrels")
    ranking = f"mine={given}/mine.res"
    other = cli("perspectives", "score", ranking, *known, "-k", "3", "-o", given / "other", "--json")
    assert other.code == 0, other.err
    found = {one["measure"]: one["mean"] for one in json.loads(other.out)["scores"]}
    assert found["MRecall@3"] == 1.0


class ByWords:
    """A detector that says yes where a document and a perspective deny both, or neither."""

    identity, threshold = "by words", 0.5

    def scores(self, pairs):
        return [float(("not" in pair.document) == ("not" in pair.perspective)) for pair in pairs]

    def probability(self, score):
        return score


def test_a_detector_says_who_contains_what(cli, given, monkeypatch):
    monkeypatch.setattr(
        "conqret.perspectives.perspective_scores.load_detector", lambda folder, prompts: ByWords()
    )
    command = (
        f"perspectives score {given}/mine.res --corpus {given}/corpus --perspectives {given}/questions.jsonl "
        f"-k 2,3 -o {given}/out --detector {given} --json"
    ).split()
    first, again = cli(*command), cli(*command)
    assert first.code == 0, first.err
    assert first.out == again.out
    means = {one["measure"]: one["mean"] for one in json.loads(first.out)["scores"]}
    assert (means["MRecall@2"], means["MRecall@3"], means["P@2"]) == (0.0, 1.0, 1.0)
    with (given / "out" / "detections" / "detections.csv").open(newline="", encoding="utf-8") as file:
        assert [row["contains"] for row in csv.DictReader(file)] == ["no", "yes", "no", "yes", "yes", "no"]
    assert "leave out --yes-from" in cli(*command, "--yes-from", "3").err
