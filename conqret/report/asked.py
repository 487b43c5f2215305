"""What was asked and answered, item by item: for a page beside the report, and for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from conqret.data import Judgment
from conqret.judging.asked import Asked, Exchange
from conqret.judging.folder import ASKED
from conqret.report import words
from conqret.report.page import Ways, page
from conqret.report.table import Column, Table

ITEMS_A_PAGE = 20
"""So many items' prompts and answers stand on one page: some 600 kB where each shows ten documents."""

_ROLES = {"system": "system prompt", "user": "prompt", "assistant": "answer before"}


def address(place: int, number: int) -> str:
    """Where, from the report, what was asked for the item of ``number`` stands, the ``place``-th (from 0) of those
    shown."""
    return f"{ASKED}/{place // ITEMS_A_PAGE + 1}.html#i{number}"


def asked_page(
    found: Sequence[tuple[int, Asked]], report: str = "../report.html", around: Ways = ()
) -> Iterator[str]:
    """The page of some items, each with the number that it has in the run; ``report`` is where the report is,
    ``around`` what else there is."""
    return page(
        "asked.html.j2",
        found=found,
        report=report,
        around=around,
        heading=heading,
        parts=parts,
        record=found[0][1].judgment,
    )


def heading(one: Exchange) -> str:
    """One line on a call: what was asked, how often, and what it took."""
    call = one.call
    told = [
        call.ask,
        f"sample {call.sample + 1}" if call.sample else "",
        "asked again" if one.again else "",
        f"{words.count(call.prompt_tokens)} tokens in, {words.count(call.completion_tokens)} out"
        if call.prompt_tokens is not None and call.completion_tokens is not None
        else "",
        words.money(call.cost_usd) if call.cost_usd else "",
        "from a recording" if call.recorded else words.seconds(call.seconds),
        words.number(call.attempts, "request") if call.attempts > 1 else "",
    ]
    return ", ".join(filter(None, told))


def parts(one: Exchange) -> Iterator[tuple[str, str]]:
    """What was said, in order: each message with its role, the raw answer, the error, and what is not to be had."""
    for message in one.messages:
        yield _ROLES.get(message.role, message.role), message.content
    if one.completion is not None:
        yield "raw answer", one.completion.refusal or one.completion.text or "(empty)"
    if one.call.error:
        yield "error", one.call.error
    for lack in one.lacks:
        yield "not here", lack


def measures_table(judgment: Judgment) -> Table:
    """The scores of a judgment, or why there are none."""
    rows = [
        (
            words.label(name),
            words.score(one.value),
            one.explanation if one.value is not None else f"{one.status.value}: {words.reason(one.reason)}",
        )
        for name, one in judgment.measures.items()
    ]
    return Table("", ("Metric", "Score", Column("What the judge says", "text")), rows)
