"""The pages on which people write counter-arguments: the passage, the argument to be answered, snippets and text."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from conqret.debate.two_turn.debate_judge import DebateRequest
from conqret.debate.two_turn.judge_answers import QUESTION
from conqret.debate.two_turn.slider_answers import CONDITIONS, FOR_THE_RIGHT, FOR_THE_WRONG, SIMPLE
from conqret.debate.two_turn.two_turn_files import TwoTurnQuestion
from conqret.debate.two_turn.writer_scores import feedback, feedback_table
from conqret.errors import DeclarationError
from conqret.labels.database import LabelFileError
from conqret.labels.pages.item_pages import Pages
from conqret.labels.pages.judging_pages import LETTERS, evidence_of
from conqret.labels.pages.page_responses import SAVE_LATER, apart, led_to, whole
from conqret.labels.records import Person, ScreenResponse, ScreenTurn, StaleAnswerError
from conqret.labels.written_arguments import MAX_TEXT, Draft

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from starlette.requests import Request
    from starlette.responses import Response


class WritingPages(Pages):
    """The pages on which people write counter-arguments."""

    welcome = "writing_welcome.html.j2"
    ending = "writing_done.html.j2"
    unit = "counter-argument"
    did = "written"
    not_yours = "This screen is not yours."

    def told_first(self, person: Person) -> Mapping[str, Any]:
        """What writers earn."""
        return {"for_the_right": FOR_THE_RIGHT, "for_the_wrong": FOR_THE_WRONG, **self.told_last(person)}

    def told_last(self, person: Person) -> Mapping[str, Any]:
        """How what a writer wrote was taken, as far as it was judged."""
        judged = self.setting.judged
        feedback_rows = feedback(self.ledger, person, judged) if judged else []
        return {"taken": self.worded(feedback_table(feedback_rows)) if feedback_rows else None}

    def marked(self, records: Sequence[ScreenResponse]) -> None:
        """No known answer tells how well somebody writes: people read it."""

    async def screen(self, request: Request) -> Response:
        """A counter-argument: shown, changed as a draft, and kept."""
        form, person, token, turn = await self._asked(request)
        question = QUESTION.validate_json(await apart(self.ledger.text, turn.screen.item))
        draft = Draft.of(turn.answers)
        if form is None:
            return await self._written(person, token, turn, question, draft)
        draft = replace(draft, text=form.get("text", "").strip()[:MAX_TEXT])
        revision = whole(form.get("revision", ""))
        try:
            if "keep" in form:
                draft.check()
                await apart(self.ledger.answer, person, turn, draft.answers(), "", revision)
                return led_to("/next")
            if "add" in form:
                draft = draft.quoting(question.passage, form.get("snippet", ""))
            elif (place := whole(form.get("remove", ""))) > 0:
                kept = [snippet for nth, snippet in enumerate(draft.snippets, start=1) if nth != place]
                draft = replace(draft, snippets=tuple(kept))
            await apart(self.ledger.draft, person, turn, draft.answers(), revision)
        except StaleAnswerError as fault:
            return await self._written(person, token, turn, question, Draft.of(turn.answers), str(fault), 409)
        except DeclarationError as fault:
            return await self._written(person, token, turn, question, draft, str(fault), 422)
        except LabelFileError:  # what was typed stays on the page
            return await self._written(person, token, turn, question, draft, SAVE_LATER, 507)
        return led_to(f"/screen/{turn.number}")

    async def _written(
        self, person: Person, token: str, turn: ScreenTurn, question: TwoTurnQuestion, draft: Draft, fault: str = "",
        status: int = 200,
    ) -> Response:  # fmt: skip
        done, left = await self._far(person, turn)
        asking = DebateRequest(question, CONDITIONS["main"][1], 1, SIMPLE.name, swapped=False)
        return self.page(
            "writing.html.j2", status, scripts=["quoted.js", "writing.js"], turn=turn, asking=asking, draft=draft,
            fault=fault, against=LETTERS[turn.screen.against - 1], other=LETTERS[2 - turn.screen.against],
            most=MAX_TEXT,
            before=await apart(self.ledger.before, person, turn.number), done=done, total=done + left,
            form=self.links.form(token), **evidence_of(asking),
        )  # fmt: skip
