"""`import conqret` and `conqret --help` answer at once: what is heavy is imported by its first use."""

import json
import re
import subprocess
import sys
from pathlib import Path

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


def test_nothing_heavy_is_imported_from_any_folder(tmp_path: Path) -> None:
    statement = "import conqret, conqret.judges, conqret.scrapers, conqret.cli.main"
    assert loaded_after(statement, tmp_path) & HEAVY == set()


def test_the_list_of_commands_says_what_each_says_of_itself() -> None:
    listed = {name: text for names in PANELS.values() for name, text in names.items()}
    assert len(listed) <= 19
    for name in HOMES:
        said, _, _ = find([name])[0].help.partition("\n\n")
        assert (name, said) == (name, listed[name])
    assert listed.keys() == HOMES.keys()


def test_help_imports_no_command_and_nothing_heavy(tmp_path: Path) -> None:
    loaded = loaded_after(called("conqret", "--help"), tmp_path)
    assert loaded & (HEAVY | {"pydantic", "numpy"}) == set()
    commands = {name for name in loaded if re.fullmatch(r"conqret\.(cli\..+|.+command)", name)}
    assert commands == {"conqret.cli.main", "conqret.cli.commands"}  # the launcher


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
