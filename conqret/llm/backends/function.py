"""Python functions that judge: an item as plain data goes in, a score or a verdict comes out.

A model's name alone imports nothing: a function answers only after it was handed over (:func:`admit`), by a caller in
Python or on the command line.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import importlib
import inspect
import json
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from conqret.data import Reason
from conqret.errors import DeclarationError, first_line
from conqret.llm.client_options import Backend, ClientOptions, Connection, ModelFacts, on_this_machine
from conqret.llm.failed_requests import ProviderError
from conqret.llm.request import Completion, Request

PREFIX = "function/"
ITEM = "item"
"""Under this name the context of a request holds the item as plain data."""
VERDICT = "said"
"""The field of the response's JSON that holds what the function returned."""
MAX_RESPONSE = 4 << 20
"""Most characters of a verdict's JSON (4 MiB): as many as ``conqret serve http`` takes in, and far more
than a judgment has.
"""

Function = Callable[[dict[str, Any]], Any]
"""Takes an item as plain data and returns its score or verdict, at once or as an awaitable."""

_admitted: dict[str, Function] = {}


def admit(function: Function | str) -> str:
    """Register ``function``, or the function named ``module:function``, as a model, and return the model's
    name.

    The function's attribute ``version``, if any, is part of the name, to distinguish functions made by the
    same code. A named module is imported, which runs its code, also from the working directory.

    Raises:
        DeclarationError: the module or function does not exist, the module cannot be imported, or it is not a
            function.
    """
    if isinstance(function, str):
        function = function.replace(".py:", ":")  # my_judge.py:judge is my_judge:judge
    judge_function = _imported(function) if isinstance(function, str) else function
    if not callable(judge_function):
        raise DeclarationError(f"{function} must be a function, not a {type(judge_function).__name__}")
    inner = judge_function.func if isinstance(judge_function, partial) else judge_function
    home = getattr(inner, "__module__", "")
    qualified_name = getattr(inner, "__qualname__", type(inner).__name__)
    version = getattr(judge_function, "version", None)
    name = f"{PREFIX}{function if isinstance(function, str) else f'{home}:{qualified_name}'}"
    if version is not None:
        name += f"#{version}"
    _admitted[name] = judge_function
    return name


def identity(model: str) -> str:
    """Return the model's name with ``@`` and 12 hexadecimal digits of the sha256 of the function's source
    file, so that changed code is another judge.

    The name of a function that was not registered is returned unchanged.
    """
    function = _admitted.get(model)
    return model if function is None else f"{model}@{hashlib.sha256(_source(function)).hexdigest()[:12]}"


def _source(function: Function) -> bytes:
    inner: Any = function.func if isinstance(function, partial) else function
    of = inner if inspect.isroutine(inner) else type(inner)
    try:
        file = inspect.getsourcefile(of)
        if file is not None and Path(file).is_file():
            return Path(file).read_bytes()
        return inspect.getsource(of).encode("utf-8", "surrogatepass")  # a notebook's cell
    except (OSError, TypeError):
        return repr(of).encode("utf-8", "surrogatepass")


def _imported(name: str) -> Function:
    module, _, attribute = name.partition(":")
    if not module or not attribute or "://" in name:
        raise DeclarationError(
            f"a judge of your own is named as module:function, such as my_judge:judge, not {name!r}; one behind an "
            "address is a function that posts the item (docs/own-judge.md)"
        )
    here = str(Path.cwd())
    sys.path.insert(0, here)
    try:
        imported: Any = importlib.import_module(module)
        for part in attribute.split("."):
            imported = getattr(imported, part)
    except ModuleNotFoundError as error:
        if error.name is not None and (module == error.name or module.startswith(f"{error.name}.")):
            raise DeclarationError(
                f"there is no module {error.name!r} in {here} or among the installed packages"
            ) from None
        raise DeclarationError(f"{module} cannot be imported: {first_line(error)}") from error
    except AttributeError:
        raise DeclarationError(f"{module} has no function {attribute!r}") from None
    except Exception as error:
        raise DeclarationError(
            f"{module} cannot be imported: {type(error).__name__}: {first_line(error)}"
        ) from error
    finally:
        sys.path.remove(here)
    judge: Function = imported
    return judge


class FunctionConnection(Connection):
    """A connection whose responses come from a Python function.

    A function that is not asynchronous is called in a thread, one call at a time. A call that misses the
    deadline stays in its thread, which does not keep the program from ending.
    """

    def __init__(self, options: ClientOptions) -> None:
        self._model = options.model

    async def prepare(self) -> None:
        """Check that the function was registered.

        Raises:
            DeclarationError: it was not.
        """
        if self._model not in _admitted:
            raise DeclarationError(
                f"{self._model} is a Python function, and conqret imports one only on request: give it with --judge, "
                "or as judge=… in Python"
            )

    async def complete(self, request: Request[Any]) -> Completion:
        """Call the function with the request's item and return its result as JSON (:func:`answer_of`); it
        costs 0 dollars.

        Raises:
            DeclarationError: the request is not about an item as plain data, or the function was not
                registered.
            ProviderError: the function raised, or returned something other than plain data.
        """
        await self.prepare()
        item = item_of(request)
        began = time.perf_counter()
        text = await answer_of(self._model, item)
        seconds = time.perf_counter() - began
        return Completion(
            text, model=self._model, prompt_tokens=0, completion_tokens=0, cost_usd=0.0, seconds=seconds
        )


async def answer_of(model: str, item: dict[str, Any]) -> str:
    """Call the function registered under ``model`` with an item, and return the JSON object with its result
    under :data:`VERDICT`.

    Raises:
        KeyError: no function is registered under this name.
        ProviderError: with the reason JUDGE_FAILED, if the function raised, or returned something other than
            plain data or more than :data:`MAX_RESPONSE` characters.
    """
    function = _admitted[model]
    try:
        response = function(item) if _asynchronous(function) else await _aside(function, item)
        if inspect.isawaitable(response):
            response = await response
    except (Exception, SystemExit) as error:  # a judge does not end the run
        message = (
            f"the function {model.removeprefix(PREFIX)} raised {type(error).__name__}: {first_line(error)}"
        )
        if isinstance(error, KeyError | TypeError | AttributeError):
            message += f" (it gets a dictionary of {', '.join(item)})"
        raise ProviderError(Reason.JUDGE_FAILED, message) from error
    try:
        text = json.dumps({VERDICT: response}, default=_plain)
    except (TypeError, ValueError, RecursionError) as error:
        message = f"{model} said what is no plain data: {first_line(error)}"
        raise ProviderError(Reason.JUDGE_FAILED, message) from error
    if len(text) > MAX_RESPONSE:
        raise ProviderError(Reason.JUDGE_FAILED, f"{model} returned more than {MAX_RESPONSE >> 20} MiB")
    return text


async def _aside(function: Function, item: dict[str, Any]) -> Any:
    """Call the function in a thread of its own, and return its value or raise its exception (RuntimeError in place of
    StopIteration). If the caller is canceled, the thread runs on and its value is lost."""
    loop = asyncio.get_running_loop()
    response: asyncio.Future[Any] = loop.create_future()

    def settle(value: Any, error: BaseException | None) -> None:
        if response.done():  # given up meanwhile
            return
        if error is None:
            response.set_result(value)
        else:
            response.set_exception(error)

    def call() -> None:
        value: Any = None
        failed: BaseException | None = None
        try:
            value = function(item)
        except StopIteration as error:  # which no future can hold
            failed = RuntimeError(f"StopIteration: {error}")
        except (Exception, SystemExit, KeyboardInterrupt) as error:  # noqa: BLE001 - it is raised where it is awaited
            failed = error
        with contextlib.suppress(RuntimeError):  # the loop has ended
            loop.call_soon_threadsafe(settle, value, failed)

    threading.Thread(target=call, name="conqret-judge", daemon=True).start()
    return await response


def item_of(request: Request[Any]) -> dict[str, Any]:
    """Return a copy of the item that a request is about, as plain data.

    Raises:
        DeclarationError: the request is not about an item.
    """
    if ITEM not in request.context:
        raise DeclarationError(
            f"{request.ask} is a prompt for an LLM, and a judge of your own takes items: leave --format out, and "
            "give your judge with --judge or --server"
        )
    item: dict[str, Any] = json.loads(json.dumps(request.context[ITEM]))
    return item


def _plain(value: Any) -> Any:
    """A number of numpy or torch, or a pydantic model, as plain data."""
    for way in ("model_dump", "item"):
        if hasattr(value, way):
            return getattr(value, way)()
    raise TypeError(f"a {type(value).__name__} is neither a number, a verdict nor a mapping of numbers")


def _asynchronous(function: Function | None) -> bool:
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(
        getattr(function, "__call__", None)  # noqa: B004 - whether calling it gives something to await
    )


def _facts(options: ClientOptions) -> ModelFacts:
    facts = replace(on_this_machine(options), timeout=None, vision=True)
    return replace(facts, in_flight=None) if _asynchronous(_admitted.get(options.model)) else facts


BACKEND = Backend(prefix=PREFIX, open=FunctionConnection, identity=identity, facts=_facts, here=True)
