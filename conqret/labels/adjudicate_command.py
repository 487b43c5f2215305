"""``conqret labels adjudicate``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from conqret.console.option_groups import grouped
from conqret.console.printing import note, say
from conqret.errors import DeclarationError, number
from conqret.labels.label_server import Folder, PageLanguage, Port, opened_study

if TYPE_CHECKING:
    from conqret.data import Judgment


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
    from conqret.labels.disputes import disputes
    from conqret.labels.label_study import check_names
    from conqret.labels.links import ADJUDICATE, Links
    from conqret.labels.page_messages import page_messages
    from conqret.labels.pages.adjudicating import adjudication_app
    from conqret.web.local_server import people
    from conqret.web.request_guard import LOOPBACK

    (name,) = check_names([by])
    messages = page_messages(page_language)
    judgments = _judgments(run) if run is not None else ()
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


def _judgments(run: Path) -> tuple[Judgment, ...]:
    from conqret.judging.judge_folder import JudgeFolder

    judge = JudgeFolder(run)
    judge.record()
    return tuple(judge.judgments())
