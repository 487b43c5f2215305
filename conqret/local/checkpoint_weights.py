"""Loading a checkpoint into a class of transformers: every weight comes from it, or its name stands in an error.

transformers draws weights that a checkpoint lacks at random and says so in a log alone. Here that is an error: of a
model that is read, for every weight; of one that is trained, for all but its new head. Tied weights count as there,
and a checkpoint may hold more than the class reads.
"""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

from conqret.errors import EXAMPLES, DeclarationError
from conqret.io.limits import whole_bytes

ADAPTER = "adapter_config.json"
"""The file that a folder with an adapter (peft) has in place of ``config.json``."""
POOLER = "pooler"
"""The layer over an encoder's first token, which encoders that were trained on masked words alone lack."""

_loading = threading.RLock()
"""Held while the class of transformers is watched: two threads that load take turns."""

Spared = Callable[[str, Any], bool]
"""Whether a weight may be missing, by its name and the model."""


def none(name: str, model: Any) -> bool:
    """Spare no weight."""
    return False


def unread_pooler(name: str, model: Any) -> bool:
    """Spare the pooler, for who reads the states of the tokens."""
    return POOLER in name.split(".")


def new_head(name: str, model: Any) -> bool:
    """Spare what stands on the base model, for who trains it."""
    return unread_pooler(name, model) or not name.startswith(f"{model.base_model_prefix}.")


@contextmanager
def from_checkpoint(spared: Spared = none) -> Iterator[list[str]]:
    """Check every model of transformers that this thread loads meanwhile, whichever library loads it.

    Yields a list that gets the names of the weights that were drawn at random, as ``spared`` allows.

    Raises:
        DeclarationError: a weight of the class is not in the checkpoint, or has another shape there.
    """
    base: Any = import_module("transformers").PreTrainedModel
    log, thread = logging.getLogger("transformers"), threading.get_ident()
    drawn: list[str] = []

    def checked(cls: Any, pretrained_model_name_or_path: Any, *args: Any, **settings: Any) -> Any:
        path = pretrained_model_name_or_path
        if threading.get_ident() != thread:
            return original.__func__(cls, path, *args, **settings)
        told = settings.pop("output_loading_info", False)
        model, info = _loaded(original.__func__, cls, path, args, settings)
        drawn.extend(_drawn(model, path, info, spared))
        return (model, info) if told else model

    with _loading:
        original, level = base.__dict__["from_pretrained"], log.level
        base.from_pretrained = classmethod(checked)
        log.setLevel(logging.ERROR)  # its table of keys would stand before our error
        try:
            yield drawn
        finally:
            base.from_pretrained = original
            log.setLevel(level)


def _loaded(load: Any, cls: Any, path: Any, args: Any, settings: dict[str, Any]) -> tuple[Any, Any]:
    """A model, and what transformers says of its weights; of an adapter what it says of both, base and adapter."""
    settings = {**settings, "output_loading_info": True, "ignore_mismatched_sizes": True}
    adapter_settings = dict(settings.get("adapter_kwargs") or {})
    adapter = adapter_settings.pop("_adapter_model_path", None)
    if adapter is None and not (Path(path) / "config.json").is_file() and (Path(path) / ADAPTER).is_file():
        adapter, path = path, json.loads(whole_bytes(Path(path) / ADAPTER))["base_model_name_or_path"]
    if adapter in (None, path):
        model, info = load(cls, path, *args, **settings)
        return model, info
    model, info = load(cls, path, *args, **{**settings, "adapter_kwargs": adapter_settings})
    own = model.load_adapter(adapter)
    known = {} if own is None else own.to_dict()  # before version 5 it raises by itself
    names = set(model.state_dict())  # an adapter replaces modules by its own
    parts = {name: name.rpartition(".") for name in info["missing_keys"]}
    lacking = {
        name for name, (at, _, end) in parts.items() if f"{at}.modules_to_save.default.{end}" not in names
    }
    return model, {
        "missing_keys": lacking | set(known.get("missing_keys", ())) | set(known.get("unexpected_keys", ())),
        "mismatched_keys": [*info["mismatched_keys"], *known.get("mismatched_keys", ())],
    }


def _drawn(model: Any, path: Any, info: Mapping[str, Any], spared: Spared) -> list[str]:
    """The weights that were drawn at random.

    Raises:
        DeclarationError: one of them is not spared.
    """
    missing = sorted(info["missing_keys"])
    shapes = {
        name: f"{name}: {_shape(found)} in place of {_shape(needed)}"
        for name, found, needed in sorted(info["mismatched_keys"])
    }
    lost = [name for name in missing if not spared(name, model)]
    other = [shape for name, shape in shapes.items() if not spared(name, model)]
    if lost or other:
        faults = [f"{len(lost):,} weights are not in it ({_some(lost)})"] if lost else []
        faults += [f"{len(other):,} have another shape ({_some(other)})"] if other else []
        kind = type(model).__name__
        named = [name for name in model.config.architectures or () if name != kind]
        saved = f", but of {', '.join(named)}" if named else ""
        raise DeclarationError(
            f"the checkpoint {str(path)!r} is not one of {kind}{saved}: {' and '.join(faults)}. They would be drawn "
            "at random: give a checkpoint that was saved with them"
        )
    return [*missing, *shapes]


def _some(names: Iterable[str]) -> str:
    names = list(names)
    return ", ".join(names[:EXAMPLES]) + (", …" if len(names) > EXAMPLES else "")


def _shape(shape: Iterable[int]) -> str:
    return "x".join(map(str, shape))
