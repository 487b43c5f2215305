"""``conqret labels manage``: what becomes of an annotator, also while others label, and a copy of the labels."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from conqret.console.printing import at, say
from conqret.errors import DeclarationError, number
from conqret.labels.label_server import Folder, opened_study

EPILOG = (
    "Examples:\n\n"
    "conqret labels manage labels --pause ben\n\n"
    "conqret labels manage labels --drop p02 --why 'answered without reading'\n\n"
    "conqret labels manage labels --forget ben --yes\n\n"
    "conqret labels manage labels --backup labels-monday.sqlite"
)


def manage(
    folder: Folder,
    pause: Annotated[
        str, typer.Option(metavar="NAME", help="Pause this annotator (a name, or a pseudonym such as p02).")
    ] = "",
    resume: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="Let this annotator go on after a pause, after practice, or although they failed it; count the "
            "labels of a dropped annotator again.",
        ),
    ] = "",
    drop: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="Leave this annotator's labels out of all exports, and give their items to others; the labels are "
            "not deleted.",
        ),
    ] = "",
    why: Annotated[str, typer.Option(help="With `--drop`: the reason, which is stored with the study.")] = "",
    reassign: Annotated[
        str,
        typer.Option(
            metavar="NAME", help="Give the items that this annotator has not labeled yet to others."
        ),
    ] = "",
    forget: Annotated[
        str,
        typer.Option(
            metavar="NAME", help="Delete all answers of this annotator, and their name, on their request."
        ),
    ] = "",
    yes: Annotated[
        bool, typer.Option("--yes", help="With `--forget`: really delete; this cannot be undone.")
    ] = False,
    backup: Annotated[
        Path | None, typer.Option(help="Copy the labels as they are now to this file, which must not exist.")
    ] = None,
) -> None:
    """Pause, drop or delete an annotator, or copy the labels, also while the study is served."""
    if not any((pause, resume, drop, reassign, forget, backup)):
        raise DeclarationError(
            "say what is to be done: --pause NAME, --resume NAME, --drop NAME, --reassign NAME, --forget NAME or "
            "--backup FILE"
        )
    with opened_study(folder) as ledger:
        if backup is not None:
            ledger.backup(backup)
            say(at(backup))
        if pause:
            ledger.set_state(ledger.person(pause), "paused")
            say(f"{pause}: paused; --resume lets them go on")
        if resume:
            ledger.set_state(ledger.person(resume), "active")
            say(f"{resume}: may go on")
        if drop:
            ledger.set_state(ledger.person(drop), "dropped", why)
            say(f"{drop}: left out; --resume takes it back")
        if reassign:
            freed = ledger.reassign(ledger.person(reassign))
            say(f"{number(freed, 'screen')} of {reassign} are free for others")
        if forget:
            person = ledger.person(forget)
            done, _ = ledger.counts(person)
            if not yes:
                raise DeclarationError(
                    f"this deletes {number(done, 'answer')} of {person.name} permanently; add --yes to confirm"
                )
            deleted = ledger.forget(person)
            say(
                f"{number(deleted, 'answer')} of {forget} are deleted; earlier exports and copies still contain them"
            )
