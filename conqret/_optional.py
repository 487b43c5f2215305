"""Import optional dependencies late, and say how to install the ones that are missing."""

from __future__ import annotations

import importlib
from types import ModuleType

from conqret.errors import MissingDependencyError


def require(module: str, *, extra: str) -> ModuleType:
    """Return the imported ``module``, or raise with the pip line that installs ``extra``.

    Raises:
        MissingDependencyError: ``module`` is not installed.
    """
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name is None or error.name.split(".")[0] != module.split(".")[0]:
            raise
        raise MissingDependencyError(
            f"{module} is not installed; run: pip install 'conqret[{extra}]'"
        ) from error
