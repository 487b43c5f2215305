"""The public face: each function is what the command of its name calls, and names a misspelt option."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import conqret
from conqret import DeclarationError
from conqret.cli.commands import HOMES
from conqret.io.labels import read_labels
from tests.contract.items import demo
from tests.studies.cards import write_gold

ROOT = Path(__file__).parents[2]


def test_validate_takes_a_folder_or_a_result(tmp_path: Path) -> None:
    pytest.importorskip("scipy")
    labels = read_labels(write_gold(tmp_path / "labels.csv", people=2), scales=["1:3"])
    result = conqret.judge(demo(), output=tmp_path / "run")
    require = ["coverage >= 0.99"]
    from_result = conqret.validate(result, labels=labels, require=require)
    from_folder = conqret.validate(tmp_path / "run", labels=labels, require=require, output=tmp_path / "card")
    assert from_result.met
    assert from_result.validation == from_folder.validation
    assert from_result.files == []
    assert {"validation.json", "card.json"} <= {file.name for file in from_folder.files}


@pytest.mark.parametrize(
    ("name", "misspelt", "meant"),
    [("judge", "metric", "metrics"), ("bias", "probe", "probes"), ("retrieve", "reranks", "rerank")],
)
def test_a_misspelt_option_is_told_with_what_was_meant(name: str, misspelt: str, meant: str) -> None:
    wrong: dict[str, Any] = {misspelt: 1}
    with pytest.raises(
        DeclarationError, match=f"there is no option '{misspelt}' of {name}: did you mean '{meant}'"
    ):
        getattr(conqret, name)("x", **wrong)


def test_what_is_public_is_documented_and_nothing_else_is_shown() -> None:
    page = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
    classes = set(re.findall(r"`([A-Z]\w+)` \(", page))
    functions: dict[str, list[str]] = {}
    for group, cell in re.findall(r"^\| `conqret ?([^`]*)` \| (.+) \|$", page, re.MULTILINE):
        waiting: list[str] = []
        for name, word in re.findall(r"(?<!\()`(\w+)`|\(`([\w-]+)[^`]*`\)", cell):
            waiting += [name] if name else []
            if word:
                functions |= {each: [*group.split(), word] for each in waiting}
                waiting = []
        functions |= {each: [*group.split(), each.replace("_", "-")] for each in waiting}
    assert classes | set(functions) == set(conqret.__all__)
    for command in functions.values():
        home: Any = HOMES
        for part in command:
            if isinstance(home, str):  # a function of a command that has several
                break
            home = home[part]
        assert isinstance(home, str), command
    assert dir(conqret) == sorted([*conqret.__all__, "__version__"])
    names: dict[str, object] = {}
    exec("from conqret import *", names)
    for name in conqret.__all__:
        assert names[name].__doc__
