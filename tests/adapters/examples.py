"""The examples of docs/adapters.md, which are run."""

from pathlib import Path
from typing import Any

PAGE = Path(__file__).parents[2] / "docs" / "adapters.md"


def run_example(heading: str) -> dict[str, Any]:
    """Run the Python block under a heading of the page, and return its names."""
    section = PAGE.read_text(encoding="utf-8").split(f"\n## {heading}\n")[1].split("\n## ")[0]
    code = section.split("```python\n")[1].split("```")[0]
    names: dict[str, Any] = {}
    exec(compile(code, f"docs/adapters.md, {heading}", "exec"), names)
    return names
