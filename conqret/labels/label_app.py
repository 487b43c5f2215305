"""The web app of a study (``annotation_app``), and its pages where debates are judged or counter-arguments
are written. The pages of ordinary labels are in ``item_pages``.

What judges read comes with a slider, and a time that the server keeps. Before the timer runs there are the
question and its options alone; nothing can be gone back to.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp

from conqret.debate.two_turn import judge_answers
from conqret.debate.two_turn.debate_judge import DebateRequest
from conqret.debate.two_turn.slider_answers import (
    CONDITIONS,
    END,
    FOR_THE_RIGHT,
    FOR_THE_WRONG,
    INSTRUCTIONS,
    SIMPLE,
    STRENGTHS,
    SliderAnswer,
)
from conqret.debate.two_turn.two_turn_files import TwoTurnQuestion
from conqret.debate.two_turn.writer_scores import feedback, feedback_table
from conqret.errors import DeclarationError
from conqret.labels.answer_ledger import Ledger
from conqret.labels.database import LabelFileError
from conqret.labels.item_pages import NumberedSnippet, Pages, quoted_pieces
from conqret.labels.page_messages import PageMessages
from conqret.labels.screens import Annotator, Screen, ScreenResponse, ScreenTurn, StaleAnswerError
from conqret.labels.study_access import (
    SAVE_LATER,
    Links,
    PageRefusal,
    Setting,
    apart,
    app_of,
    form_of,
    in_language,
    led_to,
    whole,
)
from conqret.labels.survey import MAX_SURVEY_ANSWER, survey_questions
from conqret.labels.written_arguments import MAX_TEXT, Draft
from conqret.labels.written_arguments import TASK as WRITING
from conqret.show.table import Table

LETTERS = "AB"
"""The letters of the two options on the page."""


class DebatePages(Pages):
    """The web pages of debate studies, whose last page has the survey."""

    def ending_content(self, annotator: Annotator) -> Mapping[str, Any]:
        """Return a mapping of template variables for the last page: the survey and the annotator's answers."""
        answers = next(
            (answers for who, answers in self.ledger.surveys() if who.number == annotator.number), None
        )
        return {
            "survey": survey_questions(self.ledger),
            "survey_answers": answers,
            "longest": MAX_SURVEY_ANSWER,
            "form": self.links.form(self.links.token(annotator)),
        }

    async def survey(self, request: Request) -> Response:
        """Store the answers to the survey and lead back to the last page. Answers to unknown questions and empty ones
        are dropped, and long ones cut at :data:`MAX_SURVEY_ANSWER` characters."""
        form = await form_of(request)
        annotator, _ = await self._who(request, form)
        asked = await apart(survey_questions, self.ledger)
        answers = {
            name: text.strip()[:MAX_SURVEY_ANSWER]
            for name, text in in_language(form).items()
            if name in asked and text.strip()
        }
        await apart(self.ledger.answer_survey, annotator, answers)
        return led_to("/next#survey")


class JudgingPages(DebatePages):
    """The web pages on which annotators judge two-turn debates, as request handlers."""

    welcome = "judging_welcome.html.j2"
    ending = "judging_done.html.j2"
    unit = "judgment"
    did = "given"
    not_yours = "This screen is not yours."

    def welcome_content(self, annotator: Annotator) -> Mapping[str, Any]:
        """Return a mapping of template variables for the first page: the annotator's next judgment, its bonuses."""
        turn = self.ledger.next(annotator)
        if turn is None:
            return {"judging": None}
        instructions = {screen.judging.instruction for screen in self.ledger.screens() if screen.judging}
        return {"judging": turn.screen.judging, "several": len(instructions) > 1, **_bonuses(turn.screen)}

    def marked(self, records: Sequence[ScreenResponse]) -> tuple[int, int]:
        """Return the numbers of correct and of all practice questions, by each question's last judgment."""
        return judge_answers.marked_by_last(self.ledger, records)

    def ending_content(self, annotator: Annotator) -> Mapping[str, Any]:
        """Return template variables for the last page: how many judgments were right or abstained, and the bonus in
        dollars. In the pilot they are withheld until all annotators are done."""
        common = super().ending_content(annotator)
        if judge_answers.withheld(self.ledger):
            return {**common, "withheld": True}
        outcomes = judge_answers.answer_outcomes(self.ledger, annotator)
        last = [outcome.toward_right or 0 for outcome in outcomes]
        return {
            **common,
            "withheld": False,
            "questions": len(last),
            "right": sum(point > 0 for point in last),
            "abstained": last.count(0),
            "dollars": self._earned(annotator),
            "earned": self.worded(judge_answers.earned_table(outcomes)),
        }

    def _earned(self, annotator: Annotator) -> Fraction:
        """The dollars of all questions."""
        return sum(
            (each.dollars for each in judge_answers.answer_outcomes(self.ledger, annotator)), Fraction()
        )

    def last(self, annotator: Annotator) -> None:
        """Return None, since judgments cannot be reviewed."""

    async def _who(self, request: Request, form: Mapping[str, str] | None = None) -> tuple[Annotator, str]:
        annotator, token = await super()._who(request, form)
        await apart(judge_answers.close_overdue, self.ledger, annotator)
        return annotator, token

    async def screen(self, request: Request) -> Response:
        """Handle one judgment: GET shows its question, then (after the start) the debate, and finally the
        outcome; POST starts the timer, or stores the answer.

        Raises:
            PageRefusal: 422, the answer is invalid or comes before the start.
        """
        form, annotator, token, turn = await self._asked(request)
        if form is None or turn.state == "done":
            return await self._seen(annotator, token, turn)
        try:
            if "start" in form:
                await apart(self.ledger.start, annotator, turn)
            else:
                await apart(judge_answers.give, self.ledger, annotator, turn, form.get("slider", ""))
        except StaleAnswerError:  # it was given in another window; what stands there is kept
            pass
        except DeclarationError as fault:
            raise PageRefusal(422, f"Not saved: {fault}. Go back to the page and try again.") from None
        return led_to(f"/screen/{turn.number}")

    async def _seen(self, annotator: Annotator, token: str, turn: ScreenTurn) -> Response:
        shown = turn.screen.judging
        if shown is None:
            raise PageRefusal(404, "There is no such page.")
        debate_request = await apart(judge_answers.request_from_screen, self.ledger, turn.screen)
        common: dict[str, Any] = {"judging": shown, "debate_request": debate_request, "letters": LETTERS}
        if turn.state == "done":
            over = shown.turn == shown.turns
            revealed = over and (debate_request.condition.startswith("P") or turn.screen.practice)
            late = turn.answers.get(judge_answers.REASON) == judge_answers.TIME_UP
            if not revealed and not late:
                return led_to("/next")
            mine = await apart(judge_answers.judged, self.ledger, annotator, turn.screen) if revealed else []
            return self.page(
                "judging_result.html.j2",
                **common,
                turn=turn,
                revealed=revealed,
                late=late,
                answers=[
                    (_said(answer, self.setting.messages), judge_answers.bonus(answer)) for answer in mine
                ],
                right=_right(debate_request) if over and turn.screen.practice else "",
                so_far=None if turn.screen.practice else await apart(self._earned, annotator),
                total=sum(judge_answers.bonus(answer) or 0 for answer in mine),
            )
        common |= await self._frame(annotator, token, turn)
        if turn.started is None:
            return self.page("judging_start.html.j2", **common, **_bonuses(turn.screen))
        return self.page(
            "judging.html.j2",
            scripts=["quoted.js", "judging.js"],
            **common,
            **evidence_of(debate_request),
            points=_points(self.setting.messages),
            seconds=await apart(judge_answers.left, self.ledger, turn),
        )


def _bonuses(screen: Screen) -> dict[str, Any]:
    """Return template variables for what answers earn: ``bonuses``, ``careful`` and ``answer_from``.

    ``bonuses`` has rows of strength, dollars if right and dollars if wrong. ``careful`` is True unless the
    instruction is the simple one. ``answer_from`` is the lowest probability of being right, in percent, from
    which some answer pays more than abstaining.
    """
    payoff = INSTRUCTIONS[screen.judging.instruction if screen.judging else SIMPLE.name]
    rows = [
        (STRENGTHS[strength], payoff.bonus(strength), payoff.bonus(-strength))
        for strength in range(END, -1, -1)
    ]
    pays = min(share for strength, share in payoff.pays_from().items() if strength)  # more than abstaining
    return {"bonuses": rows, "careful": payoff is not SIMPLE, "answer_from": math.ceil(100 * pays)}


def _right(debate_request: DebateRequest) -> str:
    """The right option, as it stands on the page."""
    place = 2 - debate_request.question.right if debate_request.swapped else debate_request.question.right - 1
    return f"{LETTERS[place]}: {debate_request.sides[place].option}"


def _said(answer: SliderAnswer, messages: PageMessages) -> str:
    """An answer as the slider says it."""
    return (
        messages.plain("no answer") if answer.slider is None else dict(_points(messages))[str(answer.slider)]
    )


def _points(messages: PageMessages) -> list[tuple[str, str]]:
    """The points of the slider in words."""
    words = []
    for point in map(int, judge_answers.POINTS):
        side = f"{messages.plain(STRENGTHS[abs(point)])}: {LETTERS[point > 0]}"
        words.append((str(point), side if point else messages.plain("I abstain")))
    return words


def evidence_of(debate_request: DebateRequest) -> dict[str, Any]:
    """Return template variables for a debate: ``sides`` (letter, option, and parts with numbered snippets), the passage
    in ``pieces``, and ``found``, the names of the snippets that occur in it. Parts without text and snippets are left
    out."""
    quotes: list[NumberedSnippet] = []
    sides = []
    for letter, side in zip(LETTERS, debate_request.sides, strict=True):
        parts = []
        for title, alone, part in (
            ("Argument for {letter}", "Snippets for {letter}", side.argument),
            ("Counter-argument to the argument for {letter}", "Snippets against {letter}", side.counter),
        ):
            if part is None or not (part.text or any(part.snippets)):
                continue
            named = [
                NumberedSnippet(f"{title[0].lower()}{letter.lower()}{nth}", nth, text)
                for nth, text in enumerate(part.snippets, start=1)
                if text.strip()
            ]
            quotes += named
            parts.append((title if part.text else alone, part.text, named))
        sides.append((letter, side.option, parts))
    pieces = list(quoted_pieces(debate_request.passage, quotes))
    return {"sides": sides, "pieces": pieces, "found": {name for piece in pieces for name in piece.begins}}


class WritingPages(DebatePages):
    """The web pages on which annotators write counter-arguments, as request handlers."""

    welcome = "writing_welcome.html.j2"
    ending = "writing_done.html.j2"
    unit = "counter-argument"
    did = "written"
    not_yours = "This screen is not yours."

    def welcome_content(self, annotator: Annotator) -> Mapping[str, Any]:
        """Return a mapping of template variables for the first page: the payments to writers."""
        return {
            "for_the_right": FOR_THE_RIGHT,
            "for_the_wrong": FOR_THE_WRONG,
            "taken": self._taken(annotator),
        }

    def ending_content(self, annotator: Annotator) -> Mapping[str, Any]:
        """Return a mapping of template variables for the last page: how judges rated the annotator's texts."""
        return {**super().ending_content(annotator), "taken": self._taken(annotator)}

    def _taken(self, annotator: Annotator) -> Table | None:
        """Return the table of how judges rated the annotator's texts; None before any is judged."""
        judged = self.setting.judged
        feedback_rows = feedback(self.ledger, annotator, judged) if judged else []
        return self.worded(feedback_table(feedback_rows)) if feedback_rows else None

    def marked(self, records: Sequence[ScreenResponse]) -> None:
        """Return None: practice texts have no known answer and are read by the organizers."""

    async def screen(self, request: Request) -> Response:
        """Handle one counter-argument: GET shows it; POST changes its draft (text and snippets), or stores it and
        redirects to the next.

        Errors show the page again: 409 if another page has changed the draft, 422 if it is invalid, 507 if it could not
        be stored; only with 409 what was typed is lost.
        """
        form, annotator, token, turn = await self._asked(request)
        question = judge_answers.QUESTION.validate_json(await apart(self.ledger.text, turn.screen.item))
        draft = Draft.from_answers(turn.answers)
        if form is None:
            return await self._written(annotator, token, turn, question, draft)
        stored = draft
        draft = replace(draft, text=form.get("text", "").strip()[:MAX_TEXT])
        revision = whole(form.get("revision", ""))
        try:
            if "keep" in form:
                draft.check()
                await apart(self.ledger.answer, annotator, turn, draft.answers(), "", revision)
                return led_to("/next")
            if "add" in form:
                draft = draft.quoting(question.passage, form.get("snippet", ""))
            elif (place := whole(form.get("remove", ""))) > 0:
                kept = [snippet for nth, snippet in enumerate(draft.snippets, start=1) if nth != place]
                draft = replace(draft, snippets=tuple(kept))
            await apart(self.ledger.draft, annotator, turn, draft.answers(), revision)
        except StaleAnswerError as fault:
            return await self._written(annotator, token, turn, question, stored, str(fault), 409)
        except DeclarationError as fault:
            return await self._written(annotator, token, turn, question, draft, str(fault), 422)
        except LabelFileError:  # what was typed stays on the page
            return await self._written(annotator, token, turn, question, draft, SAVE_LATER, 507)
        return led_to(f"/screen/{turn.number}")

    async def _written(
        self,
        annotator: Annotator,
        token: str,
        turn: ScreenTurn,
        question: TwoTurnQuestion,
        draft: Draft,
        fault: str = "",
        status: int = 200,
    ) -> Response:
        debate_request = DebateRequest(question, CONDITIONS["main"][1], 1, SIMPLE.name, swapped=False)
        return self.page(
            "writing.html.j2",
            status,
            scripts=["quoted.js", "writing.js"],
            debate_request=debate_request,
            draft=draft,
            fault=fault,
            against=LETTERS[turn.screen.against - 1],
            other=LETTERS[2 - turn.screen.against],
            most=MAX_TEXT,
            **await self._frame(annotator, token, turn),
            **evidence_of(debate_request),
        )


KINDS: dict[str, type[DebatePages]] = {judge_answers.TASK: JudgingPages, WRITING: WritingPages}
"""The pages of studies other than labeling, by task."""


def annotation_app(ledger: Ledger, links: Links, setting: Setting | None = None) -> ASGIApp:
    """Return the web app that serves the study in ``ledger``, with its access tokens (``links``) and the
    ``setting`` of its pages.
    """

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
    if isinstance(pages, DebatePages):
        routes.append(Route("/survey", pages.survey, methods=["POST"]))
    return app_of(routes, setting.messages)
