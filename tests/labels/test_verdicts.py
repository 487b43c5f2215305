"""One label of what several said: by most, or by who decides; and the files that other commands read."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import krippendorff
import pytest

from conqret.data import Judgment, Measure, Status
from conqret.errors import DeclarationError
from conqret.io.labels import read_labels
from conqret.io.pairs import read_comparisons, read_pairs
from conqret.labels.adjudicating import disputes
from conqret.labels.answer_ledger import Ledger
from conqret.labels.exporting import verdicts
from conqret.labels.page import against_others, label_set
from conqret.labels.screens import study_of
from conqret.labels.study_screens import items_of
from conqret.labels.task import TaskRequest
from conqret.labels.task_choice import screens_of, task_of
from tests.commands import run_conqret
from tests.labels.studies import begun


def say(ledger: Ledger, name: str, question: str, said: dict[str, str]) -> None:
    """Have a person say so of each item, which is all that there is."""
    person = ledger.annotator(name)
    while (turn := ledger.next(person)) is not None:
        ledger.answer(person, turn, {question: said[turn.screen.item]}, f"by {name}", turn.revision)


@pytest.fixture
def study(tmp_path: Path) -> Ledger:
    """All agree on the first item, most on the second, none on the third."""
    ledger = begun(tmp_path, 3, overlap=3)
    for name, said in {"anna": "441", "ben": "443", "carl": "425"}.items():
        values = {f"item-{n}": value for n, value in enumerate(said)}
        say(ledger, name, "overall_quality", values)
    return ledger


def export(folder: Path, *options: str) -> list[dict[str, str]]:
    file = folder / "out.csv"
    outcome = run_conqret("labels", "export", str(folder), "-o", str(file), *options)
    assert outcome.code == 0, outcome.output
    with file.open() as text:
        return list(csv.DictReader(text))


def test_what_all_or_most_say_is_final_and_the_rest_waits_for_a_decision(
    study: Ledger, tmp_path: Path
) -> None:
    assert [(verdict.value, verdict.how) for verdict in verdicts(study.finished_answers())] == [
        ("4", "all agree"),
        ("4", "most"),
        (None, ""),
    ]
    assert [row["for_estimation"] for row in export(tmp_path, "--final")] == ["no", "no"]
    with pytest.raises(DeclarationError, match="other items are undecided"):
        read_labels(tmp_path / "out.csv", scales=["1:5"])
    study.decide(3, {"overall_quality": "2"}, "between them", "ben")
    study.decide(3, {"overall_quality": "2"}, "between them", "ben")
    study.decide(2, {"overall_quality": "2"}, "", "another annotator")
    rows = export(tmp_path, "--final")
    assert [(row["item"], row["value"], row["how"], row["by"]) for row in rows] == [
        ("item-0", "4", "all agree", ""),
        ("item-1", "2", "adjudicated", "a01"),
        ("item-2", "2", "adjudicated", "p02"),
    ]
    assert {row["annotator"] for row in rows} == {"final"}
    assert "for_estimation" not in rows[0]
    read = read_labels(tmp_path / "out.csv", scales=["1:5"])
    assert [label.value for label in read.labels] == [4.0, 2.0, 2.0]
    study.forget(study.annotator("ben"))
    assert [final.by for final in study.finals()] == ["another annotator"]


def test_a_judge_that_differs_is_a_dispute_with_its_reason(study: Ledger, tmp_path: Path) -> None:
    def judged(item: str, value: float) -> Judgment:
        said = {
            "overall_quality": Measure(status=Status.SCORED, value=value, explanation="it cites one source")
        }
        return Judgment(
            item=item, topic="t", stance="pro", format="f", model="m", fingerprint="p", measures=said
        )

    near, far = (disputes(study, [judged("item-0", value)]) for value in (0.75, 0.25))
    assert [one.place for one in near] == [2, 3]
    assert [one.place for one in far] == [1, 2, 3]
    said = far[0].judge["overall_quality"]
    assert (said.shown, said.reason) == ("2", "it cites one source")


def begin(folder: Path, source: Path, task: str) -> Ledger:
    screens = screens_of(task_of(task), items_of(source, task), TaskRequest())
    return Ledger.open(folder, study_of(task, screens, ["anna"], overlap=1), screens, ["anna"])


def test_pairs_are_labelled_as_detection_reads_them(tmp_path: Path) -> None:
    pairs = tmp_path / "pairs.csv"
    pairs.write_text(
        "id,question,document,perspective\nx,Why?,A text.,It is so.\ny,Why?,Another.,It is not.\n"
    )
    ledger = begin(tmp_path, pairs, "perspective")
    say(ledger, "anna", "contains_perspective", {"x": "yes", "y": "no"})
    export(tmp_path, "--to", "pairs")
    assert [pair.label for pair in read_pairs(pairs, str(tmp_path / "out.csv"))] == [True, False]


def test_answers_of_systems_are_compared_as_correlation_reads_them(tmp_path: Path) -> None:
    (tmp_path / "questions.jsonl").write_text('{"id": "q", "question": "Should it be so?"}\n')
    with pytest.raises(DeclarationError, match="answers of 0 systems and 1 files"):
        items_of(tmp_path, "answer-preference")
    for system in ("best", "fair", "worst"):
        (tmp_path / system).mkdir()
        answer = {"id": "q", "generation": f"The {system} answer."}
        (tmp_path / system / "answers.jsonl").write_text(json.dumps(answer) + "\n")
    ledger = begin(tmp_path, tmp_path, "answer-preference")
    person, seen = ledger.annotator("anna"), []
    while (turn := ledger.next(person)) is not None:
        texts = [passage.text for passage in turn.screen.passages]
        wanted = texts.index(min(texts))
        choice = turn.screen.questions[0].choices[2 * wanted].value
        ledger.answer(person, turn, {"preference": choice}, "", turn.revision)
        seen.append(turn.screen.part)
    assert sorted(seen) == ["best against fair", "best against worst", "fair against worst"]
    export(tmp_path, "--to", "comparisons")
    assert {
        (one.first, one.second, one.outcome, one.annotator, one.item)
        for one in read_comparisons(tmp_path / "out.csv")
    } == {(*pair.split(" against "), 1.0, "p01", "q") for pair in seen}


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (("--to", "pairs"), "--task perspective"),
        (("--to", "comparisons"), "--task answer-preference"),
        (("--to", "label-studio", "--final"), "leave out --to"),
    ],
)
def test_an_export_that_the_labels_cannot_be(
    study: Ledger, tmp_path: Path, options: tuple[str, ...], says: str
) -> None:
    outcome = run_conqret("labels", "export", str(tmp_path), "-o", str(tmp_path / "no.csv"), *options)
    assert says in " ".join(outcome.err.split())
    assert not (tmp_path / "no.csv").exists()


def test_each_person_stands_beside_the_median_of_the_others(study: Ledger, tmp_path: Path) -> None:
    found = against_others(label_set(study.finished_answers()))
    table = {"p01": ([4, 4, 1], [4, 2, 3]), "p02": ([4, 4, 3], [4, 2, 1]), "p03": ([4, 2, 5], [4, 4, 1])}
    assert {name: alpha.value for name, alpha in found.items()} == {
        name: pytest.approx(krippendorff.alpha(rows, level_of_measurement="ordinal"))
        for name, rows in table.items()
    }
    outcome = run_conqret("labels", "manage", str(tmp_path), "--json")
    assert json.loads(outcome.output)["people"][0]["alpha"]["value"] == pytest.approx(found["p01"].value)
