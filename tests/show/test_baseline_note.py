"""What heads of pages say of the offline baseline."""

import pytest

from conqret.show.words import BASELINE_NOTE, baseline_badges


@pytest.mark.parametrize(
    ("baselines", "said"),
    [
        ([False, False], None),
        ([True, True], BASELINE_NOTE),
        (
            [True, False, False],
            "1 judge of 3 here is a lexical baseline: its numbers come from word statistics.",
        ),
        (
            [True, True, False],
            "2 judges of 3 here are lexical baselines: their numbers come from word statistics.",
        ),
    ],
)
def test_a_page_with_the_baselines_numbers_says_so(baselines, said):
    assert baseline_badges(baselines) == ([] if said is None else [("Offline baseline", said)])
