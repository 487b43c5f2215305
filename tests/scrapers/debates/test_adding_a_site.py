"""The debate site of the example plug-in (docs/adding-parts.md) is read as its page says."""

import sys
from pathlib import Path

import pytest

from conqret.data import Debate, DebateArgument, Source
from conqret.scrapers.debates import LAYOUTS, layouts, read_debate
from tests.contract.plug_in import PLUG_IN, ROOT

HTML = (ROOT / "fixtures" / "examples" / "two_sides.html").read_text(encoding="utf-8")
CODE = (PLUG_IN / "conqret_example" / "two_sides.py").read_text(encoding="utf-8")
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


def test_the_file_is_all_that_a_site_needs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "two_sides.py").write_text(CODE, encoding="utf-8")
    monkeypatch.setattr(layouts, "__path__", [*layouts.__path__, str(tmp_path)])
    monkeypatch.setattr(layouts.__spec__, "submodule_search_locations", layouts.__path__)
    monkeypatch.setitem(LAYOUTS.__dict__, "_homes", type(LAYOUTS)._homes.func(LAYOUTS))
    monkeypatch.setitem(sys.modules, f"{layouts.__name__}.two_sides", None)  # so that it is gone afterwards
    del sys.modules[f"{layouts.__name__}.two_sides"]
    wanted = ["procon-britannica", "procon-headlines", "procon-classic", "debatabase", "two-sides"]
    assert list(LAYOUTS) == wanted
    assert read_debate(HTML, EXPECTED.url) == EXPECTED
