"""The prompts and responses for an item: the prompts as they were sent, the raw answers, retries and errors.

A run keeps answers and no prompts. Each prompt is filled again from the item, and is the one that was sent where its
key, a hash over all of it, is the one in the judgment; no other is ever shown.
"""

from __future__ import annotations

import contextlib
import json
import tempfile
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from conqret.data import Call, Judgment
from conqret.data.judgment import ARROW
from conqret.errors import ConqretError, DeclarationError, UnknownNameError, shortened, strict_options
from conqret.io.images import described
from conqret.judging.instrument import judge_item
from conqret.judging.judge_folder import REQUESTS_FOLDER, JudgeFolder, JudgeRecord
from conqret.judging.judge_options import OWN_JUDGE, JudgeOptions
from conqret.judging.judge_parts import JURY
from conqret.judging.page import counted, write_report
from conqret.judging.setup import Setup, recorded_judge, set_up
from conqret.judging.tally import MAX_ITEMS
from conqret.llm.client import Client
from conqret.llm.client_options import OFFLINE_MODEL, ClientOptions
from conqret.llm.recordings import STORE_NAME, Recordings
from conqret.llm.request import Completion, Message, Request
from conqret.local.model_identity import without_hub
from conqret.runs.trials import Loop
from conqret.show import words
from conqret.show.page import Ways, page

NO_ANSWER = (
    "the run's folder holds no recording of it (one that Python saved afterwards holds none): name the store, if one "
    "was used, with --recordings"
)
OF_MEMBERS = (
    "prompt and answer are in the run of the member that is named above: conqret runs show MEMBER_RUN ITEM"
)
"""Of the run of a jury, which sends no requests itself."""
NONE_SENT = "there is none: a judge of your own gets the item"


@dataclass(frozen=True, slots=True)
class Exchange:
    """One call to a model: the messages sent and the raw response.

    After a re-prompt, ``messages`` are only the new ones. Where messages or response are unavailable,
    ``messages`` is empty or ``completion`` is None, and ``lacks`` says why. ``again`` is True if the call
    follows an invalid response.
    """

    call: Call
    messages: tuple[Message, ...]
    completion: Completion | None
    again: bool
    lacks: tuple[str, ...]

    @property
    def heading(self) -> str:
        """Return one line on a call: its prompt, how often it was sent, its tokens, cost and time."""
        call, tokens_in, tokens_out = self.call, self.call.prompt_tokens, self.call.completion_tokens
        details = [
            call.ask,
            f"sample {call.sample + 1}" if call.sample else "",
            "requested again" if self.again else "",
            f"{words.count(tokens_in)} tokens in, {words.count(tokens_out)} out"
            if tokens_in is not None and tokens_out is not None and tokens_in + tokens_out
            else "",
            words.money(call.cost_usd) if call.cost_usd else "",
            "from a recording" if call.recorded else words.seconds(call.seconds).replace(" ", _UNBROKEN),
            words.number(call.attempts, "request") if call.attempts > 1 else "",
        ]
        return ", ".join(filter(None, details))

    def parts(self) -> Iterator[tuple[str, str]]:
        """Yield the parts of a call as (title, text): each message, the raw response, the error, and what is
        unavailable.
        """
        for message in self.messages:
            yield _ROLES.get(message.role, message.role), message.content
            for number, url in message.images:
                yield f"image {number}", described(url)
        if self.completion is not None:
            yield "raw answer", self.completion.refusal or indented(self.completion.text) or "(empty)"
        if self.call.error:
            yield "error", self.call.error
        for lack in self.lacks:
            yield "not here", lack


@dataclass(frozen=True, slots=True)
class RecordedRequests:
    """A judgment with all of its requests and responses, in the order of their calls."""

    judgment: Judgment
    exchanges: tuple[Exchange, ...]

    def plain(self) -> dict[str, Any]:
        """Return the prompts and responses for an item as plain data for JSON."""
        return {
            "judgment": self.judgment.model_dump(mode="json"),
            "exchanges": [
                {
                    "ask": exchange.call.ask,
                    "sample": exchange.call.sample,
                    "key": exchange.call.key,
                    "again": exchange.again,
                    "messages": [_message(message) for message in exchange.messages],
                    "answer": None if exchange.completion is None else exchange.completion.text,
                    "refusal": None if exchange.completion is None else exchange.completion.refusal,
                    "finish_reason": exchange.call.finish_reason,
                    "error": exchange.call.error,
                    "lacks": list(exchange.lacks),
                }
                for exchange in self.exchanges
            ],
        }


def _message(message: Message) -> dict[str, Any]:
    """A message as plain data; of its images what they are, and not their bytes."""
    images = [described(url) for _, url in message.images]
    fields = {"role": message.role, "content": message.content}
    return {**fields, "images": images} if images else fields


@strict_options
def recorded_requests(
    run: str | Path, item: str, *, recordings: str | Path | None = None, prompts: str | Path | None = None
) -> RecordedRequests:
    """Return the prompts as sent, the raw responses and the scores for one item of a run.

    A run stores no prompts: each is filled again, and included only if it is identical to the one that was
    sent.

    Args:
        run: a judge's run, finished or not.
        item: the id of an item, or the beginning of it.
        recordings: where the responses are, if not in the run's folder: a store, an export or another run.
        prompts: the folder of prompts that the run used, if any.

    Raises:
        DeclarationError: ``run`` is not a judge's run, several ids begin so, or the recordings do not exist.
        UnknownNameError: the item has no judgment.
    """
    folder = JudgeFolder(Path(run))
    places = [None if one is None else Path(one) for one in (recordings, prompts)]
    (found,) = requests_of(folder, [_whole(folder, item)], recordings=places[0], prompts=places[1])
    return found


def _whole(run: JudgeFolder, beginning: str) -> str:
    """Return the id of the only judged item whose id begins with ``beginning``; ``beginning`` itself if it is
    an id or none begins so.

    Raises:
        DeclarationError: several items begin so.
    """
    names = [judgment.item for judgment in run.judgments()]
    fitting = [name for name in names if name.startswith(beginning)]
    if beginning in names or not fitting:
        return beginning
    if len(fitting) > 1:
        several = shortened(", ".join(fitting), 200)
        raise DeclarationError(f"{len(fitting)} items of {run.path} begin with {beginning!r}: {several}")
    return fitting[0]


def requests_of(
    run: JudgeFolder, items: Collection[str], *, recordings: Path | None = None, prompts: Path | None = None
) -> Iterator[RecordedRequests]:
    """Yield the prompts and responses for each of ``items``, in the order of the judgments.

    Args:
        run: a judge's run, finished or not.
        items: ids of items.
        recordings: where the responses are, if not in the run's folder: a store, an export or another run.
        prompts: the folder of prompts that the run used, if any.

    Raises:
        DeclarationError: ``run`` is not a judge's run, or the recordings do not exist.
        UnknownNameError: an item has no judgment.
    """
    record = run.record()
    judgments = {judgment.item: judgment for judgment in run.judgments() if judgment.item in items}
    for name in items:
        if name not in judgments:
            raise UnknownNameError("judged item", name, [judgment.item for judgment in run.judgments()])
    with _store(run, recordings) as store:
        sent, lack = _sent_again(run, record, judgments, store, prompts)
        lacks = f"prompt: {lack}", f"answer: {NO_ANSWER}"
        if record.format == JURY.name:
            lacks = OF_MEMBERS, OF_MEMBERS
        for judgment in judgments.values():
            yield RecordedRequests(judgment, tuple(_exchanges(judgment, sent, lacks, store)))


@contextlib.contextmanager
def _store(run: JudgeFolder, recordings: Path | None) -> Iterator[Recordings]:
    """Open the responses for the ``with`` block: the named recordings, else those of the run, else an empty store in a
    temporary folder. Nothing is written to the first two.

    Raises:
        DeclarationError: the named recordings cannot be read.
    """
    if recordings is not None:
        with Recordings.open_for_replay(recordings) as store:
            yield store
    elif run.recordings_file.is_file():
        with Recordings(run.recordings_file, read_only=True, untouched=True) as store:
            yield store
    else:
        with (
            tempfile.TemporaryDirectory(prefix="conqret-") as scratch,
            Recordings(Path(scratch) / STORE_NAME) as store,
        ):
            yield store


def _sent_again(
    run: JudgeFolder,
    record: JudgeRecord,
    judgments: Mapping[str, Judgment],
    store: Recordings,
    prompts: Path | None,
) -> tuple[dict[str, tuple[Message, ...]], str]:
    """Fill the prompts of a run again.

    Returns:
        By key the messages that judging the items again would send (none where they cannot be filled here), and why
        others are missing.
    """
    messages: dict[str, tuple[Message, ...]] = {}

    def keep(key: str, request: Request[Any]) -> None:
        messages[key] = tuple(request.messages)

    async def fill(setup: Setup) -> None:
        async with Client(setup.client, store=store, replay=True, on_request=keep) as client:
            instrument = setup.instrument(client)
            for item in run.items():
                if item.id in judgments:
                    await judge_item(item, instrument)

    if record.format == OWN_JUDGE:
        return messages, NONE_SENT
    try:
        with without_hub(), Loop() as loop:
            if last := record.last_judge:
                options = {name: last[name] for name in ("options", "model_options")}
                judge = record.model_copy(update=options)
                loop.run(fill(_setup(judge, last["model"], prompts)))
            setup = _setup(record, record.model.partition(ARROW)[0], prompts)
            loop.run(fill(setup))
    except ConqretError as error:  # a model or a plug-in that is not here leaves the raw answers
        return messages, f"it cannot be filled here: {shortened(str(error), 300)}"
    others = [name for name, made in setup.identity.items() if record.identity.get(name, made) != made]
    which = ", ".join(name for name in others if name.startswith("prompt ")) or "item or model"
    return (
        messages,
        f"it cannot be filled as it was sent: {which} is not that of the run (its prompts: --prompts FOLDER)",
    )


def _setup(record: JudgeRecord, model: str, prompts: Path | None) -> Setup:
    """The judge configuration of a record, with its model."""
    known = {field.name for field in fields(ClientOptions)} & record.model_options.keys()
    client = ClientOptions(model, **{name: record.model_options[name] for name in known})
    return set_up(recorded_judge(record), client, JudgeOptions(**record.judging), prompts)


def _exchanges(
    judgment: Judgment, sent: Mapping[str, tuple[Message, ...]], lacks: tuple[str, str], store: Recordings
) -> Iterator[Exchange]:
    """Yield the calls of a judgment with their messages and responses. A call after an invalid response has only its
    new messages. ``lacks`` are the reasons that prompts, and that responses, are not here."""
    before: tuple[Message, ...] = ()
    for call in judgment.trace.calls:
        messages, completion = sent.get(call.key, ()), store.get(call.key)
        again = bool(before) and len(messages) > len(before) and messages[: len(before)] == before
        missing = not messages, completion is None and not call.error
        why = tuple(dict.fromkeys(lack for lack, lost in zip(lacks, missing, strict=True) if lost))
        yield Exchange(call, messages[len(before) + 1 :] if again else messages, completion, again, why)
        before = messages


_ROLES = {"system": "system prompt", "user": "prompt", "assistant": "answer before"}
_UNBROKEN = "\u00a0"


OPEN = 20_000
"""Characters of an answer that stands open on the page; a longer one, like a prompt, is folded."""

PROMPTS = frozenset(_ROLES.values())


def request_page(
    number: int, requests: RecordedRequests, report: str = "../report.html", around: Ways = ()
) -> Iterator[str]:
    """Yield the HTML page with the requests of an item.

    Args:
        number: its number in the run.
        requests: its requests.
        report: the link to the report.
        around: links to related pages.
    """
    return page(
        "asked.html.j2",
        number=number,
        requests=requests,
        report=report,
        around=around,
        prompts=PROMPTS,
        open_to=OPEN,
        offline=OFFLINE_MODEL,
    )


def write_report_with_requests(
    run: JudgeFolder,
    to: Path | None = None,
    *,
    max_items: int = MAX_ITEMS,
    recordings: Path | None = None,
    prompts: Path | None = None,
) -> Path:
    """Write the report of ``run`` and pages with the prompts and raw responses of its items; return the
    report's path.

    The arguments are those of :func:`conqret.judging.page.counted` and :func:`requests_of`.

    Raises:
        DeclarationError: ``run`` is not a run folder, or the recordings do not exist.
    """
    tally, target = counted(run, max_items), run.report_file if to is None else to
    shown = tally.shown()
    numbers = {judgment.item: number for number, judgment in shown}
    pages = {}
    for requests in requests_of(run, numbers, recordings=recordings, prompts=prompts):
        number = numbers[requests.judgment.item]
        file = target.parent / REQUESTS_FOLDER / f"{number}.html"
        pages[file] = request_page(number, requests, f"../{target.name}")
    return write_report(run, target, tally=tally, pages=pages)


def indented(text: str) -> str:
    """Return JSON text indented, with all other characters unchanged; any other text as it is."""
    try:
        formatted = json.dumps(json.loads(text), indent=2, ensure_ascii=False)
    except (ValueError, RecursionError):
        return text
    return formatted if "".join(formatted.split()) == "".join(text.split()) else text
