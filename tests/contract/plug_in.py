"""The example plug-in as pip lays it out: its package, and beside it what it says of itself."""

from __future__ import annotations

import shutil
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from conqret.generation.strategies import STRATEGIES
from conqret.io.label_files import LAYOUTS as LABEL_LAYOUTS
from conqret.judging.judge_parts import JUDGES
from conqret.llm.client_options import BACKENDS
from conqret.perturb import PERTURBATIONS
from conqret.prompts import library
from conqret.scrapers.debates import LAYOUTS as DEBATE_LAYOUTS
from conqret.studies.bias.contrast import PROBES
from conqret.suites.suite import SUITES

ROOT = Path(__file__).resolve().parents[2]
PLUG_IN = ROOT / "fixtures" / "plugin"
REGISTRIES = (JUDGES, BACKENDS, PERTURBATIONS, PROBES, STRATEGIES, SUITES, LABEL_LAYOUTS, DEBATE_LAYOUTS)


def project() -> Mapping[str, Any]:
    """The table ``[project]`` of the example."""
    table: Mapping[str, Any] = tomllib.loads((PLUG_IN / "pyproject.toml").read_text("utf-8"))["project"]
    return table


def install(site: Path) -> None:
    """Copy the package into ``site`` with the entry points that its ``pyproject.toml`` names."""
    shutil.copytree(PLUG_IN / "conqret_example", site / "conqret_example")
    facts = project()
    info = site / f"{facts['name'].replace('-', '_')}-{facts['version']}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {facts['name']}\nVersion: {facts['version']}\n", encoding="utf-8"
    )
    lines = []
    for group, entries in facts["entry-points"].items():
        lines += [f"[{group}]", *(f"{name} = {value}" for name, value in entries.items())]
    (info / "entry_points.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")


def forget() -> None:
    """Let every registry look again for what is installed."""
    for registry in REGISTRIES:
        registry.__dict__.pop("_homes", None)
    library._plugged.cache_clear()


@contextmanager
def looking_again() -> Iterator[None]:
    """Look for plug-ins now, and once more afterwards."""
    forget()
    try:
        yield
    finally:
        forget()
