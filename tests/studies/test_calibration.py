"""A judge's scores mapped onto people's scale, on topics that the map has not seen."""

import re
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from conqret.data import Item
from conqret.errors import DeclarationError
from conqret.stats.agreement import krippendorff_alpha
from conqret.stats.confidence import FOLDS
from conqret.stats.jackknife import JackknifedEstimate
from conqret.studies.agreement.agreement_settings import AgreementSettings
from conqret.studies.agreement.judge_baselines import baseline_sentences
from conqret.studies.agreement.label_join import DimensionView, join_labels
from conqret.studies.calibrate.calibration_maps import CalibrationSample, fit_maps
from conqret.studies.calibrate.fit_calibration import calibrate
from conqret.studies.calibrate.result import Calibration
from conqret.studies.validate.result import validate
from tests.studies.judged import judgment, scored, study


class Made(CalibrationSample):
    """Made-up scores that say something of the target."""

    def __init__(self, rng, topics=8, items=3):
        n = topics * items
        worth = np.repeat(rng.normal(size=topics) * 0.1, items) + rng.normal(size=n) * 0.15
        self.score = np.clip(0.5 + worth + rng.normal(size=n) * 0.25, 0, 1)
        self.target = np.clip(0.5 + worth + rng.normal(size=n) * 0.1, 0, 1)
        self.known = np.full(n, True)
        self.fold = np.repeat(np.arange(topics) % FOLDS, items)
        names = [int(topic) for topic in np.repeat(np.arange(topics), items)]
        self.view = SimpleNamespace(
            target=self.target,
            scale=SimpleNamespace(level="interval"),
            on_labels=lambda values: values,
            clusters_of=lambda units: [names[place] for place in np.flatnonzero(units)],
        )


def test_a_fold_has_no_part_in_the_choice_of_its_kind():
    """Labels of one fold turned upside down change the maps of all others, and neither its own nor their kinds."""
    seen = Made(np.random.default_rng(3))
    before = fit_maps(seen)
    for fold in range(FOLDS):
        turned = Made(np.random.default_rng(3))
        turned.target[:] = np.where(turned.fold == fold, 1 - turned.target, turned.target)
        after = fit_maps(turned)
        assert after.chosen_maps[1 + fold] == before.chosen_maps[1 + fold]
        assert after.chosen_maps[0] != before.chosen_maps[0] or after.chosen_maps[0].kind == "as-is"


def squeezed(judgments, power=3.0):
    """The same judge with a scale of its own: it gives what people give, to a power, and never leaves [0, 0.5]."""
    return [
        one.model_copy(
            update={
                "measures": {
                    name: scored(0.5 * measure.value**power) for name, measure in one.measures.items()
                }
            }
        )
        for one in judgments
    ]


@pytest.fixture(scope="module")
def seen(tmp_path_factory):
    folder = tmp_path_factory.mktemp("calibration")
    judgments, labels, _ = study(folder, np.random.default_rng(1), items=120)
    items = [Item(id=one.item, topic=one.topic, argument="x" * (5 + len(one.item))) for one in judgments]
    return squeezed(judgments), labels, items, judgments


@pytest.fixture(scope="module")
def found(seen):
    judgments, labels, items, _ = seen
    return calibrate(judgments, labels, items=items)


def test_a_scale_of_its_own_is_mended_out_of_sample(seen, found):
    row = found.checked["clarity"]
    assert row.units == 120
    assert row.alpha["calibrated"].value > row.alpha["mean"].value + 0.2
    assert row.gain.low > 0
    assert row.error["calibrated"].value < row.error["mean"].value
    assert row.over["constant"].low > 0
    assert row.over["length"].low > 0
    strayed = {
        name: max(abs(one.said.value - one.people.value) for one in found.bands[name]) for name in found.bands
    }
    assert strayed["calibrated"] < 0.15 < 0.3 < strayed["mean"]


def test_a_topic_has_no_part_in_its_own_map(seen, found):
    judgments, labels, _, _ = seen
    beside = validate(judgments, labels, calibration=found)
    assert beside.dimensions["clarity"].variants["calibrated"] == found.checked["clarity"].alpha["calibrated"]
    assert beside.average.judge["calibrated"].value == pytest.approx(
        found.checked["clarity"].alpha["calibrated"].value
    )
    elsewhere = [one.model_copy(update={"topic": f"new {one.topic}"}) for one in judgments]
    assert (
        validate(elsewhere, labels, calibration=found).dimensions["clarity"].variants["calibrated"]
        != found.checked["clarity"].alpha["calibrated"]
    )  # topics that it was not fitted on get the map of all labels


def test_intervals_fit_the_maps_again_without_each_topic(seen, found):
    """The jackknife of the whole procedure, the choice of kinds included, done by hand; with maps from other
    labels nothing is fitted again."""
    judgments, labels, _, _ = seen
    joined = join_labels(judgments, labels)
    sample = CalibrationSample(DimensionView(joined, "clarity", AgreementSettings()), found.folds)
    topics = np.array(sample.view.clusters)
    errors = fit_maps(sample).errors

    def alpha(kept):
        said = fit_maps(sample, kept, errors).calibrated
        return krippendorff_alpha([1 + 2 * said[kept], 1 + 2 * sample.target[kept]], "ordinal")

    without = np.array([alpha(topics != topic) for topic in dict.fromkeys(topics.tolist())])
    row = found.checked["clarity"].alpha["calibrated"]
    by_hand = JackknifedEstimate(
        alpha(np.full(len(topics), True)), without, np.full(10, True), 120, scale="correlation"
    )
    ends = by_hand.estimate()
    assert (row.low, row.high) == pytest.approx((ends.low, ends.high), abs=1e-12)

    other = replace(labels, labels=labels.labels[3:])
    fixed = validate(judgments, other, calibration=found).dimensions["clarity"].variants["calibrated"]
    assert fixed.high - fixed.low < 0.8 * (row.high - row.low)


def test_noise_gains_nothing(tmp_path):
    judgments, labels, _ = study(tmp_path, np.random.default_rng(4), dimensions=("clarity",))
    rng = np.random.default_rng(5)
    noise = [judgment(one.item, {"clarity": scored(rng.random())}, topic=one.topic) for one in judgments]
    row = calibrate(noise, labels).checked["clarity"]
    assert row.alpha["calibrated"].value < 0.15
    assert "length" not in row.alpha  # no items, no length
    assert any("a constant" in text for text in baseline_sentences({"clarity": row.over}))


def test_the_file_is_read_again_and_checked(found, seen, tmp_path):
    file = tmp_path / "calibration.json"
    text = found.model_dump_json()
    file.write_text(text, encoding="utf-8")
    assert Calibration.read(file) == found
    outdated = text.replace("conqret.calibration/4", "conqret.calibration/3")
    for broken in ("", "{}", outdated, re.sub('"kind":"[a-z]*"', '"kind":"magic"', text)):
        file.write_text(broken, encoding="utf-8")
        with pytest.raises(DeclarationError, match=r"calibration\.json"):
            Calibration.read(file)
    other = [one.model_copy(update={"fingerprint": "other"}) for one in seen[0]]
    with pytest.raises(DeclarationError, match="make one for this judge"):
        validate(other, seen[1], calibration=found)


def test_what_cannot_be_calibrated(tmp_path, seen):
    judgments, labels, _ = study(tmp_path, np.random.default_rng(2), dimensions=("clarity",), items=20)
    few = [one for one in judgments if one.topic in {f"topic {number}" for number in range(5)}]
    with pytest.raises(DeclarationError, match="5 topics, and 6 are needed"):
        calibrate(few, labels)
    with pytest.raises(DeclarationError, match="2 judge configurations"):
        calibrate([*judgments, judgment("y", judgments[0].measures, fingerprint="g")], labels)


def test_a_judge_that_labels_as_people_do_stays_as_it_is(seen):
    _, labels, _, honest = seen
    found = calibrate(honest, labels)
    assert found.maps["clarity"].kinds == "as-is"
    assert found.checked["clarity"].gain.value == 0
    new = honest[0].model_copy(update={"topic": "a new one"})
    assert found.calibrated(new)[("clarity", None)] == honest[0].value("clarity")
