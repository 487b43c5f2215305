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
    from conqret.api.answering import answer
    from conqret.api.debates import controllability, response_quality
    from conqret.api.experiments import run
    from conqret.api.generation import generate
    from conqret.api.judging import ajudge, judge
    from conqret.api.judgments import Judgments
    from conqret.api.retrieval import retrieve
    from conqret.api.validation import validate
    from conqret.data import Document, Item, Judgment, Measure
    from conqret.errors import ConqretError, DeclarationError, ExecutionError, ItemsError
    from conqret.llm.options import ClientOptions
    from conqret.reliability.bias.study import bias
    from conqret.reliability.drift.series import drift
    from conqret.reliability.sensitivity.study import sensitivity
    from conqret.runs.session import Session

_HOMES = {
    "ClientOptions": "conqret.llm.options",
    "ConqretError": "conqret.errors",
    "DeclarationError": "conqret.errors",
    "Document": "conqret.data",
    "ExecutionError": "conqret.errors",
    "Item": "conqret.data",
    "ItemsError": "conqret.errors",
    "Judgment": "conqret.data",
    "Judgments": "conqret.api.judgments",
    "Measure": "conqret.data",
    "Session": "conqret.runs.session",
    "ajudge": "conqret.api.judging",
    "answer": "conqret.api.answering",
    "bias": "conqret.reliability.bias.study",
    "controllability": "conqret.api.debates",
    "drift": "conqret.reliability.drift.series",
    "generate": "conqret.api.generation",
    "judge": "conqret.api.judging",
    "response_quality": "conqret.api.debates",
    "retrieve": "conqret.api.retrieval",
    "run": "conqret.api.experiments",
    "sensitivity": "conqret.reliability.sensitivity.study",
    "validate": "conqret.api.validation",
}
"""What is public, and where it stands; nothing else is, and docs/api.md says what of it is stable."""

__all__ = [
    "ClientOptions",
    "ConqretError",
    "DeclarationError",
    "Document",
    "ExecutionError",
    "Item",
    "ItemsError",
    "Judgment",
    "Judgments",
    "Measure",
    "Session",
    "ajudge",
    "answer",
    "bias",
    "controllability",
    "drift",
    "generate",
    "judge",
    "response_quality",
    "retrieve",
    "run",
    "sensitivity",
    "validate",
]

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
