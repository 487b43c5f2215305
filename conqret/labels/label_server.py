"""What the commands that serve pages to people share: their options, and the server with its links."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from conqret._optional import require
from conqret.console.option_groups import OptionGroup
from conqret.console.printing import note, say
from conqret.errors import number
from conqret.labels.page_messages import page_messages

if TYPE_CHECKING:
    from conqret.debate.two_turn.slider_answers import SliderAnswer
    from conqret.labels.answer_ledger import Ledger
    from conqret.labels.pages.study_access import Links

ANNOTATE_PORT = 8767
"""Where the pages are on which people label, if no other port is given."""

Folder = Annotated[Path, typer.Argument(help="The folder of the study, the -o of `conqret labels collect`.")]
Port = Annotated[int, typer.Option(help="The port; 0 takes one that is free.", min=0, max=65535)]
PageLanguage = Annotated[
    str,
    typer.Option(
        help="The language of the pages: `en`, `de`, `ar`, or a file with the words of another one, `my.toml` "
        "(docs/languages.md)."
    ),
]


@dataclass(frozen=True)
class ServerOptions(OptionGroup):
    """Where pages are served, and how people reach them.

    Args:
        host: The address to listen on; beyond this machine, put a proxy with TLS before it.
        url: The address at which annotators reach the pages, if behind a proxy.
    """

    host: str = "127.0.0.1"
    port: Port = ANNOTATE_PORT
    url: str = ""
    page_language: PageLanguage = "en"

    def serve(
        self,
        folder: Path,
        opened: Callable[[], Ledger],
        judged: Sequence[SliderAnswer] = (),
    ) -> None:
        """Serve the study that ``opened`` gives, in ``folder``, until Ctrl-C; links are said as soon as they hold.
        ``judged`` are answers on what was written in it.

        Raises:
            DeclarationError: there are no words for the pages' language, ``url`` is none, or the study is being served
                already.
        """
        require("starlette", "uvicorn", extra="web")
        from conqret.io.safe_files import only_writer
        from conqret.labels.pages.label_app import annotation_app
        from conqret.labels.pages.study_access import Links, Setting
        from conqret.web.local_server import checked_url, is_loopback, people

        secure = checked_url(self.url).scheme == "https"
        setting = Setting(secure, judged, page_messages(self.page_language))
        if not is_loopback(self.host) and not secure:
            note(
                "without TLS, others on the network can read links and labels: put a proxy in front "
                "and set its address with --url"
            )
        with only_writer(folder, "the study is being served already"), closing(opened()) as ledger:
            ledger.backup_session()
            links = Links(folder)
            people(
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
    from conqret.labels.pages.study_access import DASHBOARD, JOIN

    people = [person for person in ledger.people() if person.state != "deleted"]
    width = max((len(person.name) for person in people), default=0)
    done, wanted = ledger.wanted()
    each = "one annotator" if ledger.study.overlap == 1 else f"{ledger.study.overlap} annotators"
    say(f"{number(ledger.study.screens, 'screen')}, {each} each: {done:,} of {wanted:,} labels")
    if ledger.study.practice:
        say(f"everybody practises on {number(ledger.study.practice, 'screen')} first")
    for person in people:
        say(f"  {person.name:<{width}}  {base}/in/{links.of(person)}")
    if ledger.study.open_to:
        say(f"  everyone who joins: {base}/join/{links.to(JOIN)}")
    say(f"  for you only, the progress: {base}/study/{links.to(DASHBOARD)}")
    say(
        "Send each annotator their own link, which identifies them. Stop with Ctrl-C; the same command continues."
    )


def opened_study(folder: Path) -> closing[Ledger]:
    """The study in a folder, to be closed. Raises DeclarationError where there is none."""
    from conqret.labels.answer_ledger import Ledger

    return closing(Ledger(folder))
