"""conqret judges retrieval-augmented arguments with LLMs, and measures how far the judge can be trusted.

    from conqret import Item, judge
    result = judge(items, format="rag-fine-grained", model="offline")

Names are imported when they are first used, so that ``import conqret`` costs next to nothing.
"""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path
from typing import Any

from conqret._version import __version__ as __version__

_DECLARED = re.compile(r"^from (\S+) import (\w+) as \2$", re.MULTILINE)
_HOMES = {
    name: home
    for home, name in _DECLARED.findall(Path(__file__).with_suffix(".pyi").read_text(encoding="utf-8"))
    if name != "__version__"
}
"""By public name the module in which it stands, as ``__init__.pyi`` declares them; ``__all__`` is these names."""

# In a checkout, judges/, prompts/ and scrapers/ lie beside this package and not inside it. An installed copy that
# this folder hides (the checkout's root on sys.path) would lack them, so the root joins the search path.
_ROOT = Path(__file__).resolve().parent.parent
if (_ROOT / "pyproject.toml").is_file() and str(_ROOT) not in __path__:
    __path__.append(str(_ROOT))


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    if name == "__all__":
        return list(_HOMES)
    raise AttributeError(f"module 'conqret' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*_HOMES, "__version__"])
