"""Judge cards side by side: their order, and what must not stand in one order."""

import json
from pathlib import Path

import pytest

from conqret.errors import DeclarationError, UnknownNameError
from conqret.io.labels import read_labels
from conqret.judging.judge_folder import JudgeFolder
from conqret.stats.estimate import Estimate
from conqret.studies.card.result import Card, make_card
from conqret.studies.leaderboard.page import leaderboard_sheet, leaderboard_tables
from conqret.studies.leaderboard.result import leaderboard
from conqret.studies.validate.result import validate
from tests.contract.items import demo
from tests.judging.runs import run
from tests.reliability.cards import write_gold


@pytest.fixture(scope="module")
def card(tmp_path_factory) -> Card:
    folder = tmp_path_factory.mktemp("card")
    outcome = run(folder / "run", demo()[:6], name="listwise", metrics=("clarity", "cogency", "credibility"))
    directory = JudgeFolder(folder / "run")
    labels = read_labels(write_gold(folder / "labels.csv"), scales=["1:3"])
    validation = validate(directory.judgments(), labels, baseline=True)
    return make_card(directory.record(), outcome.summary, validation, directory.items())


def changed(
    card: Card, *, alpha: float | None = None, clarity: float | None = None, usd=0.001, **record
) -> Card:
    """The same card with another mean alpha (and that of clarity), price and record."""
    cost = card.cost.model_copy(update={"item": {**card.cost.item, "usd": usd}})
    update = {"run": card.run.model_copy(update=record), "cost": cost}
    if alpha is not None:
        judge = {**card.average.judge, "mean": Estimate(alpha, alpha - 0.1, alpha + 0.1)}
        update["average"] = card.average.model_copy(update={"judge": judge})
    if clarity is not None:
        update["agreement"] = tuple(
            row.model_copy(update={"alpha": Estimate(clarity)}) if row.dimension == "clarity" else row
            for row in card.agreement
        )
    return card.model_copy(update=update)


@pytest.fixture
def files(card, tmp_path):
    """Three cards of the same items and labels, and one of other items."""
    cards = {
        "low": changed(card, alpha=0.2, clarity=0.9, usd=0.0005),
        "high": changed(card, alpha=0.6, clarity=0.1, usd=0.02, model="openai/<b>"),
        "none": changed(card, alpha=0.4, usd=None),
        "other": changed(card, alpha=0.8, items_digest="x", items_name="others.jsonl"),
    }
    cards["none"] = cards["none"].model_copy(
        update={"agreement": tuple(row for row in card.agreement if row.dimension != "clarity")}
    )
    for name, one in cards.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "card.json").write_text(one.model_dump_json(), encoding="utf-8")
    return [tmp_path / name / "card.json" for name in cards]


def order(found):
    return [[Path(standing.card).name for standing in board.standings] for board in found.boards]


def test_each_board_has_its_order(files):
    assert order(leaderboard(files)) == [["high", "none", "low"], ["other"]]
    assert order(leaderboard(files, "alpha[clarity]")) == [["low", "high", "none"], ["other"]]
    by_price = leaderboard(files, "usd")
    assert order(by_price) == [["low", "high", "none"], ["other"]]
    assert by_price.boards[0].standings[0].value.value == pytest.approx(0.5)
    found = leaderboard([files[0].parent, files[1]], "accuracy[Clarity]")
    assert (found.by, found.falls, len(found.boards)) == ("accuracy[clarity]", False, 1)
    missing = leaderboard(files, "alpha[clarity]").boards[0].standings[2].value
    assert missing.reason == "not held against annotators on clarity"


def test_means_over_other_dimensions_or_other_labels_stand_apart(card, files, tmp_path):
    averaged = card.average.model_copy(update={"dimensions": ["clarity"]})
    for name, update in (
        ("dimensions", {"average": averaged}),
        ("labels", {"basis": card.basis.model_copy(update={"labels": "theirs.csv"})}),
    ):
        file = tmp_path / f"{name}.json"
        file.write_text(card.model_copy(update=update).model_dump_json(), encoding="utf-8")
        assert len(leaderboard([*files[:2], file]).boards) == 2
    assert len(leaderboard([*files[:2], tmp_path / "dimensions.json"], "alpha[clarity]").boards) == 1


def test_page_and_tables(files):
    found = leaderboard(files)
    first, second = leaderboard_tables(found)
    shown = ["0.600 [0.500, 0.700]", "0.400 [0.300, 0.500]", "0.200 [0.100, 0.300]"]
    assert [row[2] for row in first.rows] == shown
    assert first.rows[0][-3:] == ("not probed", "not measured", "$20.00")
    assert second.title.startswith("2. others.jsonl")
    page = "".join(leaderboard_sheet(found).html())
    assert "Not comparable" in page
    assert "openai/&lt;b&gt;" in page
    assert page.count('<svg class="chart"') == 2
    assert "Not comparable" not in "".join(leaderboard_sheet(leaderboard(files[:3])).html())


def test_it_is_said_that_no_judge_is_better_than_chance(card, tmp_path):
    (tmp_path / "card.json").write_text(changed(card, alpha=-0.4).model_dump_json(), encoding="utf-8")
    found = leaderboard([tmp_path])
    assert "more than by chance" in found.chance
    assert found.chance in leaderboard_sheet(found).answer
    assert leaderboard([tmp_path], "usd").chance == ""


def test_the_command(cli, files, tmp_path):
    done = cli("judges", "leaderboard", *files, "-o", tmp_path / "board.html")
    assert done.code == 0
    assert "numbers cannot be compared" in " ".join(done.err.split())
    assert (tmp_path / "board.html").is_file()
    found = json.loads(cli("judges", "leaderboard", *files, "--by", "alarms", "--json").out)
    assert found["boards"][0]["standings"][0]["value"]["value"] is None


def test_what_cannot_be_sorted(cli, files, tmp_path):
    broken = tmp_path / "broken.json"
    broken.write_text("{}", encoding="utf-8")
    for given, by, message in (
        ([], "alpha", "at least one card"),
        ([files[0], files[0].parent / ".." / "low" / "card.json"], "alpha", "each only once"),
        ([tmp_path / "nowhere"], "alpha", "does not exist"),
        ([broken], "alpha", "is not a judge card"),
        (files, "alpha >= 1", "is not a measure"),
        (files, "accuracy", "is a measure of one dimension"),
        (files, "usd[clarity]", "a measure of the whole judge"),
    ):
        with pytest.raises(DeclarationError, match=message):
            leaderboard(given, by)
    for by in ("alhpa", "alpha[clearness]"):
        with pytest.raises(UnknownNameError):
            leaderboard(files, by)
    refused = cli("judges", "leaderboard", *files, "-o", tmp_path / "x.png")
    assert refused.code == 2
    assert "ends in .png" in refused.err
