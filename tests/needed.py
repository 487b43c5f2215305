"""Modules that tests need, imported where one of them is first used: collecting the tests takes none of them."""

from __future__ import annotations

import importlib
import importlib.util
from typing import Any

import pytest


class Needed:
    """A module by its name; without it the tests of the file that names it are skipped for the ``reason``."""

    def __init__(self, name: str, reason: str = "") -> None:
        if importlib.util.find_spec(name) is None:
            pytest.skip(reason or f"{name} is not installed", allow_module_level=True)
        self._name = name

    def __getattr__(self, attribute: str) -> Any:
        if attribute.startswith(("_", "pytest")):  # pytest looks for these in whatever a file of tests names
            raise AttributeError(attribute)
        try:
            return getattr(importlib.import_module(self._name), attribute)
        except AttributeError:
            return importlib.import_module(f"{self._name}.{attribute}")
