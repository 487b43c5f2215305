"""The addresses of a study."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from conqret.debate.two_turn.judge_answers import TASK as JUDGING
from conqret.labels.answer_ledger import Ledger
from conqret.labels.database import LabelFileError
from conqret.labels.links import Links
from conqret.labels.pages.item_pages import Pages
from conqret.labels.pages.judging_pages import JudgingPages
from conqret.labels.pages.page_responses import PageRefusal, lost, refused, unsaved
from conqret.labels.pages.study_access import Setting
from conqret.labels.pages.writing_pages import WritingPages
from conqret.labels.written_arguments import TASK as WRITING

if TYPE_CHECKING:
    from starlette.types import ASGIApp

KINDS: dict[str, type[Pages]] = {JUDGING: JudgingPages, WRITING: WritingPages}
"""The pages of studies that are no labelling, by their task."""


def annotation_app(ledger: Ledger, links: Links, setting: Setting | None = None) -> ASGIApp:
    """The pages of the study in ``ledger``."""
    from starlette.applications import Starlette
    from starlette.exceptions import HTTPException
    from starlette.routing import Route

    setting = setting or Setting()
    pages = KINDS.get(ledger.study.task, Pages)(ledger, links, setting)
    routes = [
        Route("/in/{token}", pages.enter),
        Route("/join/{token}", pages.join, methods=["GET", "POST"]),
        Route("/begin", pages.begin, methods=["POST"]),
        Route("/next", pages.next),
        Route("/screen/{number}", pages.screen, methods=["GET", "POST"]),
        Route("/study/{token}", pages.study),
        Route("/", pages.nowhere),
    ]
    handlers = {HTTPException: lost, PageRefusal: refused, LabelFileError: unsaved}
    return Starlette(
        routes=routes,
        exception_handlers={
            error: partial(handler, messages=setting.messages) for error, handler in handlers.items()
        },
    )
