"""What was asked and answered, item by item: for a page beside the report, and for a terminal."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from conqret.data import Judgment
from conqret.io.images import described
from conqret.judging.item_parts import tables
from conqret.judging.judge_folder import ASKED
from conqret.judging.recorded_requests import Exchange, RecordedRequests
from conqret.llm.client_options import OFFLINE_MODEL
from conqret.show import words
from conqret.show.page import Ways, page
from conqret.show.table import Column, Table

ITEMS_A_PAGE = 20
"""So many items' prompts and answers stand on one page: some 600 kB where each shows ten documents."""

_ROLES = {"system": "system prompt", "user": "prompt", "assistant": "answer before"}
_UNBROKEN = "\u00a0"
_BELOW = "each by itself: below"


OPEN = 20_000
"""Characters of an answer that stands open on the page; a longer one, like a prompt, is opened by whoever wants it."""

LONG_NAME = 40
"""Characters of what is rated from which its column gives way to those beside it."""

PROMPTS = frozenset(_ROLES.values())


def address(place: int, number: int) -> str:
    """Where, from the report, what was asked for the item of ``number`` stands, the ``place``-th (from 0) of those
    shown."""
    return f"{ASKED}/{place // ITEMS_A_PAGE + 1}.html#i{number}"


def asked_page(
    requests: Sequence[tuple[int, RecordedRequests]],
    report: str = "../report.html",
    around: Ways = (),
    part: tuple[int, int] = (1, 1),
) -> Iterator[str]:
    """The page of some items, each with the number that it has in the run; ``report`` is where the report is,
    ``around`` what else there is, and ``part`` which page of how many it is."""
    return page(
        "asked.html.j2",
        found=requests,
        report=report,
        around=around,
        part=part,
        heading=heading,
        parts=parts,
        prompts=PROMPTS,
        open_to=OPEN,
        offline=OFFLINE_MODEL,
        record=requests[0][1].judgment,
    )


def heading(exchange: Exchange) -> str:
    """One line on a call: what was asked, how often, and what it took."""
    call, tokens_in, tokens_out = exchange.call, exchange.call.prompt_tokens, exchange.call.completion_tokens
    details = [
        call.ask,
        f"sample {call.sample + 1}" if call.sample else "",
        "requested again" if exchange.again else "",
        f"{words.count(tokens_in)} tokens in, {words.count(tokens_out)} out"
        if tokens_in is not None and tokens_out is not None and tokens_in + tokens_out
        else "",
        words.money(call.cost_usd) if call.cost_usd else "",
        "from a recording" if call.recorded else words.seconds(call.seconds).replace(" ", _UNBROKEN),
        words.number(call.attempts, "request") if call.attempts > 1 else "",
    ]
    return ", ".join(filter(None, details))


def parts(exchange: Exchange) -> Iterator[tuple[str, str]]:
    """What was said, in order: each message with its role, the raw answer, the error, and what is not to be had."""
    for message in exchange.messages:
        yield _ROLES.get(message.role, message.role), message.content
        for number, url in message.images:
            yield f"image {number}", described(url)
    if exchange.completion is not None:
        yield "raw answer", exchange.completion.refusal or indented(exchange.completion.text) or "(empty)"
    if exchange.call.error:
        yield "error", exchange.call.error
    for lack in exchange.lacks:
        yield "not here", lack


def indented(text: str) -> str:
    """JSON on lines of its own, with the very same characters otherwise; any other text as it is."""
    try:
        formatted = json.dumps(json.loads(text), indent=2, ensure_ascii=False)
    except (ValueError, RecursionError):
        return text
    return formatted if "".join(formatted.split()) == "".join(text.split()) else text


def measures_table(judgment: Judgment) -> Table:
    """The scores of a judgment, or why there are none."""
    rows = [
        (
            words.label(name),
            words.score(measure.value),
            (measure.explanation or (_BELOW if measure.parts else ""))
            if measure.value is not None
            else f"{measure.status.value}: {words.reason(measure.reason)}",
        )
        for name, measure in judgment.measures.items()
    ]
    return Table("", ("Metric", "Score", Column("What the judge says", "text")), rows)


def parts_tables(judgment: Judgment) -> Iterator[Table]:
    """What stands behind the scores: documents, citations, criteria or nuggets, a row each."""
    for table in tables(judgment, None):
        explained = any(row.explanation for row in table.rows)
        long = any(len(row.name) > LONG_NAME for row in table.rows)
        columns: list[str | Column] = [Column("Rated", "text") if long else "Rated", *table.columns]
        if explained:
            columns.append(Column("What the judge says", "text"))
        rows = [
            (row.name, *(cell.text for cell in row.cells), *([row.explanation] if explained else []))
            for row in table.rows
        ]
        note = f"{words.count(table.omitted)} more are in judgments.jsonl." if table.omitted else ""
        yield Table("Behind the scores, on the scale of the answers", columns, rows, note=note)
