"""`import conqret` and `conqret --help` answer at once: what is heavy is imported by its first use."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

HEAVY = set("instructor litellm openai pandas polars pyarrow scipy tiktoken torch transformers".split())


def loaded_after(statement: str, cwd: Path) -> set[str]:
    """The top-level modules that a fresh interpreter holds after ``statement``."""
    code = f"{statement}\nimport json, sys\nprint('\\n' + json.dumps(sorted(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], cwd=cwd, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return {name.partition(".")[0] for name in json.loads(done.stdout.splitlines()[-1])}


@pytest.mark.parametrize(
    "statement",
    [
        "import conqret",
        "import conqret.errors",
        "import conqret.data",
        "import conqret.prompts",
        "import conqret.judges",
        "import conqret.cli.main",
    ],
)
def test_nothing_heavy_is_imported(statement: str, tmp_path: Path) -> None:
    assert loaded_after(statement, tmp_path) & HEAVY == set()


def test_help_imports_nothing_heavy(tmp_path: Path) -> None:
    statement = (
        "import sys\n"
        "from conqret.cli.main import main\n"
        "sys.argv = ['conqret', '--help']\n"
        "try:\n    main()\nexcept SystemExit as end:\n    assert not end.code, end.code"
    )
    assert loaded_after(statement, tmp_path) & HEAVY == set()


def test_conqret_is_found_from_any_folder(tmp_path: Path) -> None:
    assert "conqret" in loaded_after("import conqret.scrapers", tmp_path)
