"""The page of other tools' names says what messages say, and what it has one type exists."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from conqret.errors import UnknownNameError
from conqret.judging.judge_parts import DEFAULT_FORMAT, JUDGES
from conqret.judging.metric_homes import judge_of_metrics

PAGE = Path(__file__).parents[2] / "docs" / "you-know-it-as.md"
ROWS = [
    [cell.strip() for cell in line.strip("| ").split("|")]
    for line in PAGE.read_text().splitlines()
    if line.startswith("| ")
]
CODE = re.compile("`([^`]+)`")
NAMED = [(row[0], row[1]) for row in ROWS if len(row) == 3 and row[0] != "here"]


@pytest.mark.parametrize(("here", "names"), NAMED, ids=[row[0] for row in NAMED])
def test_every_name_of_the_page_is_answered_with_what_is_typed(here: str, names: str) -> None:
    metric, _, typed = here.replace("`", "").rstrip(")").partition(" (")
    own = metric.isidentifier()
    if own:
        words = shlex.split(typed)
        options = dict(zip(words[::2], words[1::2], strict=True))
        named = options.get("--metric", metric)
        assert named.rpartition("/")[2] == metric.rpartition(".")[2]
        judge = JUDGES.resolve(options.get("--format") or judge_of_metrics([named]) or DEFAULT_FORMAT)
        assert named.rpartition("/")[2] in {*judge.metrics, *judge.derived}
    for name in CODE.findall(names):
        for judge in (JUDGES["citations"], JUDGES[DEFAULT_FORMAT]):
            if name in {*judge.metrics, *judge.derived}:
                continue
            with pytest.raises(UnknownNameError, match=r"here it is|another format has it") as caught:
                judge.select([name])
            elsewhere = own and metric not in {*judge.metrics, *judge.derived}
            assert not elsewhere or "--metric" in str(caught.value) or "--format" in str(caught.value)


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("axis_style", {"--rubric"}),
        ("vital_score", {"--rubric", "--nuggets"}),
        ("all_score", {"--nuggets"}),
    ],
)
def test_scores_of_what_is_given_name_its_option(name: str, options: set[str]) -> None:
    for judge in (JUDGES["direct"], JUDGES[DEFAULT_FORMAT]):
        with pytest.raises(UnknownNameError) as caught:
            judge.select([name])
        assert {one for one in ("--rubric", "--nuggets") if one in str(caught.value)} == options
