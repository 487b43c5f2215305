"""Load a language model and its tokenizer, or a sentence encoder, from a folder or a hub, and choose the device.

transformers draws weights that a checkpoint lacks at random and says so in a log alone. Here that is an error: of a
model that is read, for every weight; of one that is trained, for all but its new head. A checkpoint may hold more than
the class reads. :func:`window_in` says how many tokens a model takes at once.
"""

from __future__ import annotations

import json
import logging
import pickle
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from conqret._optional import require
from conqret.errors import EXAMPLES, DeclarationError, check_known, first_line
from conqret.io.limits import whole_bytes
from conqret.local.model_identity import commit_of, folder_identity, hub_file

EXTRA = "perplexity"
DTYPES = ("float32", "bfloat16", "float16")
CAUSAL, SEQ2SEQ = "AutoModelForCausalLM", "AutoModelForSeq2SeqLM"
"""The transformers classes that load causal and sequence-to-sequence models."""

UNREADABLE = (OSError, ValueError, RuntimeError, AssertionError, KeyError, pickle.UnpicklingError)
"""The exceptions where a folder holds no model, or one that is not loaded because its weights are in a
pickle that would run code.
"""


ADAPTER = "adapter_config.json"
"""The file that a folder with an adapter (peft) has instead of ``config.json``."""
POOLER = "pooler"
"""The layer over an encoder's first token, which encoders that were trained on masked words alone lack."""

_loading = threading.RLock()
"""Held while the class of transformers is watched: two threads that load take turns."""

Spared = Callable[[str, Any], bool]
"""Takes the name of a weight and the model, and returns True if the weight may be missing from the
checkpoint.
"""


def none(name: str, model: Any) -> bool:
    """Return False: no weight may be missing from the checkpoint."""
    return False


def unread_pooler(name: str, model: Any) -> bool:
    """Return True for a weight of the pooler, which may be missing where only the tokens' hidden states are
    used."""
    return POOLER in name.split(".")


def new_head(name: str, model: Any) -> bool:
    """Return True for a weight of the pooler or the head, which may be missing where the head is trained
    next."""
    return unread_pooler(name, model) or not name.startswith(f"{model.base_model_prefix}.")


@contextmanager
def from_checkpoint(spared: Spared = none) -> Iterator[list[str]]:
    """Check, inside the ``with`` block, that each transformers model this thread loads has all weights in its
    checkpoint.

    ``spared`` returns True for the names of weights that may be missing and are initialized at random. Yields
    a list, to which the names of these weights are added.

    Raises:
        DeclarationError: another weight of the model is not in the checkpoint, or has another shape
            there.
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
    """Return a model, and which of its weights are missing or have other sizes; of an adapter, those of base and
    adapter together. Other sizes raise no error here."""
    settings = {**settings, "output_loading_info": True, "ignore_mismatched_sizes": True}
    adapter_settings = dict(settings.get("adapter_kwargs") or {})
    adapter = adapter_settings.pop("_adapter_model_path", None)
    if adapter is None and not (Path(path) / "config.json").is_file() and (Path(path) / ADAPTER).is_file():
        adapter, path = path, base_of(Path(path))
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
    """Return the names of the weights that were drawn at random, with their shapes if these differ.

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


def base_of(folder: Path) -> str:
    """Return the base model's name or folder by an adapter's ``adapter_config.json``.

    Raises:
        DeclarationError: the file is not valid, or names none.
    """
    try:
        return str(json.loads(whole_bytes(folder / ADAPTER))["base_model_name_or_path"])
    except (ValueError, LookupError, TypeError) as error:
        raise DeclarationError(f"{folder / ADAPTER} names no base_model_name_or_path") from error


@dataclass(frozen=True, slots=True)
class LoadedModel:
    """A model in evaluation mode, with its tokenizer, device, dtype, and the revision that identifies its
    weights."""

    model: Any
    tokenizer: Any
    device: str
    dtype: str
    revision: str


def load(
    name: str,
    device: str | None = None,
    dtype: str | None = None,
    *,
    auto: str = CAUSAL,
    spared: Spared = none,
) -> LoadedModel:
    """Load a model and its tokenizer from a folder or the hub; by default on a GPU in bfloat16, else on
    the CPU in float32.

    Code that comes with a model is never run.

    Args:
        name: the model's folder, or its name on the hub.
        device: where the model runs (``cpu``, ``cuda``, ``cuda:1``).
        dtype: the precision of its weights, one of :data:`DTYPES`.
        auto: the transformers class that loads it, such as :data:`CAUSAL` or :data:`SEQ2SEQ`.
        spared: returns True for weights that may be missing from the checkpoint.

    Raises:
        DeclarationError: there is no such model or device, the model needs code of its own, or its weights
            are not those of the class.
        UnknownNameError: there is no such dtype.
        MissingDependencyError: torch or transformers is not installed.
    """
    torch = require("torch", extra=EXTRA)
    transformers = require("transformers", extra=EXTRA)
    safetensors = require("safetensors", extra=EXTRA)
    place, kind = placed(device, dtype)
    bare = (Path(name) / ADAPTER).is_file() and not (Path(name) / "tokenizer_config.json").is_file()
    words = base_of(Path(name)) if bare else name  # an adapter is often saved without its base's tokenizer
    try:
        with bars_on_terminals(), from_checkpoint(spared):
            tokenizer = transformers.AutoTokenizer.from_pretrained(words, trust_remote_code=False)
            model = getattr(transformers, auto).from_pretrained(
                name, dtype=getattr(torch, kind), trust_remote_code=False
            )
        model = model.to(place)
    except (*UNREADABLE, safetensors.SafetensorError) as error:
        raise DeclarationError(
            f"the model {name!r} cannot be loaded on {place}: {first_line(error)}"
        ) from error
    model.eval()
    _fuse_activations(model)
    return LoadedModel(model, tokenizer, place, kind, revision(name))


def placed(device: str | None, dtype: str | None) -> tuple[str, str]:
    """Return the device and the dtype to use: by default a GPU and bfloat16 where there is a GPU, else the
    CPU and float32.

    Raises:
        UnknownNameError: there is no such dtype.
    """
    place = device or ("cuda" if require("torch", extra=EXTRA).cuda.is_available() else "cpu")
    kind = dtype or ("float32" if place == "cpu" else "bfloat16")
    check_known("dtype", DTYPES, kind)
    return place, kind


def _fuse_activations(model: Any) -> None:
    """Replace in place each tanh form of GELU in ``model`` by torch's own, which computes the same function
    in one operation instead of eight (a tenth of the time of GPT-2 on a CPU).
    """
    torch: Any = import_module("torch")
    slow: Any = import_module("transformers.activations").NewGELUActivation
    for module in list(model.modules()):
        for name, child in list(module.named_children()):
            if isinstance(child, slow):
                setattr(module, name, torch.nn.GELU(approximate="tanh"))


@contextmanager
def bars_on_terminals() -> Iterator[None]:
    """Hide the progress bars of transformers inside the ``with`` block, unless standard error is a
    terminal."""
    with nullcontext() if sys.stderr.isatty() else no_bars():
        yield


@contextmanager
def no_bars() -> Iterator[None]:
    """Hide the progress bars of transformers inside the ``with`` block."""
    logging: Any = import_module("transformers.utils.logging")  # untyped
    drawing = logging.is_progress_bar_enabled()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        if drawing:
            logging.enable_progress_bar()


def revision(name: str) -> str:
    """Return what identifies a model's weights: the digest of a folder's files, or ``NAME@COMMIT`` for a
    model of the hub.

    The commit is that in the local cache, and empty if there is none; the hub is not called.
    """
    folder = Path(name)
    if folder.is_dir():
        return folder_identity(folder)
    try:
        commit = commit_of(hub_file(name, "config.json", fetch=False))
    except (OSError, ValueError):
        commit = None
    return f"{name}@{commit or ''}"


OLDEST = 6
"""The first major version of sentence-transformers that runs no code of a model's folder."""


def sentence_transformers(extra: str) -> Any:
    """Import and return the library sentence-transformers, in a version that runs no code of a model's
    folder.

    ``extra`` is the extra of conqret that installs it.

    Raises:
        DeclarationError: an older version is installed.
        MissingDependencyError: the library is not installed.
    """
    library = require("sentence_transformers", extra=extra)
    if int(str(library.__version__).partition(".")[0]) < OLDEST:
        raise DeclarationError(
            f"sentence-transformers {library.__version__} runs code that comes with a model without your consent: "
            f"update it (pip install 'conqret[{extra}]')"
        )
    return library


def load_encoder(name: str, device: str | None = None, dtype: str | None = None, *, extra: str) -> Any:
    """Load a ``SentenceTransformer`` in evaluation mode from a folder or the hub.

    Code that comes with a model is never run.

    Args:
        name: the encoder's folder, or its name on the hub.
        device: where it runs; by default a GPU if there is one, else the CPU.
        dtype: the precision of its weights; by default bfloat16 on a GPU, float32 on the CPU.
        extra: the extra of conqret that installs the library.

    Raises:
        DeclarationError: the encoder cannot be loaded, or its checkpoint lacks a weight.
        MissingDependencyError: sentence-transformers is not installed.
    """
    library = sentence_transformers(extra)
    import torch

    place, kind = placed(device, dtype)
    try:
        with bars_on_terminals(), from_checkpoint(unread_pooler):
            encoder = library.SentenceTransformer(
                name, device=place, trust_remote_code=False, model_kwargs={"dtype": getattr(torch, kind)}
            )
    except UNREADABLE as error:
        # torch names a module's weights below the first line
        message = " ".join(str(error).split()) if "state_dict" in first_line(error) else first_line(error)
        raise DeclarationError(
            f"the encoder {name!r} cannot be loaded on {place}: {message} (give --encoder "
            "the folder of a model, or its name on a hub that can be reached)"
        ) from error
    return encoder.eval()


def encoder_weights(name: str) -> list[str]:
    """Return the identities of all parts of an encoder: its :func:`revision`, and the digests of its modules'
    folders.

    A folder's ``modules.json`` lists these modules; a dense layer, for example, has its weights in its own
    folder.
    """
    folder = Path(name)
    listed = folder / "modules.json"
    if not listed.is_file():
        return [revision(name)]
    places = [folder / module["path"] for module in json.loads(whole_bytes(listed)) if module["path"]]
    return [revision(name), *(folder_identity(place) for place in places if place.is_dir())]


UNLIMITED = 10**9
"""Tokenizers without a limit report 10^30; no model has positions beyond this one."""

_POSITIONS = ("max_position_embeddings", "n_positions")
_LENGTHS = ("model_max_length", "max_len")
_ROTATIONS = ("rope_parameters", "rope_scaling")
_CHANGING = frozenset({"longrope", "su", "dynamic"})
"""Rotations that change with the length of the text; ``su`` is the old name of ``longrope``."""

_READ = ("max_position_embeddings", "original_max_position_embeddings", *_ROTATIONS)


def window_of(config: Any, tokenizer: Any) -> int:
    """Return how many tokens a loaded model can read at once, by transformers' ``config`` and
    ``tokenizer`` objects; :data:`UNLIMITED` where nothing limits it.
    """
    length = {"model_max_length": getattr(tokenizer, "model_max_length", None)}
    return window_in(_attributes(config), length) or UNLIMITED


def window_in(config: Mapping[str, Any], tokenizer: Mapping[str, Any]) -> int | None:
    """Return a model's largest number of tokens by its configuration files; None where they set no limit.

    This is the smallest limit of positions, rotary embeddings and tokenizer.

    Args:
        config: the contents of ``config.json``, as published or as transformers writes it.
        tokenizer: the contents of ``tokenizer_config.json``.
    """
    limits = [tokenizer.get(name) for name in _LENGTHS]
    for settings in (config, config.get("text_config")):
        if isinstance(settings, Mapping):
            limits += [settings.get(name) for name in _POSITIONS]
            limits += _constant_rotation(settings)
    numbers = [int(limit) for limit in limits if isinstance(limit, int | float) and 0 < limit < UNLIMITED]
    return min(numbers, default=None)


def _attributes(config: Any) -> dict[str, Any]:
    """The settings of a configuration object, whatever the model itself calls its positions."""
    attributes: dict[str, Any] = {name: getattr(config, name, None) for name in _READ}
    if (text := getattr(config, "text_config", None)) is not None and text is not config:
        attributes["text_config"] = text if isinstance(text, Mapping) else _attributes(text)
    return attributes


def _constant_rotation(settings: Mapping[str, Any]) -> Iterator[Any]:
    """Yield the lengths up to which rotary positions stay the same, for models that rotate longer texts otherwise.

    A prefix encoded below such a length would not fit a row that ends above it.
    """
    lengths = (settings.get(f"{name}max_position_embeddings") for name in ("original_", ""))
    original_length = next(filter(None, lengths), None)
    for name in _ROTATIONS:
        rotary = settings.get(name)
        if not isinstance(rotary, Mapping):
            continue
        for kind in (rotary, *(value for value in rotary.values() if isinstance(value, Mapping))):
            if (kind.get("rope_type") or kind.get("type")) in _CHANGING:
                yield kind.get("original_max_position_embeddings") or original_length
