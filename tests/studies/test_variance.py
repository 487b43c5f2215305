"""Where the noise of a judge comes from, from run folders to words, tables and files."""

from pathlib import Path

import numpy as np
import pytest

from conqret.data import Measure, Reason
from conqret.errors import DeclarationError
from conqret.judging.scales import combine_samples
from conqret.studies.variance.result import (
    repeatabilities,
    variance,
    variance_finding,
    variance_tables,
    variance_words,
)
from tests.studies.judged import Run, judgment, scored

TOPICS, ITEMS = 8, 3
WORTH = np.random.default_rng(99).normal(size=(TOPICS, ITEMS)) * 0.15 + 0.5


def run(seed, *, model="m", prompt="1", samples=2, shift=0.0, metric="clarity", lost=()):
    """A run that sees the worth of the items with noise of .05 on every sample."""
    rng = np.random.default_rng(seed)
    kept = []
    for (topic, place), worth in np.ndenumerate(WORTH):
        values = np.clip(worth + shift + 0.05 * rng.normal(size=samples), 0, 1).tolist()
        measure = combine_samples([scored(value) for value in values])
        item = f"i{topic}-{place}"
        kept.append(
            judgment(
                item,
                {metric: Measure.missing(Reason.REFUSAL) if item in lost else measure},
                topic=f"topic {topic}",
                model=model,
                fingerprint=f"{model}/{prompt}",
            )
        )
    return Run(Path(f"{model}-{prompt}-{seed}"), kept, prompt)


def test_models_and_prompts_are_told_apart():
    runs = [
        run(1),
        run(2, model="n", shift=0.2),
        run(3, prompt="2"),
        run(4, model="n", prompt="2", shift=0.2),
    ]
    found = variance(runs)
    row = found.metrics["clarity"]
    assert (found.models, found.prompts, found.differs) == (2, 2, ("model", "prompt listwise"))
    assert (row.scores, row.items, row.topics, row.unknown) == (192, 24, 8, ())
    share = {source.names[0]: source.share for source in row.sources}
    assert share["model"] > 0.2 > 0.05 > share["prompt"]
    assert max(share["order"], share["item x order"]) < 0.05  # samples have nothing in common here
    assert row.repeatability.value == pytest.approx(0.05, abs=0.01)
    assert list(row.mean_error) == [8, 20, 50], "as many topics as there are, too"
    assert row.score_error > row.mean_error[8] > row.mean_error[50]
    assert variance_finding(found).endswith("most of it comes from model.")


def test_what_one_run_leaves_open():
    found = variance([run(1)])
    assert variance_words(found)[1:] == [
        "There is one model, so nothing is said of others: add a run with another model.",
        "There is one prompt, so nothing is said of others: add a run with another prompt.",
    ]
    with pytest.raises(DeclarationError, match="every item has only one score"):
        variance([run(1, samples=1)])


def test_where_models_and_prompts_change_together_they_are_one_source():
    found = variance([run(1, samples=1), run(2, samples=1, model="n", prompt="2", shift=0.1)])
    row = found.metrics["clarity"]
    assert [source.names for source in row.sources] == [
        ("topic",),
        ("item",),
        ("judge",),
        ("topic x judge",),
        ("item x judge", "sample"),
    ]
    assert "no run changes the model or the prompt alone" in row.unknown[0]
    assert row.repeatability.reason == "one sample of each request"


def test_runs_of_one_instrument_are_samples():
    found = variance([run(1, samples=1), run(2, samples=1)])
    assert "sample" in {source.names[0] for source in found.metrics["clarity"].sources}
    assert "of one judge configuration, and count as samples" in found.notes[0]
    (note,) = variance([run(1), run(1)]).notes
    assert "may be a replay" in note


def test_what_has_no_score_takes_no_part_and_metrics_meet():
    found = variance([run(1, lost={"i0-0"}), run(2, model="n")])
    assert found.metrics["clarity"].scores == 94
    with pytest.raises(DeclarationError, match=r"share no metric: m-1-1 has clarity; m-1-2 has rigour"):
        variance([run(1), Run(Path("m-1-2"), run(2, metric="rigour").kept)])
    every = {f"i{topic}-{place}" for topic in range(TOPICS) for place in range(ITEMS)}
    with pytest.raises(DeclarationError, match="no score in any of the runs"):
        variance([run(1, lost=every)])


def test_repeatability_of_one_judge():
    (one,) = repeatabilities(run(1).kept, ["clarity", "rigour"])
    assert (one.metric, one.scores, one.items) == ("clarity", 48, 24)
    assert one.deviation.low < 0.05 < one.deviation.high
    assert 0.4 < one.generalizability.low < 0.9 < one.generalizability.high < 1
    twice = repeatabilities([*run(1, samples=1).kept, *run(3, samples=1).kept], ["clarity"])
    assert twice[0].deviation.value == pytest.approx(0.05, abs=0.02)
    assert repeatabilities(run(1, samples=1).kept, ["clarity"]) == ()


def test_scores_that_rounding_alone_tells_apart_do_not_vary():
    """A judge that always says .8, once as a mean over samples that came out a hair higher."""
    steps = [0.8, 0.8000000000000003, 0.7999999999999999]
    runs = []
    for seed, name in enumerate(("1", "2")):
        kept = [
            one.model_copy(
                update={"measures": {**one.measures, "credibility": scored(steps[(place + seed) % 3])}}
            )
            for place, one in enumerate(run(seed, prompt=name, samples=1).kept)
        ]
        runs.append(Run(Path(name), kept, name))
    found = variance(runs)
    row = found.metrics["credibility"]
    assert {(source.variance.value, source.share) for source in row.sources} == {(0.0, None)}
    assert row.generalizability.value is None
    _, sources, *_ = variance_tables(found, every=True)
    assert sources.rows[-1] == ("Credibility: all 48 scores are the same",)
