"""conqret judges retrieval-augmented arguments with LLMs, and measures how far the judge can be trusted.

    from conqret import Item, judge
    result = judge(items, format="rag-fine-grained", model="offline")

Names are imported when they are first used, so that ``import conqret`` costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from conqret._version import __version__ as __version__

if TYPE_CHECKING:
    from conqret.api.judging import ajudge, judge
    from conqret.api.judgments import Judgments
    from conqret.data import Document, Item, Judgment, Measure
    from conqret.errors import ConqretError, DeclarationError, ExecutionError, ItemsError

__all__ = [
    "ConqretError",
    "DeclarationError",
    "Document",
    "ExecutionError",
    "Item",
    "ItemsError",
    "Judgment",
    "Judgments",
    "Measure",
    "ajudge",
    "judge",
]

_HOMES = {
    "Document": "conqret.data",
    "Item": "conqret.data",
    "Judgment": "conqret.data",
    "Measure": "conqret.data",
    "ConqretError": "conqret.errors",
    "DeclarationError": "conqret.errors",
    "ExecutionError": "conqret.errors",
    "ItemsError": "conqret.errors",
    "Judgments": "conqret.api.judgments",
    "ajudge": "conqret.api.judging",
    "judge": "conqret.api.judging",
}

# In a checkout, judges/, prompts/ and scrapers/ lie beside this package and not inside it. An installed copy that
# this folder hides (the checkout's root on sys.path) would lack them, so the root joins the search path.
_ROOT = Path(__file__).resolve().parent.parent
if (_ROOT / "pyproject.toml").is_file() and str(_ROOT) not in __path__:
    __path__.append(str(_ROOT))


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'conqret' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
