"""The offline bars on the fixtures, resumption, requests asked once, and judges that see nothing."""

import json
import random
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from conqret.api.assertions import ModelJudge, check
from conqret.data import Item
from conqret.errors import DeclarationError
from conqret.io import open_items
from conqret.judging.expected_judging import spread
from conqret.llm.backend import backend_of
from conqret.llm.client import Client
from conqret.llm.options import ClientOptions
from conqret.llm.request import Completion, Request
from conqret.llm.sender import Sender
from conqret.llm.tokens import count_tokens
from conqret.perturb import PERTURBATIONS, Direction
from conqret.reliability.judged import Conduct, Part
from conqret.reliability.sensitivity.estimate import estimate
from conqret.reliability.sensitivity.labels import load_labels, true_precision
from conqret.reliability.sensitivity.plan import GRID_LEVELS, Damage, Plan, make_plan, together
from conqret.reliability.sensitivity.results import SensitivityFolder, SensitivityResults
from conqret.reliability.sensitivity.run import run_sensitivity
from conqret.reliability.sensitivity.setup import damage_materials, sensitivity_setups
from conqret.reliability.sensitivity.study import sensitivity
from conqret.runs.session import Session
from tests.judging.runs import said

DEMO = Path(__file__).resolve().parents[2] / "fixtures" / "demo"
FORMATS = ("rag-fine-grained", "rag-direct", "static-rubric", "query-rubric")


def plan_of(
    damages: Sequence[Damage],
    formats: Sequence[str] = ("rag-fine-grained",),
    items: int = 24,
    metrics: Sequence[str] = (),
    grid: Sequence[Damage] = (),
) -> Plan:
    source = open_items(list(open_items(DEMO / "items.jsonl"))[:items])
    every = [*damages, *grid]
    setups = sensitivity_setups(source, formats, [ClientOptions("offline")], every, metrics=metrics)
    materials, unable = damage_materials(list(source), every, pool=DEMO / "items.jsonl")
    return make_plan(list(source), setups, damages, materials=materials, unable=unable, grid=grid)


@pytest.fixture(scope="module")
def offline(tmp_path_factory: pytest.TempPathFactory) -> SensitivityResults:
    """The four formats of the bars on all fixtures."""
    damages = [
        Damage.of("irrelevant"),
        Damage.of("hallucinate", ("25%", "50%", "100%")),
        Damage.of("shuffle", (100,)),
    ]
    metrics = ("context_relevance", "predicted_precision", "groundedness", "answer_relevance")
    folder = SensitivityFolder(tmp_path_factory.mktemp("sens"))
    labels = load_labels(DEMO / "labels.jsonl")
    return run_sensitivity(plan_of(damages, FORMATS, metrics=metrics), folder, labels=labels)


@pytest.mark.parametrize("name", FORMATS)
def test_context_relevance_falls_with_irrelevant_documents(offline: SensitivityResults, name: str) -> None:
    curve = next(
        c
        for c in offline.curves
        if (c.format, c.perturbation, c.metric) == (name, "irrelevant", "context_relevance")
    )
    assert curve.falls
    assert curve.pearson is not None
    assert curve.pearson <= -0.97
    assert curve.verdict == "yes", curve.words
    assert (curve.n, curve.total, curve.topics) == (24, 24, 12)


@pytest.mark.parametrize("name", FORMATS)
def test_groundedness_falls_with_hallucinated_sentences(offline: SensitivityResults, name: str) -> None:
    curve = next(
        c
        for c in offline.curves
        if (c.format, c.perturbation, c.metric) == (name, "hallucinate-share", "groundedness")
    )
    assert [point.level for point in curve.points] == [0, 25, 50, 100]
    assert curve.falls
    assert curve.verdict == "yes", curve.words


def test_what_should_not_move_raises_no_alarm(offline: SensitivityResults) -> None:
    still = [curve for curve in offline.curves if curve.expected is Direction.UNCHANGED]
    assert len(still) > 10
    assert [
        (curve.format, curve.perturbation, curve.metric) for curve in still if curve.verdict == "no"
    ] == []


def test_shuffling_moves_no_mean_by_more_than_a_hundredth(offline: SensitivityResults) -> None:
    shuffled = [curve for curve in offline.curves if curve.perturbation == "shuffle"]
    assert shuffled
    assert all(abs(curve.means[1] - curve.means[0]) <= 0.01 * curve.means[0] for curve in shuffled)


def test_true_precision_stands_beside_the_predicted_one(offline: SensitivityResults) -> None:
    assert [row.level for row in offline.precision] == [0, 10, 20, 50, 70, 100]
    truth = [row.true for row in offline.precision]
    assert truth == sorted(truth, reverse=True)
    assert truth[-1] == 0
    assert set(offline.precision[0].predicted) == {"rag-fine-grained (offline)"}
    assert len(offline.precision[0].direct) == 4


def test_true_precision_by_hand(tmp_path: Path) -> None:
    item = next(iter(open_items(DEMO / "items.jsonl")))
    labels = load_labels(DEMO / "labels.jsonl")
    # Of the twelve documents of the first item nine have grade 1 or higher, one of them exactly 1.
    assert true_precision(item, labels) == pytest.approx(9 / 12)
    assert true_precision(item, labels, relevant_from=2) == pytest.approx(8 / 12)
    qrels = tmp_path / "qrels.txt"
    qrels.write_text(f"{item.id} 0 {item.documents[0].id} 1\n{item.id} 0 elsewhere 1\n")
    assert true_precision(item, load_labels(qrels)) == pytest.approx(1 / 12)
    table = tmp_path / "labels.csv"
    table.write_text(f"item,document,relevant\n{item.id},{item.documents[0].id},True\n")
    assert true_precision(item, load_labels(table)) == pytest.approx(1 / 12)
    assert true_precision(item.model_copy(update={"id": "unknown"}), labels) is None


@pytest.mark.parametrize(
    ("name", "text"), [("a.txt", "one two\n"), ("a.jsonl", '{"id": "a"}\n'), ("a.csv", "x\n1\n")]
)
def test_labels_that_are_none(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(DeclarationError, match=f"{name}:"):
        load_labels(tmp_path / name)


# Table 7 of the paper: true precision, predicted precision, and the error in brackets.
TABLE_7 = (
    (0.505, 0.548, 0.043),
    (0.344, 0.467, 0.123),
    (0.248, 0.353, 0.106),
    (0.097, 0.171, 0.074),
    (0.038, 0.059, 0.021),
)


@pytest.mark.parametrize(("true", "predicted", "printed"), TABLE_7)
def test_the_errors_of_table_7(true: float, predicted: float, printed: float) -> None:
    from conqret.report.sensitivity_tables import precision_cell

    cell = precision_cell(true, predicted)
    error = float(cell.partition("(")[2].rstrip(")"))
    # At 20 % the printed numbers differ by .105 and the printed error is .106: it was taken before rounding.
    assert error == pytest.approx(0.105 if printed == 0.106 else printed, abs=1e-9)
    assert abs(error - printed) <= 0.001 + 1e-9


def test_level_0_is_judged_once_and_alike_requests_are_sent_once(tmp_path: Path) -> None:
    damages = [Damage.of("irrelevant", (50,)), Damage.of("hallucinate", (5,))]
    plan = plan_of(damages, ("direct",), items=4, metrics=("context_relevance", "groundedness"))
    assert plan.judgments == 4 * 3
    results = run_sensitivity(plan, SensitivityFolder(tmp_path / "run"))
    # Documents: as they are, and replaced; argument and documents: all three versions.
    assert [one.calls for one in estimate(plan)] == [4 * 2 + 4 * 3]
    assert (results.session.sent, results.session.recorded) == (20, 4)


def test_a_stopped_run_goes_on(tmp_path: Path) -> None:
    plan = plan_of([Damage.of("irrelevant", (20, 100))], items=4)
    whole, resumed = SensitivityFolder(tmp_path / "whole"), SensitivityFolder(tmp_path / "resumed")
    run_sensitivity(plan, whole)
    seen = 0

    def stop(judgment: object) -> None:
        nonlocal seen
        seen += 1
        if seen == 5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_sensitivity(plan, resumed, Conduct(on_judgment=stop))
    with resumed.judgments_file.open("ab") as file:
        file.write(b'{"finger')
    kept: list[int] = []
    done: list[object] = []
    conduct = Conduct(on_start=kept.append, on_judgment=done.append)
    again = run_sensitivity(plan, resumed, conduct)
    assert (kept, len(done)) == ([5], 7)
    assert (again.session.kept, again.judgments) == (5, 12)
    assert again.curves == whole.results().curves
    assert said(resumed.judgments()) == said(whole.judgments())
    assert resumed.scores_file.read_bytes() == whole.scores_file.read_bytes()


def test_a_finished_run_asks_nothing_and_says_so(tmp_path: Path) -> None:
    plan = plan_of([Damage.of("irrelevant", (50,))], items=3)
    folder = SensitivityFolder(tmp_path / "run")
    first = run_sensitivity(plan, folder)
    assert (first.session.sent, first.session.kept) == (6, 0)
    again = run_sensitivity(plan, folder)
    assert (again.session.sent, again.session.recorded, again.session.kept) == (0, 0, 6)
    assert again.curves == first.curves


def test_a_judgment_carries_its_version(tmp_path: Path) -> None:
    folder = SensitivityFolder(tmp_path)
    run_sensitivity(plan_of([Damage.of("irrelevant", (50,))], items=2), folder)
    found = [judgment.version for judgment in folder.judgments()]
    assert found[:2] == [None, None]
    assert {(one.perturbation, one.level) for one in found[2:] if one} == {("irrelevant", 50)}
    table = pl.read_parquet(folder.scores_file).filter(pl.col("part").is_null())
    assert set(table["level"].drop_nulls()) == {50}


def test_items_with_alike_long_ids_keep_their_own_scores(tmp_path: Path) -> None:
    items = [
        item.model_copy(update={"id": f"{'x' * 190}-{number}"})
        for number, item in enumerate(open_items(DEMO / "items.jsonl"))
    ][:4]
    found = sensitivity(items, perturb={"irrelevant": (50,)})
    same = sensitivity(DEMO / "items.jsonl", perturb="irrelevant:50")
    assert [curve.n for curve in found.curves] == [4] * len(found.curves)
    assert len(same.curves) == len(found.curves)


def test_items_that_are_damaged_already_are_damaged_further(tmp_path: Path) -> None:
    items = [PERTURBATIONS["shuffle"].apply(item, 100) for item in open_items(DEMO / "items.jsonl")][:3]
    found = sensitivity(items, perturb="irrelevant:50", metrics=["context_relevance"])
    assert [(curve.n, curve.total) for curve in found.curves] == [(3, 3)]


def test_an_instrument_that_comes_twice_is_asked_once() -> None:
    plan = plan_of([Damage.of("irrelevant", (50,))], ("direct", "direct"), items=2)
    assert len(plan.setups) == 1
    one, other = (
        replace(plan.setups[0], options=replace(plan.setups[0].options, metrics=(metric,)))
        for metric in ("context_relevance", "groundedness")
    )
    assert [setup.metrics for setup in together([other, one])] == [("context_relevance", "groundedness")]


def test_in_memory_nothing_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    found = sensitivity(
        DEMO / "items.jsonl", formats=["direct"], perturb=["irrelevant:50"], metrics=["groundedness"], grid=True,
        labels=DEMO / "labels.jsonl",
    )  # fmt: skip
    assert found.grid
    assert found.precision
    assert list(tmp_path.iterdir()) == []


def test_another_run_in_the_folder_is_refused(tmp_path: Path) -> None:
    folder = SensitivityFolder(tmp_path / "run")
    run_sensitivity(plan_of([Damage.of("irrelevant", (50,))], items=3), folder)
    other = plan_of([Damage.of("irrelevant", (70,))], items=3)
    with pytest.raises(
        DeclarationError, match="another run: perturbations, items, or what they are changed into differ"
    ):
        run_sensitivity(other, folder)
    run_sensitivity(other, folder, Conduct(overwrite=True))
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "notes.txt").write_text("mine")
    with pytest.raises(DeclarationError, match=r"holds no run but other files \(notes.txt\)"):
        run_sensitivity(other, SensitivityFolder(tmp_path / "mine"))


def test_failures_are_counted_and_never_scored(tmp_path: Path) -> None:
    plan = plan_of([Damage.of("irrelevant", (50,))], items=3)
    run_sensitivity(plan, SensitivityFolder(tmp_path / "first"))
    more = plan_of([Damage.of("irrelevant", (50,))], items=5)
    results = run_sensitivity(
        more, SensitivityFolder(tmp_path / "second"), Conduct(replay=tmp_path / "first")
    )
    curve = results.curves[0]
    assert (curve.n, curve.total) == (3, 5)
    assert curve.missing == {"not_recorded": 2}


def test_a_curve_without_a_value_says_so(tmp_path: Path) -> None:
    run_sensitivity(plan_of([Damage.of("shuffle", (100,))], items=2), SensitivityFolder(tmp_path / "first"))
    plan = plan_of([Damage.of("irrelevant", (50,))], items=2, metrics=("groundedness",))
    results = run_sensitivity(
        plan, SensitivityFolder(tmp_path / "second"), Conduct(replay=tmp_path / "first")
    )
    assert results.curves == ()
    assert [(one.metric, dict(one.missing)) for one in results.unscored] == [
        ("groundedness", {"not_recorded": 2})
    ]


def test_the_grid_crosses_two_perturbations(tmp_path: Path) -> None:
    grid = [Damage.of(name, levels) for name, levels in GRID_LEVELS.items()]
    plan = plan_of([Damage.of("irrelevant", (50,))], items=4, grid=grid)
    results = run_sensitivity(plan, SensitivityFolder(tmp_path))
    cells = {(cell.metric, tuple(sorted(cell.levels.items()))): cell for cell in results.grid}
    assert len(cells) == 3 * 4 * 3
    both = cells["groundedness", (("hallucinate-share", 100), ("irrelevant", 75))]
    assert both.mean < cells["groundedness", (("hallucinate-share", 100),)].mean
    assert both.mean < cells["groundedness", (("irrelevant", 75),)].mean


def test_answer_relevance_stands_still_while_groundedness_falls(offline: SensitivityResults) -> None:
    found = {
        curve.metric: curve
        for curve in offline.curves
        if (curve.format, curve.perturbation) == ("rag-fine-grained", "hallucinate-share")
    }
    assert found["groundedness"].means[0] - found["groundedness"].means[-1] > 0.4
    answer = found["answer_relevance"]
    assert max(abs(mean - answer.means[0]) for mean in answer.means) <= 0.01
    assert answer.verdict == "yes"


def test_versions_out_of_reach_are_not_judged() -> None:
    plan = plan_of([Damage.of("hallucinate", (2, 10, 20)), Damage.of("irrelevant", (50,))])
    assert [damage.levels for damage in plan.damages] == [(0, 2, 10), (0, 50)]
    assert {stack: len(items) for stack, items in plan.versions.items()} == {
        (): 24,
        (("hallucinate", 2),): 23,
        (("hallucinate", 10),): 23,
        (("irrelevant", 50),): 24,
    }
    assert [out.item for out in plan.left_out["hallucinate"]] == ["voting-age-pro"]
    assert [(one.perturbation, one.level, one.items) for one in plan.unreached] == [("hallucinate", 20, 24)]
    assert len(plan.able("hallucinate")) == 23


def test_a_cell_of_the_grid_out_of_reach_is_empty(tmp_path: Path) -> None:
    """An item of four documents has no tenth of them."""
    short = [
        item.model_copy(update={"documents": item.documents[:4], "argument": "It is so [1]. Or so [2]."})
        for item in list(open_items(DEMO / "items.jsonl"))[:4]
    ]
    grid = [Damage.of(name, levels) for name, levels in GRID_LEVELS.items()]
    setups = sensitivity_setups(open_items(short), ["direct"], [ClientOptions("offline")], grid)
    materials, _ = damage_materials(short, grid, pool=DEMO / "items.jsonl")
    plan = make_plan(short, setups, [], materials=materials, grid=grid)
    assert {level: len(plan.versions[(("irrelevant", level),)]) for level in (10, 50, 75)} == {
        10: 0,
        50: 4,
        75: 4,
    }
    cells = run_sensitivity(plan, SensitivityFolder(tmp_path)).grid
    assert {cell.levels.get("irrelevant", 0) for cell in cells} == {0, 50, 75}


def test_a_perturbation_that_fits_no_item_is_a_wrong_call() -> None:
    source = [item.model_copy(update={"argument": "It is so."}) for item in open_items(DEMO / "items.jsonl")]
    setups = sensitivity_setups(
        open_items(source), ["direct"], [ClientOptions("offline")], [Damage.of("hallucinate")]
    )
    with pytest.raises(DeclarationError, match=r"can change none of the items: item .* cites nothing"):
        make_plan(source, setups, [Damage.of("hallucinate")])


@pytest.mark.parametrize("levels", [(0,), (101,), (-5, 10)])
def test_levels_that_are_none(levels: tuple[float, ...]) -> None:
    with pytest.raises(DeclarationError):
        Damage.of("irrelevant", levels)


def test_a_format_without_a_metric_that_matters() -> None:
    source = open_items(DEMO / "items.jsonl")
    with pytest.raises(DeclarationError, match="has none of the metrics"):
        sensitivity_setups(source, ["listwise"], [ClientOptions("offline")], [Damage.of("drop-citations")])


# Judges that cannot see the damage.


def constant(items: Sequence[Item]) -> list[dict[str, float | None]]:
    return [{"context_relevance": 0.7, "groundedness": 0.7} for _ in items]


def chance(items: Sequence[Item]) -> list[dict[str, float | None]]:
    rngs = [random.Random(item.id) for item in items]
    return [{"context_relevance": rng.random(), "groundedness": rng.random()} for rng in rngs]


def length(items: Sequence[Item]) -> list[dict[str, float | None]]:
    documents = [sum(len(document.text) for document in item.documents) / 40_000 for item in items]
    return [
        {"context_relevance": min(1.0, size), "groundedness": min(1.0, len(item.argument or "") / 5000)}
        for size, item in zip(documents, items, strict=True)
    ]


@pytest.fixture(scope="module")
def demo() -> list[Item]:
    return list(open_items(DEMO / "items.jsonl"))


@pytest.mark.parametrize("judge", [constant, chance, length])
@pytest.mark.parametrize(
    ("perturbation", "metric"), [("irrelevant", "context_relevance"), ("hallucinate", "groundedness")]
)
def test_a_judge_that_sees_nothing_is_caught(
    judge: object, perturbation: str, metric: str, demo: list[Item]
) -> None:
    fault = check("falls", judge, demo, perturbation, (), metric)  # type: ignore[arg-type]
    said = "says neither" if judge is chance else "does not fall"
    assert f"{metric} of {judge.__name__} under {perturbation} {said}" in fault  # type: ignore[attr-defined]
    assert "Pearson" in fault
    assert "95 % over topics" in fault


def test_chance_passes_no_more_often_than_it_may(demo: list[Item]) -> None:
    def tossing(seed: int, items: Sequence[Item]) -> list[dict[str, float | None]]:
        return [{"context_relevance": random.Random(f"{seed}/{item.id}").random()} for item in items]

    passed = 0
    for seed in range(40):
        judge = partial(tossing, seed)
        passed += not check("falls", judge, demo, "irrelevant", (0, 50, 100), "context_relevance")
    assert passed <= 5  # of 40 at 5 %: one in 26 series has more


def test_a_judge_of_length_is_caught_by_padding(demo: list[Item]) -> None:
    fault = check("stands still", length, demo, "padding", (), "groundedness")
    assert "moves by +" in fault
    assert check("stands still", constant, demo, "padding", (), "groundedness") == ""


def test_the_offline_judge_passes_and_remembers(demo: list[Item]) -> None:
    judge = ModelJudge()
    assert check("falls", judge, demo[:12], "irrelevant", (0, 50, 100), "context-relevance") == ""
    known = len(judge._known)
    assert known == 36
    assert check("falls", judge, demo[:12], "irrelevant", (0, 50, 100), "predicted_precision") == ""
    assert len(judge._known) == known


def test_a_judge_without_values_says_why(demo: list[Item]) -> None:
    def silent(items: Sequence[Item]) -> list[dict[str, float | None]]:
        return [{"groundedness": None} for _ in items]

    assert "24 of 24 items lack a value" in check(
        "falls", silent, demo, "hallucinate", (0, 5), "groundedness"
    )
    with pytest.raises(DeclarationError, match="gives no 'clarity'"):
        check("falls", silent, demo, "hallucinate", (0, 5), "clarity")
    with pytest.raises(DeclarationError, match="0 judgments for 24 items"):
        check("falls", lambda items: [], demo, "hallucinate", (0, 5), "groundedness")


def test_a_rise_is_a_fall_of_the_opposite(demo: list[Item]) -> None:
    def doubt(items: Sequence[Item]) -> list[dict[str, float | None]]:
        return [{"doubt": 1 - (value["context_relevance"] or 0)} for value in seen(items)]

    def seen(items: Sequence[Item]) -> list[dict[str, float | None]]:
        originals = {item.topic: {document.id for document in item.documents} for item in demo}
        return [
            {
                "context_relevance": sum(d.id in originals[item.topic] for d in item.documents)
                / len(item.documents)
            }
            for item in items
        ]

    assert check("falls", seen, demo, "irrelevant", (), "context_relevance") == ""
    assert check("rises", doubt, demo, PERTURBATIONS["irrelevant"], (), "doubt") == ""
    assert "does not rise: it falls by" in check("rises", seen, demo, "irrelevant", (), "context_relevance")


def test_the_record_names_judges_and_perturbations(tmp_path: Path) -> None:
    folder = SensitivityFolder(tmp_path)
    run_sensitivity(plan_of([Damage.of("shuffle", (100,))], items=2), folder)
    record = json.loads(folder.record_file.read_text())
    assert record["perturbations"] == {"shuffle": [0, 100]}
    assert record["judges"][0]["baseline"] is True
    with pytest.raises(DeclarationError, match="none does not exist"):
        SensitivityFolder(tmp_path / "none").results()


FIVE = ("rag-fine-grained", "rag-direct", "citation-support", "direct", "static-rubric")
DAMAGES = (("irrelevant", (50, 100)), ("hallucinate", (5,)), ("wrong-citations", (100,)))


@pytest.mark.parametrize("samples", [1, 2])
def test_the_estimate_is_what_is_then_sent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, samples: int
) -> None:
    """Calls exactly, prompt tokens within 1 %: against every request of the run, its messages counted."""
    sent: dict[str, list[int]] = {}
    written: dict[str, list[int]] = {}
    send = Sender.send

    async def counted(self: Sender, sending: Request[Any]) -> tuple[Completion, int]:
        tokens = sum(count_tokens(message.content) for message in sending.messages)
        sent.setdefault(current[0], []).append(tokens)
        completion, attempts = await send(self, sending)
        written.setdefault(current[0], []).append(count_tokens(completion.text))
        return completion, attempts

    monkeypatch.setattr(Sender, "send", counted)
    damages = [Damage.of(name, levels) for name, levels in DAMAGES]
    plan = plan_of(damages, FIVE, items=3)
    setups = [replace(one, options=replace(one.options, samples=samples)) for one in plan.setups]
    plan = replace(plan, setups=tuple(setups))
    found = estimate(plan)
    assert not sent
    assert [one.by for one in found] == list(FIVE)
    for one, setup in zip(found, plan.setups, strict=True):
        current = [one.by]
        run_sensitivity(replace(plan, setups=(setup,)), SensitivityFolder(tmp_path / one.by))
        assert one.calls == len(sent[one.by])
        assert one.prompt_tokens == pytest.approx(sum(sent[one.by]), rel=0.01)
        assert 1 / 3 < one.completion_tokens / sum(written[one.by]) < 3
        assert one.cost_usd == 0


def test_a_sample_of_prompts_comes_near_to_all_of_them() -> None:
    plan = plan_of([Damage.of("irrelevant"), Damage.of("hallucinate")], ("rag-fine-grained", "direct"))
    for few, all_ in zip(estimate(plan, sample=30), estimate(plan, sample=10**6), strict=True):
        assert all_.sampled == 1 > few.sampled > 0
        assert few.calls == all_.calls
        assert few.prompt_tokens == pytest.approx(all_.prompt_tokens, rel=0.03)


def test_a_sample_is_spread_evenly() -> None:
    assert spread(range(10), 5) == [1, 3, 5, 7, 9]  # type: ignore[arg-type, comparison-overlap]
    assert spread(range(3), 5) == range(3)  # type: ignore[arg-type, comparison-overlap]


def test_rewriting_is_asked_once_an_item_for_all_levels() -> None:
    damages = [Damage.of("hallucinate", (2, 5)), Damage.of("irrelevant", (50,))]
    plan = plan_of(damages, items=4)
    priced = ClientOptions("a-model-of-mine", input_price=1.0, output_price=2.0)
    *_, rewrite = estimate(plan, priced)
    assert (rewrite.stage, rewrite.calls) == ("rewrite for hallucinate", 4)
    argued = sum(count_tokens(item.argument or "") for item in plan.items)
    assert rewrite.completion_tokens == argued
    assert rewrite.cost_usd == pytest.approx((rewrite.prompt_tokens + 2 * argued) / 1e6)
    assert [one.task for one in estimate(plan, ClientOptions("offline"))] == ["judge"]


@pytest.mark.parametrize(
    ("spent", "budgets"),
    [
        ([0.4, 0.4, 0.0], [0.6, pytest.approx(0.2), 0.0]),
        ([0.1, None, 0.1], [0.6, pytest.approx(0.5), 0.0]),
    ],
)
def test_the_budget_is_shared_by_all_judges(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, spent: list[float | None], budgets: list[float]
) -> None:
    """Nothing is spent after an answer of unknown price."""
    found: list[float | None] = []

    async def spends(part: Part, sink: object, on_judgment: object, client: Client) -> None:
        cost = spent[len(found) % 3]
        found.append(client._options.budget_usd)
        known = client.progress.cost_usd is not None and cost is not None
        client.progress.cost_usd = (client.progress.cost_usd or 0.0) + cost if known else None

    monkeypatch.setattr("conqret.reliability.judged._judge", spends)
    plan = plan_of([Damage.of("irrelevant", (50,))], ("rag-fine-grained", "rag-direct", "direct"), items=2)
    run_sensitivity(plan, SensitivityFolder(tmp_path / "all"), Conduct(budget_usd=0.6))
    assert found == budgets
    run_sensitivity(plan, SensitivityFolder(tmp_path / "each"))
    assert found[3:] == [None, None, None]


def test_rewriting_has_one_budget_in_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, demo: list[Item]
) -> None:
    asked = []

    class Dear:
        async def prepare(self) -> None: ...

        async def close(self) -> None: ...

        async def complete(self, sending: Request[Any]) -> Completion:
            asked.append(sending.ask)
            assert sending.baseline is not None
            return Completion(json.dumps(sending.baseline()), cost_usd=0.6)

    dear = replace(backend_of("a-model-of-mine"), open=lambda options: Dear())
    monkeypatch.setattr("conqret.llm.options.backend_of", lambda model: dear)
    damages = [Damage.of("hallucinate", (2,)), Damage.of("paraphrase", (100,))]
    rewriter = ClientOptions("a-model-of-mine", input_price=1.0, output_price=1.0, budget_usd=1.0)
    session = Session(rewriter, recordings=tmp_path / "recordings.sqlite")
    materials, unable = damage_materials(demo[:2], damages, rewriter=session)
    assert len(asked) == 2
    assert len(set(asked)) == 1  # 1.20 dollars are gone, and the second perturbation asks nothing
    assert len(materials["hallucinate"].rewrites) == 2
    assert unable["hallucinate"] == []
    assert [("budget" in one.reason) for one in unable["paraphrase"]] == [True, True]
