"""A backend: one way to have models answer, declared in one object.

Which backend a model's name means is looked up here. Everybody else asks the backend what it can do, whether it is a
baseline, or for its facts, and never which one it is. Tokens are counted offline, with the tables inside litellm.
"""

from __future__ import annotations

import functools
import importlib.util
import os
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from conqret.errors import DeclarationError
from conqret.registry import Registry

if TYPE_CHECKING:
    from conqret.llm.client_options import ClientOptions
    from conqret.llm.request import Completion, Request


Encode = Callable[[str], Sequence[int]]
"""From a text to the numbers of its tokens."""

O200K, CL100K = "o200k_base", "cl100k_base"

PIECE_CHARACTERS = 1000
"""Texts are tokenised in pieces: tiktoken's time grows with the square of a run without spaces."""

BYTES_PER_TOKEN = 3
"""Where no table is installed: English has about 4.5 bytes a token, Chinese about 3; the cautious one."""

_CL100K_MODELS = re.compile(r"(^|/)(gpt-4(?!o|\.)|gpt-3\.5|text-embedding)")
_PIECES = re.compile(rf"[\s\S]{{{PIECE_CHARACTERS}}}\S{{0,{PIECE_CHARACTERS}}}|[\s\S]+")
_TABLE_FILES = {
    O200K: "fb374d419588a4632f3f557e76b4b70aebbca790",
    CL100K: "9b5ad71b2ce5302211f9c61530b329a4922fc6a4",
}
"""The file names under which tiktoken caches its tables: the sha1 of the addresses they come from."""


def encoder_for(model: str) -> Encode:
    """How tokens of ``model`` are counted: cl100k for GPT-4 and 3.5, else o200k (near enough for other families)."""
    return encoder(CL100K if _CL100K_MODELS.search(model) else O200K)


def pieces(text: str) -> Iterator[str]:
    """``text`` cut into pieces of 1,000 to 2,000 characters that end before white space where there is any.

    Where a piece ends depends on the text up to there alone, so a prefix has the same pieces but the last.
    """
    return (match.group() for match in _PIECES.finditer(text))


def count_tokens(text: str, encode: Encode | None = None) -> int:
    """The number of tokens of ``text`` (by o200k, unless ``encode`` is given).

    Text that looks like a control token counts as plain text.
    """
    encode = encode or encoder(O200K)
    return sum(len(encode(piece)) for piece in pieces(text))


@functools.cache
def encoder(encoding: str) -> Encode:
    """The function from text to token numbers of one of tiktoken's encodings, without any download.

    If the table is not installed, each token stands for :data:`BYTES_PER_TOKEN` bytes.
    """
    if not _point_to_tables(encoding):
        return lambda text: [0] * -(-len(text.encode("utf-8", "replace")) // BYTES_PER_TOKEN)
    import tiktoken

    return tiktoken.get_encoding(encoding).encode_ordinary


def litellm_folder() -> Path | None:
    """Where litellm is installed, found without importing it; None if it is not."""
    spec = importlib.util.find_spec("litellm")
    return Path(spec.origin).parent if spec is not None and spec.origin else None


def _point_to_tables(encoding: str) -> bool:
    """Set tiktoken's cache folder to litellm's tables, and say whether ``encoding`` is among them."""
    name = _TABLE_FILES[encoding]
    folder = litellm_folder()
    set_by_user = os.environ.get("TIKTOKEN_CACHE_DIR")
    places = [Path(set_by_user)] if set_by_user else []
    if folder is not None:
        places.append(folder / "litellm_core_utils" / "tokenizers")
    for place in places:
        if (place / name).is_file():
            os.environ["TIKTOKEN_CACHE_DIR"] = os.fspath(place)
            return True
    return False


PER_MILLION = 1e-6
"""Prices are given for a million tokens."""

PATIENCE = 7 * 86_400.0
"""Seconds: no request is given up because a machine of one's own is slow. A week stands for ever."""


@dataclass(frozen=True, slots=True)
class ModelFacts:
    """Facts about a model; None where they are not known.

    ``context_window`` and ``max_output`` in tokens, prices in US dollars a token (``cached_price`` for prompt tokens
    that the provider had cached). ``tiered`` marks models whose price depends on the prompt's length. ``listed`` says
    whether anything is known of the model, ``schema`` and ``tools`` whether it takes a JSON schema or functions.
    ``in_flight`` is how many requests at a time make sense, ``timeout`` how many seconds one may take; None leaves it
    to the client's ``max_concurrency`` and ``timeout``. ``vision`` says whether it takes images; None, which counts as
    no, where that is not known.
    """

    context_window: int | None = None
    max_output: int | None = None
    input_price: float | None = None
    output_price: float | None = None
    cached_price: float | None = None
    tiered: bool = False
    listed: bool = False
    schema: bool = False
    tools: bool = False
    in_flight: int | None = None
    timeout: float | None = None
    vision: bool | None = None

    @property
    def priced(self) -> bool:
        """Whether the cost of a call can be told."""
        return self.input_price is not None and self.output_price is not None

    def cost(self, prompt: int | None, completion: int | None, cached: int | None = None) -> float | None:
        """Dollars for a call: (prompt - cached) * input + cached * cached_price + completion * output.

        None where a price or a count is unknown.
        """
        if self.input_price is None or self.output_price is None or prompt is None or completion is None:
            return None
        hits = min(cached or 0, prompt) if self.cached_price is not None else 0
        saved = hits * (self.input_price - (self.cached_price or 0.0))
        return prompt * self.input_price - saved + completion * self.output_price


def stated(options: ClientOptions) -> ModelFacts:
    """What the options themselves say of the model: its window and its prices, where they are given."""
    prices = (options.input_price, options.output_price)
    per_token = [None if price is None else price * PER_MILLION for price in prices]
    return ModelFacts(options.context_window, input_price=per_token[0], output_price=per_token[1])


def on_this_machine(options: ClientOptions) -> ModelFacts:
    """The facts about a model on this machine: it is free, and answers one question after another, at its own pace."""
    free = ModelFacts(options.context_window, input_price=0.0, output_price=0.0, listed=True)
    return replace(free, in_flight=1, timeout=PATIENCE)


class Connection(ABC):
    """One client's open way to a model; one with nothing to prepare or to close has :meth:`complete` alone."""

    async def prepare(self) -> None:  # noqa: B027  often there is nothing
        """Load what is needed, and check that the model can be asked; free after the first time.

        Raises:
            DeclarationError: it cannot be.
        """

    @abstractmethod
    async def complete(self, request: Request[Any]) -> Completion:
        """Send once; a retry is the sender's.

        Raises:
            ProviderError: no answer came.
        """

    async def close(self) -> None:  # noqa: B027  often there is nothing
        """Let go of connections."""


@dataclass(frozen=True, kw_only=True)
class Backend:
    """One way to have models answer.

    A backend is a module of ``conqret/llm/backends/`` whose ``BACKEND`` is one of these, or an entry point of the
    group ``conqret.backends``. Every function is called with a model of its own, and none of them sends anything.

    Attributes:
        prefix: how the names of its models begin (``local/``). Without a slash at its end it is the whole name
            (``offline``); the empty one takes every name that is nobody else's. The longest that fits counts. A module
            of conqret's own is called as its prefix.
        open: the connection of a client, from its resolved options; what takes time is left to ``prepare``.
        writes: whether its models write an answer to messages, in the shape that is asked for.
        texts: whether those that do not write plain texts all the same.
        reads: whether they give log-probabilities of texts that are handed to them (a request's ``reading``).
        cannot: what follows the name of a question that they cannot be asked, and why (``is answered in …``).
        here: whether it answers from what this process alone holds, so that no other can ask it.
        baseline: whether it is a floor to be beaten and no model; reports say so.
        resolve: the options with what a name leaves open filled in: weights pinned by their identity, the window.
        identity: from a resolved name to the one in keys and fingerprints: it changes with whatever changes answers,
            and with no place on a disk.
        pinned: a resolved name without what pins its weights, and what pins them; None where the name is all.
        facts: what is known of the model of the options.
        encoder: from a name to the function by which its tokens are counted.
        anchored: a name that is a path in a file of this folder, made absolute; every other name stays as it is.
        reaches: the address or the program that a name itself leads to, empty where it leads to none. A file that
            may be a stranger's names no such model, unless its user says that it is trusted.
    """

    prefix: str
    open: Callable[[ClientOptions], Connection]
    writes: bool = True
    texts: bool = False
    reads: bool = False
    cannot: str = "cannot be used with this model"
    here: bool = False
    baseline: bool = False
    resolve: Callable[[ClientOptions], ClientOptions] = lambda options: options
    identity: Callable[[str], str] = lambda model: model
    pinned: Callable[[str], tuple[str, str | None]] = lambda model: (model, None)
    facts: Callable[[ClientOptions], ModelFacts] = stated
    encoder: Callable[[str], Encode] = encoder_for
    anchored: Callable[[str, Path], str] = lambda model, folder: model
    reaches: Callable[[str], str] = lambda model: ""

    def takes(self, model: str) -> bool:
        """Whether the name is one of its models'."""
        if self.prefix.endswith("/") or not self.prefix:
            return model.startswith(self.prefix)
        return model == self.prefix

    def check_can_ask(
        self, question: str, *, read: bool = False, written: bool = True, plain: bool = False
    ) -> None:
        """Check that a question can be asked which log-probabilities answer (``read``), or a text (``written``) which
        need not have any shape (``plain``).

        Raises:
            DeclarationError: its models do neither; the message begins with ``question``.
        """
        if not ((self.reads and read) or (self.writes and written) or (self.texts and plain)):
            raise DeclarationError(f"{question} {self.cannot}")


BACKENDS = Registry(
    "backend", "conqret.backends", Backend, package="conqret.llm.backends", attribute="BACKEND"
)
"""Every backend by the name of its module or entry point."""
_REST = "hosted"
"""The one that takes every name that is nobody else's."""


def backend_of(model: str) -> Backend:
    """The backend that a model's name means, by the longest prefix.

    Raises:
        DeclarationError: a plug-in's backend cannot be loaded, or two of them want the same names.
    """
    # One of conqret's own is called as the names of its models begin, so that no other is loaded.
    prefix = model.partition("/")[0]
    named = [name for name in BACKENDS if name == prefix or BACKENDS.plugged(name)]
    fitting = [name for name in named if BACKENDS[name].takes(model)] or [_REST]
    lengths = [len(BACKENDS[name].prefix) for name in fitting]
    best, *others = [name for name in fitting if len(BACKENDS[name].prefix) == max(lengths)]
    if others:
        raise DeclarationError(
            f"the backends {best!r} and {others[0]!r} both claim the model {model!r}: uninstall one of them"
        )
    return BACKENDS[best]
