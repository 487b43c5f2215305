"""The addresses of a study."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conqret.annotation.counter_arguments import TASK as WRITING
from conqret.annotation.database import LabelFileError
from conqret.annotation.debate_plan import TASK as JUDGING
from conqret.annotation.ledger import Ledger
from conqret.annotation.links import Links
from conqret.web.annotating.answers import Refused, lost, refused, unsaved
from conqret.web.annotating.door import Setting
from conqret.web.annotating.judging import JudgingPages
from conqret.web.annotating.pages import Pages
from conqret.web.annotating.writing import WritingPages

if TYPE_CHECKING:
    from starlette.types import ASGIApp

KINDS: dict[str, type[Pages]] = {JUDGING: JudgingPages, WRITING: WritingPages}
"""The pages of studies that are no labelling, by their task."""


def annotation_app(ledger: Ledger, links: Links, setting: Setting | None = None) -> ASGIApp:
    """The pages of the study in ``ledger``."""
    from starlette.applications import Starlette
    from starlette.exceptions import HTTPException
    from starlette.routing import Route

    pages = KINDS.get(ledger.study.task, Pages)(ledger, links, setting or Setting())
    routes = [
        Route("/in/{token}", pages.enter),
        Route("/join/{token}", pages.join, methods=["GET", "POST"]),
        Route("/begin", pages.begin, methods=["POST"]),
        Route("/next", pages.next),
        Route("/screen/{number}", pages.screen, methods=["GET", "POST"]),
        Route("/study/{token}", pages.study),
        Route("/", pages.nowhere),
    ]
    return Starlette(
        routes=routes, exception_handlers={HTTPException: lost, Refused: refused, LabelFileError: unsaved}
    )
