"""``conqret labels drop``, ``pause``, ``reassign``, ``forget``: what becomes of a person, also while others label."""

from __future__ import annotations

from typing import Annotated

import typer

from conqret.console.printing import say
from conqret.errors import number
from conqret.labels.label_server import Folder, opened_study

Name = Annotated[str, typer.Argument(help="The annotator: a name, or a pseudonym such as p02.")]


def drop(
    folder: Folder,
    name: Name,
    why: Annotated[str, typer.Option(help="The reason, which is stored with the study.")] = "",
    undo: Annotated[bool, typer.Option("--undo", help="Count this annotator's labels again.")] = False,
) -> None:
    """Leave an annotator's labels out of all exports, and give their items to other annotators; the labels are not
    deleted."""
    with opened_study(folder) as ledger:
        ledger.set_state(ledger.person(name), "active" if undo else "dropped", why)
    say(f"{name}: {'counted again' if undo else 'left out; --undo takes it back'}")


def pause(
    folder: Folder,
    name: Name,
    resume: Annotated[
        bool,
        typer.Option(
            "--resume",
            help="Let this annotator label again after a pause, or although they failed the practice items.",
        ),
    ] = False,
) -> None:
    """Pause an annotator: their link shows no items until `--resume`."""
    with opened_study(folder) as ledger:
        ledger.set_state(ledger.person(name), "active" if resume else "paused")
    say(f"{name}: {'may go on' if resume else 'paused; --resume lets them go on'}")


def reassign(folder: Folder, name: Name) -> None:
    """Give the items that an annotator has not labeled yet to other annotators."""
    with opened_study(folder) as ledger:
        freed = ledger.reassign(ledger.person(name))
    say(f"{number(freed, 'screen')} of {name} are free for others")


def forget(
    folder: Folder,
    name: Name,
    yes: Annotated[
        bool, typer.Option("--yes", help="Really delete the answers and the name; this cannot be undone.")
    ] = False,
) -> None:
    """Delete all answers of an annotator, and their name, on their request."""
    from conqret.errors import DeclarationError

    with opened_study(folder) as ledger:
        person = ledger.person(name)
        done, _ = ledger.counts(person)
        if not yes:
            raise DeclarationError(
                f"this deletes {number(done, 'answer')} of {person.name} permanently; add --yes to confirm"
            )
        deleted = ledger.forget(person)
    say(f"{number(deleted, 'answer')} of {name} are deleted; earlier exports and backups still contain them")
