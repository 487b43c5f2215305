"""The settings that the functions of the public face take by keyword, each declared once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict

from conqret.data import Judgment
from conqret.errors import check_known
from conqret.io import CheckedItems
from conqret.io.reports import Requests
from conqret.judging.dimensions import Order
from conqret.judging.engines import Engine
from conqret.judging.judge_parts import Judge
from conqret.judging.setup import Setup
from conqret.llm.backends.function import Function
from conqret.llm.client import Client
from conqret.llm.client_options import ClientOptions, Way
from conqret.runs.session import Session

if TYPE_CHECKING:
    from conqret.studies.abstain.abstention import Abstention


class ClientSettings(TypedDict, total=False):
    """How a model is called (see :class:`conqret.llm.client_options.ClientOptions`): address and key of the server,
    the way to it, tokens of an answer and of the window, dollars for a million tokens, limits, dollars to spend,
    seconds for a request, and the share of failures from which nothing more is asked."""

    api_base: str | None
    api_key: str | None
    client: Way
    max_tokens: int | None
    context_window: int | None
    input_price: float | None
    output_price: float | None
    max_concurrency: int
    max_attempts: int
    rpm: int | None
    tpm: int | None
    budget_usd: float | None
    timeout: float
    stop_after_failures: float
    retry_unscored: bool


class AnswerSettings(TypedDict, total=False):
    """Where answers are recorded, or come from: ``recordings`` is a store that is read and added to, ``replay`` a
    store, an export or a run to answer from without ever calling out."""

    recordings: str | Path | None
    replay: str | Path | None


class JudgeSettings(ClientSettings, AnswerSettings, total=False):
    """What :func:`conqret.judge` can be told; it says what each means."""

    format: str | Judge | None
    model: str | None
    judge: str | Function | None
    server: str | None
    verdicts: str | Path | Iterable[Mapping[str, object]] | None
    verdict_scale: str | None
    metrics: Sequence[str]
    samples: int
    order: Order
    seed: int
    relevant_from: int
    temperature: float | None
    confidence: bool
    columns: Mapping[str, str] | None
    topics: Requests | None
    skip_invalid: bool
    prompts: str | Path | None
    output: str | Path | bool | None
    overwrite: bool
    abstain: str | Path | Abstention | None
    batch: bool
    session: Session | None
    engine: Engine
    workers: int | None
    on_start: Callable[[Setup, CheckedItems, Client, int], None]
    on_judgment: Callable[[Judgment], None]


def check_names(function: str, given: Mapping[str, object], kind: type) -> None:
    """Raise UnknownNameError for the first setting that ``kind`` (a typed dictionary) does not have."""
    known = kind.__annotations__
    check_known(f"option of {function}", known, *given)


def client_options(model: str | None, settings: Mapping[str, Any]) -> ClientOptions:
    """The client's settings among ``settings``, for a model (None: offline).

    Raises:
        DeclarationError: a value is out of its range.
    """
    from conqret.llm.client_options import OFFLINE_MODEL

    given = {name: settings[name] for name in ClientSettings.__annotations__ if name in settings}
    return ClientOptions(OFFLINE_MODEL if model is None else model, **given)


def as_path(place: str | Path | None) -> Path | None:
    """A place as a path."""
    return None if place is None else Path(place)
