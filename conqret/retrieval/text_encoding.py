"""How an encoder is to be used: which models, pooling, normalization, prefixes. Declared, never guessed from scores.

What was not said is what is known of the model by its name (:data:`KNOWN`), else what a folder of sentence-transformers
says itself, else mean pooling and the dot product.
"""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from conqret.data.digest import digest_of
from conqret.errors import DeclarationError, UnknownNameError, check_positive, first_line
from conqret.io.limits import whole_bytes
from conqret.local.model_identity import hub_file
from conqret.local.models import encoder_weights
from conqret.text.text_passages import WORDS

if TYPE_CHECKING:
    from conqret.retrieval.engines import Engine


EXTRA = "dense"
_ADAPTER = re.compile(r"\A[A-Za-z_][\w.]*+:[A-Za-z_]\w*+")


def is_adapter(name: str) -> bool:
    """Return True if ``name`` refers to a Python function, ``module:function``."""
    return bool(_ADAPTER.fullmatch(name)) and not Path(name).exists()


def model_file(name: str, file: str) -> Any:
    """Return the parsed JSON file of a model, or None if the model has no such file.

    Raises:
        DeclarationError: the file cannot be read, or there is no such model.
    """
    try:
        place = Path(name) / file if Path(name).is_dir() else hub_file(name, file)
        return json.loads(whole_bytes(place))
    except FileNotFoundError:
        return None
    except OSError as error:
        if "does not appear to have a file" in str(error):
            return None
        raise DeclarationError(
            f"there is no encoder {name!r}, neither as a folder nor on a hub (--encoder takes the folder "
            "of a model, or its name on a hub that can be reached)"
        ) from error
    except (ValueError, RecursionError) as error:
        raise DeclarationError(f"{file} of the encoder {name!r} is not valid JSON: {error}") from None


def is_sentence_transformer(name: str) -> bool:
    """Return True if the model lists its own modules, pooling included, as sentence-transformers models do."""
    return model_file(name, "modules.json") is not None


POOLINGS = ("mean", "cls", "last", "pooler")
"""How the states of a text's tokens become one vector: their mean, the first, the last, or the model's own pooler."""


_SEARCH = "Represent this sentence for searching relevant passages: "
KNOWN: tuple[tuple[str, dict[str, Any]], ...] = (
    ("contriever", {"pooling": "mean", "normalise": False}),
    ("dpr-ctx_encoder", {"pooling": "pooler", "normalise": False}),
    (
        r"\be5-(?!mistral)(?!.*instruct)",
        {"pooling": "mean", "normalise": True, "query_prefix": "query: ", "passage_prefix": "passage: "},
    ),
    (r"\bbge-\w+-en|\buae-", {"pooling": "cls", "normalise": True, "query_prefix": _SEARCH}),
    ("tas_b|retromae", {"pooling": "cls", "normalise": False}),
)
"""What is known of models by the last part of their names: Izacard et al. 2022, Karpukhin et al. 2020, Wang et al.
2022, Xiao et al. 2023 with Li and Li 2023 (the encoder of BeRDS's MMR),
Hofstaetter et al. 2021 with Xiao et al. 2022."""


@dataclass(frozen=True, slots=True)
class Encoding:
    """The settings of an encoder; a field of None means the model's own default.

    ``encoder`` is a folder, a hub name, or a function ``module:function``. ``query_encoder`` is a separate
    encoder for queries (DPR). ``passage_words`` is the length of a passage in words. ``weights`` is a
    digest (16 hexadecimal digits) of the models that an index was built with; it is empty until they are
    read.

    Raises:
        UnknownNameError: there is no such pooling.
        DeclarationError: a number is below 1.
    """

    encoder: str = ""
    query_encoder: str | None = None
    pooling: str | None = None
    normalise: bool | None = None
    query_prefix: str | None = None
    passage_prefix: str | None = None
    max_tokens: int | None = None
    passage_words: int = WORDS
    weights: str = ""

    def __post_init__(self) -> None:
        if self.pooling is not None and self.pooling not in POOLINGS:
            raise UnknownNameError("pooling", self.pooling, POOLINGS)
        check_positive({"passage_words": self.passage_words, "max_tokens": self.max_tokens})

    def settled(self, engine: Engine) -> Encoding:
        """Return the settings with the model's defaults and the digest of its weights filled in.

        Raises:
            DeclarationError: no encoder is named, it does not exist, or its weights differ from
                ``weights``.
        """
        if not self.encoder:
            raise DeclarationError(
                f"the engine {engine.name} needs an encoder: --encoder takes the folder of a sentence-transformers or "
                "Hugging Face model, or its name on a hub (facebook/contriever-msmarco); `conqret retrieve index "
                f"CORPUS --engine {engine.name} --encoder …` builds the index for all other commands"
            )
        filled = self if self.code else self._filled()
        weights = filled._digest()
        if self.weights and self.weights != weights:
            raise DeclarationError(
                f"the index was built with another model than {self.encoder} has now ({self.weights} then, {weights} "
                f"now): conqret retrieve index CORPUS --engine {engine.name} --encoder {self.encoder} rebuilds it; or "
                "name with --encoder the model with which it was built"
            )
        return replace(filled, weights=weights)

    @property
    def code(self) -> str:
        """The Python function's name, ``module:function``; empty for a folder of weights."""
        return self.encoder if is_adapter(self.encoder) else ""

    @property
    def identity(self) -> dict[str, Any]:
        """The settings that determine the vectors, as plain data: all but model paths, as ``weights``
        identifies the models.
        """
        return {
            name: value for name, value in asdict(self).items() if name not in {"encoder", "query_encoder"}
        }

    def __str__(self) -> str:
        how = f"{self.pooling or 'its own'} pooling, {'cosine' if self.normalise else 'dot product'}"
        how = "an adapter, which runs code of its own" if self.code else how
        return f"encoder {self.encoder}, {how}, passages of {self.passage_words} words"

    def _filled(self) -> Encoding:
        name = re.split(r"[/\\]", self.encoder.rstrip("/\\").lower())[-1]
        known: dict[str, Any] = next(
            (dict(known_encoding) for pattern, known_encoding in KNOWN if re.search(pattern, name)), {}
        )
        if "dpr-ctx_encoder" in name:
            known["query_encoder"] = self.encoder.replace("ctx_encoder", "question_encoder")
        if is_sentence_transformer(self.encoder):
            if self.pooling is not None:
                raise DeclarationError(f"{self.encoder} has its own pooling; leave out --pooling")
            known = {**_said(self.encoder), **known, "pooling": None}
        else:
            known = {"pooling": "mean", "normalise": False, **known}
        return replace(
            self, **{field: value for field, value in known.items() if getattr(self, field) is None}
        )

    def _digest(self) -> str:
        if self.code:
            named = [adapter_encoder(self).identity]
        else:
            named = [*encoder_weights(self.encoder), *encoder_weights(self.query_encoder or self.encoder)]
        return digest_of(named)


def _said(name: str) -> dict[str, Any]:
    """Return what the configuration of a sentence-transformers model sets: ``normalise`` (True if its vectors
    are compared by cosine), ``query_prefix`` and ``passage_prefix``."""
    model_config = model_file(name, "config_sentence_transformers.json") or {}
    prompts = model_config.get("prompts") or {}
    passage = prompts.get("document", prompts.get("passage"))
    return {
        "normalise": model_config.get("similarity_fn_name") in (None, "cosine"),
        "query_prefix": str(prompts.get("query") or ""),
        "passage_prefix": str(passage or ""),
    }


@runtime_checkable
class Encoder(Protocol):
    """The interface of an encoder that turns texts into vectors.

    ``identity`` identifies its weights; an encoder with another identity needs another index.
    """

    identity: str

    def queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return an array of vectors with one row per query."""

    def passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return an array of vectors with one row per passage, to compare with query vectors by dot product."""


def adapted(name: str) -> Callable[..., Any]:
    """Import and return the function that ``module:function`` names.

    Raises:
        DeclarationError: the module or the function does not exist.
    """
    module, _, function = name.partition(":")
    try:
        judge_function: Callable[..., Any] = getattr(import_module(module), function)
    except (ImportError, AttributeError) as error:
        raise DeclarationError(
            f"the adapter {name} cannot be loaded: {first_line(error)} (give module:function of an installed package)"
        ) from error
    return judge_function


@functools.lru_cache(maxsize=2)
def adapter_encoder(encoding: Encoding) -> Encoder:
    """Call the function that ``encoding`` names and return its encoder.

    Raises:
        DeclarationError: the function cannot be loaded, or does not return an encoder.
    """
    made = adapted(encoding.encoder)(encoding)
    if not isinstance(made, Encoder) or not isinstance(made.identity, str):
        raise DeclarationError(
            f"the adapter {encoding.encoder} must return an encoder, not a {type(made).__name__}: "
            "it needs identity (text), queries(texts) and passages(texts)"
        )
    return made
