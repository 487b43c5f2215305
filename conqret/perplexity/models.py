"""Loading a causal language model and its tokenizer, from a folder or a hub, with the device settled."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from conqret._optional import require
from conqret.errors import DeclarationError, UnknownNameError

EXTRA = "perplexity"
DTYPES = ("float32", "bfloat16", "float16")


@dataclass(frozen=True, slots=True)
class Loaded:
    """A model in evaluation mode on its device, its tokenizer, and what names its weights."""

    model: Any
    tokenizer: Any
    device: str
    dtype: str
    revision: str


def load(name: str, device: str | None = None, dtype: str | None = None) -> Loaded:
    """Load ``name``; the default is a GPU in bfloat16 where there is one, else the CPU in float32.

    Code that comes with a model is never run.

    Raises:
        DeclarationError: there is no such model or device, or it needs code of its own.
        MissingDependencyError: torch or transformers is not installed.
    """
    torch = require("torch", extra=EXTRA)
    transformers = require("transformers", extra=EXTRA)
    place = device or ("cuda" if torch.cuda.is_available() else "cpu")
    kind = dtype or ("float32" if place == "cpu" else "bfloat16")
    if kind not in DTYPES:
        raise UnknownNameError("dtype", kind, DTYPES)
    try:
        tokenizer = transformers.AutoTokenizer.from_pretrained(name)
        model = transformers.AutoModelForCausalLM.from_pretrained(name, dtype=getattr(torch, kind))
        model = model.to(place)
    except (OSError, ValueError, RuntimeError, AssertionError) as error:
        first = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        raise DeclarationError(f"the model {name!r} cannot be loaded on {place}: {first}") from error
    model.eval()
    return Loaded(model, tokenizer, place, kind, _revision(name, model))


def _revision(name: str, model: Any) -> str:
    """The hub's commit; for a folder, size and time of its weights, so that new weights are another model."""
    folder = Path(name)
    if folder.is_dir():
        files = sorted(file for file in folder.iterdir() if file.suffix in (".safetensors", ".bin", ".json"))
        return ";".join(f"{file.name}:{file.stat().st_size}:{file.stat().st_mtime_ns}" for file in files)
    return str(getattr(model.config, "_commit_hash", None) or "")
