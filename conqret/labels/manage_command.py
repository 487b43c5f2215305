"""``conqret labels manage``, ``adjudicate`` and ``export``: what becomes of a study once it has begun."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Annotated, Literal

from annotated_types import Interval

from conqret.console import shared_options as options
from conqret.console.printing import at, note, result, say
from conqret.data import Judgment
from conqret.errors import DeclarationError, number
from conqret.labels.answer_ledger import Ledger
from conqret.labels.page_messages import page_messages
from conqret.labels.screens import check_names
from conqret.web.local_server import LOOPBACK, serve_pages

STATES = {
    "pause": ("paused", "paused; resume lets them go on"),
    "resume": ("active", "may go on"),
    "drop": ("dropped", "left out; resume takes it back"),
}
"""The state in which an action leaves an annotator, and the message about it."""


def manage(
    folder: Path,
    action: Literal["pause", "resume", "drop", "reassign", "forget", "backup"] | None = None,
    name: str | None = None,
    *,
    why: str = "",
    yes: bool = False,
    json_output: options.Printed = None,
) -> None:
    """Show the progress of a study, by annotator, and the agreement so far; or pause, drop or delete an annotator, or
    copy the labels, also while the study is served.

    Args:
        folder: The folder of the study, the -o of `conqret labels collect`.
        action: `pause`: the annotator's link shows no items. `resume`: they go on after a pause or after practice, even
            a failed one; the labels of a dropped annotator count again. `drop`: leave their labels out of all exports,
            and give their items to others; the labels are not deleted. `reassign`: give the items that they have not
            labeled yet to others. `forget`: delete all their answers, and their name, on their request. `backup`: copy
            the labels as they are now. Default: show the progress.
        name: The annotator, by name or pseudonym (p02); of `backup` the file to write, which must not exist.
        why: The reason for `pause`, `resume` or `drop`, which is stored with the study.
        yes: With `forget`: really delete; this cannot be undone.

    Examples:

    conqret labels manage labels

    conqret labels manage labels pause ben

    conqret labels manage labels drop p02 --why 'answered without reading'

    conqret labels manage labels forget ben --yes

    conqret labels manage labels backup labels-monday.sqlite
    """

    with closing(Ledger(folder)) as ledger:
        if action is None:
            _show_progress(ledger, json_output)
        elif not name:
            raise DeclarationError(f"say whom or what: conqret labels manage {folder} {action} NAME")
        elif action == "backup":
            ledger.backup(Path(name))
            say(at(Path(name)))
        elif action == "reassign":
            say(f"{number(ledger.reassign(ledger.annotator(name)), 'screen')} of {name} are free for others")
        elif action == "forget":
            annotator = ledger.annotator(name)
            if not yes:
                answers = number(ledger.counts(annotator)[0], "answer")
                raise DeclarationError(f"this deletes {answers} of {annotator.name}; add --yes to confirm")
            answers = number(ledger.forget(annotator), "answer")
            say(f"{answers} of {name} are deleted; earlier exports and copies still contain them")
        else:
            state, outcome = STATES[action]
            ledger.set_state(ledger.annotator(name), state, why)
            say(f"{name}: {outcome}")


def _show_progress(ledger: Ledger, as_json: bool | None) -> None:
    from conqret.labels.page import (
        agreement_so_far,
        label_set,
        progress_rows,
        progress_table,
        why_no_agreement,
    )
    from conqret.studies.agreement.annotator_agreement import annotators_table

    records, study = list(ledger.finished_answers()), ledger.study
    done, wanted = ledger.wanted()
    labels = label_set(records)
    alpha, annotators = agreement_so_far(labels), progress_rows(ledger, records, labels)
    facts = {
        **study.model_dump(include={"task", "screens", "overlap"}),
        "labels": done,
        "wanted": wanted,
        "people": [row.model_dump(mode="json") for row in annotators],
        "agreement": alpha.model_dump(mode="json") if alpha else None,
    }
    each = "one annotator" if study.overlap == 1 else f"{study.overlap} annotators"
    progress = f"{study.task}: {done:,} of {number(wanted, 'label')}, {each} a screen"
    agreement = annotators_table(alpha) if alpha else why_no_agreement(ledger)
    result(facts, [progress, progress_table(annotators), agreement], as_json=as_json)


def export(
    folder: Path,
    *,
    output: Path | None = None,
    to: Literal["csv", "label-studio", "comparisons", "pairs"] = "csv",
    final: bool = False,
    practice: bool = False,
    overwrite: options.Replace = False,
) -> None:
    """Write the labels of a study to a file that `conqret labels agreement`, `conqret validate` or Label Studio reads,
    with pseudonyms for annotators (with `--task debate` the judges' answers for `conqret debate two-turn outcomes`). A
    survey of judges or writers is written to NAME.survey.csv.

    An earlier export is replaced; if it was edited, the command refuses.

    Args:
        folder: The folder of the study, the -o of `conqret labels collect`.
        output (--output, -o): The file to write. Default: labels.csv; of Label Studio labels.json, of debates
            debates.jsonl.
        to: `csv`: a long table. `label-studio`: its JSON. `comparisons`: preferences between systems, for `conqret
            debateqa rank --preferences`. `pairs`: for `conqret perspectives detect`.
        final: Export one final label for each item and question: the adjudicator's decision, or else the majority of
            annotators.
        practice: Export only the practice texts that writers wrote (`--task write`), so that you can grade them.

    Example: conqret labels export labels -o labels.csv
    """
    from conqret.labels.exporting import export_labels, export_readers

    found = export_labels(folder, output, to=to, final=final, practice=practice, overwrite=overwrite)
    say(at(found.file))
    if found.survey is not None:
        say(at(found.survey, "survey"))
    for line in export_readers(found, to, final=final, practice=practice):
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


def adjudicate(
    folder: Path,
    *,
    run: Path | None = None,
    by: str = "adjudicator",
    port: Annotated[int, Interval(ge=0, le=65535)] = 8768,
    page_language: str = "en",
) -> None:
    """Serve pages on this machine on which an adjudicator decides items where annotators differ, or annotators and a
    judge.

    Only items that all annotators have labeled are shown, so that a judge's answer influences no label. Labels are not
    changed; decisions are stored separately.

    Args:
        folder: The folder of the study, the -o of `conqret labels collect`.
        run: A judge's run: also show where it differs from annotators, and its reasons.
        by: The name of the adjudicator; exports have a pseudonym.
        port: The port; 0 takes one that is free.
        page_language: The language of the pages: `en`, `de`, `ar`, or a file with the words of another one, `my.toml`
            (docs/languages.md).

    Examples:

    conqret labels adjudicate labels --by Ada

    conqret labels adjudicate labels --run runs/first --by Ada

    conqret labels export labels --final -o final.csv
    """
    from conqret.judging.judge_folder import JudgeFolder
    from conqret.labels.adjudicating import adjudication_app, disputes
    from conqret.labels.study_access import ADJUDICATE, Links

    (name,) = check_names([by])
    messages = page_messages(page_language)
    judgments: tuple[Judgment, ...] = ()
    if run is not None:
        JudgeFolder(run).record()
        judgments = tuple(JudgeFolder(run).judgments())
    with closing(Ledger(folder)) as ledger:
        links = Links(folder)
        open_disputes = disputes(ledger, judgments)
        if judgments and not {judgment.item for judgment in judgments} & {
            record.screen.item for record in ledger.finished_answers()
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

        serve_pages(
            adjudication_app(ledger, links, name, judgments, messages),
            host=LOOPBACK,
            port=port,
            on_start=started,
        )
        left = sum(not dispute.decided for dispute in disputes(ledger, judgments))
    say(
        f"stopped: {number(left, 'screen')} left; conqret labels export {folder} --final gives one label each"
    )
