"""The tables of an experiment."""

from typing import Any

from conqret.report.experiment import experiment_tables

MEAN = {"n": 8, "total": 8, "mean": 0.5, "low": 0.4, "high": 0.6, "worst_case": 0.5, "best_case": 0.5}
FEW = {**MEAN, "n": 6, "worst_case": 0.375, "best_case": 0.625}
NONE = {**MEAN, "n": 0, "mean": None, "low": None, "high": None, "worst_case": 0.0, "best_case": 1.0}
WRITTEN = {
    "written": 7, "not_written": {"refusal": 1}, "sentences": 20, "cited_sentences": 15, "out_of_range": 0,
    "misquoted": 1, "left_out": 2, "trimmed": 3,
}  # fmt: skip
CURVE = {
    "format": "direct", "model": "m", "perturbation": "irrelevant", "metric": "groundedness", "expected": "fall",
    "points": [{"mean": 0.9}, {"mean": 0.2}], "verdict": "no", "words": "rises",
}  # fmt: skip


def summary(**more: Any) -> dict[str, Any]:
    return {"retrieval": {}, "arguments": {}, "scores": {}, "differences": {}, "sensitivity": {}, **more}


def test_rankings_and_measures() -> None:
    interval = {"mean": 0.5, "low": 0.4, "high": 0.6, "p": None}
    found = {"pro": {"bm25": {"P@10": interval}, "stance": {"P@10": interval, "R@100": interval}}}
    table, _ = experiment_tables(summary(retrieval=found))
    assert (table.title, table.header) == ("Retrieval, pro", ("Ranking", "P@10", "R@100"))
    assert table.rows[0] == ("bm25", "0.500 [0.400, 0.600]", "–")


def test_what_was_written() -> None:
    (table,) = experiment_tables(summary(arguments={"system": WRITTEN}))
    assert table.rows == (
        ("system", "7 of 8", "the model declined to answer (1)", "15 of 20", "0", "1", "2", "3"),
    )


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


def test_damage_says_why_not() -> None:
    *_, table = experiment_tables(summary(sensitivity={"one": [CURVE], "two": []}))
    assert table.rows == (
        ("one, irrelevant: direct (m)",),
        ("Groundedness", "fall", "no", "0.900 to 0.200", "rises"),
    )
