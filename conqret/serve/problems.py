"""What the service says where it gives no judgment: problem details (RFC 9457) with a code, and what to do."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING

from pydantic import BaseModel

from conqret.data import Judgment, Measure, Reason, Status
from conqret.errors import Fault
from conqret.show.words import reason

if TYPE_CHECKING:
    from starlette.responses import Response

MEDIA_TYPE = "application/problem+json"

PAUSE_SECONDS = 30.0
"""So long a model that was given up is asked nothing; clients are told to come back after it."""

_PROVIDER = {
    Reason.RATE_LIMITED: 503,
    Reason.PROVIDER_DOWN: 503,
    Reason.TOO_MANY_FAILURES: 503,
    Reason.BUDGET: 503,
    Reason.NOT_RECORDED: 503,
    Reason.TIMEOUT: 504,
}
"""The statuses of what no model answered; 502 for all else that it, or the way to it, did wrong."""

_LATER = frozenset({Reason.RATE_LIMITED, Reason.PROVIDER_DOWN, Reason.TOO_MANY_FAILURES})
"""What may be better after a while."""


class ItemFault(BaseModel, frozen=True):
    """One thing wrong with an item: where, what, and how to mend it."""

    place: str
    problem: str
    remedy: str


class Problem(BaseModel, frozen=True):
    """Why there is no judgment. ``code`` is for programs, ``detail`` for people; an item's faults are all named."""

    title: str
    status: int
    code: str
    detail: str
    faults: tuple[ItemFault, ...] = ()
    request_id: str = ""


class Refusal(Exception):  # noqa: N818 - it is an answer
    """A request that gets a problem as its answer."""

    def __init__(
        self,
        status: int,
        code: str,
        detail: str,
        *,
        faults: Iterable[Fault] = (),
        retry_after: float | None = None,
        close: bool = False,
    ) -> None:
        super().__init__(detail)
        self.status, self.code, self.detail = status, code, detail
        self.faults = tuple(
            ItemFault(place=fault.field, problem=fault.problem, remedy=fault.remedy) for fault in faults
        )
        self.headers = {} if retry_after is None else {"Retry-After": str(max(1, math.ceil(retry_after)))}
        if close:  # what is left of the body is not read
            self.headers["Connection"] = "close"

    def response(self, request_id: str) -> Response:
        """The answer."""
        from http import HTTPStatus

        from starlette.responses import Response

        problem = Problem(
            title=HTTPStatus(self.status).phrase,
            status=self.status,
            code=self.code,
            detail=self.detail,
            faults=self.faults,
            request_id=request_id,
        )
        return Response(problem.model_dump_json(), self.status, self.headers, MEDIA_TYPE)


def not_answered(judgment: Judgment) -> Refusal | None:
    """The problem of a judgment for which no answer came at all; None for any that says something."""
    measures = judgment.measures.values()
    if not measures or any(measure.status is not Status.FAILED for measure in measures):
        return None
    first: Measure = next(iter(measures))
    assert first.reason is not None  # noqa: S101 - a failed measure has one
    detail = f"no judgment: {reason(first.reason)}{f' ({first.detail})' if first.detail else ''}"
    later = PAUSE_SECONDS if first.reason in _LATER else None
    return Refusal(_PROVIDER.get(first.reason, 502), first.reason.value, detail, retry_after=later)
