"""Put the subcommands together, check their arguments, and turn errors into messages and exit codes.

What a command writes is no file that it reads, nor a table that no command made: a slip of the ``-o`` would
cost the labels or the items.

Exit codes: 0 done, or met; 1 a condition is not met, or something failed or has no result (a provider, the
budget); 2 what the user can correct (the call, a file, a key, a model's name); 3 a condition on an interval
is undecided (`check`, `validate`); 130 stopped by the user, 143 and 129 by SIGTERM and SIGHUP, what was done
so far is kept. The codes of errors and signals are made here, those of outcomes (0 to 3) in
``console/exit_codes.py``.
"""

from __future__ import annotations

import contextlib
import errno
import functools
import gc
import logging
import os
import re
import signal
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from types import FrameType
from typing import Any, Final, get_args, get_origin

from cyclopts.argument import Argument
from cyclopts.exceptions import (
    CoercionError,
    CycloptsError,
    MissingArgumentError,
    RepeatArgumentError,
    ValidationError,
)

from conqret._optional import missing, require
from conqret.cli.commands import Command, find
from conqret.console.printing import complain, err, note, result
from conqret.errors import AnswersAwaited, ConqretError, DeclarationError, did_you_mean

SIGNALLED = 128
"""The exit code of a command that a signal stopped is this and the signal's number."""

_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)

TRACES = "CONQRET_TRACES"
"""Set, it makes spans of requests (:mod:`conqret.llm.tracing`), which few want and is heavy to import."""

COLLECTED_AFTER = (10_000, 50, 50)
"""How many objects are made before Python looks for unused cycles among the young ones, and after how many such looks
among the older. By its own measure (700, 10, 10) it looks through all that is imported again and again: a tenth of a
run's work, and pauses of a tenth of a second between the answers. So they stay under ten milliseconds."""


class _Remarks(logging.Handler):
    """What conqret remarks while it works (a corrupt answer, say) is told like all else."""

    def emit(self, record: logging.LogRecord) -> None:
        note(record.getMessage())


def _interrupt_on_signals() -> list[int]:
    """Make SIGTERM and SIGHUP do what Ctrl-C does, and return a list that gets each of these signals as it comes.

    The list begins with SIGINT, which has not come: its last element is the signal that stopped the program. Signals
    that are ignored (``nohup``, a program in the background) stay ignored. Outside the main thread nothing is changed.
    """
    signals = [int(signal.SIGINT)]

    def interrupt(number: int, frame: FrameType | None) -> None:
        signals.append(number)
        handler = signal.getsignal(signal.SIGINT)  # asyncio's own while it runs
        if callable(handler):
            handler(signal.SIGINT, frame)

    with contextlib.suppress(ValueError):  # not in the main thread
        if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # in the background: it stays ignored
            signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
            signal.signal(signal.SIGINT, signal.default_int_handler)
        for number in (signal.SIGTERM, signal.SIGHUP):
            if signal.getsignal(number) is not signal.SIG_IGN:  # nohup
                signal.signal(number, interrupt)
    return signals


def main() -> None:
    """Run the command line of conqret with ``sys.argv``. On success it returns normally (exit code 0); errors and
    signals are printed as one message and end it with their exit code, as the head of this module lists them. Errors of
    the program itself are raised."""
    gc.set_threshold(*COLLECTED_AFTER)
    logging.getLogger("conqret").handlers = [_Remarks()]
    logging.lastResort = _Remarks(logging.WARNING)  # what libraries remark
    signals = _interrupt_on_signals()
    try:
        for place, argument in enumerate(sys.argv[1:], start=1):  # a wrong one is repeated as it stands
            if _CONTROL.search(argument):
                raise DeclarationError(
                    f"argument {place} ({argument}) contains a control character: remove it, or rename the file"
                )
        _run(sys.argv[1:])
    except AnswersAwaited as waiting:
        result({"outstanding": waiting.outstanding, "total": waiting.total}, [], as_json="--json" in sys.argv)
        note(str(waiting))
    except DeclarationError as error:
        complain("\n".join([str(error), *getattr(error, "__notes__", ())]))
        sys.exit(2)
    except ConqretError as error:
        complain(str(error))
        sys.exit(1)
    except ModuleNotFoundError as error:
        if (lacking := missing(error)) is None:
            raise
        complain(str(lacking))
        sys.exit(2)
    except KeyboardInterrupt:
        err.cache_clear()  # a line that the signal met half written is not said again
        complain("stopped: finished work is kept, and the same command continues from there")
        sys.exit(SIGNALLED + signals[-1])
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(1)
    except OSError as error:  # a folder that cannot be written, a full disk
        full = "; free some space, and run the command again" if error.errno in _FULL else ""
        complain(f"{error.filename or 'the system'}: {error.strerror or error}{full}")
        sys.exit(1)


def _run(words: list[str]) -> None:
    """Run the command that the words name, and send spans of it if tracing is requested. A group without a command
    prints its help and exits with code 2.

    Raises:
        DeclarationError: the arguments are invalid.
    """
    options = words[: words.index("--")] if "--" in words else words
    if everything := "--help-all" in options:
        words = ["--help" if word == "--help-all" else word for word in words]
    command, rest = find(words, everything=everything)
    if command.default_command is None and not rest:
        command.help_print([])
        sys.exit(2)
    run = read_arguments(command, rest)
    with contextlib.ExitStack() as kept:
        if os.environ.get(TRACES) and command.default_command:
            send_traces(command.name[0], kept)
        run()


_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def send_traces(command: str, kept: contextlib.ExitStack) -> None:
    """Set up the export of OpenTelemetry spans if the environment variable CONQRET_TRACES requests it.

    Nothing is done if tracing is already set up. Unsent spans are sent when the command ends. One span of
    the whole ``command``, which ``kept`` closes, contains all its requests; a server has no such span.

    Raises:
        DeclarationError: it requests another kind of traces, or the extra ``otel`` is missing.
    """
    from conqret.llm.tracing import run_span_here, trace_kind

    if not trace_kind():
        return
    require(
        "opentelemetry.sdk.trace.export",
        "opentelemetry.exporter.otlp.proto.http.trace_exporter",
        extra="otel",
    )
    from opentelemetry import trace
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    if isinstance(trace.get_tracer_provider(), TracerProvider):
        return
    os.environ.setdefault("OTEL_SERVICE_NAME", "conqret")
    provider = TracerProvider()
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    trace.set_tracer_provider(provider)
    name = command.split()[1]
    if name not in ("labels", "serve"):
        kept.enter_context(run_span_here(f"conqret {name}"))


WRITTEN = ("output", "to", "page", "svg", "plot", "report", "junit", "markdown")
"""The parameters that name what a command writes."""

BUILD = ("junit", "markdown")
"""Those that are files at any rate, for a build."""
RUNS = "runs"
"""The argument that takes several folders of runs."""
KINDS: Final[Mapping[Any, str]] = {int: "a whole number", float: "a number"}


def read_arguments(command: Command, words: Sequence[str]) -> Callable[[], None]:
    """Parse the arguments of a command, and return a function that runs it with them.

    Raises:
        DeclarationError: an argument is invalid, or the output file is also an input.
    """
    try:
        function, bound, _ = command.parse_args(words, print_error=False, exit_on_error=False)
    except CycloptsError as error:
        raise DeclarationError(
            f"{_fault(error, command, words).strip()} {command.name[0]} --help lists the options"
        ) from None
    bound.apply_defaults()
    if function is command.default_command:  # and not its help
        arguments = {}
        for argument in command.arguments:
            if not argument.children:
                arguments[argument.field_info.name] = argument
        if RUNS in arguments:
            _check_rest(arguments, [token.value for token in arguments[RUNS].tokens])
        _check_written(arguments)
    return functools.partial(function, *bound.args, **bound.kwargs)


def _fault(error: CycloptsError, command: Command, words: Sequence[str]) -> str:
    """Return what is wrong with the arguments, and what is perhaps meant.

    Raises:
        DeclarationError: files follow ``--labels`` without the option, which has a message of its own.
    """
    typed = getattr(error, "token", None)
    keyword = typed and (typed.keyword or typed.value)
    argument = error.argument or next((one for one in command.arguments if keyword in one.names), None)
    if argument is None:
        rest = error.unused_tokens or [str(keyword)]
        options = [name for one in command.arguments for name in one.names if name.startswith("--")]
        if wrong := next((word.partition("=")[0] for word in rest if word.startswith("-")), None):
            return f"No such option: {wrong}. {did_you_mean(wrong, options)}"
        _check_rest({one.field_info.name: one for one in command.arguments}, rest)
        return f"Got unexpected extra arguments: {' '.join(rest)}."
    name = argument.name
    if isinstance(error, RepeatArgumentError):
        if {"--json", "--latex"} <= {*words}:
            return "--json and --latex exclude each other: keep one of them."
        times = sum(word.partition("=")[0] in argument.names for word in words)
        how_often = "twice" if times == 2 else f"{times} times"
        return f"{name} is given {how_often} but takes one value: keep one of them."
    if isinstance(error, MissingArgumentError):
        if error.keyword or argument.tokens:
            return f"{name} requires a value."
        return f"Missing {'option' if name.startswith('-') else 'argument'} {name}."
    if isinstance(error, ValidationError):
        return f"{argument.tokens[-1].keyword or name} is {argument.value}, but it m{error.exception_message[1:]}"
    if isinstance(error, CoercionError) and typed is not None:
        if error.target_type is bool:
            return f"{name} takes no value."
        kinds = get_args(error.target_type) or (error.target_type,)
        one_of = f"one of {', '.join(map(repr, kinds))}"
        wanted = next((words for kind, words in KINDS.items() if kind in kinds), one_of)
        return f"{name} is {typed.value!r}, which is not {wanted}."
    return str(error)


def _check_rest(arguments: Mapping[str, Argument], rest: Iterable[str]) -> None:
    """Refuse files that the shell has made of an unquoted pattern behind ``--labels``, which takes the first of them.

    Raises:
        DeclarationError: a word of the ``rest`` is a file.
    """
    labels = arguments.get("labels")
    if labels is None or labels.index is not None or get_origin(labels.hint) is not list:
        return
    if file := next((word for word in rest if Path(word).is_file()), None):
        raise DeclarationError(
            f"{file} follows no option: write {labels.name} before each file, or put a pattern in "
            f"quotes ({labels.name} 'PATTERN')"
        )


def _check_written(arguments: Mapping[str, Argument]) -> None:
    """Refuse an output that is an input, or a file that no command has written.

    Raises:
        DeclarationError: an output is a directory where a file is meant, an input, or some other file.
    """
    from conqret.io.safe_files import check_replaceable  # reads files, which no help does

    values: dict[str, Any] = {}
    for name, argument in arguments.items():
        values[name] = argument.value if argument.tokens else argument.field_info.default
    for name in WRITTEN:
        written = values.get(name)
        if not isinstance(written, Path):
            continue
        output = arguments[name].name
        if name in BUILD and written.is_dir():
            raise DeclarationError(f"{output} is {written}, which is a directory: name a file in it")
        for other, value in values.items():
            for path in value if isinstance(value, list | tuple) else (value,):
                same = False
                if other != name and isinstance(path, Path):
                    with contextlib.suppress(OSError):
                        same = path.is_file() and written.exists() and written.samefile(path)
                if same:
                    raise DeclarationError(
                        f"{output} and {arguments[other].name} both name {path}, and one would overwrite the other: "
                        f"give {output} another name"
                    )
        if name != "output" or "overwrite" not in values:  # who has that option looks for itself
            check_replaceable(written)


if __name__ == "__main__":
    main()
