"""When a judge abstains: the thresholds that are found, the file of them, and what becomes of judgments."""

import numpy as np
import pytest

from conqret.data import Reason, Status
from conqret.errors import DeclarationError, UnknownNameError
from conqret.io.labels import read_labels
from conqret.studies.abstain.fit_abstention import abstain
from conqret.studies.abstain.page import (
    abstention_remarks,
)
from tests.studies.judged import judgment, scored, study


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("abstention")


@pytest.fixture(scope="module")
def seen(folder):
    """A judge that says how sure it is, and is wrong where it is not: half of the time, and else by a twentieth."""
    rng = np.random.default_rng(1)
    rows, judgments = ["item,dimension,annotator,value"], []
    for number in range(300):
        label = int(rng.integers(1, 4))
        sure = float(rng.random())
        off = rng.random() < (0.05 if sure > 0.5 else 0.6)
        said = (label % 3 + 1 if off else label) - 1
        measures = {
            name: scored(said / 2, confidence={"logprobs": sure, "odd": 0.5})
            for name in ("clarity", "cogency")
        }
        judgments.append(judgment(f"i{number}", measures, topic=f"topic {number % 15}"))
        rows += [f"i{number},{name},ann,{label}" for name in ("clarity", "cogency")]
    file = folder / "labels.csv"
    file.write_text("\n".join(rows) + "\n", encoding="utf-8")
    return judgments, read_labels(file, scales=["1:3"])


@pytest.fixture(scope="module")
def found(seen):
    return abstain(*seen)


def test_the_threshold_parts_what_is_right_from_what_is_not(found):
    row = found.found["clarity"]
    assert (row.units, row.topics, row.unsaid) == (300, 15, 0)
    assert found.source == "logprobs"  # the first that is known by name
    assert row.wrong.value == pytest.approx(0.32, abs=0.05)
    assert found.rules["clarity"] == row.threshold
    assert 0.3 < row.threshold < 0.6
    assert row.chosen.error.value <= 0.2
    assert row.chosen.error.high <= 0.25
    assert row.constant == pytest.approx(row.wrong.value * (1 - row.wrong.value))


def test_unsure_is_unscored_and_never_0(found, seen):
    threshold = found.rules["clarity"]
    at = judgment("x", {"clarity": scored(0.5, confidence={"logprobs": threshold})})
    assert found.apply_to(at) is at
    below = judgment(
        "x",
        {"clarity": scored(0.5, confidence={"logprobs": threshold - 1e-6}, raw=2.0), "other": scored(0.1)},
    )
    left = found.apply_to(below)
    assert left.measures["other"].value == 0.1  # no rule, and as it was
    unsure = left.measures["clarity"]
    assert (unsure.status, unsure.reason, unsure.value, unsure.raw) == (
        Status.UNSCORED,
        Reason.UNSURE,
        None,
        None,
    )
    assert "would be 0.500" in unsure.detail
    assert unsure.confidence["logprobs"] == pytest.approx(threshold, abs=1e-5)
    silent = found.apply_to(judgment("x", {"clarity": scored(0.5)}))
    assert "no confidence (logprobs)" in silent.measures["clarity"].detail


def test_labels_say_how_their_items_were_drawn(seen, folder):
    """With one chance for all, nothing has to be said; with several, no promise can be made."""
    header, *rows = (folder / "labels.csv").read_text(encoding="utf-8").splitlines()
    for chances, fits in (((0.5, 0.5), True), ((0.25, 0.5), False)):
        lines = [f"{row},{chances[int(row.split(',')[0][1:]) % 2]}" for row in rows]
        file = folder / "drawn.csv"
        file.write_text("\n".join([f"{header},inclusion_probability", *lines]), encoding="utf-8")
        labels = read_labels(file, scales=["1:3"])
        if fits:
            assert list(abstention_remarks(abstain(seen[0], labels))) == []
            continue
        with pytest.raises(DeclarationError, match=r"inclusion_probability from 0\.25 to 0\.5"):
            abstain(seen[0], labels)


def test_what_cannot_be_fitted_says_why(seen, found, folder):
    judgments, labels = seen
    with pytest.raises(DeclarationError, match="judged with --abstain"):
        abstain([found.apply_to(one) for one in judgments], labels)
    plain, plain_labels, _ = study(folder, np.random.default_rng(2), items=30)
    with pytest.raises(DeclarationError, match="--samples 5"):
        abstain(plain, plain_labels)
    with pytest.raises(UnknownNameError, match="samples"):
        abstain(judgments, labels, source="samples")
    for wrong in ({"error": 0}, {"error": 1.5}, {"tolerance": -1}):
        with pytest.raises(DeclarationError, match=next(iter(wrong))):
            abstain(judgments, labels, **wrong)
