"""The worked example of docs/adding-a-debate-site.md does what it says."""

import re
import sys
from pathlib import Path
from typing import Any

import pytest

from conqret.data import Debate, DebateArgument, Source
from conqret.scrapers.debates import LAYOUTS, layouts, read_debate

DOC = Path(__file__).parents[3] / "docs" / "adding-a-debate-site.md"
BLOCKS = re.findall(r"```(\w+)\n(.*?)```", DOC.read_text(encoding="utf-8"), re.DOTALL)
HTML = next(text for kind, text in BLOCKS if kind == "html")
CODE = [text for kind, text in BLOCKS if kind == "python"]
EXPECTED = Debate(
    id="night-trains",
    url="https://twosides.example/night-trains",
    title="Should night trains be subsidised?",
    question="Should night trains be subsidised?",
    introduction="Night trains came back in 2016.",
    pros=(
        DebateArgument(
            title="They spare the climate", paragraphs=("A berth emits a tenth of a seat in the air.[1]",)
        ),
    ),
    cons=(
        DebateArgument(title="They run empty", paragraphs=("Half the berths stay unsold in winter [2].",)),
    ),
    sources=(
        Source(
            number=1, title='Rail Office, "Berths", 2023', url="https://rail.example/berths", cited="2023"
        ),
        Source(number=2, title="Ledger of Sleepers, 2021", cited="2021"),
    ),
    layout="two-sides",
)


def test_the_worked_example() -> None:
    names: dict[str, Any] = {"html": HTML}
    for text in CODE:
        exec(compile(text, str(DOC), "exec"), names)
    assert names["debate"] == EXPECTED


def test_the_file_is_all_that_a_site_needs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "two_sides.py").write_text(CODE[0], encoding="utf-8")
    monkeypatch.setattr(layouts, "__path__", [*layouts.__path__, str(tmp_path)])
    monkeypatch.setattr(layouts.__spec__, "submodule_search_locations", layouts.__path__)
    monkeypatch.setitem(LAYOUTS.__dict__, "_homes", type(LAYOUTS)._homes.func(LAYOUTS))
    monkeypatch.setitem(sys.modules, f"{layouts.__name__}.two_sides", None)  # so that it is gone afterwards
    del sys.modules[f"{layouts.__name__}.two_sides"]
    wanted = ["procon-britannica", "procon-headlines", "procon-classic", "debatabase", "two-sides"]
    assert list(LAYOUTS) == wanted
    assert read_debate(HTML, EXPECTED.url) == EXPECTED
