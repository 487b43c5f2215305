"""The pages on which an adjudicator decides where annotators differ. Only here a judge's answer is shown,
and only on screens that all annotators have labeled.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import fmean
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp

from conqret.data import Judgment
from conqret.data.digest import gathered
from conqret.errors import DeclarationError
from conqret.labels.answer_ledger import Ledger
from conqret.labels.database import LabelFileError
from conqret.labels.exporting import scale_of
from conqret.labels.page_messages import ENGLISH, PageMessages
from conqret.labels.screens import CANNOT_JUDGE, Final, Screen, ScreenResponse
from conqret.labels.study_access import (
    ADJUDICATE,
    SAVE_LATER,
    Links,
    PageRefusal,
    apart,
    app_of,
    form_of,
    in_language,
    led_to,
    page_of,
    whole,
)
from conqret.text.words import dimension_name

APART = 1.0
"""The distance, in steps of a scale, of the annotators' mean and the judge's score from which they count
as different: a smaller one is not another label.
"""


@dataclass(frozen=True, slots=True)
class JudgeAnswer:
    """A judge's answer to a question of a screen, with its reason.

    ``value`` is a number on the question's scale, or the word of a choice as the screen shows it.
    """

    value: float | str
    reason: str

    @property
    def shown(self) -> str:
        """The value as text for display."""
        return self.value if isinstance(self.value, str) else f"{self.value:.3g}"


@dataclass(frozen=True, slots=True)
class Dispute:
    """A screen on which annotators, or annotators and the judge, differ, and the ``questions`` concerned.

    ``place`` is its number among all screens (from 1). ``given`` holds all annotators' answers, ``judge``
    the judge's answers, and ``final`` the decision, or None.
    """

    place: int
    screen: Screen
    given: Sequence[ScreenResponse]
    questions: tuple[str, ...]
    judge: Mapping[str, JudgeAnswer]
    final: Final | None

    @property
    def decided(self) -> bool:
        """True if every disputed question has a final label."""
        return self.final is not None and set(self.questions) <= set(self.final.answers)


def disputes(ledger: Ledger, judgments: Iterable[Judgment] = ()) -> list[Dispute]:
    """Return the disputes of a study, in the order of its screens.

    Only screens that all annotators have answered are included, so that no annotator sees others' answers
    before answering.
    """
    judged = {judgment.item: judgment for judgment in judgments}
    last = {final.screen: final for final in ledger.finals()}
    complete = ledger.complete()
    screens = gathered(
        (record.place, record) for record in ledger.finished_answers() if record.place in complete
    )
    dispute_list = []
    for place, records in screens.items():
        screen = records[0].screen
        judge_values = judge_answers_to(screen, judged.get(screen.item))
        names = tuple(
            question.name
            for question in screen.questions
            if _differ([record.answers[question.name] for record in records], judge_values.get(question.name))
        )
        if names:
            dispute_list.append(Dispute(place, screen, records, names, judge_values, last.get(place)))
    return dispute_list


def judge_answers_to(screen: Screen, judgment: Judgment | None) -> dict[str, JudgeAnswer]:
    """Return a mapping from each question of a screen to the judge's answer; questions without one are
    left out, and without a judgment it is empty.

    Metrics and questions are matched by name (:func:`~conqret.text.words.dimension_name`), and a screen of a
    part takes the judgment's part of the same id.
    """
    measures = judgment.measures if judgment is not None else {}
    named = {dimension_name(name): measure for name, measure in measures.items()}
    answers_by_question = {}
    for question in screen.questions:
        measure = named.get(dimension_name(question.name))
        parts = {part.id: part for part in measure.parts} if measure is not None else {}
        judged_part = parts.get(screen.part) if screen.part and not screen.compared else measure
        if judged_part is None:
            continue
        label, why, scale = judged_part.label, judged_part.explanation, scale_of(question)
        if label is not None and label in question.values:
            shown = question.mirrored.get(label, label) if screen.swapped else label
            answers_by_question[question.name] = JudgeAnswer(shown, why)
        elif judged_part.value is not None and not scale.words:
            answers_by_question[question.name] = JudgeAnswer(scale.value(judged_part.value), why)
    return answers_by_question


def _differ(answers: Sequence[str], judge: JudgeAnswer | None) -> bool:
    values = [value for value in answers if value != CANNOT_JUDGE]
    if len(set(values)) > 1:
        return True
    if judge is None or not values:
        return False
    if isinstance(judge.value, str):
        return judge.value != values[0]
    return abs(judge.value - fmean(map(float, values))) >= APART


def adjudication_app(
    ledger: Ledger,
    links: Links,
    by: str,
    judgments: Sequence[Judgment] = (),
    messages: PageMessages = ENGLISH,
) -> ASGIApp:
    """Return the web app for adjudication by ``by``, with a judge's answers from ``judgments`` if there
    are any.
    """

    desk = _AdjudicationPage(ledger, links, by, judgments, partial(page_of, messages=messages))
    routes = [
        Route("/adjudicate/{token}", desk.all),
        Route("/adjudicate/{token}/{place}", desk.one, methods=["GET", "POST"]),
    ]
    return app_of(routes, messages)


@dataclass(frozen=True)
class _AdjudicationPage:
    ledger: Ledger
    links: Links
    by: str
    judgments: Sequence[Judgment]
    page: Callable[..., Response]

    async def all(self, request: Request) -> Response:
        """Handle the list of disputes."""
        token = self._token(request)
        open_disputes = await apart(disputes, self.ledger, self.judgments)
        return self.page(
            "disputes.html.j2",
            disputes=open_disputes,
            done=sum(dispute.decided for dispute in open_disputes),
            open=_next(open_disputes),
            by=self.by,
            judge=bool(self.judgments),
            token=token,
        )

    async def one(self, request: Request) -> Response:
        """Handle one disputed screen: GET shows all answers to it, POST stores the decision and leads to
        the next dispute.

        Raises:
            PageRefusal: 404, there is nothing to decide here.
        """
        token, place = self._token(request), whole(request.path_params["place"])
        open_disputes = await apart(disputes, self.ledger, self.judgments)
        dispute = next((candidate for candidate in open_disputes if candidate.place == place), None)
        if dispute is None:
            raise PageRefusal(404, "There is nothing to decide on this screen.")
        shown = partial(self._shown, open_disputes, dispute, token)
        if request.method == "GET":
            return shown()
        form = await form_of(request)
        self.links.check_form(form, token)
        typed, comment = in_language(form), form.get("comment", "").strip()
        try:
            answers = dispute.screen.about(dispute.questions).read(typed)
            await apart(self.ledger.decide, place, answers, comment, self.by)
        except DeclarationError as error:
            return shown(422, fault=str(error), answers=typed, comment=comment)
        except LabelFileError:  # what was typed stays on the page
            return shown(507, fault=SAVE_LATER, answers=typed, comment=comment)
        later = [candidate for candidate in open_disputes if candidate.place > place] or open_disputes
        following = _next(later, but=place)
        return led_to(f"/adjudicate/{token}" + (f"/{following}" if following else ""))

    def _shown(
        self, open_disputes: Sequence[Dispute], dispute: Dispute, token: str, status: int = 200, **typed: Any
    ) -> Response:
        kept = dispute.final
        comment = typed.pop("comment", "") or (kept.comment if kept else "")
        context = {"fault": "", "answers": kept.answers if kept else {}, "comment": comment, **typed}
        return self.page(
            "adjudicate.html.j2",
            status,
            scripts=["screen.js"],
            dispute=dispute,
            screen=dispute.screen.about(dispute.questions),
            done=sum(other.decided for other in open_disputes),
            total=len(open_disputes),
            form=self.links.form(token),
            token=token,
            **context,
        )

    def _token(self, request: Request) -> str:
        token: str = request.path_params["token"]
        if self.links.same(token, self.links.to(ADJUDICATE)):
            return token
        raise PageRefusal(404, "This link is not valid; conqret labels adjudicate prints the valid one.")


def _next(open_disputes: Sequence[Dispute], but: int = 0) -> int | None:
    return next(
        (dispute.place for dispute in open_disputes if not dispute.decided and dispute.place != but), None
    )
