"""Put the subcommands together, and turn errors into messages and exit codes.

Exit codes: 0 all well; 1 something failed while running (a provider, the budget), or nothing has a result; 2 the call
or a file was wrong, and nothing was done; 130 stopped by the user, what was done so far is kept.
"""

from __future__ import annotations

import logging
import sys

import typer

from conqret.cli import (
    agree,
    bias,
    compare,
    corpus,
    doctor,
    formats,
    generate,
    index,
    judge,
    label,
    perspectives,
    perturb,
    prompt,
    rank,
    recordings,
    report,
    retrieve,
    run,
    score,
    scrape,
    sensitivity,
    validate,
)
from conqret.cli.console import complain, note
from conqret.errors import ConqretError, DeclarationError

STOPPED = 130
"""The exit code of a command that was interrupted (128 and the number of the signal)."""

app = typer.Typer(
    name="conqret",
    help="Judge retrieval-augmented arguments with LLMs, and measure how far the judge can be trusted.",
    epilog="Example: conqret judge items.jsonl --format rag-fine-grained --model gpt-4o-mini -o runs/first",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
)
for _module in (
    judge, report, formats, prompt, recordings, scrape, corpus, index, retrieve, generate, perturb, sensitivity, run,
    validate, agree, compare, label, bias, score, rank, perspectives, doctor,
):  # fmt: skip
    _name = _module.__name__.rpartition(".")[2]  # a module has a command of its name, or several in an app
    if hasattr(_module, "app"):
        app.add_typer(_module.app, name=_name)
    else:
        app.command(_name, epilog=_module.EPILOG)(getattr(_module, _name))


def _version(wanted: bool) -> None:
    if wanted:
        from conqret._version import __version__

        typer.echo(f"conqret {__version__}")
        raise typer.Exit


@app.callback()
def root(
    version: bool = typer.Option(
        False, "--version", callback=_version, is_eager=True, help="Print the version and leave."
    ),
) -> None:
    """What all subcommands share."""


class _Remarks(logging.Handler):
    """What conqret remarks while it works (a damaged answer, say) is told like all else."""

    def emit(self, record: logging.LogRecord) -> None:
        note(record.getMessage())


def main() -> None:
    """Run the command line."""
    logging.getLogger("conqret").handlers = [_Remarks()]
    try:
        app()
    except DeclarationError as error:
        complain(str(error))
        sys.exit(2)
    except ConqretError as error:
        complain(str(error))
        sys.exit(1)
    except KeyboardInterrupt:
        _stopped()
    except SystemExit as end:  # typer turns the interrupt of a command into this
        if end.code != STOPPED:
            raise
        _stopped()
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(1)
    except OSError as error:  # a folder that cannot be written, a full disk
        complain(f"{error.filename or 'the system'}: {error.strerror or error}")
        sys.exit(1)


def _stopped() -> None:
    complain("stopped; what was done so far is kept, and the same command goes on from there")
    sys.exit(STOPPED)


if __name__ == "__main__":
    main()
