"""``conqret labels status`` and ``manage``: how far a study is, and what becomes of annotators, also meanwhile."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from conqret.console import shared_options as options
from conqret.console.option_groups import grouped
from conqret.console.printing import at, result, say
from conqret.errors import DeclarationError, number
from conqret.labels.label_server import Folder, opened_study

if TYPE_CHECKING:
    from rich.console import RenderableType


def status(folder: Folder, json_output: options.Printed = None) -> None:
    """Show the progress of a study, by annotator, and the agreement so far.

    Example: conqret labels status labels
    """
    from conqret.labels.collected_labels import agreement_so_far, label_set
    from conqret.labels.page import people_rows, people_so_far, why_no_agreement
    from conqret.studies.agreement_tables import people_table

    with opened_study(folder) as ledger:
        records = list(ledger.given())
        done, wanted = ledger.wanted()
        labels = label_set(records)
        alpha, people = agreement_so_far(labels), people_rows(ledger, records, labels)
        facts = {
            "task": ledger.study.task,
            "screens": ledger.study.screens,
            "overlap": ledger.study.overlap,
            "labels": done,
            "wanted": wanted,
            "people": [row.model_dump(mode="json") for row in people],
            "agreement": alpha.model_dump(mode="json") if alpha else None,
        }

        each = "one annotator" if ledger.study.overlap == 1 else f"{ledger.study.overlap} annotators"

        def lines() -> Iterator[RenderableType]:
            yield f"{ledger.study.task}: {done:,} of {number(wanted, 'label')}, {each} a screen"
            yield people_so_far(people)
            yield people_table(alpha) if alpha else why_no_agreement(ledger)

        result(facts, lines(), as_json=json_output)


@grouped
def manage(
    folder: Folder,
    *,
    pause: str | None = None,
    resume: str | None = None,
    drop: str | None = None,
    why: str = "",
    reassign: str | None = None,
    forget: str | None = None,
    yes: bool = False,
    backup: Path | None = None,
) -> None:
    """Pause, drop or delete an annotator, or copy the labels, also while the study is served.

    An annotator is named by name, or by pseudonym (p02).

    Args:
        pause: Pause this annotator: their link shows no items.
        resume: Let this annotator go on after a pause or after practice, even a failed one; the labels of a dropped
            annotator count again.
        drop: Leave this annotator's labels out of all exports, and give their items to others; the labels are not
            deleted.
        why: With `--drop`: the reason, which is stored with the study.
        reassign: Give the items that this annotator has not labeled yet to others.
        forget: Delete all answers of this annotator, and their name, on their request.
        yes: With `--forget`: really delete; this cannot be undone.
        backup: Copy the labels as they are now to this file, which must not exist.

    Examples:

    conqret labels manage labels --pause ben

    conqret labels manage labels --drop p02 --why 'answered without reading'

    conqret labels manage labels --forget ben --yes

    conqret labels manage labels --backup labels-monday.sqlite
    """
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
