"""Judge one item: what all formats have in common, written once.

For each question of the format and each sample: trim the documents to the model's window where they do not
fit, fill the prompt, send it (in both orders where two arguments are compared), score the answer, and put
orders and samples together.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from types import SimpleNamespace as View
from typing import Any

from markupsafe import Markup

from conqret.data import Call, Document, Flag, Item, Judgment, Measure, Reason, Trace, Trim, Turn
from conqret.judging.deciding import decision_of, measures_of, pictures_of
from conqret.judging.dimensions import ordered
from conqret.judging.judge_options import CONVERSATION, LANGUAGE, Conversation, JudgeOptions
from conqret.judging.judge_parts import Case, Judge, JudgePrompt, JudgeReply
from conqret.judging.responses import valid_alone
from conqret.judging.scales import both_orders, combine_samples, swap_item, with_confidence
from conqret.judging.shots import PROMPT as SHOTS_PROMPT
from conqret.judging.shots import shots_for
from conqret.llm.client import Client
from conqret.llm.prompt_fitting import ANSWER_ROOM, fit
from conqret.llm.replies import rating_distribution
from conqret.llm.request import IMAGE_TOKENS, Request, messages
from conqret.prompts import Library, Prompt, RenderedPrompt, find_injections
from conqret.text.citations import invalid_citations
from conqret.text.language import NAMES, explanation_language, is_english, item_language


@dataclass(frozen=True)
class Instrument:
    """A judge configuration that is ready to judge: format, options, prompts, client, model and fingerprint.

    Samples are numbered from ``first_sample``; another number requests further samples of the same prompts.
    ``members`` are the configurations of the formats that it consists of, with their metrics' names here.
    ``cascade`` judges an item in its place, where it is the first judge of one.
    """

    judge: Judge
    options: JudgeOptions
    library: Library
    client: Client
    model: str
    fingerprint: str
    first_sample: int = 0
    members: tuple[tuple[Instrument, Mapping[str, str]], ...] = ()
    cascade: Callable[[Item], Awaitable[Judgment]] | None = None


@dataclass(frozen=True, slots=True)
class _Outcome:
    measures: Mapping[str, Measure]
    calls: tuple[Call, ...] = ()
    trims: tuple[Trim, ...] = ()


async def judge_item(item: Item, instrument: Instrument) -> Judgment:
    """Judge one item and return its scores, with a reason for each that is missing.

    A failed request raises nothing: its score is missing, with a reason.
    """
    if instrument.cascade is not None:
        return await instrument.cascade(item)
    if instrument.members:
        judgments = await _gather([judge_item(item, member) for member, _ in instrument.members])
        return _one_judgment(judgments, instrument)
    judge, options = instrument.judge, instrument.options
    item_case = case_of(item, options)
    swapped = replace(case_of(swap_item(item), options), swapped=True) if item.second_argument else item_case
    asking = partial(_ask_samples, item_case=item_case, swapped=swapped, instrument=instrument)
    outcomes = await _gather(list(map(asking, judge.select(options.metrics))))
    measures: dict[str, Measure] = {}
    for outcome in outcomes:
        measures |= outcome.measures
    asked = _joined(measures, outcomes)
    for part in judge.computed:
        measures |= part.measures(item)
    if judge.combined is not None:
        measures = {**judge.combined.score(item, measures), **measures}
    cited = " ".join(filter(None, (item.argument, item.second_argument)))
    return Judgment(
        item=item.id,
        topic=item.topic,
        stance=item.stance,
        format=judge.name,
        model=instrument.model,
        fingerprint=instrument.fingerprint,
        measures=judge.report(measures, options.metrics),
        version=item.version,
        flags=tuple(flags(item)),
        trims=asked.trims,
        strays=invalid_citations(cited, len(item.documents)) if item.documents else (),
        language=item_language(item),
        translation_of=item.translation_of,
        trace=Trace(calls=asked.calls),
    )


def _one_judgment(judgments: Sequence[Judgment], instrument: Instrument) -> Judgment:
    """Return one judgment of an item from those of several formats, in the order of the members. Each metric has its
    name in the whole judge, and ``formats`` says from which format and fingerprint it is."""
    measures, formats = dict[str, Measure](), dict[str, tuple[str, str]]()
    for judgment, (member, names) in zip(judgments, instrument.members, strict=True):
        measures |= {names[metric]: measure for metric, measure in judgment.measures.items()}
        formats |= dict.fromkeys(names.values(), (member.judge.name, member.fingerprint))
    calls = tuple(call for judgment in judgments for call in judgment.trace.calls)
    return judgments[0].model_copy(
        update={
            "format": instrument.judge.name,
            "fingerprint": instrument.fingerprint,
            "measures": measures,
            "formats": formats,
            "trims": tuple(trim for judgment in judgments for trim in judgment.trims),
            "trace": Trace(calls=calls),
        }
    )


def case_of(item: Item, options: JudgeOptions) -> Case:
    """Return the case for an item: its last answer is the argument, or the whole conversation if ``options``
    say so.
    """
    if options.conversation == "whole" and item.messages:
        return Case(whole(item), options, last=item)
    return Case(item, options)


def flags(item: Item) -> Iterable[Flag]:
    """Yield the passages of the item that look like prompt injections, each with the field that contains
    it.
    """
    texts: list[tuple[str, str | None]] = [
        ("topic", item.topic),
        ("argument", item.argument),
        ("second_argument", item.second_argument),
        ("reference", item.reference),
    ]
    for document in item.documents:
        whole_text = f"{document.title}\n{document.text}" if document.title else document.text
        texts.append((f"document:{document.id}", whole_text))
    for number, nugget in enumerate(item.nuggets, start=1):
        texts.append((f"nugget:{number}", nugget.text))
    for number, turn in enumerate(item.messages, start=1):
        texts.append((f"message:{number}", turn.content))
    for where, text in texts:
        for injection in find_injections(text or ""):
            yield Flag(where=where, kind=injection.kind, excerpt=injection.excerpt)


async def _ask_samples(
    judge_prompt: JudgePrompt[Any], item_case: Case, swapped: Case, instrument: Instrument
) -> _Outcome:
    """Send a prompt as often as there are samples, each in both orders if it compares two arguments, and combine the
    outcomes. Each sample has its own order of dimensions."""
    options, coroutines = instrument.options, []
    for sample in range(options.samples):
        dimensions = ordered(options.order, seed=options.seed, sample=sample)
        for case in (item_case, swapped) if judge_prompt.both_orders else (item_case,):
            if sample or dimensions != case.dimensions:
                case = replace(case, dimensions=dimensions, sample=sample, origin=case)
            coroutines.append(_ask_case(judge_prompt, case, instrument))
    outcomes: list[_Outcome] = await _gather(coroutines)
    if judge_prompt.both_orders:
        outcomes = [
            _Outcome(
                both_orders(first.measures, other.measures),
                (*first.calls, *other.calls),
                first.trims or other.trims,
            )
            for first, other in zip(outcomes[::2], outcomes[1::2], strict=True)
        ]
    if len(outcomes) == 1:
        return outcomes[0]
    measures = {
        metric: combine_samples([outcome.measures[metric] for outcome in outcomes])
        for metric in judge_prompt.metrics
    }
    return _joined(measures, outcomes)


async def _ask_case(judge_prompt: JudgePrompt[Any], case: Case, instrument: Instrument) -> _Outcome:
    """Return the outcome of a prompt about a case. A prompt that divides a case sends one request for each part.
    Nothing is sent for what is known beforehand, or what the offline baseline cannot read."""
    cases = () if judge_prompt.cases is None else judge_prompt.cases(case)
    if judge_prompt.joined is not None and len(cases) > 1:
        outcomes: list[_Outcome] = await _gather(
            [_ask_case(judge_prompt, part, instrument) for part in cases]
        )
        return _joined(judge_prompt.joined(case, [outcome.measures for outcome in outcomes]), outcomes)
    settled = judge_prompt.unasked(case)
    if settled is not None:
        return _Outcome(settled)
    client = instrument.client
    if client.decides:
        return await _decide(judge_prompt, case, instrument)
    if client.baseline:
        left, unread = judge_prompt.offline(case)
        if left is None:
            return _Outcome(unread)
        if unread:
            outcome = await _ask_about(left, case, instrument)
            return replace(outcome, measures={**outcome.measures, **unread})
    return await _ask_about(judge_prompt, case, instrument)


async def _decide(judge_prompt: JudgePrompt[Any], case: Case, instrument: Instrument) -> _Outcome:
    """Put the typed questions about a case to a decision model, with documents trimmed to its window. An item with
    images gives missing measures if the model takes none."""
    client = instrument.client
    if client.no_vision_reason and pictures_of(judge_prompt, case.item):
        return _Outcome(judge_prompt.missing(Reason.NO_VISION, client.no_vision_reason))

    def shown(documents: Sequence[Document]) -> RenderedPrompt:
        item = case.item.model_copy(update={"documents": tuple(documents)})
        decision = decision_of(judge_prompt, replace(case, item=item))
        return RenderedPrompt(decision.longest, decision.texts[1])

    fitted = fit(case.item.documents, shown, client, answer_room=0)
    documents, trims = (case.item.documents, ()) if fitted is None else (fitted.documents, fitted.trims)
    case = replace(case, item=case.item.model_copy(update={"documents": documents}))
    decided, calls = await client.decide(
        _name(judge_prompt, case),
        case.item.id,
        decision_of(judge_prompt, case),
        instrument.first_sample + case.sample,
    )
    return _Outcome(measures_of(judge_prompt, decided, case), calls, trims)


def _name(judge_prompt: JudgePrompt[Any], case: Case) -> str:
    return f"{judge_prompt.prompt} (swapped)" if case.swapped else judge_prompt.prompt


async def _ask_about(judge_prompt: JudgePrompt[Any], case: Case, instrument: Instrument) -> _Outcome:
    prompt, client = instrument.library[judge_prompt.prompt], instrument.client
    # Tokens that the prompt leaves free: an answer, or the argument that is read behind it, and images.
    room = ANSWER_ROOM if judge_prompt.reading is None else client.count_tokens(case.item.argument or "")
    room += IMAGE_TOKENS * len(case.item.pictures)

    def shown(documents: Sequence[Document]) -> RenderedPrompt:
        if documents is case.item.documents:
            return filled(prompt, judge_prompt, case)
        item = case.item.model_copy(update={"documents": tuple(documents)})
        return filled(prompt, judge_prompt, replace(case, item=item))

    fitted = fit(case.item.documents, shown, client, answer_room=room)
    if fitted is None:
        why = "the prompt does not fit the model's window even without documents"
        return _Outcome(judge_prompt.missing(Reason.CONTEXT_OVERFLOW, why))
    rendered = fitted.rendered
    images = images_in(rendered, case.item) if case.item.pictures else ()
    if images and client.no_vision_reason:
        return _Outcome(judge_prompt.missing(Reason.NO_VISION, client.no_vision_reason))
    reading = None
    if judge_prompt.reading is not None:
        without = replace(case, item=case.item.model_copy(update={"documents": ()}))
        reading = judge_prompt.reading(case, rendered, filled(prompt, judge_prompt, without))
    answer = await client.request(
        Request(
            ask=_name(judge_prompt, case),
            item=case.item.id,
            messages=messages(rendered, images),
            response=judge_prompt.answer(case),
            context=judge_prompt.context(case),
            temperature=instrument.options.sampling_temperature,
            sample=instrument.first_sample + case.sample,
            logprobs=judge_prompt.rating_field is not None,
            baseline=partial(judge_prompt.baseline, case),
            reading=reading,
            written=judge_prompt.reading is None,
        )
    )
    if answer.value is None:
        missing = judge_prompt.missing(answer.reason or Reason.INVALID_ANSWER, answer.detail)
        kept = valid_alone(judge_prompt, case, answer.given) if answer.given else {}
        if any(measure.value is not None for measure in kept.values()):
            client.count_as_usable(answer)
        return _Outcome(missing | kept, answer.calls, fitted.trims)
    distribution = None
    if judge_prompt.rating_field is not None and answer.logprobs is not None:
        distribution = rating_distribution(answer.logprobs, judge_prompt.rating_field, judge_prompt.choices)
    scored = judge_prompt.score(JudgeReply(answer.value, distribution), case)
    if distribution is not None:
        sure = {"logprobs": max(distribution.values())}
        scored = {metric: with_confidence(measure, sure) for metric, measure in scored.items()}
    return _Outcome(scored, answer.calls, fitted.trims)


def filled(prompt: Prompt, judge_prompt: JudgePrompt[Any], case: Case) -> RenderedPrompt:
    """Fill ``prompt`` for ``case`` and return its system and user text.

    The text includes the turns and images of the item, and instructions on languages, where the item needs
    them.
    """
    system, user = prompt_variables(judge_prompt, case)
    if not case.item.has_turns:
        rendered = prompt.render(user, system)
    else:
        turns, shows = prompt.beside(CONVERSATION), judge_prompt.needs | judge_prompt.optional
        judged, documents = case.options.conversation, "documents" in shows
        # whether the prompt shows an argument as it is, in whose place a whole conversation can stand
        looked_at = shows & set(prompt.used["user"]) & {"argument", "second_argument"}
        if case.last is not None and not any(user[name] for name in looked_at):
            judged = "last"  # there is no place for the whole: what documents are held against is the last question
        elif case.last is not None:
            texts = whole_texts(case.last, turns, documents=documents)
            user |= {name: text for name, text in texts.items() if user[name]}
        shown = prompt.render(user, system)
        rendered = with_turns(shown, case.item, turns, documents=documents, judged=judged)
    if case.options.shots:
        names = [dimension.name for dimension in system["dimensions"]]
        shots = shots_for(case.item, case.options.examples, case.options.shots, names)
        shown = prompt.beside(SHOTS_PROMPT).render({"shots": shots})
        rendered = RenderedPrompt(f"{rendered.system}\n\n{shown.system}", f"{shown.user}\n{rendered.user}")
    note, explain_in = "", case.options.explain_in
    if judge_prompt.reading is None and (explain_in or not is_english(item_language(case.item))):
        languages = prompt_languages(case.item, explain_in)
        note = prompt.beside(LANGUAGE).render({}, languages).system if languages else ""
    further = "\n\n".join(filter(None, (note, judge_prompt.further)))
    return RenderedPrompt(f"{rendered.system}\n\n{further}", rendered.user) if further else rendered


def prompt_variables(judge_prompt: JudgePrompt[Any], case: Case) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the variables of a prompt's system block, equal for all items, and of its user block."""
    item = case.item
    documents = item.documents
    if item.pictures:
        documents = marked(item, documents)
    dimensions = tuple(dimension for dimension in case.dimensions if dimension.name in judge_prompt.metrics)
    system = {
        "asked": judge_prompt.metrics,
        "dimensions": dimensions,
        "shown": tuple(sorted(judge_prompt.needs)),
        **judge_prompt.settings(case),
    }
    user = {
        "topic": item.topic,
        "stance": item.stance,
        "documents": documents,
        "argument": item.argument,
        "second_argument": item.second_argument,
        "reference": item.reference,
        "nuggets": item.nuggets,
        **judge_prompt.variables(case),
    }
    return system, user


def _joined(measures: Mapping[str, Measure], outcomes: Sequence[_Outcome]) -> _Outcome:
    """Return the measures with the calls of all outcomes, and of each document the trim to its shortest length."""
    if len(outcomes) == 1:
        return replace(outcomes[0], measures=measures)
    shortest: dict[str, Trim] = {}
    for outcome in outcomes:
        for trim in outcome.trims:
            if trim.document not in shortest or trim.after < shortest[trim.document].after:
                shortest[trim.document] = trim
    calls = tuple(call for outcome in outcomes for call in outcome.calls)
    return _Outcome(measures, calls, tuple(shortest.values()))


async def _gather(coroutines: Sequence[Any]) -> list[Any]:
    """The results of all; a single one is awaited without the cost of a task."""
    return [await coroutines[0]] if len(coroutines) == 1 else list(await asyncio.gather(*coroutines))


WHOLE_TOPIC = "(What the user wants in the course of the conversation.)"
_MARK = re.compile(r'<image number="(\d+)"/>')


def whole(item: Item) -> Item:
    """Return the item with all of the assistant's turns as its argument; unchanged if it has no earlier
    turns.
    """
    if not item.messages:
        return item
    earlier = [turn.content for turn in item.messages if turn.role == "assistant" and turn.content]
    changes = {
        name: "\n\n".join((*earlier, answer))
        for name in ("argument", "second_argument")
        if (answer := getattr(item, name))
    }
    return item.model_copy(update=changes)


def whole_texts(item: Item, prompt: Prompt, *, documents: bool) -> dict[str, Any]:
    """Return the prompt variables for a whole conversation: all turns, each in its tag, in place of the
    arguments.

    Args:
        item: the item as it was read; its argument is the last answer only.
        prompt: the conversation prompt.
        documents: True if the prompt shows the item's documents.

    Returns:
        By variable: ``topic``, and ``argument`` and ``second_argument`` as far as the item has them.
    """
    question = Turn(role="user", content=item.topic, images=item.images)
    texts: dict[str, Any] = {"topic": WHOLE_TOPIC}
    for name in ("argument", "second_argument"):
        if answer := getattr(item, name):
            turns = (*item.messages, question, Turn(role="assistant", content=answer))
            shown = _shown(turns, item, documents=documents)
            rendered = prompt.render({"turns": shown, "question_images": ()}, _settings(item, True))
            texts[name] = Markup(rendered.user)  # noqa: S704 - its texts were neutralised by the prompt
    return texts


def marked(item: Item, documents: Sequence[Document]) -> tuple[Document, ...]:
    """Return ``documents`` as prompts show them: an image document has a numbered image tag as its text."""
    first = len(item.pictures) - sum(bool(document.image) for document in item.documents) + 1
    numbers = {
        document.id: first + place
        for place, document in enumerate(document for document in item.documents if document.image)
    }
    return tuple(
        document.model_copy(update={"text": Markup(f'<image number="{numbers[document.id]}"/>')})  # noqa: S704
        if document.id in numbers
        else document
        for document in documents
    )


def with_turns(
    rendered: RenderedPrompt, item: Item, prompt: Prompt, *, documents: bool, judged: Conversation
) -> RenderedPrompt:
    """Return a filled prompt with the instructions for turns and images added.

    The turns themselves are added where only the last answer is judged. ``prompt`` is the conversation
    prompt; ``documents`` is True if the prompt shows the item's documents.
    """
    shows_whole = judged == "whole" and bool(item.messages)
    first = sum(len(turn.images) for turn in item.messages) + 1
    images = () if shows_whole else tuple(range(first, first + len(item.images)))
    turns = () if shows_whole else _shown(item.messages, item, documents=documents)
    more = prompt.render({"turns": turns, "question_images": images}, _settings(item, shows_whole))
    return RenderedPrompt(
        f"{rendered.system}\n\n{more.system}", "\n\n".join(filter(None, (more.user, rendered.user)))
    )


def images_in(rendered: RenderedPrompt, item: Item) -> tuple[tuple[int, str], ...]:
    """Return the images that a filled prompt refers to by tag, each with its number."""
    pictures = item.pictures
    numbers = sorted({int(number) for number in _MARK.findall(rendered.user)})
    return tuple((number, pictures[number - 1]) for number in numbers if 0 < number <= len(pictures))


def _settings(item: Item, shows_whole: bool) -> Mapping[str, Any]:
    return {"earlier": bool(item.messages), "pictures": bool(item.pictures), "whole": shows_whole}


def _shown(turns: Sequence[Turn], item: Item, *, documents: bool) -> tuple[View, ...]:
    """Return turns as the prompt shows them. ``place`` is the number of the document that a turn returned (None without
    ``documents``), and ``images`` are the numbers of its images, counted over all turns."""
    places = (
        {document.id: place for place, document in enumerate(item.documents, start=1)} if documents else {}
    )
    shown, number = [], 1
    for turn in turns:
        images = tuple(range(number, number + len(turn.images)))
        number += len(images)
        told = {name: getattr(turn, name) for name in ("role", "name", "content", "calls")}
        shown.append(View(**told, place=places.get(turn.document), images=images))
    return tuple(shown)


ENGLISH = "en"
"""The language of all other instructions."""


def prompt_languages(item: Item, explain_in: str) -> Mapping[str, str] | None:
    """Return the prompt variables on languages: the English names of the item's and the explanations'
    language.

    ``language`` is empty where the item is in English or of unknown language. The result is None where both
    languages are English.

    Args:
        item: the item to judge.
        explain_in: the language of explanations, as in :class:`~conqret.judging.judge_options.JudgeOptions`.
    """
    written = item_language(item)
    explained = explanation_language(explain_in) or (written if written in NAMES else ENGLISH)
    language = NAMES.get(written, "") if written != ENGLISH else ""
    if not language and explained == ENGLISH:
        return None
    return {"language": language, "explain_in": NAMES[explained]}
