"""Transformers models on this machine: they are read, or write a plain text, one request at a time."""

from __future__ import annotations

import asyncio
import functools
import gc
import json
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from conqret.data import Reason
from conqret.errors import DeclarationError, first_line
from conqret.io.limits import whole_text
from conqret.llm.client_options import Backend, ClientOptions, Connection, on_this_machine
from conqret.llm.failed_requests import ProviderError
from conqret.llm.replies import CONTEXT_OVERFLOW
from conqret.llm.request import Completion, Reading, Request
from conqret.local.likelihoods import TargetScore, give_back
from conqret.local.model_identity import commit_of, folder_identity, hub_file, hub_reachable
from conqret.local.models import window_in
from conqret.local.scorer import ConditionalPerplexity
from conqret.local.text_writing import write

PREFIX = "local/"
"""What stands before the folder or the hub's name of a transformers model on this machine."""

IDENTITY_LENGTH = 12
"""Hexadecimal digits of a folder's digest or of a hub's commit: enough to tell any two models apart."""

FILLED = 0.8
"""The share of the model's window that may be filled by our own count of tokens, which is not the model's: GPT-2's
and Llama's tokenizers need up to a quarter more for the same English text."""

_PINNED = re.compile(rf"\A(?P<name>.+)@(?P<identity>[0-9a-f]{{{IDENTITY_LENGTH}}})")


class _Settings(NamedTuple):
    """What ``config.json`` and ``tokenizer_config.json`` say, and a hub's commit."""

    config: Mapping[str, Any]
    tokenizer: Mapping[str, Any]
    commit: str | None = None


_NOTHING = _Settings({}, {})


def name_and_identity(model: str) -> tuple[str, str | None]:
    """Split ``local/NAME@IDENTITY`` into the folder or hub name, and the identity (None where it is missing).

    A name that is an existing folder is not split.
    """
    name = model.removeprefix(PREFIX)
    pinned = _PINNED.fullmatch(name)
    if pinned is None or folder_of(name).is_dir():
        return name, None
    return pinned["name"], pinned["identity"]


def folder_of(name: str) -> Path:
    """Return the model's name (without ``local/``) as a path, with ``~`` expanded to the user's home; it
    need not exist.
    """
    return Path(name).expanduser() if name.startswith("~/") else Path(name)


def resolved(options: ClientOptions) -> ClientOptions:
    """Return the options with the weights' identity in the model's name, and the context window where none is
    set.

    Raises:
        DeclarationError: the model does not exist, and its name has no identity.
        MissingDependencyError: the model is on a hub, and transformers is not installed.
    """
    name, identity = name_and_identity(options.model)
    if identity is not None and options.context_window is not None:
        return options
    model_settings = _settings(name) if identity is None else _settings_of_pinned(name)
    window = window_in(model_settings.config, model_settings.tokenizer)
    fitting = None if window is None else max(1, int(FILLED * window))
    return replace(
        options,
        model=f"{PREFIX}{name}@{identity or identity_of(name)}",
        context_window=options.context_window or fitting,
    )


def anchored(model: str, folder: Path) -> str:
    """Return the model's name with a path that begins with ``./`` or ``../`` resolved against ``folder``.

    Other names are unchanged.
    """
    name = model.removeprefix(PREFIX)
    return f"{PREFIX}{folder / name}" if name.startswith(("./", "../")) else model


def identity_of(name: str) -> str:
    """Return what identifies weights and tokenizer: 12 hexadecimal digits of the folder's digest, or of the
    hub's commit.

    Raises:
        DeclarationError: the folder or the hub's model does not exist, or the hub does not report its
            commit.
        MissingDependencyError: the model is on a hub, and transformers is not installed.
    """
    folder = folder_of(name)
    if folder.is_dir():
        return folder_identity(folder)[:IDENTITY_LENGTH]
    commit = _settings(name).commit
    if not commit:
        raise DeclarationError(
            f"the hub does not report the commit of {name!r}, so its weights could not be told apart from "
            f"later versions: download the model into a folder and give --model {PREFIX}./FOLDER"
        )
    return commit[:IDENTITY_LENGTH]


def _settings(name: str) -> _Settings:
    """Return the model's own settings, from its folder or from a hub.

    Raises:
        DeclarationError: the folder holds no model, or there is no folder or model of that name.
    """
    folder = folder_of(name)
    if folder.is_dir():
        if not (folder / "config.json").is_file():
            raise DeclarationError(f"{folder} contains no transformers model: config.json is missing")
        return _Settings(_mapping(folder / "config.json"), _mapping(folder / "tokenizer_config.json"))
    if _only_a_folder(name):
        raise DeclarationError(
            f"there is no folder {name!r} with a model; to replay its recordings without it, write its full "
            f"name as in run.json: {PREFIX}{name}@… with the {IDENTITY_LENGTH} digits of its identity"
        )
    return _hub_settings(name)


def _settings_of_pinned(name: str) -> _Settings:
    """Return the settings of a model whose identity is known; empty ones where they cannot be had, as in a
    replay without it.
    """
    if not folder_of(name).is_dir():
        return _NOTHING if _only_a_folder(name) else _hub_settings_or_none(name, hub_reachable())
    try:
        return _settings(name)
    except DeclarationError:
        return _NOTHING


@functools.cache
def _hub_settings_or_none(name: str, reachable: bool) -> _Settings:
    try:
        return _hub_settings(name)
    except DeclarationError:  # the hub is away, or transformers is not installed
        return _NOTHING


def _only_a_folder(name: str) -> bool:
    return name.startswith((".", "/", "~")) or name.count("/") > 1


def _mapping(file: Path) -> Mapping[str, Any]:
    if not file.is_file():
        return {}
    try:
        data = json.loads(whole_text(file))
    except (ValueError, RecursionError) as error:
        raise DeclarationError(f"{file} is not valid JSON: {error}") from error
    if not isinstance(data, dict):
        raise DeclarationError(f"{file} must contain a JSON object")
    return data


@functools.cache
def _hub_settings(name: str) -> _Settings:
    """Return the settings of a hub's model with its commit, from the hub or, without a connection, from its cache. A
    model without a tokenizer's settings has empty ones.

    Raises:
        DeclarationError: neither has a model of that name.
    """
    try:
        config = hub_file(name, "config.json")
    except (OSError, ValueError) as error:
        raise DeclarationError(
            f"there is no folder {name!r}, and no model of that name: {first_line(error)}"
        ) from error
    commit = commit_of(config)
    try:
        tokenizer = _mapping(hub_file(name, "tokenizer_config.json", commit))
    except (OSError, ValueError):  # not every model has one
        tokenizer = {}
    return _Settings(_mapping(config), tokenizer, commit)


T = TypeVar("T")

REVISION = 1
"""Part of every key of a local model. Raise it when contexts are built or scored in another way."""

PLAIN_WRAPPING = 5
"""The scorer adds nothing around a context but the model's own chat template: the prompt says all there is to say."""

_WORKER = ThreadPoolExecutor(1, thread_name_prefix="conqret-local")
"""All local models of the process take turns here, so that the event loop lives and memory is used once."""

_held: dict[tuple[str, str], ConditionalPerplexity] = {}
"""The one model that stays in memory, for all clients of the process; only the worker touches it."""


class Local(Connection):
    """A connection to a transformers model on this machine; it reads log-probabilities or writes text.

    Log-probabilities on a GPU (bfloat16) and on a CPU (float32) differ slightly. Device and dtype are not
    part of a key, so that recordings replay anywhere; the completion's ``model`` names them.
    """

    def __init__(self, options: ClientOptions) -> None:
        self._folder, self._identity = name_and_identity(options.model)
        self._model, self._room = options.model, options.context_window
        self._scorer: ConditionalPerplexity | None = None

    async def prepare(self) -> None:
        """Load the model, or use the one that this process has already loaded.

        Raises:
            DeclarationError: the model does not exist, cannot be used, or has another identity than its name
                says.
            MissingDependencyError: torch or transformers is not installed.
        """
        if self._scorer is None:
            self._scorer = await _in_worker(self._load)

    async def complete(self, request: Request[Any]) -> Completion:
        """Return the JSON that ``request.reading`` computes from log-probabilities, or, for a plain
        request, the text that the model writes.

        Raises:
            DeclarationError: the request is for structured output without a ``reading``, or the model cannot
                be loaded.
            ProviderError: the model gave no response.
        """
        if request.reading is None and not request.plain:
            raise DeclarationError(f"{request.ask} cannot be used with a local model")
        await self.prepare()
        return await _in_worker(functools.partial(self._answered, request))

    async def close(self) -> None:
        """Release the model, which stays loaded for the next client of this process until another model is
        needed.
        """
        self._scorer = None

    def _load(self) -> ConditionalPerplexity:
        """Load the model and return its scorer.

        Raises:
            DeclarationError: the weights in the folder are not those that the model's name means.
        """
        identity = identity_of(self._folder)
        if identity != self._identity:
            raise DeclarationError(
                f"{self._folder} is not the model that {self._model} names: its identity is {identity}; leave out "
                f"@{self._identity} to use the model in the folder"
            )
        folder = folder_of(self._folder)
        return _loaded(str(folder) if folder.is_dir() else self._folder, identity)

    def _answered(self, request: Request[Any]) -> Completion:
        scorer = self._scorer
        assert scorer is not None  # noqa: S101 - it was prepared
        began = time.perf_counter()
        if request.plain or request.reading is None:
            made = self._write(scorer, request)
        else:
            made = self._read(scorer, request.reading)
        by = f"{self._model} ({scorer.dtype} on {scorer.device})"
        return replace(made, model=by, cost_usd=0.0, seconds=time.perf_counter() - began)

    def _write(self, scorer: ConditionalPerplexity, request: Request[Any]) -> Completion:
        chat = [{"role": message.role, "content": message.content} for message in request.messages]
        with _of_this_text():
            written = write(
                scorer.loaded,
                chat,
                room=request.max_tokens,
                window=scorer.window,
                sampling=request,
                seed=request.sample,
            )
        used: dict[str, Any] = {"prompt_tokens": written.prompt_tokens, "completion_tokens": written.tokens}
        if not written.room:
            left = (
                f"the prompt takes {written.prompt_tokens} tokens, and the model's window has {scorer.window}"
            )
            return Completion(left, CONTEXT_OVERFLOW, **used)
        return Completion(written.text, "length" if written.cut else "stop", **used)

    def _read(self, scorer: ConditionalPerplexity, reading: Reading) -> Completion:
        with _of_this_text():
            rows = list(scorer.stream(reading.pairs))
        used: dict[str, Any] = {"prompt_tokens": sum(map(_tokens, rows)), "completion_tokens": 0}
        if overflow := _overflow(rows, scorer.window, self._room):
            return Completion(overflow, CONTEXT_OVERFLOW, **used)
        for target_score in (score for row in rows for score in row):
            if target_score.log_likelihood is None:
                raise ProviderError(
                    Reason.BAD_REQUEST, f"the local model gave no response: {target_score.reason}"
                )
        logprobs = None if reading.logprobs is None else reading.logprobs(rows)
        return Completion(json.dumps(reading.answer(rows), ensure_ascii=False), logprobs=logprobs, **used)


@contextmanager
def _of_this_text() -> Iterator[None]:
    """Turn an error of the model on one text into a ProviderError (BAD_REQUEST), as a context manager."""
    try:
        yield
    except (RuntimeError, IndexError, TypeError) as error:
        raise ProviderError(Reason.BAD_REQUEST, f"the local model failed: {first_line(error)}") from error


def _tokens(rows: Sequence[TargetScore]) -> int:
    """The tokens that the model read for one context, which is read once for all targets behind it."""
    return max((row.context_tokens for row in rows), default=0) + sum(row.tokens for row in rows)


def _overflow(rows: list[list[TargetScore]], window: int, room: int | None) -> str:
    """Why a text does not fit the model's window; empty where all do.

    ``room`` is the context window by which documents were trimmed; what is advised is one that is smaller by the
    share that was too much.
    """
    every = [score for row in rows for score in row]
    for score in every:
        if score.log_likelihood is None and "window" in score.reason:
            return score.reason
    over = max((score.truncated for score in every), default=0)
    if not over:
        return ""
    less = min(room or window, int(FILLED * window)) * window // (window + over)
    return (
        f"the prompt is {over} tokens too long for the model's window of {window}; a smaller --context-window "
        f"({less}, say) trims the documents in proportion"
    )


def _loaded(name: str, identity: str) -> ConditionalPerplexity:
    """Return the scorer with these weights, loaded if needed; another model in memory is released first."""
    wanted = (name, identity)
    if wanted not in _held:
        _held.clear()
        gc.collect()
        give_back()
        _held[wanted] = ConditionalPerplexity(name, wrapping=PLAIN_WRAPPING)
    return _held[wanted]


async def _in_worker(work: Callable[[], T]) -> T:
    return await asyncio.get_running_loop().run_in_executor(_WORKER, work)


def _identity(model: str) -> str:
    return f"local-{REVISION}@{name_and_identity(model)[1]}"


BACKEND = Backend(
    prefix=PREFIX,
    open=Local,
    writes=False,
    texts=True,
    reads=True,
    cannot=(
        "needs a response in a given structure, but a local/ model writes plain texts only: it can write statements "
        "(`conqret debate write`), judge with --format likelihood, score dispute-awareness and answer Yes or No "
        "(`conqret perspectives detect --detector zero-shot`). Serve it (vLLM, Ollama) "
        "and give --model hosted_vllm/NAME with --api-base to use it for everything, or use --model offline"
    ),
    resolve=resolved,
    identity=_identity,
    pinned=name_and_identity,
    facts=on_this_machine,
    anchored=anchored,
)
