"""What to buy: who is on the frontier, who is shown to be worth more, and what stays open."""

from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from conqret.data import Call, Measure, Reason, Trace
from conqret.errors import DeclarationError
from conqret.io.labels import read_labels
from conqret.judging.summary import summarise
from conqret.show.charts import Chart, ChartLine, Point, round_numbers, round_powers
from conqret.show.report_page import write_sheet
from conqret.stats.estimate import Estimate
from conqret.studies.compare.frontier import pareto
from conqret.studies.compare.frontier_page import frontier_sheet, frontier_tables
from tests.reliability.judged import judgment, scored

TOPICS, ITEMS = 12, 5


@dataclass(frozen=True)
class Run:
    """What is read of a folder."""

    path: Path
    kept: list

    def record(self):
        return SimpleNamespace(format="listwise", model=self.kept[0].model, baseline=False)

    def summary(self):
        return summarise(self.kept)

    def finished(self):
        return iter(self.kept)


def truth(topics=TOPICS):
    return np.random.default_rng(5).uniform(0, 1, size=(topics, ITEMS))


def run(name, noise, usd, *, seconds=1.0, seed=1, topics=TOPICS, lost=(), metric="clarity"):
    """A judge that errs by ``noise``, at a price and in a time."""
    rng = np.random.default_rng(seed)
    kept = []
    for (topic, place), worth in np.ndenumerate(truth(topics)):
        item = f"i{topic}-{place}"
        value = float(np.clip(worth + noise * rng.normal(), 0, 1))
        call = Call(
            key=item, ask="x", attempts=1, prompt_tokens=90, completion_tokens=10, cost_usd=usd, seconds=seconds,
            finish_reason="stop",
        )  # fmt: skip
        measure = Measure.missing(Reason.REFUSAL) if item in lost else scored(value)
        one = judgment(item, {metric: measure}, topic=f"t{topic}", model=f"model <{name}>")
        kept.append(one.model_copy(update={"trace": Trace(calls=(call,))}))
    return Run(Path(name), kept)


@pytest.fixture(scope="module")
def labels(tmp_path_factory):
    file = tmp_path_factory.mktemp("labels") / "labels.csv"
    rows = [f"i{topic}-{place},clarity,ann,{value:.4f}" for (topic, place), value in np.ndenumerate(truth())]
    file.write_text("\n".join(["item,dimension,annotator,value", *rows]) + "\n", encoding="utf-8")
    return read_labels(file, scales=["0:1"], level="interval")


def test_a_dearer_judge_has_to_be_shown_to_be_better(labels):
    runs = [
        run("dear", 0.05, 0.01, seconds=4),
        run("dear-as-good", 0.3, 0.002, seed=2, seconds=2),
        run("cheap", 0.3, 0.001, seed=3),
        run("dearest-and-worse", 0.8, 0.02, seed=4, seconds=9),
        run("unpriced", 0.05, None, seed=5, seconds=0.1),
    ]
    found = pareto(runs, labels)
    said = {offer.run: offer for offer in found.offers}
    assert list(said) == ["cheap", "dear-as-good", "dear", "dearest-and-worse", "unpriced"]
    assert said["cheap"].price == "the cheapest"
    assert said["dear-as-good"].price == "not shown to agree better than “cheap”, which costs no more"
    assert said["dear"].price == "shown to agree better than every judge that costs no more"
    assert said["dearest-and-worse"].price.startswith("not worth it: ")
    assert said["unpriced"].price == "unknown, so not compared"
    assert said["unpriced"].time == "the quickest"
    assert said["dear"].time == "not shown to agree better than “unpriced”, which takes no longer"
    assert found.verdict.startswith("“dear” is shown to agree better than every judge")
    assert found.verdict in frontier_sheet(found).answer
    assert "dearest-and-worse" not in found.by_price
    assert {"cheap", "dear"} <= set(found.by_price)
    assert (said["cheap"].usd, said["cheap"].tokens) == (pytest.approx(1.0), 100)
    assert (len(found.differences), found.units) == (10, {"clarity": 60})
    assert said["dear"].alpha.low < said["dear"].alpha.value < said["dear"].alpha.high


def test_judges_that_are_alike_are_seldom_told_apart(labels):
    shown = 0
    for seed in range(30):
        found = pareto([run("a", 0.3, 0.1, seed=seed), run("b", 0.3, 0.2, seed=seed + 100)], labels)
        shown += any(difference.shown for difference in found.differences)
    assert shown <= 5  # 30 draws of .05 exceed 5 in 0.3% of the cases


def test_of_the_same_price_the_better_one_may_be_shown(labels):
    found = pareto([run("good", 0.05, 0.001), run("bad", 0.8, 0.001, seed=2)], labels)
    said = {offer.run: offer.price for offer in found.offers}
    assert said == {
        "good": "shown to agree better than every judge that costs no more",
        "bad": "not worth it: “good” costs no more and is shown to agree better",
    }
    assert found.by_price == ("good",)


def test_below_six_topics_nothing_is_shown(labels):
    found = pareto([run("good", 0.05, 0.002, topics=5), run("bad", 0.8, 0.001, topics=5)], labels)
    assert [difference.p for difference in found.differences] == [None]
    assert [offer.price for offer in found.offers] == [
        "the cheapest", "not shown to agree better than “bad”, which costs no more"
    ]  # fmt: skip
    assert found.verdict.startswith("The data do not show that paying more")
    assert found.verdict.endswith("The cheapest judge is “bad”.")
    unknown = found.model_copy(
        update={"offers": (found.offers[0].model_copy(update={"usd": None}), found.offers[1])}
    )
    assert unknown.verdict.startswith("Judges cannot be compared by cost")
    worse = [offer.model_copy(update={"alpha": Estimate(-0.3, -0.5, -0.1)}) for offer in found.offers]
    nobody = found.model_copy(update={"offers": tuple(worse)})
    assert nobody.verdict == f"No judge is worth its cost. {nobody.chance}"


def test_all_are_compared_on_what_all_scored(labels):
    found = pareto([run("a", 0.1, 0.1, lost={"i0-0", "i1-1"}), run("b", 0.1, 0.1, lost={"i2-2"})], labels)
    assert found.units == {"clarity": 57}


def test_what_cannot_be_compared(labels, tmp_path):
    one = run("a", 0.1, 0.1)
    for runs in ([one], [one, one]):
        with pytest.raises(DeclarationError, match="at least two different runs"):
            pareto(runs, labels)
    with pytest.raises(DeclarationError, match="no labeled dimension is a metric"):
        pareto([one, run("b", 0.1, 0.1, metric="rigour")], labels)
    file = tmp_path / "unscaled.csv"
    file.write_text(
        "item,dimension,annotator,value\ni0-0,clarity,ann,1\ni1-0,clarity,ann,2\n", encoding="utf-8"
    )
    with pytest.raises(DeclarationError, match="--scale LOW:HIGH"):
        pareto([one, run("b", 0.1, 0.1)], read_labels(file))


def test_tables_page_and_chart(labels, tmp_path):
    found = pareto([run("a", 0.1, 0.0), run("b", 0.3, 0.002, seed=2)], labels)
    costs, worth, differences = frontier_tables(found)
    assert [row[3] for row in costs.rows] == ["$0.00", "$2.00"]
    assert worth.rows[0][0] == "a"
    assert "by price is “a”" in worth.note
    assert differences.rows[0][:2] == ("a", "b")
    page = write_sheet(frontier_sheet(found), tmp_path / "buy.html").read_text(encoding="utf-8")
    assert "model &lt;a&gt;" in page
    assert page.count('<svg class="chart"') == 1
    assert "There is no chart of time, as the time of all judges is the same." in page
    chart = frontier_sheet(found).picture[0]
    (free, _), (paid, _) = ([tick.at, tick.text] for tick in chart.across())
    assert free < paid
    assert [tick.text for tick in chart.across()] == ["0", "2"]
    drawn = list(chart.drawn())[-1]
    assert (
        drawn.path.split()[0].split(",")[0] == drawn.path.split()[1].split(",")[0]
    )  # upright, over the interval


def test_what_is_below_0_stands_below_0_in_the_chart():
    low, high = ChartLine("a", [Point(0.013343, -0.4, -0.7, 0.1)]), ChartLine("b", [Point(12345, 0.5)])
    chart = Chart("t", "cost", "alpha", [low, high])
    at = {tick.text: tick.at for tick in chart.up()}
    assert list(at) == ["-1", "-0.5", "0", "0.5", "1"]
    first, second = chart.drawn()
    assert at["0"] < float(first.dots[0].split(",")[1].split("m")[0]) < at["-0.5"]
    assert float(second.dots[0].split(",")[1].split("m")[0]) == at["0.5"]
    assert [tick.text for tick in chart.across()] == ["0.0133", "12345"]
    assert chart.svg().index(">cost</text>") < chart.svg().index(">alpha</text>"), "a label for each axis"


def test_a_judge_looks_alike_in_both_charts(labels):
    found = pareto(
        [
            run("a", 0.3, 0.001, seconds=0.1),
            run("b", 0.1, None, seconds=0.2, seed=2),
            run("c", 0.0, 0.01, seconds=0.25),
        ],
        labels,
    )
    sheet = frontier_sheet(found)
    price, time = *sheet.picture, *sheet.sections[0].charts
    looks = [{one.name: (one.colour, one.mark) for one in chart.drawn()} for chart in (price, time)]
    assert looks[0].keys() == {"a", "c", "Pareto frontier by values alone"}
    assert looks[0].items() <= looks[1].items()
    assert not next(one for one in price.drawn() if one.name.startswith("Pareto frontier")).dots
    assert [tick.text for tick in time.across()] == ["100", "150", "200", "250"]
    assert time.x.startswith("Milliseconds")


@pytest.mark.parametrize(
    ("low", "high", "ticks"),
    [
        (0.041, 0.19, [0, 0.05, 0.1, 0.15, 0.2]),
        (-1, 1, [-1, -0.5, 0, 0.5, 1]),
        (0.411, 1, [0.4, 0.6, 0.8, 1]),
        (3, 3, [3]),
    ],
)
def test_round_numbers_hold_what_is_there(low, high, ticks):
    assert round_numbers(low, high) == ticks


def test_powers_hold_what_is_there():
    assert round_powers(0.0013, 0.3) == [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5]
    assert round_powers(2, 2) == [2]
    assert round_powers(0.1, 1000)[::3] == [0.1, 1, 10, 100, 1000]
