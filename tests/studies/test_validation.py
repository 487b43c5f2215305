"""Judgments and labels: agreement of several kinds, corrections, and conditions."""

import krippendorff
import numpy as np
import pytest

from conqret.data import Measure, Reason
from conqret.errors import UnknownNameError
from conqret.studies.validate.page import validation_answer
from conqret.studies.validate.result import validate
from conqret.studies.validate.validate import check_requirement, parse_requirement
from tests.studies.judged import PEOPLE, judgment, labels_of, scored, study


def test_alpha_is_that_of_the_package(tmp_path, rng):
    judgments, labels, _ = study(tmp_path, rng)
    found = validate(judgments, labels)
    for dimension, row in found.dimensions.items():
        table = labels.table(dimension, labels.units)[1]
        judge = [1 + 2 * one.measures[dimension].value for one in judgments]
        for estimate, ratings in (
            (row.alpha, [judge, table.mean(axis=0)]),
            (row.inter_annotator_alpha, table),
        ):
            wanted = krippendorff.alpha(reliability_data=np.array(ratings), level_of_measurement="ordinal")
            assert estimate.value == pytest.approx(wanted)
            assert estimate.low < estimate.value < estimate.high
        assert row.names == list(PEOPLE)
    assert found.average.dimensions == ["clarity"]
    assert found.average.judge["mean"].value == found.dimensions["clarity"].alpha.value
    assert (found.basis.clustered_by, found.basis.clusters) == ("topic", 10)


def test_samples_singly_their_mean_and_their_majority(tmp_path, rng):
    judgments, labels, _ = study(tmp_path, rng, samples=3)
    found = validate(judgments, labels)
    row = found.dimensions["clarity"]
    assert list(row.variants) == ["mean", "majority", "sample 1", "sample 2", "sample 3", "constant"]
    target = labels.table("clarity", labels.units)[1].mean(axis=0)
    for name, values in (
        ("majority", [one.measures["clarity"].majority for one in judgments]),
        ("sample 2", [one.measures["clarity"].samples[1] for one in judgments]),
    ):
        wanted = krippendorff.alpha(
            reliability_data=np.array([1 + 2 * np.array(values), target]), level_of_measurement="ordinal"
        )
        assert row.variants[name].value == pytest.approx(wanted)
    assert set(found.average.judge) == set(row.variants)


def test_the_judge_in_the_place_of_one_person(tmp_path, rng):
    """Against the mean of two a judge like a person reaches what a person does, and against that of three more."""
    judgments, labels, _ = study(tmp_path, rng, dimensions=("clarity",), items=300)
    row = validate(judgments, labels).dimensions["clarity"]
    table = labels.table("clarity", labels.units)[1]
    judge = np.array([1 + 2 * one.measures["clarity"].value for one in judgments])
    wanted = [
        krippendorff.alpha(
            reliability_data=np.array([judge, np.delete(table, place, axis=0).mean(axis=0)]),
            level_of_measurement="ordinal",
        )
        for place in range(3)
    ]
    assert row.judge_as_annotator_alpha.value == pytest.approx(np.mean(wanted))
    assert (
        row.judge_as_annotator_alpha.low < row.one_annotator_alpha.value < row.judge_as_annotator_alpha.high
    )
    assert row.alpha.value > row.judge_as_annotator_alpha.value + 0.01
    assert check_requirement(parse_requirement("as_person >= 0.2"), validate(judgments, labels)).met
    assert row.alternative.passed


def test_steps_of_the_scale_that_nobody_uses_count(tmp_path):
    """Of 1 to 3 only 1 and 3 occur: F1 is that of both, and no longer of the higher one alone."""
    labels = labels_of(
        tmp_path, "item,clarity\n" + "".join(f"i{n},{1 + 2 * (n % 2)}\n" for n in range(8)), scales=["1:3"]
    )
    judgments = [judgment(f"i{n}", {"clarity": scored(float(n % 2 or n == 0))}) for n in range(8)]
    row = validate(judgments, labels).dimensions["clarity"]
    assert row.statistics["f1"].value == pytest.approx((6 / 7 + 8 / 9) / 2)


def test_labels_that_were_drawn_with_unequal_probabilities_are_weighted(tmp_path, rng):
    """Items that the judge scores high were drawn more often: labels alone and corrected mean are those of all."""
    _, whole, file = study(tmp_path, rng, items=400)
    judgments, rows = study(tmp_path, rng, items=400, judge_noise=0.1, noise=0.1)[0], file.read_text().split()
    chances = {one.item: 0.1 + 0.6 * one.value("clarity") for one in judgments}
    kept = {name for name, chance in chances.items() if rng.random() < chance}
    drawn = [f"{row},{chances[row.split(',')[0]]:.6g}" for row in rows[1:] if row.split(",")[0] in kept]
    text = "\n".join([f"{rows[0]},inclusion_probability", *drawn])
    labels = labels_of(tmp_path, text, scales=["1:3"])
    row = validate(judgments, labels).dimensions["clarity"]
    truth = np.mean([(float(one.split(",")[-1]) - 1) / 2 for one in rows[1:] if ",clarity," in one])
    plain = np.mean([(float(one.split(",")[-2]) - 1) / 2 for one in drawn if ",clarity," in one])
    assert plain > truth + 0.05
    for estimate in (row.mean.labels, row.mean.corrected):
        assert estimate.value == pytest.approx(truth, abs=0.04)
        assert estimate.low < truth < estimate.high
    assert row.mean.corrected.n == len(kept)
    assert whole.chances == {}


def test_a_label_whose_item_has_no_score_stays_in_peoples_mean(tmp_path, rng):
    judgments, labels, _ = study(tmp_path, rng, dimensions=("clarity",), items=120)
    means = labels.table("clarity", labels.units)[1].mean(axis=0)
    lost = {"measures": {"clarity": Measure.missing(Reason.REFUSAL)}}
    refused = [
        one.model_copy(update=lost) if mean < 1.5 else one for one, mean in zip(judgments, means, strict=True)
    ]
    found = validate(refused, labels)
    row = found.dimensions["clarity"]
    assert row.mean.labels.value == pytest.approx((means.mean() - 1) / 2)
    assert (row.mean.labels.n, row.mean.naive.n) == (120, row.scored)
    assert row.mean.naive.value > row.mean.labels.value + 0.05
    assert row.reasons == found.missing.reasons == {"refusal": 120 - row.scored}


def test_requirements(tmp_path, rng):
    judgments, labels, _ = study(tmp_path, rng)
    found = validate(judgments, labels)

    def outcome(text):
        return check_requirement(parse_requirement(text), found)

    assert outcome(" alpha [ Overall-Quality ]>=.1 ").met
    assert not outcome("alpha[overall_quality] >= 0.99").met
    assert outcome("alpha.low <= 0.9").met
    assert outcome("coverage[clarity] >= 1").met
    assert outcome("winning_rate[clarity] >= 0").met
    unmet = outcome("auroc[clarity] >= 0")
    assert not unmet.met
    assert "two labels" in unmet.reason
    with pytest.raises(UnknownNameError, match="validated dimension"):
        outcome("alpha[cogency] >= 0")


def test_where_alpha_does_not_show_agreement_a_rank_correlation_or_kappa_may(tmp_path):
    """Scores of two values next to ratings of five, and rare failures, all of which are found."""

    def first_sentence(ratings, scores, scale):
        text = "".join(f"i{n},{label}\n" for n, label in enumerate(ratings))
        labels = labels_of(tmp_path, f"item,faithfulness\n{text}", scales=[scale])
        judged = [
            judgment(f"i{n}", {"faithfulness": scored(score)}, topic=f"t{n}")
            for n, score in enumerate(scores)
        ]
        said = validation_answer(validate(judged, labels))
        return next(sentence for sentence in said if sentence.startswith("Alpha "))

    rated = [1] * 4 + [2] * 3 + [3] * 4 + [4] * 26 + [5] * 3
    said = first_sentence(rated, [0.0] * 10 + [1.0] * 30, "1:5")
    assert said.startswith(
        "Alpha does not show that the judge agrees with annotators more than by chance on faith"
    )
    assert ", but the judge orders answers more as they do than by chance (Spearman 0." in said
    assert "; on an interval scale: --level interval)" in said
    said = first_sentence([0] * 6 + [1] * 37, [0.0] * 6 + [1.0] * 37, "0:1")
    assert said.startswith(
        "Alpha has no interval that could show whether the judge agrees with annotators more"
    )
    assert ", but kappa is above chance: 1.000 [" in said
