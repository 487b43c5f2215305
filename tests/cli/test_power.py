"""``conqret judges power``: plans from assumptions and from a pilot, as a table and a picture."""

import json
from pathlib import Path

import numpy as np
import pytest

from conqret.data import Judgment, Measure, Status, Version
from conqret.errors import DeclarationError, UnknownNameError
from conqret.studies.power.pilot import between_runs, of_versions
from tests.reliability.cards import write_gold

ROOT = Path(__file__).parents[2]
QUICK = ("--topics", "8,4", "--items", "2", "--simulations", "20")


def test_a_plan_from_assumptions(cli, tmp_path):
    picture = tmp_path / "power.svg"
    done = cli("judges", "power", "difference", *QUICK, "--shift", "0.5", "-o", picture)
    assert done.code == 0
    said = " ".join(done.out.split())
    assert "fewer than six topics there is no test" in said
    assert "8 topics with 2 items each, 16 items in all (power 1.00" in said
    assert picture.read_text(encoding="utf-8").startswith("<svg")
    assert "8 topics with 2 items each" in picture.read_text(encoding="utf-8")
    again = cli("judges", "power", "curve", *QUICK, "--shift", "0.5", "--json")
    first, second = json.loads(again.out)
    assert (first["topics"], first["power"]) == (8, 1.0)
    assert second["power"] is None
    assert first["half_width"] < second["half_width"]


def test_a_plan_from_a_pilot(cli, tmp_path):
    run = tmp_path / "run"
    judged = cli(
        "judge", ROOT / "fixtures/demo/items.jsonl", "-f", "listwise", "--metric", "clarity", "-o", run, "-q"
    )
    assert judged.code == 0
    labels = write_gold(tmp_path / "labels.csv", people=2)
    asked = (
        "judges",
        "power",
        "agreement",
        "--dimension",
        "clarity",
        "--pilot",
        run,
        "--labels",
        labels,
        *QUICK,
    )
    planned = cli(*asked, "--scale", "1:3", "--json")
    assert planned.code == 0
    assert "24 items of 12 topics" in planned.err
    assert [entry["topics"] for entry in json.loads(planned.out)] == [8, 4]
    unscaled = cli(*asked)
    assert unscaled.code == 2
    assert "--scale" in unscaled.err


@pytest.fixture(scope="module")
def pilots(tmp_path_factory):
    """A run of damage, one of probes and two of judgments, in which scores stray by .05 or .1 on twelve topics."""
    folder = tmp_path_factory.mktemp("pilots")
    rng = np.random.default_rng(3)

    def judgment(item, value, version=None):
        return Judgment(
            item=item, topic=f"t{item.partition('-')[0]}", stance="pro", format="direct", model="m",
            fingerprint="f", measures={"clarity": Measure(status=Status.SCORED, value=value)}, version=version,
        )  # fmt: skip

    names = [f"{topic}-{number}" for topic in range(12) for number in range(2)]
    plain = [judgment(name, 0.5) for name in names]
    damaged = [
        judgment(
            f"{name}~{level}",
            float(np.clip(0.5 - level / 200 + 0.05 * rng.normal(), 0, 1)),
            Version(original=name, perturbation="irrelevant", level=level, seed=1),
        )
        for name in names
        for level in (25, 50)
    ]
    even = [
        judgment(f"{name}+", 0.6, Version(original=name, perturbation="padding", level=5, seed=1))
        for name in names
    ]
    return plain, damaged, even, folder


def test_a_pilot_of_damage_gives_its_spread_and_not_its_fall(pilots):
    plain, damaged, even, _ = pilots
    versions = of_versions([*plain, *damaged, *even], ["f"], "irrelevant", "clarity")
    assert len(versions.values) == 24
    assert len(set(versions.topics)) == 12
    assert sum(versions.values) == pytest.approx(0)
    last = {
        judgment.version.original: judgment.value("clarity")
        for judgment in damaged
        if judgment.version.level == 50
    }
    expected = np.array(
        [last[one.item] - 0.5 for one in plain]
    )  # of three points the line's rise is last - first
    assert versions.values == pytest.approx((expected - expected.mean()).tolist())
    with pytest.raises(DeclarationError, match=r"differ by \+0.100"):
        of_versions([*plain, *even], ["f"], "padding", "clarity")
    with pytest.raises(DeclarationError, match="from 2 judges"):
        of_versions(plain, ["f", "g"], "irrelevant", "clarity")
    with pytest.raises(UnknownNameError, match="flip"):
        of_versions([*plain, *damaged], ["f"], "flip", "clarity")
    with pytest.raises(UnknownNameError, match="of the pilot"):
        of_versions(plain, ["f"], "irrelevant", "credibility")
    with pytest.raises(DeclarationError, match="at every level"):
        of_versions(damaged, ["f"], "irrelevant", "clarity")


def test_a_pilot_of_two_runs_is_paired(pilots):
    plain, damaged, _, _ = pilots
    other = [
        judgment.model_copy(update={"item": judgment.version.original})
        for judgment in damaged
        if judgment.version.level == 25
    ]
    found = between_runs(plain, other[:-3], "clarity")
    assert len(found.values) == 21
    assert sum(found.values) == pytest.approx(0)
    with pytest.raises(DeclarationError, match="in both runs"):
        between_runs(plain, damaged, "clarity")


def test_power_of_a_probe_and_a_difference_from_runs(cli, tmp_path):
    items = ROOT / "fixtures/demo/items.jsonl"
    probes = tmp_path / "probes"
    judge = ("--format", "rag-fine-grained", "--metric", "overall-quality")
    assert cli("bias", items, *judge, "--probe", "injection", "-o", probes, "-q").code == 0
    asked = (
        "judges",
        "power",
        "probe",
        "--rows",
        "3",
        *QUICK,
        "--pilot",
        probes,
        "--perturbation",
        "no-such",
    )
    refused = cli(*asked, "--metric", "overall-quality")
    assert refused.code == 2
    assert "of the pilot" in refused.err
    assert "must be given together" in cli(*asked).err
    few, many = (
        json.loads(cli("judges", "power", "probe", "--rows", rows, *QUICK, "--json").out)
        for rows in ("2", "60")
    )
    assert few[0]["power"] > many[0]["power"]
    assert few[1]["power"] is None


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (("--topics", "x"), "--topics is a list of whole numbers"),
        (("--topics", "inf"), "--topics is a list of whole numbers"),
        (("--items", "0"), "--items is a list of whole numbers"),
        (("--alpha", "1"), "inside (-1, 1)"),
        (("--pilot", "runs/x"), "--pilot and --labels must be given together"),
    ],
)
def test_what_cannot_be_planned(cli, tmp_path, more, message):
    done = cli("judges", "power", "agreement", *more, "-o", tmp_path / "x.svg")
    assert done.code == 2
    assert message in " ".join(done.err.split())
    assert not (tmp_path / "x.svg").exists()


def test_the_page_marks_the_smallest_plan_that_is_narrow_enough(cli, tmp_path):
    pages = {name: tmp_path / f"{name}.html" for name in ("wide", "narrow", "tested")}
    asked = ("judges", "power", "agreement", "--topics", "8,20", "--items", "2", "--simulations", "20")
    wide, narrow = (
        cli(*asked, "--half-width", most, "-o", page)
        for most, page in (("0.9", pages["wide"]), ("0.01", pages["narrow"]))
    )
    assert "has 8 topics with 2 items each, 16 items in all" in " ".join(wide.out.split())
    assert "Smallest plan: 8 topics with 2 items each" in pages["wide"].read_text(encoding="utf-8")
    assert "No simulated plan has" in narrow.out
    assert "Smallest plan" not in pages["narrow"].read_text(encoding="utf-8")
    tested = cli(
        "judges", "power", "curve", *QUICK, "--shift", "0.5", "--half-width", "0.9", "-o", pages["tested"]
    )
    assert "no wider than ±0.9" in " ".join(tested.out.split())
    assert "4 topics with 2 items each" in pages["tested"].read_text(encoding="utf-8")
    assert cli(*asked, "--half-width", "0").code == 2


def test_drift_and_bias_have_pages_of_their_plan(cli, tmp_path):
    drift, bias = tmp_path / "drift.html", tmp_path / "bias.html"
    watched = ("--shift", "0.2", "--topics", "6", "--items", "1", "--waves", "8", "--after", "5")
    assert "6 topics with 1 item each" in cli("judges", "power", "drift", *watched, "-o", drift).out
    planned = cli(
        "judges", "power", "bias", "--topics", "6", "--items", "2", "--simulations", "20", "-o", bias
    )
    assert planned.code == 0
    for page in (drift, bias):
        assert "conqret</b> power" in page.read_text(encoding="utf-8")
