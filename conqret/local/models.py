"""Loading a language model and its tokenizer, or a sentence encoder, from a folder or a hub; the device is settled; and
how many tokens a model takes at once."""

from __future__ import annotations

import json
import pickle
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from conqret._optional import require
from conqret.errors import DeclarationError, check_known, first_line
from conqret.io.limits import whole_bytes
from conqret.local.checkpoint_weights import Spared, from_checkpoint, none, unread_pooler
from conqret.local.model_identity import commit_of, folder_identity, hub_file

EXTRA = "perplexity"
DTYPES = ("float32", "bfloat16", "float16")
CAUSAL, SEQ2SEQ = "AutoModelForCausalLM", "AutoModelForSeq2SeqLM"
"""The classes of transformers that load a model of a kind."""

UNREADABLE = (OSError, ValueError, RuntimeError, AssertionError, KeyError, pickle.UnpicklingError)
"""What is raised where a folder holds no model, or one that is not loaded: weights in a pickle that would run code."""


@dataclass(frozen=True, slots=True)
class LoadedModel:
    """A model in evaluation mode on its device, its tokenizer, and what names its weights."""

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
    """Load ``name``; the default is a GPU in bfloat16 where there is one, else the CPU in float32.

    ``auto`` is the class that loads it (:data:`CAUSAL` or :data:`SEQ2SEQ`). Code that comes with a model is never run.
    ``spared`` says which weights are not read and may be missing.

    Raises:
        DeclarationError: there is no such model or device, it needs code of its own, or its weights are not those of
            the class.
        MissingDependencyError: torch or transformers is not installed.
    """
    torch = require("torch", extra=EXTRA)
    transformers = require("transformers", extra=EXTRA)
    safetensors = require("safetensors", extra=EXTRA)
    place, kind = placed(device, dtype)
    try:
        with bars_on_terminals(), from_checkpoint(spared):
            tokenizer = transformers.AutoTokenizer.from_pretrained(name, trust_remote_code=False)
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
    """Where a model runs and in which numbers: a GPU in bfloat16 where there is one, else the CPU in float32.

    Raises:
        UnknownNameError: there is no such dtype.
    """
    place = device or ("cuda" if require("torch", extra=EXTRA).cuda.is_available() else "cpu")
    kind = dtype or ("float32" if place == "cpu" else "bfloat16")
    check_known("dtype", DTYPES, kind)
    return place, kind


def _fuse_activations(model: Any) -> None:
    """Let torch compute the tanh form of GELU in one pass: the same function, of which transformers makes eight.

    GPT-2 and its kin spend a tenth of their time there on a CPU.
    """
    torch: Any = import_module("torch")
    slow: Any = import_module("transformers.activations").NewGELUActivation
    for module in list(model.modules()):
        for name, child in list(module.named_children()):
            if isinstance(child, slow):
                setattr(module, name, torch.nn.GELU(approximate="tanh"))


@contextmanager
def bars_on_terminals() -> Iterator[None]:
    """Let transformers draw its progress bars only where somebody can see them move."""
    with nullcontext() if sys.stderr.isatty() else no_bars():
        yield


@contextmanager
def no_bars() -> Iterator[None]:
    """Let transformers draw no progress bars."""
    logging: Any = import_module("transformers.utils.logging")  # untyped
    drawing = logging.is_progress_bar_enabled()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        if drawing:
            logging.enable_progress_bar()


def revision(name: str) -> str:
    """What identifies a loaded model's weights: the hub's name and commit; a folder's digest, wherever it stands."""
    folder = Path(name)
    if folder.is_dir():
        return folder_identity(folder)
    try:
        commit = commit_of(hub_file(name, "config.json", fetch=False))
    except (OSError, ValueError):
        commit = None
    return f"{name}@{commit or ''}"


OLDEST = 6
"""The first version of sentence-transformers that runs no code of a model's folder."""


def sentence_transformers(extra: str) -> Any:
    """The library, in a version that runs no code of a model's folder.

    Raises:
        DeclarationError: an older one is installed.
        MissingDependencyError: none is; ``extra`` brings it.
    """
    library = require("sentence_transformers", extra=extra)
    if int(str(library.__version__).partition(".")[0]) < OLDEST:
        raise DeclarationError(
            f"sentence-transformers {library.__version__} runs code that comes with a model without your consent: "
            f"update it (pip install 'conqret[{extra}]')"
        )
    return library


def load_encoder(name: str, device: str | None = None, dtype: str | None = None, *, extra: str) -> Any:
    """The ``SentenceTransformer`` of a folder or of a hub's name, in evaluation mode.

    Code that comes with a model is never run.

    Raises:
        DeclarationError: it cannot be loaded, or a weight of it is missing.
        MissingDependencyError: sentence-transformers is not installed; ``extra`` brings it.
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
        raise DeclarationError(
            f"the encoder {name!r} cannot be loaded on {place}: {_told(error)} (give --encoder "
            "the folder of a model, or its name on a hub that can be reached)"
        ) from error
    return encoder.eval()


def _told(error: Exception) -> str:
    """What torch says of a module's weights, whose names stand below its first line; of others the first line."""
    return " ".join(str(error).split()) if "state_dict" in first_line(error) else first_line(error)


def encoder_weights(name: str) -> list[str]:
    """What names the weights of a model: :func:`revision`, and for a folder the identities of the folders that its
    ``modules.json`` names: a dense layer has its weights in one of its own."""
    folder = Path(name)
    listed = folder / "modules.json"
    if not listed.is_file():
        return [revision(name)]
    places = [folder / module["path"] for module in json.loads(whole_bytes(listed)) if module["path"]]
    return [revision(name), *(folder_identity(place) for place in places if place.is_dir())]


UNLIMITED = 10**9
"""Tokenizers without a limit say 10^30; positions beyond this one are nobody's."""

_POSITIONS = ("max_position_embeddings", "n_positions")
_LENGTHS = ("model_max_length", "max_len")
_ROTATIONS = ("rope_parameters", "rope_scaling")
_CHANGING = frozenset({"longrope", "su", "dynamic"})
"""Rotations that change with the length of the text; ``su`` is the old name of ``longrope``."""

_READ = ("max_position_embeddings", "original_max_position_embeddings", *_ROTATIONS)


def window_of(config: Any, tokenizer: Any) -> int:
    """The tokens that a loaded model takes at once; :data:`UNLIMITED` where nothing limits it."""
    length = {"model_max_length": getattr(tokenizer, "model_max_length", None)}
    return window_in(_attributes(config), length) or UNLIMITED


def window_in(config: Mapping[str, Any], tokenizer: Mapping[str, Any]) -> int | None:
    """The smallest of what positions, their rotation and the tokenizer allow, in tokens; None without a limit.

    ``config`` is what ``config.json`` holds, as it was published or as transformers writes it, and ``tokenizer``
    what ``tokenizer_config.json`` holds.
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
    """Up to which length rotary positions stay the same, for models that rotate longer texts otherwise.

    A prefix that was read on this side of it would not fit a row that ends on the other.
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
