"""Several judges beside the same people: who wins, who does not, and what the best is worth on other topics."""

import math

import numpy as np

from conqret.io.label_set import LabelScale, Unit
from conqret.studies.agreement.agreement_settings import AgreementSettings, Basis
from conqret.studies.compare.compare_judges import SharedUnits, UnitSides, compare_shared
from conqret.studies.compare.result import (
    JudgeCost,
    comparison_answer,
    comparison_page,
    comparison_tables,
)
from tests.studies.judged import study

ITEMS = 5


def shared(rng, noises, topics=12, names="abcdefgh"):
    """Judges that err by ``noises``, and people, on a scale from 1 to 5."""
    worth = rng.normal(size=topics * ITEMS)

    def rated(noise):
        return np.clip(np.round(3 + 1.2 * (worth + noise * rng.normal(size=len(worth)))), 1, 5)

    people, judges = rated(0.5), np.stack([rated(noise) for noise in noises])
    side = UnitSides(
        people, judges, LabelScale("ordinal", 1.0, 5.0), (len(worth),) * len(noises), placed=True
    )
    units = tuple(Unit(f"i{place}") for place in range(len(worth)))
    clusters = tuple(place // ITEMS for place in range(len(worth)))
    return SharedUnits(tuple(names[: len(noises)]), units, clusters, "topic", {"clarity": side})


def compared(several):
    topics, settings = len(set(several.clusters)), AgreementSettings()
    return compare_shared(
        several,
        Basis(labels="", layout="", notes=(), clustered_by="topic", clusters=topics, settings=settings),
    )


def with_judges(several, names, judges):
    """The same labels, and these judges."""
    side = several.sides["clarity"]
    sides = {"clarity": UnitSides(side.labels, np.stack(judges), side.scale, side.scored, placed=True)}
    return compared(SharedUnits(tuple(names), several.units, several.clusters, "topic", sides))


def test_judges_are_compared_on_what_all_scored(tmp_path, rng):
    good, labels, _ = study(tmp_path, rng)
    lossy, _, _ = study(tmp_path, np.random.default_rng(0), lost=0.3)
    several = SharedUnits.from_runs({"good": good, "lossy": lossy}, labels, None, AgreementSettings())
    found = compare_shared(several, several.basis(labels, AgreementSettings()))
    row = found.dimensions["clarity"]
    assert row.judges["good"].scored == 80
    assert row.units == row.judges["lossy"].scored < 80
    assert found.lost == {"lossy": sum(80 - dimension.units for dimension in found.dimensions.values())}
    assert math.isfinite(row.pairs[0].difference.value)


def test_copies_of_one_prompt_seldom_win_and_the_best_looks_better_than_it_is():
    drawn = [compared(shared(np.random.default_rng(seed), [0.7] * 4, topics=8)) for seed in range(8)]
    assert sum(bool(one.winner) for one in drawn) <= 2
    best = [one.average.judges[one.judges[0]].alpha.value for one in drawn]
    held_out = [one.held_out.alpha.value for one in drawn]
    truth = np.mean([judge.alpha.value for one in drawn for judge in one.average.judges.values()])
    assert np.mean(best) - truth > 0.04
    assert abs(np.mean(held_out) - truth) < np.mean(best) - truth
    assert all(sum(one.held_out.chosen.values()) == one.held_out.folds == 5 for one in drawn)


def test_a_much_better_judge_wins():
    found = compared(shared(np.random.default_rng(1), [1.5, 0.2, 1.5], topics=20))
    assert (found.judges[0], found.winner) == ("b", "b")
    assert found.verdict.startswith(
        "“b” wins: it agrees significantly better with annotators than each of the 2 others (p < 0.001 at most)"
    )
    assert found.held_out.chosen == {"a": 0, "b": 5, "c": 0}
    assert found.held_out.alpha == found.average.judges["b"].alpha
    wanted = {("a", "b"): "b", ("a", "c"): "", ("b", "c"): "b"}
    assert {(pair.first, pair.second): pair.shown for pair in found.average.pairs} == wanted
    alphas, pairs, by_dimension = comparison_tables(found)
    assert [row[0] for row in alphas.rows] == ["b", *found.judges[1:]]
    assert alphas.rows[0][-1] == "5 of 5"
    assert pairs.rows[1][3] != ""
    assert "“b” over “a”" in by_dimension.note
    page = "".join(comparison_page(found).html())
    assert page.count('<svg class="chart"') == 2
    assert "“b” wins" in page


def test_a_tie_does_not_hang_on_who_is_given_first():
    """Judges that rounding alone tells apart tie, and neither is evidence that the other is unstable."""
    found = shared(np.random.default_rng(2), [0.5, 0.5, 2.0])
    side = found.sides["clarity"]
    rows = {"a": side.judges[0], "b": side.judges[0] + 1e-15, "c": side.judges[2]}
    for names in ("abc", "bac", "cba"):
        same = with_judges(found, names, [rows[name] for name in names])
        assert same.held_out.chosen == {"a": 5, "b": 5, "c": 0}
        assert same.verdict.startswith("no winner: ")
        assert same.verdict.endswith(" have the same alpha, the highest of 3 judges")
        assert {pair.p for pair in same.average.pairs if {pair.first, pair.second} == {"a", "b"}} == {1}


def test_it_is_said_that_no_judge_is_better_than_chance():
    found = shared(np.random.default_rng(5), [0.5, 0.7])
    worst = with_judges(found, "ab", 6 - found.sides["clarity"].judges)
    assert worst.chance.startswith("No judge agrees with annotators more than by chance")
    assert "its whole interval" in worst.chance
    assert worst.chance in "".join(comparison_page(worst).html())


def test_below_six_topics_nothing_is_tested():
    found = compared(shared(np.random.default_rng(3), [0.1, 2.0], topics=5))
    assert [pair.p for pair in found.average.pairs] == [None]
    assert found.winner == ""
    assert found.verdict == "no winner: with only 5 topics differences are not tested"
    assert found.held_out.folds == 5


def test_a_judge_without_an_interval_is_why_nothing_is_tested():
    found = shared(np.random.default_rng(3), [0.1, 2.0], topics=15)
    good = found.sides["clarity"].judges[0]
    verdict = with_judges(found, "ab", [good, np.full(len(good), 3.0)]).verdict
    why = "the alpha of “b” has no interval (too few labels differ from the most frequent value"
    assert verdict.startswith(f"no winner: not every difference is tested: {why}")


def priced(several, **usd):
    costs = {name: JudgeCost(usd=price, seconds=4.0, tokens=100.0) for name, price in usd.items()}
    return compared(several).model_copy(update={"costs": costs})


def test_a_dearer_judge_has_to_be_shown_to_be_better():
    several = shared(np.random.default_rng(1), [0.2, 1.5, 0.2])
    found = priced(several, a=10.0, b=1.0, c=None)
    assert found.cost_effectiveness == "“a” agrees significantly better than every judge that costs no more."
    assert found.cost_effectiveness in comparison_answer(found)
    shown = {row[0]: row[-3:] for row in next(comparison_tables(found)).rows}
    assert shown["a"] == ("$10.00", "4.0 s", "100")
    assert shown["c"][0] == "unknown"
    assert priced(several, b=1.0, c=None).cost_effectiveness == ""
    alike = priced(shared(np.random.default_rng(1), [0.5, 0.6], topics=5), a=2.0, b=1.0)
    assert alike.cost_effectiveness == (
        "No judge agrees significantly better than every judge that costs no more; “b” costs the least."
    )
