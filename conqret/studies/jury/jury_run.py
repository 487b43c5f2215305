"""A jury as a run: a folder like that of any judge, which every command reads that reads judgments."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import ClassVar

from conqret.errors import DeclarationError, strict_options
from conqret.io.jsonl import compact
from conqret.io.labels import Labels, labels_of
from conqret.io.safe_files import InFolder, write_all, write_whole
from conqret.judging.judge_folder import JudgeFolder, JudgeRecord
from conqret.judging.judge_parts import JURY, digest
from conqret.runs.session import SessionCounts
from conqret.studies.agreement.agreement_settings import USUAL, AgreementSettings
from conqret.studies.jury.ballots import Ballots, Rule
from conqret.studies.jury.result import Jury, hold_jury

RESULT, PAGE = "jury.json", "jury.html"
CHUNK = 2**20
"""Bytes that are copied at once."""


@dataclass(frozen=True)
class JuryFolder(JudgeFolder):
    """The files of a jury: those of a judge's run, and what is known of the jury (``jury.json``)."""

    COMMAND: ClassVar[str] = "conqret judges jury"

    jury_file = InFolder(RESULT)


@strict_options
def jury(
    runs: Sequence[str | Path],
    output: str | Path,
    labels: Labels | None = None,
    *,
    rule: Rule = "mean",
    metrics: Mapping[str, str] | None = None,
    settings: AgreementSettings = USUAL,
    names: Sequence[str] = (),
    overwrite: bool = False,
) -> Jury:
    """Combine several judges: put finished runs of the same items together, and write the run of the jury into
    ``output``; ``names`` are what its members are called (default: their folders).

    Nobody is asked anything, and the costs are those of all members. A score is missing where that of any member is.

    Raises:
        DeclarationError: the runs make no jury, labels meet nothing, or ``output`` is not free.
    """
    out = Path(output)
    if out.resolve() in {Path(run).resolve() for run in runs}:
        raise DeclarationError(f"{out} is a member of the jury: give another folder with -o")
    folders = [JudgeFolder(Path(run)) for run in runs]
    ballots = Ballots.read(folders, names)
    records = [folder.record() for folder in folders]
    model = f"{rule} of {len(runs)} judges"

    members = [f"{record.format} with {record.model} ({record.fingerprint})" for record in records]
    identity = {"format": JURY.name, "rule": rule, "members": members}
    judgments = ballots.judged(rule, model=model, fingerprint=digest(identity), format=JURY.name)
    read = None if labels is None else labels_of(labels)
    found = hold_jury(ballots, records, judgments, read, rule=rule, metrics=metrics, settings=settings)
    record = records[0].model_copy(
        update={
            "created": max(record.created for record in records),
            "format": JURY.name,
            "model": model,
            "baseline": all(record.baseline for record in records),
            "fingerprint": digest(identity),
            "identity": identity,
            "metrics": list(found.metrics),
            "options": {},
            "model_options": {},
            "notes": [f"Rule: {rule}", *_members(ballots.names, records)],
        }
    )
    made = JuryFolder(out)

    def copy_items() -> None:
        with folders[0].items_file.open("rb") as items:
            write_all(made.items_file, iter(partial(items.read, CHUNK), b""))

    with made.claimed(record, overwrite=overwrite, begin=copy_items):
        lines = [compact(judgment.model_dump(mode="json")) + b"\n" for judgment in judgments]
        write_whole(made.judgments_file, b"".join(lines))
        with made.rows() as rows:
            made.sum_up(rows, SessionCounts())
        write_whole(made.jury_file, found.model_dump_json(indent=1).encode() + b"\n")
    return found


def _members(names: Sequence[str], records: Sequence[JudgeRecord]) -> Iterator[str]:
    """Which judge each of the names is."""
    for name, record in zip(names, records, strict=True):
        samples = record.options.get("samples") or 1
        several = f", {samples} samples of each item" * (samples != 1)
        yield f"Member {name}: {record.format} with {record.model}{several} ({record.fingerprint})"
