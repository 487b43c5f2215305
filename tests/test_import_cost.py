"""`import conqret` and `conqret --help` answer at once: what is heavy is imported by its first use."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from conqret.cli.commands import HOMES, PANELS, find
from tests.server import FaultServer

HEAVY = set("instructor litellm openai pandas polars pyarrow scipy tiktoken torch transformers".split())

UNUSED = {"conqret.studies", "conqret.experiments", "conqret.retrieval", "conqret.generation"}
"""What judging needs nothing of."""


def loaded_after(statement: str, cwd: Path) -> set[str]:
    """The modules that a fresh interpreter holds after ``statement``, and the packages that they are of."""
    code = f"{statement}\nimport json, sys\nprint('\\n' + json.dumps(sorted(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], cwd=cwd, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return set(json.loads(done.stdout.splitlines()[-1]))


def called(*arguments: str) -> str:
    """The statement that gives a command."""
    return (
        "import sys\n"
        "from conqret.cli.main import main\n"
        f"sys.argv = {[*arguments]!r}\n"
        "try:\n    main()\nexcept SystemExit as end:\n    assert not end.code, end.code"
    )


@pytest.mark.parametrize("statement", ["import conqret", "import conqret.judges", "import conqret.cli.main"])
def test_nothing_heavy_is_imported(statement: str, tmp_path: Path) -> None:
    assert loaded_after(statement, tmp_path) & HEAVY == set()


def test_the_list_of_commands_says_what_each_says_of_itself() -> None:
    listed = {name: text for names in PANELS.values() for name, text in names.items()}
    assert len(listed) <= 18
    for name in HOMES:
        said, _, _ = find([name])[0].help.partition("\n\n")
        assert (name, said) == (name, listed[name])
    assert listed.keys() == HOMES.keys()


def test_help_imports_no_command(tmp_path: Path) -> None:
    code = (
        called("conqret", "--help")
        + "\nprint({name for name in sys.modules if name.endswith('command') or name.startswith('conqret.cli.')})"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    found = set(re.findall("conqret[.a-z_]+", done.stdout.splitlines()[-1]))
    launcher = ("main", "commands")  # none of them is a command
    assert found == {f"conqret.cli.{name}" for name in launcher}


def test_judging_directly_imports_no_llm_library(tmp_path: Path) -> None:
    rows = [
        {"id": f"i{n}", "topic": f"t{n}", "documents": ["One. Two."], "argument": "So it is [1]."}
        for n in range(4)
    ]
    (tmp_path / "items.jsonl").write_text("\n".join(map(json.dumps, rows)) + "\n", encoding="utf-8")
    with FaultServer(length=1) as server:
        told = ["judge", "items.jsonl", "--model", "openai/m", "--api-base", server.url, "-o", "run", "-q"]
        held = loaded_after(called("conqret", *told), tmp_path)
    assert (len(server.requests), (tmp_path / "run" / "report.html").exists()) == (4, True)
    assert held & (HEAVY | {"httpx", "matplotlib"}) == {"polars"}  # which writes scores.parquet
    assert held & UNUSED == set()


def test_help_imports_nothing_heavy(tmp_path: Path) -> None:
    assert loaded_after(called("conqret", "--help"), tmp_path) & (HEAVY | {"pydantic"}) == set()


def test_conqret_is_found_from_any_folder(tmp_path: Path) -> None:
    assert "conqret" in loaded_after("import conqret.scrapers", tmp_path)
