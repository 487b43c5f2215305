"""The tables of an experiment."""

from pathlib import Path
from typing import Any

from conqret.data import Document, Item
from conqret.experiments.experiment_tables import difference_sentences, experiment_tables
from conqret.experiments.job import ExperimentFolder
from conqret.experiments.page import texts
from tests.judging.runs import write_items

MEAN = {"n": 8, "total": 8, "mean": 0.5, "low": 0.4, "high": 0.6, "worst_case": 0.5, "best_case": 0.5}
FEW = {**MEAN, "n": 6, "worst_case": 0.375, "best_case": 0.625}
NONE = {**MEAN, "n": 0, "mean": None, "low": None, "high": None, "worst_case": 0.0, "best_case": 1.0}


def summary(**more: Any) -> dict[str, Any]:
    return {"retrieval": {}, "arguments": {}, "scores": {}, "differences": {}, "sensitivity": {}, **more}


def test_means_say_how_many_are_missing() -> None:
    scores = {
        "one": {"judge": {"groundedness": MEAN, "preference": NONE}},
        "two": {"judge": {"groundedness": FEW}},
    }
    _, table = experiment_tables(summary(scores=scores))
    assert table.header == ("Metric", "one", "two")
    assert table.rows == (
        ("Groundedness", "0.500 [0.400, 0.600]", "0.500 [0.400, 0.600] (n = 6 of 8) {0.375 to 0.625}"),
        ("Preference", "– (n = 0 of 8) {0.000 to 1.000}", "–"),
    )
    assert "Where scores are missing" in table.note


def test_differences_that_are_significant_are_marked() -> None:
    apart = {"n": 8, "total": 8, "mean": 0.2, "low": 0.1, "high": 0.3, "p": 0.03}
    scores = {
        name: {"j": {"clarity": {**MEAN, "mean": mean}}}
        for name, mean in (("a", 0.5), ("b", 0.7), ("c", 0.5))
    }
    differences = {
        "b": {"j": {"clarity": apart}},
        "c": {"j": {"clarity": {**apart, "mean": 0.0, "p": 0.9, "n": 7}}},
    }
    made = experiment_tables(summary(scores=scores, differences=differences))
    (table,) = (one for one in made if one.title == "Differences from , by j")
    assert table.rows == (
        ("Clarity", "0.200 [0.100, 0.300] \u25b4", "0.030", "0.000 [0.100, 0.300] (n = 7 of 8)", "0.900"),
    )
    assert "correction for all 2 differences in this table" in table.note
    assert difference_sentences(differences, "a") == "b scores significantly higher than a on Clarity."
    none = {"b": {"j": {"clarity": {**apart, "p": 0.5}}}}
    assert difference_sentences(none, "a").endswith("on any metric of a judge (1 difference was tested).")
    assert difference_sentences({}, "a") == ""


def test_arguments_stand_beside_each_other_with_what_is_wrong_in_them(tmp_path: Path) -> None:
    check = {
        "sentences": 2,
        "cited_sentences": 1,
        "out_of_range": [{"sentence": 2, "number": 9}],
        "misquoted": [
            {"sentence": 1, "quote": "all is very well", "cites": [1], "found_in": [2]},
            {"sentence": 2, "quote": "never said by anyone", "cites": [1, 2], "found_in": []},
        ],
    }
    item = Item(
        id="a",
        topic="Is it?",
        documents=(Document(id="1", text="No.", title="First"),),
        argument="It is [1]. So [9].",
        metadata={"generation": {"citations": check}},
    )
    for system in ("one", "two"):
        (tmp_path / "arguments" / system).mkdir(parents=True)
        write_items(tmp_path / "arguments" / system / "items.jsonl", [item])
    ((topic, stance, sides),) = texts(ExperimentFolder(tmp_path), ["one", "none", "two"])
    assert (topic, stance, [side.system for side in sides]) == ("Is it?", "none", ["one", "two"])
    assert [piece.text for piece in sides[0].pieces if piece.cites] == ["1"], "[9] leads nowhere"
    assert sides[0].remarks == [
        "1 of 2 sentences cite a document.",
        "Sentence 2 cites [9], which is no document of this argument.",
        "Sentence 1 quotes “all is very well” from [1], but the text is not there: it is in [2].",
        "Sentence 2 quotes “never said by anyone” from [1][2], but the text is not there: it is in no document.",
    ]
