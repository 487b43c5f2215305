"""The worked example of docs/adding-a-statistic.md: one file changes, and the statistic shows everywhere."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from conqret.studies.agreement import statistics
from tests.judging.runs import run
from tests.studies.cards import FORMAT, demo, write_gold

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/adding-a-statistic.md").read_text(encoding="utf-8")
MODULE = statistics.__name__
WITH_IT = f"""
import importlib.util, sys
spec = importlib.util.spec_from_file_location({MODULE!r}, sys.argv[1])
sys.modules[{MODULE!r}] = module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
from conqret.cli.main import main
sys.argv[:2] = ["conqret"]
main()
"""
BY_HAND = """
from conqret.studies.agreement.statistics import STATISTICS
# p_o = 3/4; 5/8 and 3/8 are the mean shares: p_e = 2 * 15/64, and (3/4 - 15/32) / (1 - 15/32) = 9/17.
print(STATISTICS["ac1"].compute([1, 1, 0, 0], [1, 0, 0, 0]).value - 9 / 17)
print(STATISTICS["ac1"].compute([1, 1], [1, 1]))
"""


@pytest.fixture(scope="module")
def changed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The module of the declarations with the page's function and line in it."""
    function, line = re.findall(r"^```python\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
    text = Path(statistics.__file__).read_text(encoding="utf-8")
    text = text.replace("\n_DECLARED = (\n", f"\n{function}\n\n_DECLARED = (\n{line.strip()},\n", 1)
    file = tmp_path_factory.mktemp("changed") / "statistics.py"
    file.write_text(text, encoding="utf-8")
    return file


def python(code: str, *arguments: object) -> str:
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            f"import sys; sys.path.insert(0, {str(ROOT)!r})\n{code}",
            *map(str, arguments),
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout + done.stderr


def test_it_is_what_it_should_be(changed: Path) -> None:
    loaded = WITH_IT[: WITH_IT.index("from conqret.cli")]
    first, second = python(loaded + BY_HAND, changed).splitlines()
    assert float(first) == pytest.approx(0)
    assert second == "none (there is one category only)"


def test_it_shows_everywhere(changed: Path, tmp_path: Path) -> None:
    run(tmp_path / "run", demo(), name=FORMAT)
    labels = write_gold(tmp_path / "labels.csv", people=2)
    said = python(
        WITH_IT,
        changed,
        "validate",
        tmp_path / "run",
        "--labels",
        labels,
        "--scale",
        "1:3",
        "--require",
        "ac1[clarity] >= -1",
        "-o",
        tmp_path / "card",
    )
    assert "met: ac1[clarity] >= -1" in said
    validation = json.loads((tmp_path / "card/validation.json").read_text(encoding="utf-8"))
    card = json.loads((tmp_path / "card/card.json").read_text(encoding="utf-8"))
    value = validation["dimensions"]["clarity"]["statistics"]["ac1"]["value"]
    (row,) = [one for one in card["agreement"] if one["dimension"] == "clarity"]
    assert row["statistics"]["ac1"]["value"] == value
    for name in ("validation.md", "card.md", "card.html"):
        page = (tmp_path / "card" / name).read_text(encoding="utf-8").replace("&#39;", "'")
        assert "Gwet's AC1" in page
        assert f"{value:.3f}" in page
