"""Which packages conqret has: all that are on the disk. Everything else about packaging stands in ``pyproject.toml``.

``judges/``, ``prompts/`` and ``scrapers/`` stand at the top of the repository and install under ``conqret``, which
``[tool.setuptools.packages.find]`` cannot say.
"""

from __future__ import annotations

from setuptools import find_packages, setup

TOP = ("judges", "prompts", "scrapers")


def packages() -> list[str]:
    """The packages of the checkout in the current folder, by the names under which they are imported."""
    found = find_packages(include=[pattern for name in ("conqret", *TOP) for pattern in (name, f"{name}.*")])
    return sorted(name if name.split(".")[0] == "conqret" else f"conqret.{name}" for name in found)


if __name__ == "__main__":
    setup(packages=packages())
