"""The debate site of the example plug-in (docs/adding-parts.md) is read as its page says."""

import shutil
import sys
from pathlib import Path

import pytest

from conqret.data import Debate
from conqret.scrapers.debates import LAYOUTS, layouts, read_debate
from tests.contract.plug_in import PLUG_IN, ROOT


def test_the_file_is_all_that_a_site_needs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copy(PLUG_IN / "conqret_example" / "two_sides.py", tmp_path)
    monkeypatch.setattr(layouts, "__path__", [*layouts.__path__, str(tmp_path)])
    monkeypatch.setattr(layouts.__spec__, "submodule_search_locations", layouts.__path__)
    monkeypatch.setitem(LAYOUTS.__dict__, "_homes", type(LAYOUTS)._homes.func(LAYOUTS))
    monkeypatch.setitem(sys.modules, f"{layouts.__name__}.two_sides", None)  # so that it is gone afterwards
    del sys.modules[f"{layouts.__name__}.two_sides"]
    wanted = ["procon-britannica", "procon-headlines", "procon-classic", "debatabase", "two-sides"]
    assert list(LAYOUTS) == wanted
    page = ROOT / "fixtures" / "examples" / "two_sides.html"
    found = read_debate(page.read_text(encoding="utf-8"), "https://twosides.example/night-trains")
    assert isinstance(found, Debate)
    assert (found.id, found.question) == ("night-trains", "Should night trains be subsidised?")
    assert found.pros[0].paragraphs == ("A berth emits a tenth of a seat in the air.[1]",)
    assert found.cons[0].title == "They run empty"
    assert [source.cited for source in found.sources] == ["2023", "2021"]
