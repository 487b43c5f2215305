"""The worked example of docs/adding-a-study.md: a folder and one line make a study with a page and a command."""

import json
import re
import shutil
import sys
from pathlib import Path

import pytest

from conqret import DeclarationError, studies
from conqret.cli import commands
from conqret.errors import UnknownNameError
from conqret.show.report_page import ReportPage
from tests.cli.conftest import Cli, cli
from tests.contract.items import demo
from tests.judging.runs import run

__all__ = ["cli"]

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/adding-a-study.md").read_text(encoding="utf-8")
MODULES = ("", ".result", ".command")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A finished run; beside it the files of the page, where ``conqret.studies`` finds them."""
    place = tmp_path / "studies/length"
    shutil.copytree(ROOT / "fixtures/study/length", place)
    monkeypatch.setattr(studies, "__path__", [*studies.__path__, str(place.parent)])
    monkeypatch.delattr(studies, "length", raising=False)
    for name in MODULES:  # so that they are gone afterwards
        monkeypatch.setitem(sys.modules, f"conqret.studies.length{name}", None)
        del sys.modules[f"conqret.studies.length{name}"]
    run(tmp_path / "run", demo(), name="listwise")
    return tmp_path / "run"


def test_its_groups_hold_all_items_in_order_of_length(folder: Path) -> None:
    from conqret.studies.length.result import length, length_page  # type: ignore[import-not-found]

    study = length(folder, groups=5)
    words = sorted(len((item.argument or "").split()) for item in demo())
    assert [group.items for group in study.groups] == [4, 5, 5, 5, 5]
    assert (study.groups[0].shortest, study.groups[-1].longest) == (words[0], words[-1])
    whole = sum(group.items * group.means["clarity"].value for group in study.groups) / len(words)
    summary = json.loads((folder / "summary.json").read_text(encoding="utf-8"))
    assert whole == pytest.approx(summary["metrics"]["clarity"]["mean"])
    sheet = length_page(study)
    assert isinstance(sheet, ReportPage)
    assert len(sheet.badges) == 1
    for groups in (1, 25):
        with pytest.raises(DeclarationError, match=f"24 items with an argument cannot be cut into {groups}"):
            length(folder, groups=groups)
    with pytest.raises(UnknownNameError):
        length(folder, metrics=["clarty"])


def test_its_command_prints_and_writes(
    folder: Path, tmp_path: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    (line,) = re.findall(r'^judges.length = "(.*)"$', PAGE, re.MULTILINE)
    judges = {**commands.HOMES["judges"], "length": line}  # type: ignore[dict-item]
    monkeypatch.setitem(commands.HOMES, "judges", judges)  # type: ignore[arg-type]
    done = cli("judges", "length", folder, "--metric", "clarity", "-o", tmp_path / "length.html")
    assert done.code == 0
    assert "Mean scores by length of the argument" in done.out
    assert "<!doctype html>" in (tmp_path / "length.html").read_text(encoding="utf-8")
