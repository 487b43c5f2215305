"""Judgments beside labels: agreement, corrections, what is missing, what has no partner."""

import json
import math

import krippendorff
import numpy as np
import pytest

from conqret.data import Measure, Part, Reason
from conqret.errors import DeclarationError, UnknownNameError
from conqret.io.labels import read_labels
from conqret.reliability.validation.judge_comparison import compare_judges
from conqret.reliability.validation.people import people_agreement
from conqret.reliability.validation.requirements import check_requirement, parse_requirement
from conqret.reliability.validation.settings import Settings
from conqret.reliability.validation.validate import Validation, validate
from conqret.report.validation_page import validation_sheet
from tests.reliability.judged import PEOPLE, judgment, scored, study

QUICK = Settings()


@pytest.fixture
def rng():
    return np.random.default_rng(7)


def labels_of(tmp_path, text, **options):
    file = tmp_path / "l.csv"
    file.write_text(text, encoding="utf-8")
    return read_labels(file, **options)


def test_alpha_is_that_of_the_package(tmp_path, rng):
    judgments, labels, _ = study(tmp_path, rng)
    found = validate(judgments, labels, settings=QUICK)
    for dimension, row in found.dimensions.items():
        table = labels.table(dimension, labels.units)[1]
        judge = [1 + 2 * one.measures[dimension].value for one in judgments]
        for estimate, ratings in ((row.alpha, [judge, table.mean(axis=0)]), (row.people, table)):
            wanted = krippendorff.alpha(reliability_data=np.array(ratings), level_of_measurement="ordinal")
            assert estimate.value == pytest.approx(wanted)
            assert estimate.low < estimate.value < estimate.high
        each = [
            krippendorff.alpha(reliability_data=np.array([judge, person]), level_of_measurement="ordinal")
            for person in table
        ]
        assert row.alpha_each.value == pytest.approx(np.mean(each))
        assert row.names == list(PEOPLE)
    assert found.average.dimensions == ["clarity"]
    assert found.average.judge["mean"].value == found.dimensions["clarity"].alpha.value
    assert (found.basis.clustered_by, found.basis.clusters) == ("topic", 10)


def test_samples_singly_their_mean_and_their_majority(tmp_path, rng):
    judgments, labels, _ = study(tmp_path, rng, samples=3)
    found = validate(judgments, labels, settings=QUICK)
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


def test_the_same_seed_gives_the_same_numbers(tmp_path, rng):
    judgments, labels, _ = study(tmp_path, rng, lost=0.1)
    one = validate(judgments, labels, settings=QUICK)
    assert one == validate(judgments, labels, settings=QUICK)
    assert Validation.model_validate_json(one.model_dump_json()) == one
    assert "NaN" not in one.model_dump_json()


def test_what_has_no_partner_is_listed(tmp_path):
    labels = labels_of(tmp_path, "item,clarity,charm\na,1,1\nb,2,1\nghost,3,1\n", scales=["1:3"])
    judgments = [
        judgment(item, {"clarity": scored(0.5), "depth": scored(0.1)}) for item in ("a", "b", "lonely")
    ]
    found = validate([*judgments, judgments[0]], labels, settings=QUICK)
    assert found.join.unlabelled == ["lonely"]
    assert found.join.unjudged == ["ghost"]
    assert found.join.unknown_dimensions == ["charm"]
    assert found.join.unlabelled_metrics == ["depth"]
    assert found.join.duplicate_judgments == ["a"]
    assert (found.join.judged, found.join.labelled, found.join.items) == (3, 3, 2)
    page = validation_sheet(found).markdown()
    assert all(name in page for name in ("lonely", "ghost", "charm", "depth"))


def test_nothing_meets(tmp_path):
    labels = labels_of(tmp_path, "item,clarity\na,1\nb,2\n", scales=["1:3"])
    with pytest.raises(DeclarationError, match="no labelled item was judged"):
        validate([judgment("x", {"clarity": scored(0.5)})], labels)
    with pytest.raises(DeclarationError, match="no labelled dimension is a metric"):
        validate([judgment("a", {"depth": scored(0.5)})], labels)
    with pytest.raises(DeclarationError, match="no judgments"):
        validate([], labels)
    two = [
        judgment("a", {"clarity": scored(0.5)}),
        judgment("b", {"clarity": scored(0.5)}, fingerprint="other"),
    ]
    with pytest.raises(DeclarationError, match="2 instruments"):
        validate(two, labels)


def test_another_name_for_the_metric(tmp_path):
    labels = labels_of(tmp_path, "item,quality\na,1\nb,3\n", scales=["1:3"])
    judgments = [
        judgment("a", {"overall_quality": scored(0.0)}),
        judgment("b", {"overall_quality": scored(1.0)}),
    ]
    found = validate(judgments, labels, metrics={"quality": "overall_quality"}, settings=QUICK)
    assert found.dimensions["quality"].alpha.value == 1
    with pytest.raises(UnknownNameError, match="metric of the judge"):
        validate(judgments, labels, metrics={"quality": "overal_quality"})
    with pytest.raises(UnknownNameError, match="labelled dimension"):
        validate(judgments, labels, metrics={"qualty": "overall_quality"})


def test_without_a_scale_nothing_is_mapped(tmp_path):
    labels = labels_of(tmp_path, "item,clarity\na,-1.2\nb,0.3\nc,2.5\n", level="interval")
    judgments = [
        judgment(item, {"clarity": scored(value)}) for item, value in (("a", 0.1), ("b", 0.5), ("c", 0.9))
    ]
    found = validate(judgments, labels, settings=QUICK)
    row = found.dimensions["clarity"]
    assert (found.average.judge["mean"].value, found.average.as_person.value) == (None, None)
    assert row.alpha.value is None
    assert "--scale" in row.alpha.reason
    assert row.mean.corrected.value is None
    assert row.statistics["spearman"].value == 1


def test_binary_labels(tmp_path):
    rows = "".join(f"i{n},{person},{'yes' if n % 2 else 'no'}\n" for n in range(40) for person in "xyz")
    labels = labels_of(tmp_path, "item,annotator,supported\n" + rows)
    judgments = [
        judgment(f"i{n}", {"supported": scored(0.9 if n % 2 else 0.3)}, topic=f"t{n % 5}") for n in range(60)
    ]
    row = validate(judgments, labels, settings=QUICK).dimensions["supported"]
    assert row.onto.endswith("rounded to the nearest label")
    assert row.positive == "1 and above"
    for name in ("accuracy", "kappa", "f1", "mcc", "auroc"):
        assert row.statistics[name].value == 1
    assert row.statistics["base_rate"].value == 0.5
    assert row.share is not None
    assert row.share.naive.value == 0.5
    assert row.share.corrected.n == 20


def test_positive_from(tmp_path, rng):
    judgments, labels, _ = study(tmp_path, rng)
    plain = validate(judgments, labels, settings=QUICK).dimensions["clarity"]
    assert "--positive-from" in plain.statistics["auroc"].reason
    row = validate(judgments, labels, settings=QUICK.model_copy(update={"positive_from": 2.5})).dimensions[
        "clarity"
    ]
    assert 0.5 < row.statistics["auroc"].value <= 1


def test_a_majority_that_is_none_is_left_out(tmp_path):
    labels = labels_of(
        tmp_path,
        "item,annotator,kind\na,x,red\na,y,red\nb,x,red\nb,y,blue\nc,x,blue\nc,y,blue\n",
        level="nominal",
    )
    judgments = [
        judgment(item, {"kind": scored(1.0, label=word)})
        for item, word in zip("abc", ("red", "red", "blue"), strict=True)
    ]
    row = validate(judgments, labels, settings=QUICK).dimensions["kind"]
    assert (row.labelled, row.scored, row.compared) == (3, 3, 2)
    assert row.alpha.value == 1
    assert row.onto == "the judge's verdict in words"
    assert row.statistics["accuracy"].value == 1
    assert row.mean.corrected.value is None


def test_parts_meet_parts(tmp_path):
    labels = labels_of(
        tmp_path, "item,document,context_relevance\na,d1,0\na,d2,3\na,d9,1\nb,d1,2\n", scales=["0:3"]
    )
    judgments = [
        judgment(
            "a",
            {"context_relevance": scored(0.5, parts=(Part(id="d1", value=0.0), Part(id="d2", value=1.0)))},
        ),
        judgment("b", {"context_relevance": scored(0.5, parts=(Part(id="d1", value=0.7),))}, topic="u"),
    ]
    found = validate(judgments, labels, settings=QUICK)
    assert found.dimensions["context_relevance"].compared == 3
    assert found.join.unknown_parts == ["a [d9]"]


def test_missing_scores_are_counted_and_bounded(tmp_path, rng):
    judgments, labels, _ = study(tmp_path, rng, items=200, lost=0.2)
    found = validate(judgments, labels, settings=QUICK)
    row = found.dimensions["clarity"]
    lost = row.judged - row.scored
    assert row.reasons == {"refusal": lost}
    assert row.coverage == pytest.approx(1 - lost / 200)
    assert row.best_case - row.worst_case == pytest.approx(lost / 200)
    assert found.missing.reasons == {"refusal": found.missing.unscored}
    assert found.missing.associations[0].covariate == "topic"
    assert all(p is None or p > 0.01 for p in found.missing.p_holm)


def test_missing_where_people_say_it_is_bad_is_found(tmp_path, rng):
    judgments, labels, _ = study(tmp_path, rng, dimensions=("clarity",), items=120)
    means = labels.table("clarity", labels.units)[1].mean(axis=0)
    kept = [
        one.model_copy(update={"measures": {"clarity": Measure.missing(Reason.REFUSAL)}})
        if mean < 1.5
        else one
        for one, mean in zip(judgments, means, strict=True)
    ]
    found = validate(kept, labels, settings=QUICK)
    human = found.missing.associations[2]
    assert human.effect < 0.1
    assert found.missing.p_holm[2] < 0.01


def test_a_label_whose_item_has_no_score_stays_in_peoples_mean(tmp_path, rng):
    judgments, labels, _ = study(tmp_path, rng, dimensions=("clarity",), items=120)
    means = labels.table("clarity", labels.units)[1].mean(axis=0)
    kept = [
        one.model_copy(update={"measures": {"clarity": Measure.missing(Reason.REFUSAL)}})
        if mean < 1.5
        else one
        for one, mean in zip(judgments, means, strict=True)
    ]
    row = validate(kept, labels, settings=QUICK).dimensions["clarity"]
    assert row.mean.labels.value == pytest.approx((means.mean() - 1) / 2)
    assert (row.mean.labels.n, row.mean.naive.n) == (120, row.scored)
    assert row.mean.naive.value > row.mean.labels.value + 0.05


def test_the_judge_in_the_place_of_one_person(tmp_path, rng):
    """Against the mean of two a judge like a person reaches what a person does, and against that of three more."""
    judgments, labels, _ = study(tmp_path, rng, dimensions=("clarity",), items=300)
    row = validate(judgments, labels, settings=QUICK).dimensions["clarity"]
    table = labels.table("clarity", labels.units)[1]
    judge = np.array([1 + 2 * one.measures["clarity"].value for one in judgments])
    wanted = [
        krippendorff.alpha(
            reliability_data=np.array([judge, np.delete(table, place, axis=0).mean(axis=0)]),
            level_of_measurement="ordinal",
        )
        for place in range(3)
    ]
    assert row.as_person.value == pytest.approx(np.mean(wanted))
    assert row.as_person.low < row.person.value < row.as_person.high
    assert row.alpha.value > row.as_person.value + 0.01
    outcome = check_requirement(
        parse_requirement("as_person >= 0.2"), validate(judgments, labels, settings=QUICK)
    )
    assert outcome.met


def test_topics_without_a_label_are_none_that_intervals_rest_on(tmp_path, rng):
    judgments, labels, _ = study(tmp_path, rng, items=80, labelled=5)
    assert validate(judgments, labels, settings=QUICK).basis.clusters == 5


def test_steps_of_the_scale_that_nobody_uses_count(tmp_path):
    """Of 1 to 3 only 1 and 3 occur: F1 is that of both, and no longer of the higher one alone."""
    labels = labels_of(
        tmp_path, "item,clarity\n" + "".join(f"i{n},{1 + 2 * (n % 2)}\n" for n in range(8)), scales=["1:3"]
    )
    judgments = [judgment(f"i{n}", {"clarity": scored(float(n % 2 or n == 0))}) for n in range(8)]
    row = validate(judgments, labels, settings=QUICK).dimensions["clarity"]
    assert row.statistics["f1"].value == pytest.approx((6 / 7 + 8 / 9) / 2)


def test_few_labels_and_many_judgments(tmp_path, rng):
    judgments, labels, _ = study(tmp_path, rng, items=400, labelled=80, judge_noise=0.1, noise=0.1)
    row = validate(judgments, labels, settings=QUICK).dimensions["clarity"]
    assert (row.judged, row.labelled) == (400, 80)
    assert row.mean.naive.n == 400
    assert row.mean.power > 0.5
    assert row.mean.corrected.low < row.mean.corrected.value < row.mean.corrected.high


def test_replacing_a_person(tmp_path, rng):
    judgments, labels, _ = study(tmp_path, rng, judge_noise=0.1)
    good = validate(judgments, labels, settings=QUICK).dimensions["clarity"]
    assert good.alternative.passed
    judgments, labels, _ = study(tmp_path, rng, judge_noise=9)
    assert validate(judgments, labels, settings=QUICK).dimensions["clarity"].alternative.passed is False


def test_one_annotator(tmp_path):
    labels = labels_of(tmp_path, "item,clarity\na,1\nb,3\nc,2\n", scales=["1:3"])
    judgments = [
        judgment(item, {"clarity": scored(value)}) for item, value in (("a", 0), ("b", 1), ("c", 0.5))
    ]
    row = validate(judgments, labels, settings=QUICK).dimensions["clarity"]
    assert row.people.value is None
    assert "fewer than two people" in row.person.reason
    assert row.alternative.passed is None
    assert row.alpha.value == 1


def test_requirements(tmp_path, rng):
    judgments, labels, _ = study(tmp_path, rng)
    found = validate(judgments, labels, settings=QUICK)

    def outcome(text):
        return check_requirement(parse_requirement(text), found)

    assert outcome("alpha[overall_quality] >= 0.1").met
    assert outcome(" alpha [ Overall-Quality ]>=.1 ").met
    assert not outcome("alpha[overall_quality] >= 0.99").met
    assert outcome("alpha.low <= 0.9").met
    assert outcome("alpha.high[clarity] > -1").met
    assert outcome("coverage >= 1").met
    assert outcome("coverage[clarity] >= 1").met
    assert outcome("accuracy[clarity] < 1").value == found.dimensions["clarity"].statistics["accuracy"].value
    assert outcome("winning_rate[clarity] >= 0").met
    unmet = outcome("auroc[clarity] >= 0")
    assert not unmet.met
    assert "positive" in unmet.reason
    with pytest.raises(UnknownNameError, match="validated dimension"):
        outcome("alpha[cogency] >= 0")


@pytest.mark.parametrize(
    "text",
    [
        "", "alpha", "alpha >= ", "alpha = 1", "alpha >= nan", "__import__('os').system('x') >= 1", "alpha[x] >= 1; 1",
        "alpha[x] >= 1 or True", "0.4 <= alpha", "alpha >= 1e9e9", "kappa >= 0.3", "coverage.low >= 1", "beta[x] >= 1",
        "alpha[" + "x" * 500 + "] >= 1",
    ],
)  # fmt: skip
def test_requirements_that_cannot_be_read(text):
    with pytest.raises(DeclarationError):
        parse_requirement(text)


def test_the_page_escapes_what_comes_from_files(tmp_path):
    labels = labels_of(tmp_path, "item,<script>|x\na,1\nb,2\n", scales=["1:3"])
    name = labels.dimensions[0]
    judgments = [judgment(item, {name: scored(0.5)}, model="<b>m|`") for item in "ab"]
    page = validation_sheet(validate(judgments, labels, settings=QUICK)).markdown()
    assert "<script>" not in page
    assert "<b>" not in page


def test_people_among_themselves(tmp_path, rng):
    _, labels, _ = study(tmp_path, rng)
    found = people_agreement(labels, settings=Settings())
    assert [row.name for row in found.rows] == ["clarity", "overall_quality"]
    assert found.average.value == found.rows[0].alpha.value
    assert found.together.n == 160
    assert sum(found.rows[0].values.values()) == 240
    json.loads(found.model_dump_json())
    with pytest.raises(DeclarationError, match="no topics"):
        people_agreement(labels, by="topic")


def test_people_by_topic(tmp_path):
    text = "item,topic,annotator,clarity\n" + "".join(
        f"i{n},t{n % 2},{person},{1 + (n % 3 if person == 'x' or n % 2 else 0)}\n"
        for n in range(12)
        for person in "xy"
    )
    found = people_agreement(labels_of(tmp_path, text), by="topic", settings=Settings())
    assert [row.name for row in found.rows] == ["t0", "t1"]
    assert found.rows[1].alpha.value == 1
    assert found.rows[0].alpha.value < 0.5
    assert found.basis.clustered_by == "topic"


def test_two_judges(tmp_path, rng):
    good, labels, _ = study(tmp_path, rng, judge_noise=0.1)
    spoiled = rng.permutation(len(good))
    bad = [
        one.model_copy(update={"measures": good[place].measures, "fingerprint": "bad"})
        for one, place in zip(good, spoiled, strict=True)
    ]
    found = compare_judges({"good": good, "bad": bad}, labels, settings=Settings())
    row = found.dimensions["clarity"]
    (pair,) = row.pairs
    one, other = row.judges["good"], row.judges["bad"]
    assert pair.difference.low > 0
    assert pair.difference.value == pytest.approx(one.alpha.value - other.alpha.value)
    assert one.error < other.error
    assert pair.p < 0.01
    assert found.average.pairs[0].difference.low > 0
    same = compare_judges({"a": good, "b": good}, labels, settings=Settings()).dimensions["clarity"]
    assert same.pairs[0].difference.value == 0
    assert same.pairs[0].p == 1


def test_two_judges_are_compared_on_what_both_scored(tmp_path, rng):
    good, labels, _ = study(tmp_path, rng)
    lossy, _, _ = study(tmp_path, np.random.default_rng(0), lost=0.3)
    found = compare_judges({"good": good, "lossy": lossy}, labels, settings=Settings())
    row = found.dimensions["clarity"]
    assert row.judges["good"].scored == 80
    assert row.units == row.judges["lossy"].scored < 80
    assert found.lost == {"lossy": sum(80 - one.units for one in found.dimensions.values())}
    assert math.isfinite(row.pairs[0].difference.value)
