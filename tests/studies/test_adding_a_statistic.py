"""The worked example of docs/adding-parts.md: one file changes, and the statistic shows everywhere."""

import json
import re
from pathlib import Path

import numpy as np
import pytest

from conqret.stats.resampling import leave_one_out
from conqret.studies.agreement import statistics
from tests.cli.conftest import Cli, cli
from tests.judging.runs import run
from tests.studies.cards import FORMAT, demo, write_gold

__all__ = ["cli"]

PAGE = (Path(__file__).parents[2] / "docs/adding-parts.md").read_text(encoding="utf-8")
SECTION = PAGE.partition("\n## A statistic of agreement\n")[2].partition("\n## ")[0]


@pytest.fixture
def declared(monkeypatch: pytest.MonkeyPatch) -> statistics.Statistic:
    """The statistic that the page's function and line declare, in the module of the declarations."""
    function, line = re.findall(r"^```python\n(.*?)^```$", SECTION, re.DOTALL | re.MULTILINE)
    module = {**vars(statistics), "NDArray": np.typing.NDArray, "np": np}
    exec(function, module)
    declared: statistics.Statistic = eval(line, module)
    monkeypatch.setitem(statistics.STATISTICS, declared.name, declared)  # type: ignore[arg-type]
    return declared


def test_it_is_what_it_should_be(declared: statistics.Statistic) -> None:
    # p_o = 3/4; 5/8 and 3/8 are the mean shares: p_e = 2 * 15/64, and (3/4 - 15/32) / (1 - 15/32) = 9/17.
    one, other = np.array([1.0, 1, 0, 0]), np.array([1.0, 0, 0, 0])
    assert declared.compute(one, other, leave_one_out(range(4))).value == pytest.approx(9 / 17)
    none = declared.compute(one[:2], one[:2], leave_one_out(range(2)))
    assert str(none) == "none (there is one category only)"


def test_it_shows_everywhere(declared: statistics.Statistic, cli: Cli, tmp_path: Path) -> None:
    run(tmp_path / "run", demo(), name=FORMAT)
    labels = write_gold(tmp_path / "labels.csv", people=2)
    arguments = f"validate {tmp_path}/run --labels {labels} --scale 1:3 -o {tmp_path}/card --require".split()
    assert "met: ac1[clarity] >= -1" in cli(*arguments, "ac1[clarity] >= -1").err
    validation = json.loads((tmp_path / "card/validation.json").read_text(encoding="utf-8"))
    card = json.loads((tmp_path / "card/card.json").read_text(encoding="utf-8"))
    value = validation["dimensions"]["clarity"]["statistics"]["ac1"]["value"]
    (row,) = [one for one in card["agreement"] if one["dimension"] == "clarity"]
    assert row["statistics"]["ac1"]["value"] == value
    for name in ("validation.md", "card.md", "card.html"):
        page = (tmp_path / "card" / name).read_text(encoding="utf-8").replace("&#39;", "'")
        assert "Gwet's AC1" in page
        assert f"{value:.3f}" in page
