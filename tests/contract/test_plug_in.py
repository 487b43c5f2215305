"""A plug-in is installed and used by its names; the pages on adding parts show what it holds."""

import re
import shutil
import sys
from dataclasses import replace

import pytest

from conqret import judge
from conqret.errors import DeclarationError
from conqret.generation.strategies import STRATEGIES
from conqret.judging.judge_parts import JUDGES
from conqret.perturb import PERTURBATIONS
from conqret.prompts import Library
from conqret.prompts.library import known_variables
from conqret.studies.bias.contrast import PROBES
from conqret.suites.suite import SUITES
from tests.contract.items import demo
from tests.contract.plug_in import PLUG_IN, ROOT, install, looking_again, project

PAGES = [ROOT / "docs" / name for name in ("adding-a-judge.md", "adding-parts.md")]
LINES = re.compile(r"^```toml\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
REGISTRIES = {
    "conqret.judges": JUDGES,
    "conqret.perturbations": PERTURBATIONS,
    "conqret.probes": PROBES,
    "conqret.strategies": STRATEGIES,
    "conqret.suites": SUITES,
}


@pytest.fixture
def site(tmp_path, monkeypatch):
    folder = tmp_path / "site"
    folder.mkdir()
    install(folder)
    monkeypatch.syspath_prepend(folder)
    with looking_again():
        yield folder
    for name in [name for name in sys.modules if name.partition(".")[0] == "conqret_example"]:
        del sys.modules[name]


def test_everything_that_it_brings_is_found_by_its_name(site):
    for group, registry in REGISTRIES.items():
        own = [name for name in registry if registry.plugged(name) is None]
        (name,) = project()["entry-points"][group]
        assert registry[name].name == name
        assert registry.plugged(name) == project()["name"]
        assert list(registry) == [*own, name]  # what plug-ins bring comes last
    assert {"example/brief", "example/clarity"} <= set(Library().ids())


def test_its_judge_judges(site):
    judged = judge(demo()[:3], format="Clarity", metrics=["clarity"])
    assert [set(judgment.measures) for judgment in judged] == [{"clarity"}] * 3
    itself = judge(demo()[:3], format=JUDGES["clarity"])
    assert [one.measures for one in itself] == [judgment.measures for judgment in judged]


def test_a_judge_of_ones_own_brings_its_prompts_in_a_folder(tmp_path):
    plain = JUDGES["pointwise"]
    mine = replace(plain, name="mine", judge_prompts=(replace(plain.judge_prompts[0], prompt="mine"),))
    text = Library()["pointwise"].text.replace('id = "pointwise"', 'id = "mine"')
    (tmp_path / "mine.j2").write_text(text, encoding="utf-8")
    (judged,) = judge(demo()[:1], format=mine, prompts=tmp_path)
    assert judged.format == "mine"
    assert set(judged.measures) == set(mine.metrics)
    with pytest.raises(DeclarationError, match="nothing asks for"):
        judge(demo()[:1], format="pointwise", prompts=tmp_path)


def test_prompts_that_are_not_there_are_told(site):
    shutil.rmtree(site / "conqret_example" / "prompts")
    with pytest.raises(DeclarationError, match=r"prompts of .* \(conqret_example.prompts\) cannot be found"):
        Library()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_pages_show_what_the_plug_in_holds(page):
    text = page.read_text(encoding="utf-8")
    whole = (PLUG_IN / "pyproject.toml").read_text(encoding="utf-8")
    shown_lines = LINES.findall(text)
    assert shown_lines
    assert all(lines in whole for lines in shown_lines)


def test_every_variable_of_every_prompt_is_explained(site):
    library = Library()
    for identifier in library.ids():
        known = {**known_variables(), **library[identifier].variables}
        used = {name for names in library.used(identifier).values() for name in names}
        assert used <= set(known), identifier
