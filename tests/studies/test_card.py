"""The judge card: its schema is the published one, it survives a round trip, and it knows when it is stale."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from conqret.errors import DeclarationError
from conqret.io.label_set import RANDOM_SAMPLE
from conqret.io.labels import read_labels
from conqret.judging.judge_folder import JudgeFolder
from conqret.judging.setup import Setup
from conqret.llm.client_options import ClientOptions
from conqret.stats.estimate import Estimate, undefined
from conqret.stats.jackknife import JackknifedEstimate
from conqret.studies.agreement.judge_agreement import DimensionAgreement, agreement_answer, agreement_picture
from conqret.studies.agreement.judge_baselines import baseline_sentences, differences_from_baselines
from conqret.studies.agreement.pass_fail import NO_GUARD
from conqret.studies.bias.result import BiasTable
from conqret.studies.card.page import card_page, write_card
from conqret.studies.card.result import Card, _agreement, _sampling_sentence, changes, make_card, read_card
from conqret.studies.sensitivity.result import SensitivityRecord, SensitivityResults
from conqret.studies.validate.result import validate
from tests.contract.items import demo
from tests.judging.runs import execution
from tests.studies.cards import FORMAT, bias_of, card_of
from tests.studies.sensitivity_plans import curve

SCHEMA = Path(__file__).resolve().parents[2] / "docs" / "judge-card.schema.json"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("card")


@pytest.fixture(scope="module")
def card(folder: Path) -> Card:
    return card_of(folder)


def setup(tmp_path: Path, name: str = FORMAT, prompts: Path | None = None, **options: object) -> Setup:
    return execution(tmp_path, demo(), name=name, prompts=prompts, **options).setup


def test_the_published_schema_is_that_of_the_code() -> None:
    made = Card.model_json_schema(mode="serialization")
    published = {"$schema": "https://json-schema.org/draft/2020-12/schema", **made}
    assert json.loads(SCHEMA.read_text(encoding="utf-8")) == published


def test_a_card_fits_its_schema_and_comes_back(card: Card, tmp_path: Path) -> None:
    text = card.model_dump_json()
    validator = pytest.importorskip("jsonschema")
    validator.validate(json.loads(text), json.loads(SCHEMA.read_text(encoding="utf-8")))
    (tmp_path / "card.json").write_text(text, encoding="utf-8")
    assert read_card(tmp_path) == read_card(tmp_path / "card.json") == card


def test_limits_are_said_in_words(card: Card) -> None:
    text = " ".join(card.limits)
    assert card.limits[0].startswith("This judge is the lexical baseline")
    assert "no run of conqret sensitivity was given" in text
    assert "were not compared with human labels: context relevance" in text
    assert "The judge's alpha with annotators on local acceptability, local sufficiency" in text
    assert "has no interval: too few labels differ from the most frequent value" in text
    assert "The judge agrees significantly better with annotators than text length alone on none of" in text


def test_another_model_or_setting_makes_it_stale(card: Card, tmp_path: Path) -> None:
    same = setup(tmp_path)
    other = replace(same, client=ClientOptions("openai/gpt-4o-mini", max_tokens=900))
    assert changes(card, other) == [
        "max_tokens: 900, and None on the card",
        f"model: openai/gpt-4o-mini, and {card.run.identity['model']} on the card",
    ]
    several = changes(card, setup(tmp_path, samples=3))
    assert several == ["samples: 3, and 1 on the card", "temperature: 0.7, and 0.0 on the card"]


def test_parts_of_another_judge_are_refused(card: Card, folder: Path) -> None:
    directory = JudgeFolder(folder / "run")
    assert isinstance(card.bias, BiasTable)
    validation = validate(directory.judgments(), read_labels(folder / "labels.csv", scales=["1:3"]))

    def card_with(**parts: Any) -> Card:
        return make_card(directory.record(), directory.summary(), validation, directory.items(), **parts)

    identity = {**card.bias.record.identity, "samples": 3}
    another = card.bias.record.model_copy(update={"identity": identity, "fingerprint": "x"})
    other = card.bias.model_copy(update={"record": another})
    with pytest.raises(DeclarationError, match=r"bias table belongs to another .*: samples: 3, and 1 of the"):
        card_with(bias=other)
    judge = {"format": FORMAT, "model": "offline", "fingerprint": "x", "identity": card.run.identity}
    digest = {"conqret": "0", "perturbations": {}, "grid": (), "seed": 1, "items": 1, "digest": ""}
    run = SensitivityResults(record=SensitivityRecord(judges=(judge,), **digest), curves=())
    with pytest.raises(DeclarationError, match=r"sensitivity run belongs to another .*: other prompts"):
        card_with(sensitivity=run)
    judges = tuple({**judge, "fingerprint": one} for one in ("x", card.run.fingerprint))
    curves = tuple(curve(fingerprint=judge["fingerprint"]) for judge in judges)
    run = SensitivityResults(record=SensitivityRecord(judges=judges, **digest), curves=curves)
    assert card_with(sensitivity=run).sensitivity == curves[1:]


def test_no_card_says_how_to_get_one(tmp_path: Path) -> None:
    with pytest.raises(DeclarationError, match="conqret validate"):
        read_card(tmp_path)
    (tmp_path / "card.json").write_text("{}", encoding="utf-8")
    with pytest.raises(DeclarationError, match="is not a judge card"):
        read_card(tmp_path)


def test_a_card_says_how_far_the_judge_repeats_itself(folder: Path, card: Card, tmp_path: Path) -> None:
    table = bias_of(tmp_path, list(demo())[:6], ["repeatability"])
    assert card.repeatability == ()  # one sample, and the probes were not asked for it
    said = card.model_copy(update={"repeatability": table.repeatability})
    assert "## Does it repeat itself?" in card_page(said).markdown()
    assert "Does it repeat itself?" not in card_page(card).markdown()


def agreement(card: Card, low: float, high: float, people: Estimate) -> DimensionAgreement:
    alpha = Estimate((low + high) / 2, low, high, 24)
    return card.agreement[0].model_copy(update={"alpha": alpha, "inter_annotator_alpha": people, "over": {}})


def test_less_agreement_than_by_chance_is_no_doubt_about_chance(card: Card) -> None:
    ends = {"clarity": (-0.8, -0.6), "cogency": (-0.5, 0.2), "credibility": (0.1, 0.5)}
    rows = [
        agreement(card, *each, Estimate(0.1, -0.3, 0.5)).model_copy(update={"dimension": name})
        for name, each in ends.items()
    ]
    worse, chance, weak, noisy, *_ = (text for text, holds in _agreement(rows).items() if holds)
    assert worse.startswith("The judge agrees with annotators less than by chance on clarity:")
    assert chance.endswith("that the judge agrees with annotators more than by chance on cogency.")
    assert weak.startswith("Krippendorff's alpha of judge and annotators is below 0.667 on all other dim")
    assert "annotators agree with each other more than by chance on clarity, cogency and cred" in noisy


def test_how_items_were_chosen_is_a_limit(card: Card) -> None:
    drawn = card.basis.model_copy(update={"notes": (RANDOM_SAMPLE,)})
    for basis, guard, drawn_by, sentence in (
        (card.basis, NO_GUARD, None, "do not say how these items were chosen"),
        (drawn, NO_GUARD, None, RANDOM_SAMPLE),
        (card.basis, NO_GUARD, "label", "by human label, as stated"),
    ):
        join = SimpleNamespace(items=6, judged=24)
        made = SimpleNamespace(join=join, basis=basis, guard=guard, drawn_by=drawn_by)
        assert sentence in _sampling_sentence(made)


def test_the_answer_stands_below_the_title(card: Card) -> None:
    def answer(*ends: tuple[float, float]) -> str:
        rows = [agreement(card, *each, Estimate(0.7, 0.6, 0.8)) for each in ends]
        return " ".join(agreement_answer(rows, card.basis))

    assert "on 1 it agrees less than by chance." in answer((-0.2, 0.4), (-0.9, -0.1))
    both = answer((0.1, 0.4), (0.7, 0.9))
    assert "agrees with annotators more than by chance on 2 of 2 dimensions: overall quality" in both
    assert "α = 0.800, 95% CI [0.700, 0.900], n = " in both
    assert "on 1 of these the whole interval is above 0.667" in both
    bare = card.agreement[0].model_copy(update={"alpha": undefined("the scale has no ends"), "over": {}})
    assert agreement_answer([bare], card.basis)[0].startswith(
        "The judge's alpha with annotators is not defined: the scale has no ends."
    )
    page = card_page(card)
    assert agreement_answer(card.agreement, card.basis, card.average)[0] in page.markdown()
    (forest,) = agreement_picture(card.agreement, card.basis, card.average)
    assert page.picture == [forest]
    assert set(forest.compared) == {"One annotator with the others", "Inter-annotator alpha"}


def test_a_baseline_below_chance_counts_as_chance_and_says_so() -> None:
    """An alpha of -0.75 beside a length of -0.34 is less than chance, and not shown to be less than the length."""

    def sampled(*without: float) -> JackknifedEstimate:
        values = np.array(without)
        return JackknifedEstimate(values.mean(), values, np.full(len(values), True), 8, scale="correlation")

    judge, length, floor = sampled(-0.7, -0.75, -0.8), sampled(-0.2, -0.3, -0.4), sampled(0.2, 0.25, 0.3)
    over = differences_from_baselines({"mean": judge, "length": length}, 0.95)
    assert over["length"].value == judge.value
    assert over["length"].high < 0
    (said,) = baseline_sentences({"clarity": over})
    assert said == "The judge is not shown to agree better with annotators than text length alone."
    both = differences_from_baselines({"mean": judge, "length": length, "floor": floor}, 0.95)
    assert both["floor"].value == judge.value - floor.value
    assert len([*baseline_sentences({"clarity": both})]) == 2


HOSTILE = "<script>alert(1)</script>|`x`"


@pytest.fixture
def hostile(card: Card) -> Card:
    run = card.run.model_copy(
        update={"items_name": HOSTILE, "identity": {**card.run.identity, HOSTILE: HOSTILE}}
    )
    basis = card.basis.model_copy(update={"labels": HOSTILE})
    return card.model_copy(update={"run": run, "basis": basis, "limits": (*card.limits, HOSTILE)})


def test_three_files_say_the_same(hostile: Card, tmp_path: Path) -> None:
    page, markdown, data = write_card(hostile, tmp_path / "card")
    assert read_card(data) == hostile
    text, marked = page.read_text(encoding="utf-8"), markdown.read_text(encoding="utf-8")
    for sentence in hostile.limits[:2]:
        assert sentence in text
        assert sentence in marked
    assert "<script>alert" not in text + marked
    assert "&lt;script&gt;" in text
    assert hostile.run.fingerprint in text
    assert "default-src &#39;none&#39;" in text
    assert "a lexical baseline and no LLM judge" in text


def test_curves_of_known_damage_are_drawn_and_told(hostile: Card, tmp_path: Path) -> None:
    curves = (curve(), curve((0.9, 0.9, 0.9), model=HOSTILE))
    page, markdown, _ = write_card(hostile.model_copy(update={"sensitivity": curves}), tmp_path)
    text = page.read_text(encoding="utf-8")
    assert "direct: 0.900 at 0, 0.500 at 50, 0.200 at 100." in text, "the chart says what it shows"
    assert "falls by 0.3" in text
    assert "<script>alert" not in text
    said = markdown.read_text(encoding="utf-8")
    assert "documents replaced in place by documents of other topics), at 0, 50, 100" in said
    assert "| 0.900, 0.500, 0.200 |" in said
