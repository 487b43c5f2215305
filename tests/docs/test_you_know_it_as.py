"""The page of other tools' names says what messages say, and what it has one type exists."""

from __future__ import annotations

import shlex

import pytest

from conqret.errors import UnknownNameError
from conqret.judging.judge_parts import DEFAULT_FORMAT, JUDGES
from conqret.judging.known_as import KNOWN_AS, KnownAs
from conqret.judging.rubric_files import rubrics_of
from conqret.judging.rubrics import rubric_judge
from scripts.known_as import PAGE, with_tables

NAMED = [row for row in KNOWN_AS if row.metric]


def test_the_page_has_the_tables() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert page == with_tables(page), "python scripts/known_as.py --write"


@pytest.mark.parametrize("row", NAMED, ids=[row.metric for row in NAMED])
def test_what_is_typed_measures_it(row: KnownAs) -> None:
    words = shlex.split(row.typed)
    options = dict(zip(words[::2], words[1::2], strict=True))
    judge = JUDGES[options.get("--format", DEFAULT_FORMAT)]
    assert row.metric in {*judge.metrics, *judge.derived}
    assert options.get("--metric", row.metric) == row.metric


@pytest.mark.parametrize("row", KNOWN_AS, ids=[row.metric or "criterion" for row in KNOWN_AS])
def test_every_name_is_answered_with_what_is_typed(row: KnownAs) -> None:
    for name in (name for names in row.names.values() for name in names):
        for judge in (JUDGES["citations"], JUDGES[DEFAULT_FORMAT]):
            if name in {*judge.metrics, *judge.derived}:
                continue
            with pytest.raises(UnknownNameError, match=r"here it is|another format has it") as caught:
                judge.select([name])
            elsewhere = row.metric and row.metric not in {*judge.metrics, *judge.derived}
            assert not elsewhere or "--format" in str(caught.value)


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("rubric_score", {"--rubric"}),
        ("axis_style", {"--rubric"}),
        ("vital_score", {"--rubric", "--nuggets"}),
        ("all_score", {"--nuggets"}),
        ("sub_narrative_coverage", {"--nuggets"}),
    ],
)
def test_scores_of_what_is_given_name_its_option(name: str, options: set[str]) -> None:
    for judge in (JUDGES["direct"], JUDGES[DEFAULT_FORMAT]):
        with pytest.raises(UnknownNameError) as caught:
            judge.select([name])
        assert {one for one in ("--rubric", "--nuggets") if one in str(caught.value)} == options


def test_a_score_that_the_rubric_lacks() -> None:
    judge = rubric_judge(rubrics_of([{"question": "It is", "axis": "style"}]))
    with pytest.raises(UnknownNameError, match="did you mean 'axis_style'"):
        judge.select(["axis_styl"])
