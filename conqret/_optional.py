"""Import optional dependencies late, and say how to install the ones that are missing."""

from __future__ import annotations

import importlib
import re
from types import ModuleType

from conqret.errors import MissingDependencyError

_DISTRIBUTIONS = {"Stemmer": "PyStemmer"}
"""Modules that are called otherwise than what brings them."""
_BROUGHT = re.compile(r"""\A([\w.-]++)[^;]*+;.*extra == ["']([^"']+)""")
"""A line of the package's requirements that an extra brings: what, and the extra."""


def require(module: str, *more: str, extra: str) -> ModuleType:
    """Import ``module`` and the modules in ``more``, and return ``module``.

    Raises:
        MissingDependencyError: one of them is not installed; the message has the pip command that
            installs ``extra``.
    """
    for name in (module, *more):
        try:
            importlib.import_module(name)
        except ModuleNotFoundError as error:
            if error.name is None or error.name.split(".")[0] != name.split(".")[0]:
                raise
            raise MissingDependencyError(_remedy(name, extra)) from error
    return importlib.import_module(module)


def missing(error: ModuleNotFoundError) -> MissingDependencyError | None:
    """Return the error that names the extra which installs a missing module; None if no extra does."""
    from importlib.metadata import PackageNotFoundError, requires

    name = (error.name or "").partition(".")[0]
    wanted = _DISTRIBUTIONS.get(name, name).lower().replace("_", "-")
    try:
        declared = requires("conqret") or []
    except PackageNotFoundError:  # a checkout that is not installed
        return None
    for requirement in filter(None, map(_BROUGHT.match, declared)):
        if requirement[1].lower().replace("_", "-") == wanted != "conqret":
            return MissingDependencyError(_remedy(name, requirement[2]))
    return None


def _remedy(name: str, extra: str) -> str:
    """What is missing, and the command that installs it: from the checkout where conqret was installed from one."""
    from importlib.metadata import distributions

    origins = [found.read_text("direct_url.json") or "" for found in distributions(name="conqret")]
    local = any("file:" in origin for origin in origins)
    own = f" (in the checkout: pip install '.[{extra}]' -c constraints.txt)" if local else ""
    return f"{name} is not installed; run: pip install 'conqret[{extra}]'{own}"
