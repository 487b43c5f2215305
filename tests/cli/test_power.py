"""``conqret judges power``: plans from assumptions and from a pilot, as a table and a picture."""

import json
from pathlib import Path

import numpy as np
import pytest

from conqret.data import Judgment, Measure, Status
from conqret.errors import DeclarationError, UnknownNameError
from conqret.studies.power.sample_sizes import between_runs

ROOT = Path(__file__).parents[2]
QUICK = ("--topics", "8,4", "--items", "2", "--simulations", "20")


def test_a_plan_from_assumptions(cli, tmp_path):
    picture = tmp_path / "power.svg"
    command = ("judges", "power", "--for", "difference", *QUICK, "--effect", "0.5")
    done = cli(*command, "-o", picture)
    assert done.code == 0
    said = " ".join(done.out.split())
    assert "fewer than six topics there is no test" in said
    assert "8 topics with 2 items each, 16 items in all (power 1.00" in said
    drawn = picture.read_text(encoding="utf-8")
    assert drawn.startswith("<svg")
    assert "8 topics with 2 items each" in drawn
    first, second = json.loads(cli(*command, "--json").out)
    assert (first["topics"], first["power"]) == (8, 1.0)
    assert second["power"] is None
    assert first["half_width"] < second["half_width"]


def test_a_pilot_of_two_runs_is_paired():
    rng = np.random.default_rng(3)

    def judgments(shift, spread):
        return [
            Judgment(
                item=f"{topic}-{number}",
                topic=f"t{topic}",
                stance="pro",
                format="direct",
                model="m",
                fingerprint="f",
                measures={
                    "clarity": Measure(status=Status.SCORED, value=0.5 + shift + spread * rng.uniform())
                },
            )
            for topic in range(12)
            for number in range(2)
        ]

    plain = judgments(0, 0)
    values, topics = between_runs(plain, judgments(0.1, 0.2)[:-3], "clarity")
    assert len(values) == 21
    assert len(set(topics)) == 11
    assert sum(values) == pytest.approx(0)
    with pytest.raises(DeclarationError, match=r"differ by \+0.100"):
        between_runs(plain, judgments(0.1, 0), "clarity")
    with pytest.raises(UnknownNameError, match="of the pilot"):
        between_runs(plain, plain, "credibility")


def test_a_plan_says_how_many_topics_a_bias_takes(cli):
    probes = ("--simulations", "20", "--probe", "position", "--probe", "length")
    asked = (*"judges power --for bias --topics 5,12 --items 2 --effect 0.3".split(), *probes)
    few, more = json.loads(cli(*asked, "--json").out)
    assert (few["topics"], more["topics"], more["items"]) == (5, 12, 2)
    assert few["rows"][0]["found"] == 0 < more["rows"][0]["found"]


def test_the_smallest_plan_that_is_narrow_enough_is_said(cli):
    asked = "judges power --for agreement --topics 8,20 --items 2 --simulations 20 --half-width".split()
    assert "has 8 topics with 2 items each, 16 items in all" in " ".join(cli(*asked, "0.9").out.split())
    assert "No simulated plan has" in cli(*asked, "0.01").out


def test_a_tournament_is_planned(cli):
    few = ("--items", "4,5", "--comparisons", "2", "--topics", "2", "--simulations", "1")
    done = cli("judges", "power", "--for", "tournament", *few)
    assert "With 5 items a topic, a reliability of 0.8 takes " in " ".join(done.out.split())
