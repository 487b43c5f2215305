"""The examples of docs/adapters.md and docs/serve.md, which are run."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parents[2] / "docs"


def block(heading: str, kind: str, page: str = "adapters.md") -> str:
    """The first block of a kind (python, yaml) under a heading of the page."""
    section = (DOCS / page).read_text(encoding="utf-8").split(f"\n## {heading}\n")[1].split("\n## ")[0]
    return section.split(f"```{kind}\n")[1].split("```")[0]


def run_example(heading: str, page: str = "adapters.md") -> dict[str, Any]:
    """Run the Python block under a heading of the page, and return its names."""
    code = block(heading, "python", page)
    names: dict[str, Any] = {}
    exec(compile(code, f"docs/{page}, {heading}", "exec"), names)
    return names


def run_example_alone(heading: str, folder: Path, then: str = "") -> None:
    """Run it in a process of its own, in ``folder``, and ``then`` a statement on its ``names``: for libraries that
    remember where other tests have led them."""
    code = f"from tests.adapters.examples import run_example; names = run_example({heading!r}); {then}"
    kept = {name: value for name, value in os.environ.items() if name != "MLFLOW_EXPERIMENT_ID"}
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=folder,
        env={**kept, "PYTHONPATH": str(DOCS.parent)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
