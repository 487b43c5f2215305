"""``conqret labels status``, ``manage``, ``adjudicate`` and ``export``: what becomes of a study once it has begun."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from conqret.console import shared_options as options
from conqret.console.option_groups import grouped
from conqret.console.printing import at, note, result, say
from conqret.errors import DeclarationError, number
from conqret.labels.label_server import Folder, PageLanguage, Port, opened_study

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import RenderableType

    from conqret.data import Judgment
    from conqret.labels.exporting import LabelExport


def status(folder: Folder, json_output: options.Printed = None) -> None:
    """Show the progress of a study, by annotator, and the agreement so far.

    Example: conqret labels status labels
    """
    from conqret.labels.collected_labels import agreement_so_far, label_set
    from conqret.labels.page import people_rows, people_so_far, why_no_agreement
    from conqret.studies.agreement.page import people_table

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


@grouped
def export(
    folder: Folder,
    *,
    output: Path | None = None,
    to: Literal["csv", "label-studio", "comparisons", "pairs"] = "csv",
    final: bool = False,
    practice: bool = False,
    overwrite: options.Replace = False,
) -> None:
    """Write the labels of a study to a file that `conqret labels agreement`, `conqret validate` or Label Studio reads,
    with pseudonyms for annotators (with `--task debate` the judges' answers for `conqret debate two-turn outcomes`).

    An earlier export is replaced; if it was edited, the command refuses.

    Args:
        output (--output, -o): The file to write. Default: labels.csv; of Label Studio labels.json, of debates
            debates.jsonl.
        to: `csv`: a long table. `label-studio`: its JSON. `comparisons`: preferences between systems, for `conqret
            debateqa score correlate`. `pairs`: for `conqret perspectives detect`.
        final: Export one final label for each item and question: the adjudicator's decision, or else the majority of
            annotators.
        practice: Export only the practice texts that writers wrote (`--task write`), so that you can grade them.

    Example: conqret labels export labels -o labels.csv
    """
    from conqret.labels.exporting import export_labels

    found = export_labels(folder, output, to=to, final=final, practice=practice, overwrite=overwrite)
    say(at(found.file))
    for line in _readers(found, to, final=final, practice=practice):
        say(line)
    if found.lacking:
        note(
            f"{number(len(found.lacking), 'question')} left out: a counter-argument is missing, "
            f"{found.lacking[0]!r} for one"
        )
    if found.undecided:
        marked = (
            "; the others, on which annotators agree, are marked as not for estimation, and conqret "
            "validate refuses them until all are decided"
        )
        note(
            f"{number(found.undecided, 'label')} left out: annotators differ, and the label is "
            f"undecided (conqret labels adjudicate){marked if final else ''}"
        )


def _readers(label_export: LabelExport, to: str, *, final: bool, practice: bool) -> Iterator[str]:
    """The commands that read an export."""
    import shlex

    from conqret.debate.two_turn.judge_answers import TASK as JUDGING
    from conqret.labels.collected_labels import reading_options
    from conqret.labels.written_arguments import TASK as WRITING

    file = str(label_export.file)
    if label_export.task == WRITING and practice:
        yield (
            f"grade them with: conqret labels collect {file} --task counter-argument, or conqret debate two-turn "
            f"judge {file} --rubric"
        )
        yield "let a writer go on with: conqret labels manage --resume"
        return
    if label_export.task == WRITING:
        yield f"judge them with: conqret labels collect {file} --task debate, or conqret debate two-turn judge {file}"
        return
    if label_export.task == JUDGING:
        words = ["conqret", "debate", "two-turn", "outcomes", file]
    elif to == "pairs":
        words = ["conqret", "perspectives", "detect", "PAIRS", "--labels", file]
    elif to == "comparisons":
        words = ["conqret", "debateqa", "score", "correlate", "SCORES", "--preferences", file]
    else:
        begin = ["conqret", "validate", "RUN", "--labels"] if final else ["conqret", "labels", "agreement"]
        words = [*begin, file, *reading_options(label_export.questions)]
    yield f"read it with: {shlex.join(words)}"


@grouped
def adjudicate(
    folder: Folder,
    *,
    run: Path | None = None,
    by: str = "adjudicator",
    port: Port = 8768,
    page_language: PageLanguage = "en",
) -> None:
    """Serve pages on this machine on which an adjudicator decides items where annotators differ, or annotators and a
    judge.

    Only items that all annotators have labeled are shown, so that a judge's answer influences no label. Labels are not
    changed; decisions are stored separately.

    Args:
        run: A judge's run: also show where it differs from annotators, and its reasons.
        by: The name of the adjudicator; exports have a pseudonym.

    Examples:

    conqret labels adjudicate labels --by Ada

    conqret labels adjudicate labels --run runs/first --by Ada

    conqret labels export labels --final -o final.csv
    """
    from conqret.judging.judge_folder import JudgeFolder
    from conqret.labels.collected_labels import disputes
    from conqret.labels.page_messages import page_messages
    from conqret.labels.pages.adjudicating import adjudication_app
    from conqret.labels.pages.study_access import ADJUDICATE, Links
    from conqret.labels.screens import check_names
    from conqret.web.local_server import people
    from conqret.web.request_guard import LOOPBACK

    (name,) = check_names([by])
    messages = page_messages(page_language)
    judgments: tuple[Judgment, ...] = ()
    if run is not None:
        judge = JudgeFolder(run)
        judge.record()
        judgments = tuple(judge.judgments())
    with opened_study(folder) as ledger:
        links = Links(folder)
        open_disputes = disputes(ledger, judgments)
        if judgments and not {judgment.item for judgment in judgments} & {
            record.screen.item for record in ledger.given()
        }:
            raise DeclarationError(
                f"{run} has judged none of the items that annotators labeled in {folder}: give a run of the same items"
            )
        if waiting := ledger.study.screens - len(ledger.complete()):
            note(
                f"{number(waiting, 'screen')} still lack labels of some annotators, and cannot be adjudicated yet"
            )

        def started(base: str) -> None:
            say(
                f"{number(len(open_disputes), 'screen')} to decide on, "
                f"{sum(dispute.decided for dispute in open_disputes)} decided"
            )
            say(f"  for {name} alone: {base}/adjudicate/{links.to(ADJUDICATE)}")
            say("Ctrl-C stops; what was decided is kept.")

        people(
            adjudication_app(ledger, links, name, judgments, messages),
            host=LOOPBACK,
            port=port,
            on_start=started,
        )
        left = sum(not dispute.decided for dispute in disputes(ledger, judgments))
    say(
        f"stopped: {number(left, 'screen')} left; conqret labels export {folder} --final gives one label each"
    )
