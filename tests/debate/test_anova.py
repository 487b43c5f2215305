"""The repeated-measures ANOVA, against its closed form."""

import numpy as np
import pytest

pytest.importorskip("statsmodels")
from scipy.stats import ttest_rel

from conqret.debate.two_turn.anova import MEASURES, anova_tables, debate_anova, default_subject
from conqret.errors import DeclarationError
from tests.debate.made import answer, study


@pytest.fixture(scope="module")
def answers():
    return tuple(study({"PS": 0.85, "PSA": 0.7}, judges=7, questions=9))


def test_each_f_is_the_squared_t_of_the_subjects_contrasts(answers):
    found = debate_anova(answers)
    assert [one.measure for one in found] == list(MEASURES)
    for one, counts in zip(found, MEASURES.values(), strict=True):
        assert one.subjects == 7
        assert {effect.df for effect in one.effects} == {(1, 6)}
        assert len(one.effects) == 7  # three factors, three pairs, one triple
        means = np.zeros((7, 2, 2, 2))
        for cell in np.ndindex(means.shape):
            judge, *levels = cell
            kept = [
                counts(each.toward_right)
                for each in answers
                if each.judge == f"j{judge}"
                and [each.condition == "PSA", each.turn == 2, each.instruction == "encourage-abstain"]
                == levels
            ]
            means[cell] = np.mean([value for value in kept if value is not None])
        by_name = {effect.name: effect for effect in one.effects}
        arguments = ttest_rel(means[:, 1].mean(axis=(1, 2)), means[:, 0].mean(axis=(1, 2)))
        assert by_name["arguments"].statistic == pytest.approx(arguments.statistic**2)
        assert by_name["arguments"].p == pytest.approx(arguments.pvalue)
        both = ttest_rel(
            (means[:, 1, 1] - means[:, 1, 0]).mean(axis=1), (means[:, 0, 1] - means[:, 0, 0]).mean(axis=1)
        )
        assert by_name["arguments:judgment"].statistic == pytest.approx(both.statistic**2)


def test_who_lacks_a_cell_enters_the_mixed_model_only(answers):
    kept = [one for one in answers if (one.judge, one.turn, one.condition) != ("j1", 2, "PS")]
    for one in debate_anova(kept):
        assert (one.subjects, one.lacking) == (6, ("j1",))
        assert {effect.df for effect in one.effects} == {(1, 5)}
        assert [effect.name for effect in one.mixed] == [effect.name for effect in one.effects]
        assert {effect.df for effect in one.mixed} == {(1,)}
        assert all(0 <= effect.p <= 1 for effect in one.mixed)
    (first, *_) = anova_tables(debate_anova(kept), subject="judge")
    assert first.header == ("effect", "F", "p", "mixed: chi2", "p (mixed)")
    assert "'j1' (1 of 7 judges)" in first.note


def test_with_one_judge_passages_are_the_subjects(answers):
    alone = [one for one in answers if one.judge == "j0"]
    assert default_subject(alone) == "passage"
    assert debate_anova(alone)[1].subjects == 3
    assert (
        debate_anova(alone, subject="judge")[1].reason
        == "two subjects with answers in all cells are needed, and there are 1"
    )


def test_factors_that_do_not_vary_stay_out(answers):
    first = [one for one in answers if one.turn == 1 and one.instruction == "simple"]
    assert [(one.factors, [effect.name for effect in one.effects]) for one in debate_anova(first)] == [
        (("arguments",), ["arguments"])
    ] * 3
    with pytest.raises(DeclarationError, match="nothing to compare"):
        debate_anova([one for one in first if one.condition == "PS"])


def test_an_effect_that_is_the_same_in_all_subjects_has_no_f():
    points = ("PS", "PSA")
    alike = [
        answer(1 + (condition == "PSA"), judge=judge, condition=condition)
        for judge in "ab"
        for condition in points
    ]
    alike.append(answer(3, judge="b", condition="PSA", question="other"))
    alike.append(answer(2, judge="b", question="other"))
    found = debate_anova(alike)[-1]
    assert found.effects == ()
    assert found.reason == "1 effects are the same in all subjects, and have no F"
