"""Every suite that comes with conqret: its reader on made-up files in the published layout, what it says of files that
are not so, its declaration, and, where the released data are, the published figures recomputed from them."""

from __future__ import annotations

import gzip
import json
import math
import shutil
from functools import cache
from pathlib import Path

import polars as pl
import pytest
from sklearn.metrics import cohen_kappa_score

from conqret.data import Item
from conqret.debateqa.human_alignment import correlate
from conqret.errors import DeclarationError
from conqret.io.pairs import Pair
from conqret.suites.suite import SUITES, Suite, SuiteData
from conqret.suites.suite_files import is_there
from conqret.suites.suite_statistics import computed, recomputed

FIXTURES = Path(__file__).parents[1] / "fixtures" / "suites"
OWN = [name for name in SUITES if SUITES.plugged(name) is None]
QRELS = "rag25-climbmix-umbrela-codex-gpt5.5-medium-reasoning-v1.qrels"
COUNTS = {
    "alttest": (68, 0, 2, 6, 2),
    "begin": (4, 3, 2, 0, 0),
    "berds": (9, 9, 3, 0, 1),
    "contextualjudgebench": (6, 6, 6, 0, 0),
    "dagstuhl": (3, 45, 1, 3, 0),
    "debateqa": (6, 6, 2, 0, 2),
    "debate-speeches": (9, 9, 3, 6, 0),
    "debatune": (12, 12, 3, 0, 0),
    "faithbench": (4, 4, 2, 0, 2),
    "judge-bench-20": (3, 3, 3, 3, 0),
    "judgebench": (5, 5, 5, 0, 2),
    "llm-rubric": (4, 4, 3, 3, 2),
    "ragchecker": (4, 12, 4, 2, 1),
    "rewardbench-2": (9, 9, 3, 0, 0),
    "touche-2020": (4, 4, 2, 0, 0),
    "trec-rag-2026": (18, 18, 3, 0, 1),
    "ukpconvarg1": (7, 7, 2, 0, 1),
    "webis-argquality-20": (5, 20, 2, 0, 0),
}
"""Items, gold labels, clusters, annotators and logs of the made-up files."""


PART = {
    "begin": 2103,
    "faithbench": 450,
    "berds": 371,
    "debate-speeches": 444,
    "debatune": 1440,
    "ukpconvarg1": 8915,
    "dagstuhl": 0,
}
"""Items of the part of a corpus by which figures were computed; of the others the whole is at hand."""


def folder_of(suite: Suite) -> str:
    return suite.folder or suite.name


@cache
def read(name: str) -> tuple[Suite, SuiteData]:
    suite = SUITES[name]
    return suite, suite.data(FIXTURES / folder_of(suite))


@pytest.fixture
def copy(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """A copy of the made-up files of a suite, to spoil."""
    suite = SUITES[request.param]
    return Path(shutil.copytree(FIXTURES / folder_of(suite), tmp_path / folder_of(suite)))


@pytest.mark.parametrize("name", OWN)
def test_the_made_up_files_are_read_whole(name: str) -> None:
    suite, data = read(name)
    assert tuple(data.counts.values()) == COUNTS[name]
    ids = [item.id for item in data.items]
    assert len(set(ids)) == len(ids)
    kind = Pair if suite.task == "detection" else Item
    assert all(isinstance(item, kind) for item in data.items)
    if suite.task == "preference":
        assert all(item.argument and item.second_argument for item in data.items)
    for metric, gold in data.gold.items():
        assert metric in suite.metrics
        assert all(math.isfinite(value) for value in gold.values())
        assert not data.items or gold.keys() <= set(ids)


@pytest.mark.parametrize("name", OWN)
def test_what_is_declared_fits_together_and_statistics_are_computed_of_perfect_verdicts(name: str) -> None:
    suite, data = read(name)
    logged = set(data.logs)
    for figure in suite.published:
        assert figure.log or figure.recompute or figure.note, "why it cannot be recomputed"
        assert not figure.log or suite.statistic(figure.statistic), figure
        assert not figure.judge or suite.statistic(figure.statistic), figure
        assert figure.value == round(figure.value, figure.digits)
    for judge in logged:
        assert data.logs[judge].keys() <= set(suite.metrics)
    assert all(file.published or file.note for file in suite.files)
    there = [file for file in suite.files if is_there(FIXTURES / folder_of(suite), file.local)]
    assert there or not any(file.published for file in suite.files)
    for statistic in suite.statistics:
        metric = suite.metric_of(statistic)
        gold = data.gold.get(metric)
        if gold:
            value = computed(statistic, data.against(metric, gold, statistic.group))
            best = 0 if statistic.lower_is_better else 1
            if statistic.scale in ("share", "correlation") and not (data.annotations or math.isnan(value)):
                assert value == pytest.approx(best, abs=0.35), statistic.name
        assert math.isnan(computed(statistic, data.against(metric, {}))), statistic.name


@pytest.mark.parametrize(
    ("copy", "name"), [("judgebench", "gpt-4o.jsonl"), ("debate-speeches", "speeches.csv")], indirect=["copy"]
)
def test_a_compressed_copy_is_read_and_a_truncated_one_is_not(copy: Path, name: str) -> None:
    suite = next(suite for suite in SUITES.values() if folder_of(suite) == copy.name)
    packed = gzip.compress((copy / name).read_bytes())
    (copy / name).unlink()
    place = copy / f"{name}.gz"
    place.write_bytes(packed)
    assert tuple(suite.data(copy).counts.values()) == COUNTS[suite.name]
    place.write_bytes(packed[: len(packed) * 2 // 3])
    with pytest.raises(DeclarationError, match=place.name):
        suite.data(copy)
    place.unlink()
    with pytest.raises(DeclarationError, match="fetch the suite"):
        suite.data(copy)


SPOILED = [
    ("judgebench", "gpt-4o.jsonl", "pair_id", "renamed", "pair_id"),
    ("judgebench", "gpt-4o.jsonl", '"A>B"', '"A wins"', "label"),
    ("judgebench", "gpt-4o.jsonl", "pair-1", "pair-0", "pair_id"),
    ("judgebench", "gpt-4o.jsonl", "how much", "\\ud800", ""),
    ("judgebench", "judgments_o1-mini-2024-09-12.jsonl", '"A>B"}, {', '"A"}, {', "judgments"),
    ("judge-bench-20", "newsroom/newsroom.json", "instances", "renamed", "instances"),
    ("judge-bench-20", "newsroom/newsroom.json", '"worst": 1', '"worst": "low"', "worst"),
    ("judge-bench-20", "newsroom/newsroom.json", '"metric": "grammaticality"', '"metric": ["x"]', ""),
    ("judge-bench-20", "newsroom/newsroom.json", '"instances": [', '"instances": [7, ', ""),
    ("debate-speeches", "speeches.csv", '"[', '"[9, ', "goodopeningspeech"),
    ("webis-argquality-20", "webis-argquality20-topics.csv", "\n2,", "\n1,", "Topic ID"),
    ("ragchecker", "human_labeled_data.json", '"overall_label": 1', '"overall_label": 7', "overall_label"),
    ("llm-rubric", "gpt-3.5-turbo-16k_real_evaluations_FIXED.tsv", "\t0.4\t", "\t4\t", "answer1_prob"),
    ("llm-rubric", "real_data.json", '"role": "user"', '"role": "system"', "messages"),
    ("alttest", "lesion/llm_annotations.json", ': {\n  "item-0": ', ': {\n  "item-0": "x", "z": ', "gpt-4o"),
    ("alttest", "framing/human_annotations.json", '"person-0": {', '"person-0": [], "z": {', "person-0"),
    ("alttest", "framing/human_annotations.json", "person-0", "\\u202e\\u0000", ""),
    ("trec-rag-2026", QRELS, "14 0 shard_1 ", "14 0 shard_0 ", ":2"),
    ("dagstuhl", "dagstuhl-15512-argquality-corpus-annotated.csv", "2 (Average)", "2 (High)", "contradict"),
    ("rewardbench-2", "test.jsonl", '"num_correct": 1', '"num_correct": 2', "num_correct"),
    ("debatune", "statements_vicuna_7b_15.jsonl", '"affirmative"', '"sideways"', "side"),
]
"""Suite, file, what is replaced once by what, and what the message names."""


@pytest.mark.parametrize(
    ("copy", "name", "file", "old", "new", "named"),
    [(name, name, file, old, new, named) for name, file, old, new, named in SPOILED],
    indirect=["copy"],
)
def test_a_value_that_cannot_be_is_named(
    copy: Path, name: str, file: str, old: str, new: str, named: str
) -> None:
    place = copy / file
    text = place.read_bytes()
    assert old.encode() in text
    place.write_bytes(text.replace(old.encode(), new.encode(), 1))
    with pytest.raises(DeclarationError) as raised:
        SUITES[name].data(copy)
    assert place.name in str(raised.value)
    assert named in str(raised.value)


def test_a_quotation_mark_at_the_beginning_belongs_to_the_argument() -> None:
    _, data = read("ukpconvarg1")
    books = [item for item in data.items if item.id.startswith("tv-is-better-than-books_books/")]
    assert books[0].argument.startswith('"Books" let')
    assert data.items[1].second_argument.endswith("cleaning them.\nGlass does not.")


def test_both_orders_of_judgebench_go_together_as_in_the_paper() -> None:
    _, data = read("judgebench")
    (o1_mini, reward_model) = data.logs.values()
    # consistent; one order with a tie; turned by the order; two ties; one decision missing
    assert list(o1_mini["preference"].values()) == [1.0, 0.25, 0.5, 0.5, 0.75]
    assert set(reward_model["preference"].values()) == {1.0}


def test_two_sets_of_qrels_agree_as_scikit_learn_has_it() -> None:
    suite, data = read("trec-rag-2026")
    (qwen,) = data.logs.values()
    view = data.against("umbrela", qwen["umbrela"])
    quadratic, relevant = (computed(statistic, view) for statistic in suite.statistics)
    assert quadratic == pytest.approx(cohen_kappa_score(view.gold, view.verdicts, weights="quadratic"))
    assert relevant == pytest.approx(cohen_kappa_score(view.gold >= 2, view.verdicts >= 2))


def test_debateqa_is_aligned_as_its_command_has_it() -> None:
    suite, data = read("debateqa")
    folder = FIXTURES / folder_of(suite)
    agreements = correlate([folder / "scores.csv"], folder / "preferences.csv")
    for agreement, log in zip(agreements, data.logs.values(), strict=True):
        view = data.against("rating", log["rating"])
        assert [computed(statistic, view) for statistic in suite.statistics] == pytest.approx(
            [agreement.rho.value, agreement.tau.value]
        )


def test_a_prompt_of_rewardbench_is_right_where_all_its_pairs_are() -> None:
    suite, data = read("rewardbench-2")
    gold = data.gold["preference"]
    assert set(gold.values()) == {0.0, 1.0}
    assert data.clusters["1-3"] == "1"
    spoiled = {**gold, "1-3": 1 - gold["1-3"], "2-1": 0.5}
    values = {
        statistic.name: computed(statistic, data.against("preference", spoiled, statistic.group))
        for statistic in suite.statistics
    }
    assert values["accuracy"] == pytest.approx(1 / 3)
    assert (values["accuracy_factuality"], values["accuracy_safety"]) == (0, 1)
    assert math.isnan(values["accuracy_focus"])


def test_ratings_of_judge_bench_are_put_onto_one_scale() -> None:
    _, data = read("judge-bench-20")
    assert list(data.gold["rating"].values()) == pytest.approx([(20 / 3 - 1) / 6, 1 / 6, 5 / 6])
    assert set(data.groups.values()) == {"newsroom/grammaticality"}
    assert data.notes == ("newsroom: topic has no scale and is left out",)


def test_the_novices_of_dagstuhl_are_read_without_the_experts(tmp_path: Path) -> None:
    name = "novice-annotations-unaggregated.zip"
    shutil.copy(FIXTURES / "argquality_novices" / name, tmp_path / name)
    suite, data = SUITES["dagstuhl"], SUITES["dagstuhl"].data(tmp_path)
    assert not data.items
    assert len({label.annotator for label in data.raw["novices"].labels}) == 3
    known = [found for found in recomputed(suite, data) if found.value is not None]
    assert all(found.same for found in known if "Table 5" in found.figure.where)


def test_a_bell_in_a_published_text_is_left_out(tmp_path: Path) -> None:
    copied = Path(shutil.copytree(FIXTURES / "judgebench", tmp_path / "judgebench"))
    file = copied / "gpt-4o.jsonl"
    file.write_text(file.read_text(encoding="utf-8").replace("how much", "how\\u0007 much"), encoding="utf-8")
    assert SUITES["judgebench"].data(copied).items == read("judgebench")[1].items


@pytest.mark.parametrize("name", OWN)
def test_published_figures_are_recomputed_from_what_was_released(data_dir: Path, name: str) -> None:
    suite = SUITES[name]
    folder = data_dir / folder_of(suite)
    if not folder.is_dir():
        pytest.skip(f"CONQRET_DATA has no {folder_of(suite)}")
    data = suite.data(folder)
    if data.counts["items"] != PART.get(name, suite.whole.get("items")):
        pytest.skip("CONQRET_DATA has another part of the corpus, of which the figures are not")
    figures = recomputed(suite, data)
    assert all(found.figure.note for found in figures if found.value is None)
    assert [found for found in figures if found.same is False] == []


def test_rewardbench_is_read_as_it_is_published(tmp_path: Path) -> None:
    lines = (FIXTURES / "rewardbench-2" / "test.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [{key: value for key, value in json.loads(line).items() if value is not None} for line in lines]
    pl.DataFrame(rows).write_parquet(tmp_path / "test-00000-of-00001.parquet")
    assert SUITES["rewardbench-2"].data(tmp_path).items == read("rewardbench-2")[1].items
