"""Labels of two values in a validation: the figures, the sentence, the guard and the gate of ``conqret check``."""

import numpy as np
import pytest
from sklearn.metrics import brier_score_loss

import conqret
from conqret.show import words
from conqret.studies.validate.page import validation_answer, validation_page
from conqret.studies.validate.result import Validation, validate
from conqret.studies.validate.validate import check_requirement, parse_requirement
from tests.studies.judged import judgment, labels_of, scored

BLOCKS = ((16, 0.2, "fail"), (14, 0.6, "fail"), (5, 0.4, "pass"), (65, 1.0, "pass"))
"""How many items have which score and label: TNR 16/30, TPR 65/70."""


def items_with(blocks):
    """Score and label of each item."""
    return [(score, label) for n, score, label in blocks for _ in range(n)]


def validated(tmp_path, labeled, unlabeled, *, column="supported", kinds=(), **settings):
    """The validation of a judge with these labels, and these scores on unlabeled items."""
    text = "".join(f"i{n},{label}\n" for n, (_, label) in enumerate(labeled))
    labels = labels_of(tmp_path, f"item,{column}\n{text}", **dict(kinds))
    scores = [*(score for score, _ in labeled), *unlabeled]
    judgments = [judgment(f"i{n}", {"supported": scored(s)}, topic=f"t{n}") for n, s in enumerate(scores)]
    return validate(judgments, labels, **settings), text, scores


ALL = items_with(BLOCKS)
ALIKE = [0.2] * 21 + [0.8] * 79


def test_labels_of_two_values_have_the_figures_of_check(tmp_path):
    found, text, scores = validated(tmp_path, ALL, ALIKE)
    row = found.dimensions["supported"]
    labels = [line.split(",")[1] for line in text.split()] + [""] * len(ALIKE)
    rows = [
        {"judge": "pass" if s >= 0.5 else "fail", "human": label}
        for s, label in zip(scores, labels, strict=True)
    ]
    checked = conqret.check(rows)
    assert row.pass_fail.figures == {name: checked.figure(name) for name in row.pass_fail.figures}
    assert row.statistics["kappa"] == checked.kappa
    assert row.pass_fail.answer == checked.answer == validation_answer(found)[0]
    assert checked.answer.startswith("The judge lets 14 of 30 failures pass (47%) and fails 5 of 70 good")
    assert row.pass_fail.confusion == ((16, 14), (5, 65))
    assert (len(row.false_passes), row.false_failures) == (14, [f"i{n}" for n in range(30, 35)])
    assert Validation.model_validate_json(found.model_dump_json()) == found
    page = validation_page(found).markdown()
    assert "Catches failures (TNR)" in page
    assert "Mean human label over all judged items" not in page


@pytest.mark.parametrize(
    ("words", "kinds", "passes"),
    [
        (("0", "1"), {"scales": ["0:1"]}, True),
        (("2", "3"), {"scales": ["2:3"]}, True),
        (("bad", "fine"), {"words": ["bad=0,fine=1"]}, True),
        (("unsupported", "supported"), {}, True),
        (("1", "2"), {"scales": ["1:3"]}, False),
    ],
)
def test_which_labels_are_pass_and_fail(tmp_path, words, kinds, passes):
    labeled = [(score, words[label == "pass"]) for score, label in ALL]
    row = validated(tmp_path, labeled, [], kinds=kinds)[0].dimensions["supported"]
    assert (row.pass_fail is not None) == passes
    if passes:
        assert row.pass_fail.figures["tnr"].value == pytest.approx(16 / 30)
        assert row.pass_fail.passing == "a score of 0.5 or more is a pass"


def test_of_words_without_an_order_the_word_says_what_passes(tmp_path):
    text = "".join(f"i{n},{'unsupported' if n < 10 else 'supported'}\n" for n in range(30))
    labels = labels_of(tmp_path, f"item,supported\n{text}", level="nominal")
    judged = [scored(0.5, label="supported" if n >= 5 else "unsupported") for n in range(30)]
    judgments = [judgment(f"i{n}", {"supported": one}, topic=f"t{n}") for n, one in enumerate(judged)]
    row = validate(judgments, labels).dimensions["supported"]
    assert row.pass_fail.passing == '"supported" is a pass'
    assert row.pass_fail.confusion == ((5, 5), (0, 20))


@pytest.mark.parametrize("scales", [["0:1"], ["1:3"]])
def test_items_that_are_no_random_sample_claim_nothing_until_it_is_stated(tmp_path, scales):
    """30 labels of each verdict, of items of which nine in ten pass."""
    high, low = ("1", "0") if scales == ["0:1"] else ("3", "1")
    blocks = ((20, 0.0, low), (10, 0.0, high), (3, 1.0, low), (27, 1.0, high))
    args = (tmp_path, items_with(blocks), [0.0] * 10 + [1.0] * 240)
    found = validated(*args, kinds={"scales": scales})[0]
    row = found.dimensions["supported"]
    assert found.guard.fired
    assert validation_answer(found)[0].startswith("The 60 labeled rows are not a random sample: the judge")
    assert row.mean.naive.value is not None
    assert row.mean.corrected.value is row.mean.labels.value is None
    assert row.alpha.value is not None
    stated = validated(*args, kinds={"scales": scales}, drawn_by="verdict")[0].dimensions["supported"]
    truth = (40 * 10 / 30 + 270 * 0.9) / 310
    assert stated.mean.corrected.value == pytest.approx(truth, abs=0.01)
    by_label = validated(*args, kinds={"scales": scales}, drawn_by="label")[0].dimensions["supported"]
    assert "drawn by label" in by_label.mean.corrected.reason
    if scales == ["0:1"]:
        assert row.pass_fail.usable == "not claimed"
        assert stated.pass_fail.figures["corrected"].value == pytest.approx(truth, abs=0.01)
        assert stated.pass_fail.figures["tpr"].value == pytest.approx(
            270 * 0.9 / (270 * 0.9 + 40 / 3), abs=0.01
        )


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("recall[supported] >= 0.9", "met"),
        ("tnr.low[supported] >= 0.4", "undecided"),
        ("alpha.low >= 0.45", "undecided"),
    ],
)
def test_requirements_are_those_of_check(tmp_path, text, status):
    outcome = check_requirement(parse_requirement(text), validated(tmp_path, ALL, ALIKE)[0])
    assert outcome.status == status, outcome
    assert bool(outcome.labels) == (status == "undecided" and "alpha" not in text)


def test_probabilities_of_a_model_have_brier_score_and_calibration_error(tmp_path):
    """Those of a decision model; a score that a model writes is none."""
    rng = np.random.default_rng(4)
    said = rng.random(120).round(3).tolist()
    text = "".join(f"i{n},{'pass' if rng.random() < one else 'fail'}\n" for n, one in enumerate(said))
    labels = labels_of(tmp_path, f"item,supported\n{text}")
    for method in ("probabilities", None):
        judgments = [
            judgment(f"i{n}", {"supported": scored(one, method=method)}, topic=f"t{n}")
            for n, one in enumerate(said)
        ]
        found = validate(judgments, labels)
        figures, page = found.dimensions["supported"].pass_fail.figures, validation_page(found).markdown()
        assert ("brier" in figures) == ("Probabilities of a pass" in page) == (method is not None)
        if method:
            human = ["pass" in line for line in text.split()]
            assert figures["brier"].value == pytest.approx(brier_score_loss(human, said))
            assert "(ECE), within noise: a perfectly calibrated judge would show about 0.0" in page


def test_probabilities_of_levels_have_a_ranked_probability_score(tmp_path):
    rng, levels = np.random.default_rng(5), range(1, 6)
    shares = rng.dirichlet(np.ones(5), 60)
    text = "".join(f"i{n},{rng.choice(levels, p=row)}\n" for n, row in enumerate(shares))
    labels = labels_of(tmp_path, f"item,clarity\n{text}", scales=["1:5"])
    for kept in (True, False):
        judgments = [
            judgment(f"i{n}", {"clarity": _levels(row if kept else None, row)}, topic=f"t{n}")
            for n, row in enumerate(shares)
        ]
        found = validate(judgments, labels)
        figures, page = found.dimensions["clarity"].probabilities, validation_page(found).markdown()
        assert bool(figures) == ("Probabilities of levels" in page) == kept
        assert Validation.model_validate_json(found.model_dump_json()) == found
        outcome = check_requirement(parse_requirement("rps[clarity] < 0.2"), found)
        assert outcome.status == ("met" if kept else "not met"), outcome
        if kept:
            assert figures["rps"].value < figures["rps_constant"].value
            assert figures["calibration_error"].value < figures["calibration_noise"].high


def _levels(shares, expected):
    given = {} if shares is None else dict(zip("12345", shares.tolist(), strict=True))
    value = float(expected @ np.linspace(0, 1, 5))
    return scored(value, method="probabilities").model_copy(update={"distribution": given})


def test_where_lower_is_better_the_higher_label_is_the_failure(tmp_path):
    """16 claims are found, 14 are not, 5 answers are failed for nothing."""
    metric = "hallucination"
    text = "".join(f"i{n},{int(label == 'fail')},1\n" for n, (_, label) in enumerate(ALL))
    labels = labels_of(tmp_path, f"item,{metric},answered\n{text}", scales=["0:1"])
    judgments = [
        judgment(f"i{n}", {metric: scored(1 - score), "answered": scored(1.0)}, topic=f"t{n}")
        for n, (score, _) in enumerate(ALL)
    ]
    found = validate(judgments, labels)
    row = found.dimensions[metric].pass_fail
    assert row.confusion == ((16, 14), (5, 65))
    assert row.passing == "a score below 0.5 is a pass"
    assert row.figures["judge_mean"].value == pytest.approx(79 / 100)
    assert "lets 14 of 30 failures pass (47%) and fails 5 of 70 good" in row.answer
    assert len(found.dimensions[metric].false_passes) == 14
    for text, met in ((f"tnr[{metric}] <= 0.7", True), (f"tpr.low[{metric}] >= 0.8", True)):
        assert check_requirement(parse_requirement(text), found).met == met
    page = validation_page(found).markdown()
    name = words.label(metric).lower()
    assert "Of the judge, a score of 0.5 or more is a pass; of annotators, the higher label. On " in page
    assert f"On {name}, where lower is better, a score below 0.5 and the lower label are passes." in page
