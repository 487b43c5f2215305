"""People inspect the judge of controllability: the draw, and agreement that is corrected for it."""

from collections import Counter
from fractions import Fraction

import pytest

from conqret import Item
from conqret.data import Measure, Reason, Status
from conqret.debate.debatune.manual_inspection import agreement, draw_inspection, statement_agreement
from conqret.errors import DeclarationError
from conqret.io.label_set import Label, LabelSet, Scales, Unit
from tests.debate.made import judgment

VALUES = {"good": 1.0, "tie": 0.5, "bad": 0.0}


def population(bad, good, system="a", topics=10):
    """Statements of one system of which the judge calls the first ``bad`` bad."""
    items, judgments = [], []
    for number in range(bad + good):
        item = Item(
            id=f"{system}{number}",
            topic=f"T{number % topics}",
            stance="pro",
            argument="So.",
            metadata={"system": system},
        )
        items.append(item)
        judgments.append(judged(item, Measure(status=Status.SCORED, value=float(number >= bad))))
    return items, judgments


def judged(item, measure):
    return judgment(item, "controllability", {"controllability": measure})


def labels(said):
    """What people say, by item: a word, or several."""
    each = [
        (item, n, word)
        for item, words in said.items()
        for n, word in enumerate([words] if isinstance(words, str) else words)
    ]
    found = (
        Label(Unit(item), "controllability", f"p{n}", VALUES.get(word), None if word in VALUES else "missing")
        for item, n, word in each
    )
    return LabelSet("sheet.csv", "table", tuple(found), Scales())


def test_all_that_is_bad_is_drawn_and_of_the_good_as_many_as_were_asked_for():
    items, judgments = population(8, 40)
    more = population(0, 3, "b")
    items, judgments = [*items, *more[0]], [*judgments, *more[1]]
    lost = Item(id="lost", topic="T1", stance="con", argument="So.", metadata={"system": "b"})
    items, judgments = [*items, lost], [*judgments, judged(lost, Measure.missing(Reason.TIMEOUT))]
    inspection = draw_inspection(items, judgments, good=10, seed=5)
    strata = Counter((one.system, one.verdict, one.probability) for one in inspection.drawn)
    assert strata == {("a", "bad", 1.0): 8, ("a", "good", 0.25): 10, ("b", "good", 1.0): 3}
    assert inspection.unanswered == 1
    assert inspection == draw_inspection(items, judgments, good=10, seed=5)
    assert inspection != draw_inspection(items, judgments, good=10, seed=6)
    verdicts = [one.verdict for one in inspection.drawn]
    assert verdicts != sorted(verdicts)  # the order of the sheet gives nothing away
    assert len({one.item for one in inspection.drawn}) == len(inspection.drawn)


def test_agreement_is_that_of_a_computation_by_hand():
    """2 bad, 8 good of which 4 are drawn and stand for 2 each; people find one bad good, and one of the 4 bad."""
    items, judgments = population(2, 8, topics=3)
    inspection = draw_inspection(items, judgments, good=4)
    good = [statement.item for statement in inspection.drawn if statement.verdict == "good"]
    said = {"a0": "bad", "a1": "good", good[0]: "bad", **dict.fromkeys(good[1:], "good")}
    (found,) = agreement(inspection, labels(said))
    agreed = Fraction(1 + 6, 10)  # one bad, three good that stand for two each
    judge, people = Fraction(8, 10), Fraction(1 + 6, 10)
    chance = judge * people + (1 - judge) * (1 - people)
    assert found.agreement.value == pytest.approx(float(agreed))
    assert found.kappa.value == pytest.approx(float((agreed - chance) / (1 - chance)))
    assert found.bad_confirmed.value == pytest.approx(1 / 2)
    assert found.good_confirmed.value == pytest.approx(3 / 4)
    assert found.good_by_judge.value == pytest.approx(float(judge))
    assert found.good_by_people.value == pytest.approx(float(people))
    assert found.ties.value == 0
    assert found.agreement.low <= found.agreement.value <= found.agreement.high
    assert (found.sheet, found.unlabelled, found.agreement.n) == (6, 0, 6)


def test_ties_are_left_out_and_counted_and_labels_of_one_statement_share_its_weight():
    items, judgments = population(2, 8)
    inspection = draw_inspection(items, judgments, good=4)
    good = [statement.item for statement in inspection.drawn if statement.verdict == "good"]
    said = {"a0": ["bad", "good"], "a1": "tie", good[0]: "tie", **dict.fromkeys(good[1:], "good")}
    (found,) = agreement(inspection, labels(said))
    assert found.ties.value == pytest.approx((1 + 2) / 10)
    assert found.agreement.value == pytest.approx((0.5 + 6) / 7)
    assert found.bad_confirmed.value == pytest.approx(0.5)


def test_what_is_not_labelled_yet_is_stood_for_by_its_like():
    items, judgments = population(2, 8)
    inspection = draw_inspection(items, judgments, good=4)
    good = [statement.item for statement in inspection.drawn if statement.verdict == "good"]
    (found,) = agreement(inspection, labels({"a0": "bad", "a1": "", good[0]: "good", good[1]: "bad"}))
    assert found.unlabelled == 3
    assert found.agreement.value == pytest.approx((2 + 4) / 10)
    (half,) = agreement(inspection, labels({"a0": "bad", "a1": "bad"}))
    assert half.bad_confirmed.value == 1
    assert half.agreement.value is None
    assert half.agreement.reason == "no statement judged good is labeled"


def test_labels_that_do_not_belong_to_the_plan_are_told(tmp_path):
    inspection = draw_inspection(*population(1, 1))
    with pytest.raises(DeclarationError, match="'other'"):
        agreement(inspection, labels({"other": "good"}))
    (tmp_path / "form.csv.plan.json").write_text('{"model": 3}')
    with pytest.raises(DeclarationError, match=r"form.csv.plan.json is no plan"):
        statement_agreement(tmp_path / "form.csv")
