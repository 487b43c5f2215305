"""`conqret debateqa questions` and `conqret debateqa curate` over the fixtures, offline, from a list of questions
to a benchmark."""

import csv
import json
from pathlib import Path

import pytest

import conqret
from conqret.debateqa.curation.algorithm import CurationPlan
from conqret.debateqa.debateqa_files import read_questions

FIXTURES = Path(__file__).parents[2] / "fixtures"
TOPICS = ("homework", "nuclear-power", "school-phones")


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    folder = tmp_path_factory.mktemp("fixtures") / "corpus"
    folder.mkdir()
    documents = (
        (FIXTURES / "corpus" / "documents.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    )
    own = [line for line in documents if json.loads(line)["id"].rpartition("-")[0] in TOPICS]
    (folder / "documents.jsonl").write_text("".join(own), encoding="utf-8")
    return folder


def test_eighteen_questions_become_twelve_of_which_the_debatable_are_kept(cli, tmp_path):
    out, questions = tmp_path / "deep" / "out", tmp_path / "q.jsonl"
    more = '{"question": "Have you ever fired a gun?"}\n'
    questions.write_text((FIXTURES / "questions.jsonl").read_text(encoding="utf-8") + more, encoding="utf-8")
    priced = cli("debateqa", "questions", questions, "--dry-run", "--json")
    assert json.loads(priced.out)["calls"] == 13
    done = cli("debateqa", "questions", questions, "-o", out)
    assert done.code == 0
    assert "6 questions removed, decided by 6 similar pairs" in done.out
    with (out / "verdicts.csv").open(newline="") as file:
        assert [row["about_issue"] for row in csv.DictReader(file)] == ["yes"] * 12 + ["no"]
    again = json.loads(cli("debateqa", "questions", questions, "-o", out, "--json").out)
    assert (again["questions"], again["kept"]) == (13, 12)


def test_partial_answers_offline(cli, corpus, tmp_path):
    questions = tmp_path / "three.jsonl"
    questions.write_text("".join((FIXTURES / "questions.jsonl").open().readlines()[4:7]))
    out, trusted = tmp_path / "out", tmp_path / "trusted.txt"
    trusted.write_text("example.org Apache-2.0\n")
    call = ("debateqa", "curate", questions, "--corpus", corpus, "--trusted", trusted, "-o", out)
    priced = cli(*call, "--dry-run", "--json")
    assert json.loads(priced.out)["calls"] == 3 * (3 + 4)
    assert not out.exists()
    done = cli(*call)
    assert done.code == 0
    again = cli(*call[:-1], tmp_path / "again", "--replay", out)
    assert again.code == 0
    assert (tmp_path / "again" / "benchmark.jsonl").read_bytes() == (out / "benchmark.jsonl").read_bytes()
    # A list that trusts nobody: every question is filtered, and the command says so.
    trusted.write_text("".join(f"-{one}\n" for one in (".edu", ".org", ".gov", ".info", ".pro")))
    none = cli(*call[:-1], tmp_path / "none")
    assert (none.code, "nothing has a result" in none.err) == (1, True)


def test_pairs_are_drawn_labelled_and_speak_for_a_threshold(cli, tmp_path):
    sheet = tmp_path / "pairs.csv"
    call = ("debateqa", "questions", FIXTURES / "questions.jsonl", "--pairs", sheet, "--json")
    assert cli(*call).code == 0
    rows = list(csv.DictReader(sheet.open(newline="")))
    with sheet.open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0].keys())
        writer.writeheader()
        writer.writerows(
            {**row, "duplicate": "no" if float(row["similarity"]) < 0.7 else "yes"} for row in rows
        )
    assert json.loads(cli(*call).out)["none_below"] == 0.78


@pytest.fixture(scope="module")
def benchmark(corpus, tmp_path_factory):
    """What `conqret debateqa curate` leaves of three questions."""
    folder = tmp_path_factory.mktemp("made")
    questions = folder / "three.jsonl"
    questions.write_text("".join((FIXTURES / "questions.jsonl").open().readlines()[4:7]))
    plan = CurationPlan(rerank="lexical")
    conqret.curate_benchmark(questions, corpus=corpus, plan=plan, output=folder / "out")
    return folder / "out"


def test_the_figures_of_a_benchmark(cli, benchmark, tmp_path):
    found = json.loads(cli("debateqa", "curate", "--check", "relevance", benchmark, "--json").out)
    assert 0 < found["mean"]["value"] < 1
    assert len(json.loads(cli("debateqa", "curate", "--check", "domains", benchmark, "--json").out)) == 3
    sheet = tmp_path / "chunks.csv"
    left = cli("debateqa", "curate", "--check", "comprehensiveness", benchmark, "-o", sheet)
    assert (left.code, "the column covered takes yes or no" in left.err) == (0, True)
    typed = ("debateqa", "curate", "--check", "comprehensiveness", benchmark, "-o", sheet)
    judged = cli(*typed, "--model", "offline", "--json")
    by_judge = json.loads(judged.out)
    assert by_judge["chunks looked at"] == by_judge["of"]
    by_people = json.loads(
        cli("debateqa", "curate", "--check", "comprehensiveness", benchmark, "--labels", sheet, "--json").out
    )
    assert by_people == by_judge
    pairs = tmp_path / "pairs.csv"
    call = ("debateqa", "curate", "--check", "distinctiveness", benchmark, "--threshold", "0.05", "-o", pairs)
    assert json.loads(cli(*call, "-m", "offline", "--json").out)["not looked at"] == 0
    answers = tmp_path / "answers.jsonl"
    ids = [json.loads(line)["id"] for line in (benchmark / "benchmark.jsonl").open()]
    answers.write_text(
        "".join(json.dumps({"id": one, "generation": "Views differ."}) + "\n" for one in [*ids, "x"])
    )
    typed = ("debateqa", "curate", "--check", "viewpoints", benchmark, "--answers", answers)
    rated = json.loads(cli(*typed, "-o", tmp_path / "v", "--json").out)
    assert (rated["rating 1"], rated["answers to no question of the benchmark"]) == (len(ids), 1)


def test_people_label_agree_and_remove(cli, benchmark, tmp_path):
    sheet, people, final = tmp_path / "sheet.csv", tmp_path / "people.csv", tmp_path / "final.jsonl"
    assert (
        cli("labels", "sample", benchmark / "items.jsonl", "--task", "partial-answer", "-o", sheet).code == 0
    )
    rows = list(csv.DictReader(sheet.open(newline="", encoding="utf-8")))
    assert {"grounded", "answers_question", "ethical"} < set(rows[0])
    with people.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, rows[0].keys())
        writer.writeheader()
        for who in "abc":
            for place, row in enumerate(rows):
                no = "0" if place == 0 and who != "c" else "1"
                writer.writerow(
                    {**row, "annotator": who, "grounded": no, "answers_question": "1", "ethical": "1"}
                )
    agreed = cli("labels", "agreement", people, "--scale", "0:1", "--level", "nominal")
    assert (agreed.code, "Fleiss" in agreed.out) == (0, True)
    assert cli("debateqa", "curate", benchmark, "-o", final).code == 2
    done = cli("debateqa", "curate", benchmark, "--labels", people, "-o", final, "--json")
    found = json.loads(done.out)
    assert (found["rejected"], found["kept"], found["noes"]["grounded"]) == (1, len(rows) - 1, 2)
    left = [json.loads(line) for line in final.open(encoding="utf-8")]
    assert sum(len(one["partial_answers"]) for one in left) == len(rows) - 1
    # What is left is what `conqret debateqa score` reads.
    assert sum(len(question.partial_answers) for question in read_questions(final).values()) == len(rows) - 1
