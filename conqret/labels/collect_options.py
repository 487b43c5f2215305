"""The options of ``conqret labels collect``: the questions, the annotators, and how the pages are served."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from annotated_types import Interval

from conqret._optional import require
from conqret.console import shared_options as options
from conqret.console.option_groups import OptionGroup
from conqret.console.printing import note, say
from conqret.errors import number
from conqret.io.limits import declared_text
from conqret.io.safe_files import only_writer
from conqret.labels.page_messages import page_messages
from conqret.labels.screens import OVERLAP
from conqret.web.local_server import checked_url, is_loopback, serve_pages

if TYPE_CHECKING:
    from conqret.labels.answer_ledger import Ledger
    from conqret.labels.study_access import Links
    from conqret.labels.study_screens import PlannedStudy

ANNOTATE_PORT = 8767
"""Where the pages are on which annotators label, if no other port is given."""


@dataclass(frozen=True, kw_only=True)
class TaskOptions(OptionGroup):
    """The questions to annotators.

    Args:
        task: The annotation task: `rating` (overall quality), `verdict` (pass or fail; for a table of a judge's
            verdicts on their own scale), `dimensions` (15 dimensions of argument quality), `preference` (the better of
            two arguments), `citation-support`, `perspective` (does a document support it?), `partial-answer`,
            `answer-preference`, `counter-argument`, the ratings of a judge format (`rag-fine-grained`, `listwise`, …),
            or a TOML file with your own questions. For two-turn debates: `debate`
            (judge which option is right) or `write` (write counter-arguments). Default: `verdict` for a table of
            verdicts, else `rating`.
        sample: For a table of verdicts: how many of its unlabeled rows are labeled, each verdict among them. Default:
            60.
        metric: Show annotators only this question (dimension) of the task. May be repeated.
        scale: Lowest and highest rating, for example `1:5`. Default: the task's.
        plan: Only the items of this plan, in its order: a .plan.json that `conqret labels sample` wrote.
        design: For `--task debate`: with `main` (the default) judges see the whole passage from the start and have five
            minutes for each judgment; with `pilot` they first judge from short quotations, and see the passage only at
            the end.
        instruction: For `--task debate`: what a judge's answers earn, `simple` (the default), `encourage-abstain`
            (abstaining earns more), or `both`, one after the other. `conqret debate two-turn payoffs` explains them.
        judged: For `--task write`: a file of judges' answers (human or model) on the debates of this study; each writer
            is then shown the bonus in dollars that their texts earned.
    """

    task: str | None = None
    sample: Annotated[int | None, Interval(ge=1)] = None
    metric: list[str] | None = None
    scale: str | None = None
    plan: Path | None = None
    design: Literal["main", "pilot"] | None = None
    instruction: Literal["simple", "encourage-abstain", "both"] | None = None
    judged: Path | None = None


@dataclass(frozen=True, kw_only=True)
class AnnotatorOptions(OptionGroup):
    """Who labels, what they agree to and practice first, and how many label an item.

    Args:
        annotators: Who labels: names, comma-separated; each annotator gets a link of their own. Default, for a table of
            verdicts: one annotator.
        open_to (--open): Number of annotators who may join by one open link, choosing a name.
        overlap: How many annotators label each item. Default: 3, or all if there are fewer.
        consent: A text file, shown to each annotator before the first item; only those who agree to it can go on.
        practice: Practice items, which each annotator gets first and is then shown the right answers to: items with
            known answers (`gold` in their metadata), or questions with debates. Practice texts of writers are read by
            you (`conqret labels manage FOLDER resume NAME`).
        passing (--pass): The share of practice items (`--practice`) that an annotator must answer correctly to go on,
            for example 0.8.
    """

    annotators: str = ""
    open_to: Annotated[int, Interval(ge=0)] = 0
    overlap: int | None = None
    consent: Path | None = None
    practice: Path | None = None
    passing: Annotated[float, Interval(ge=0, le=1)] = 0.0

    @property
    def names(self) -> list[str]:
        """The names of the annotators."""
        return options.listed(self.annotators)

    def overlap_of(self, names: Sequence[str]) -> int:
        """Return how many annotators label each item, if those with ``names`` are invited."""
        return min(OVERLAP, max(len(names) + self.open_to, 1)) if self.overlap is None else self.overlap

    def consent_text(self) -> str:
        """Return the text that annotators must consent to; empty if there is none.

        Raises:
            DeclarationError: the file cannot be read.
        """
        return declared_text(self.consent) if self.consent is not None else ""


@dataclass(frozen=True)
class ServerOptions(OptionGroup):
    """Where pages are served, and how annotators reach them.

    Args:
        host: The address to listen on; beyond this machine, put a proxy with TLS before it.
        port: The port; 0 takes one that is free.
        url: The address at which annotators reach the pages, if behind a proxy.
        page_language: The language of the pages: `en`, `de`, `ar`, or a file with the words of another one, `my.toml`
            (docs/languages.md).
    """

    host: str = "127.0.0.1"
    port: Annotated[int, Interval(ge=0, le=65535)] = ANNOTATE_PORT
    url: str = ""
    page_language: str = "en"

    def serve(self, folder: Path, planned: PlannedStudy, names: Sequence[str]) -> None:
        """Serve a study in ``folder`` to annotators with these ``names`` until Ctrl-C, and print their
        links.

        Raises:
            DeclarationError: there are no words for the pages' language, ``url`` is none, or the study is being served
                already; or as :meth:`PlannedStudy.open`.
        """
        require("starlette", "uvicorn", extra="web")
        from conqret.debate.two_turn.writer_scores import check_judged
        from conqret.labels.label_app import annotation_app
        from conqret.labels.study_access import Links, Setting

        secure = checked_url(self.url).scheme == "https"
        setting = Setting(secure, planned.judged, page_messages(self.page_language))
        if not is_loopback(self.host) and not secure:
            note(
                "without TLS, others on the network can read links and labels: put a proxy in front "
                "and set its address with --url"
            )
        with (
            only_writer(folder, "the study is being served already"),
            closing(planned.open(folder, names)) as ledger,
        ):
            if planned.judged:
                check_judged(ledger, planned.judged)
            ledger.backup_session()
            links = Links(folder)
            serve_pages(
                annotation_app(ledger, links, setting),
                host=self.host,
                port=self.port,
                url=self.url,
                on_start=lambda base: _say_links(base, ledger, links),
            )
            ledger.backup_session()
            done, wanted = ledger.wanted()
        say(f"stopped: {done:,} of {number(wanted, 'label')} are in {folder}; the same command continues")


def _say_links(base: str, ledger: Ledger, links: Links) -> None:
    from conqret.labels.study_access import DASHBOARD, JOIN

    joined = [annotator for annotator in ledger.annotators() if annotator.state != "deleted"]
    width = max((len(annotator.name) for annotator in joined), default=0)
    done, wanted = ledger.wanted()
    each = "one annotator" if ledger.study.overlap == 1 else f"{ledger.study.overlap} annotators"
    say(f"{number(ledger.study.screens, 'screen')}, {each} each: {done:,} of {wanted:,} labels")
    if ledger.study.practice:
        say(f"everybody practises on {number(ledger.study.practice, 'screen')} first")
    for annotator in joined:
        say(f"  {annotator.name:<{width}}  {base}/in/{links.token(annotator)}")
    if ledger.study.open_to:
        say(f"  everyone who joins: {base}/join/{links.to(JOIN)}")
    say(f"  for you only, the progress: {base}/study/{links.to(DASHBOARD)}")
    say(
        "Send each annotator their own link, which identifies them. Stop with Ctrl-C; the same command continues."
    )
