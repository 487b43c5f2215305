"""Translate items with a model, and check each translation by its back-translation.

The back-translation is made of the translation alone. A translation is kept where its citations are those of the
original, where it is in the language that was requested, and where its back-translation has the figures of the original
and shares enough of its words; else the item is left out, with the reason.
"""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, Unpack

from pydantic import AfterValidator, ValidationInfo

from conqret.data import Item
from conqret.data.digest import gathered
from conqret.data.item import TRANSLATION_OF
from conqret.errors import DeclarationError, UnknownNameError, strict_options
from conqret.io import CheckedItems
from conqret.io.jsonl import json_lines
from conqret.io.rows import item_record
from conqret.io.safe_files import write_new
from conqret.judging.responses import Typed, Whole, Written, once_each
from conqret.llm.client import Client
from conqret.llm.client_options import ClientOptions, client_options
from conqret.llm.expected_cost import ExpectedCost, expected
from conqret.llm.prompt_fitting import prompt_tokens
from conqret.llm.request import Request, messages
from conqret.perturb.perturbation import LONGEST_ID, InapplicableError
from conqret.perturb.perturbing import RewritingSettings, read_items, rewriter
from conqret.perturb.versions import LeftOutItem
from conqret.prompts import Library, RenderedPrompt
from conqret.runs.dry_run import CountingClient
from conqret.runs.run_folder import as_path, stem
from conqret.runs.session import SessionCounts
from conqret.runs.trials import collect
from conqret.text.citations import marks, strip_citations
from conqret.text.language import NAMES, item_language, language_code, language_of
from conqret.text.words import ascii_digits, split_words

PROMPT = "perturb/translate"
MIN_OVERLAP = 0.5
"""The smallest word overlap (F1 of both texts' words) of an original and its back-translation."""
IN_FLIGHT = 16
"""The most items requested at a time."""
_FIGURE = re.compile(r"(?<![A-Za-z])\d+(?:[.,]\d+)*")


class TranslatedText(Typed):
    """One text in the other language, by its number."""

    number: Whole
    translation: Written


def _faithful(translated: list[TranslatedText], info: ValidationInfo) -> list[TranslatedText]:
    context: Mapping[str, Any] = info.context or {}
    texts: Mapping[int, str] = context.get("texts", {})
    once_each((one.number for one in translated), list(texts), "text")
    faults = [
        f"text {one.number} must keep its citation marks, in their order"
        for one in translated
        if marks(one.translation) != marks(texts[one.number])
    ]
    faults += [f"text {one.number} is empty" for one in translated if not one.translation.strip()]
    wanted = context.get("language", "")
    written = language_of(" ".join(one.translation for one in translated))
    if written and wanted and written != wanted:
        faults.append(f"write in {NAMES[wanted]}, not in {NAMES.get(written, written)}")
    if faults:
        raise ValueError("; ".join(faults))
    return translated


class Translation(Typed):
    """The texts in the other language, each exactly once."""

    texts: Annotated[list[TranslatedText], AfterValidator(_faithful)]


@dataclass(frozen=True, slots=True)
class TranslatedItems:
    """The result of translating items.

    ``overlap`` maps each translation's id to the word overlap of original and back-translation. ``failed``
    holds the items without a translation, with the reason. ``file`` contains originals and translations,
    or is None if no translation was accepted.
    """

    translations: list[Item]
    overlap: Mapping[str, float]
    failed: list[LeftOutItem]
    file: Path | None
    session: SessionCounts


def languages_of(names: Sequence[str]) -> tuple[str, ...]:
    """Return the ISO 639-1 codes of the languages to translate into, without duplicates; ``names`` are
    codes or English names.

    Raises:
        UnknownNameError: a language is unknown.
        DeclarationError: no language is given.
    """
    codes = []
    for name in names:
        code = language_code(name)
        if code is None or code not in NAMES:
            raise UnknownNameError("language", name, NAMES.values())
        codes.append(code)
    if not codes:
        raise DeclarationError("name the languages to translate into, such as --into de,zh")
    return tuple(dict.fromkeys(codes))


@strict_options
def translate_items(
    items: str | Path,
    *,
    into: Sequence[str],
    output: str | Path | None = None,
    overwrite: bool = False,
    on_check: Callable[[CheckedItems], object] = lambda checked: None,
    **settings: Unpack[RewritingSettings],
) -> TranslatedItems:
    """Translate items with a model, and write originals and translations to a file; return a summary.

    The two are linked by ``translation_of`` in their metadata.

    Args:
        items: the items, in any layout that :func:`conqret.judge` reads.
        into: the languages, as codes or English names.
        output: the file to write, by default ``ITEMS-translated.jsonl``.
        overwrite: replace the file if it has other content, which may have been corrected by hand.
        on_check: a function that gets the summary of the items' check.
        settings: the model that translates, and how items are read:
            :class:`conqret.perturb.perturbing.RewritingSettings`.

    Returns:
        The translations, and the items without one, with the reason.

    Raises:
        DeclarationError: an argument or the items are invalid.
    """
    codes, found, client = _opened(items, into, on_check, settings)
    target = as_path(output) or Path(f"{stem(Path(items))}-translated.jsonl")
    session = rewriter(client, target, settings, overwrite=overwrite)

    async def every(client: Client) -> list[tuple[Item, float] | LeftOutItem]:
        async def one(item: Item, code: str) -> tuple[Item, float] | LeftOutItem:
            try:
                return await translated(item, code, client, session.library)
            except InapplicableError as error:
                return LeftOutItem.from_error(item.id, error)

        works = ((_translated_id(*wanted), partial(one, *wanted)) for wanted in _wanted(found, codes))
        return await collect(works, in_flight=IN_FLIGHT)

    results = session.run(every)
    made = [result for result in results if not isinstance(result, LeftOutItem)]
    by_original = gathered(
        (item.id, result[0])
        for (item, _), result in zip(_wanted(found, codes), results, strict=True)
        if not isinstance(result, LeftOutItem)
    )
    if made:
        records = (
            item_record(version)
            for item in found
            for version in (_tied(item, item, item_language(item)), *by_original.get(item.id, ()))
        )
        write_new({target: json_lines(records)}, overwrite=overwrite)
    return TranslatedItems(
        [version for version, _ in made],
        {version.id: overlap for version, overlap in made},
        [result for result in results if isinstance(result, LeftOutItem)],
        target if made else None,
        session.counts,
    )


def translating_cost(
    items: str | Path, *, into: Sequence[str], **settings: Unpack[RewritingSettings]
) -> ExpectedCost:
    """Estimate the calls, tokens and dollars of :func:`translate_items`; no request is sent.

    Raises:
        DeclarationError: as :func:`translate_items`.
    """
    codes, found, options = _opened(items, into, lambda checked: None, settings)
    client, library = CountingClient(options), Library(as_path(settings.get("prompts")))
    calls = prompt = written = 0
    for item, code in _wanted(found, codes):
        for texts in groups_of(item):
            calls += 2
            prompt += 2 * prompt_tokens(_rendered(texts, code, library), client)
            written += 2 * sum(map(client.count_tokens, texts.values()))
    return expected("generate", options, calls, prompt, written, by="translation")


def _opened(
    items: str | Path,
    into: Sequence[str],
    on_check: Callable[[CheckedItems], object],
    settings: RewritingSettings,
) -> tuple[tuple[str, ...], list[Item], ClientOptions]:
    codes, client = languages_of(into), client_options(settings.get("model"), settings)
    if client.backend.baseline and settings.get("replay") is None:
        raise DeclarationError("the offline baseline does not translate: name a model with --model")
    client.backend.check_can_request("the question for a translation")
    found = read_items(items, settings, on_check)
    if not any(_wanted(found, codes)):
        names = ", ".join(NAMES[code] for code in codes)
        raise DeclarationError(f"there is nothing to translate: all items of {items} are already in {names}")
    counts = Counter(
        [*(item.id for item in found), *(_translated_id(*wanted) for wanted in _wanted(found, codes))]
    )
    if twice := next((name for name, count in counts.items() if count > 1), ""):
        raise DeclarationError(
            f"two translations of {items} would have the id {twice}: leave out the items that are already "
            "translations, or give the items other ids"
        )
    return codes, found, client


def _wanted(items: Sequence[Item], codes: Sequence[str]) -> Iterator[tuple[Item, str]]:
    return ((item, code) for item in items for code in codes if item_language(item) != code)


def groups_of(item: Item) -> Iterator[dict[int, str]]:
    """Yield the texts of an item in groups for translation, each as a mapping from number to text.

    The first group holds question and arguments; each document with its title is a further group.
    """
    fields = (item.topic, item.argument, item.second_argument, item.reference)
    yield {number: text for number, text in enumerate(fields) if text}
    for document in item.documents:
        yield {number: text for number, text in enumerate((document.title, document.text)) if text}


async def translated(item: Item, code: str, client: Client, library: Library) -> tuple[Item, float]:
    """Translate an item to the language ``code``, and return it with the word overlap of its
    back-translation.

    Raises:
        InapplicableError: the item's language is unknown, a response failed, or the back-translation lacks a
            figure or too many words.
    """
    original = item_language(item)
    if original not in NAMES:
        raise InapplicableError(f"item {item.id}: its language cannot be told; say it with --language")
    groups = list(groups_of(item))
    new = await _each(item, groups, code, client, library)
    returned = await _each(item, new, original, client, library)
    shares: list[tuple[float, int]] = []
    for texts, back in zip(groups, returned, strict=True):
        for number, text in texts.items():
            if lost := figures(text) - figures(back[number]):
                raise InapplicableError(
                    f"item {item.id}: figures do not come back from {NAMES[code]}: {min(lost)}"
                )
            shares.append((overlap(text, back[number]), len(split_words(text))))
    words = sum(count for _, count in shares)
    share = sum(value * count for value, count in shares) / words if words else 0.0
    if share < MIN_OVERLAP:
        raise InapplicableError(
            f"item {item.id}: {share:.0%} of the words come back from {NAMES[code]}, less than {MIN_OVERLAP:.0%}"
        )
    head, *rest = new
    documents = tuple(
        document.model_copy(update={"title": texts.get(0, document.title), "text": texts[1]})
        for document, texts in zip(item.documents, rest, strict=True)
    )
    names = ("topic", "argument", "second_argument", "reference")
    changes = {name: head[number] for number, name in enumerate(names) if number in head}
    version = item.model_copy(update={**changes, "documents": documents, "id": _translated_id(item, code)})
    return _tied(version, item, code, {"back_translation": round(share, 4)}), share


async def _each(
    item: Item, groups: Sequence[Mapping[int, str]], code: str, client: Client, library: Library
) -> list[dict[int, str]]:
    """Return the translations of each group of texts by their numbers, all requested at the same time.

    Raises:
        InapplicableError: a response failed.
    """
    answers = await asyncio.gather(
        *(client.request(_request(item, texts, code, library)) for texts in groups)
    )
    translations = []
    for answer in answers:
        if answer.value is None:
            raise InapplicableError(f"item {item.id}: {answer.reason}: {answer.detail}")
        translations.append({one.number: one.translation.strip() for one in answer.value.texts})
    return translations


def _translated_id(item: Item, code: str) -> str:
    return f"{item.id[: LONGEST_ID - len(code) - 1]}-{code}"


def _tied(
    version: Item, original: Item, language: str, checked: Mapping[str, float] = MappingProxyType({})
) -> Item:
    """A version with what ties it to the others: the original's id, or that of the item which it translates itself."""
    tie = original.translation_of or original.id
    metadata = {**version.metadata, TRANSLATION_OF: tie, **checked}
    return version.model_copy(update={"language": language, "metadata": metadata})


def figures(text: str) -> set[str]:
    """Return the set of numbers in a text as digits, without separators.

    Citations and digits within names (``CO2``) are ignored.
    """
    return {re.sub(r"[.,]", "", figure) for figure in _FIGURE.findall(ascii_digits(strip_citations(text)))}


def overlap(first: str, second: str) -> float:
    """Return the F1 overlap of the words of two texts, in [0, 1], ignoring citations."""
    one, other = (Counter(split_words(strip_citations(text))) for text in (first, second))
    total = one.total() + other.total()
    return 2 * (one & other).total() / total if total else 1.0


def _rendered(texts: Mapping[int, str], code: str, library: Library) -> RenderedPrompt:
    parts = [{"number": number, "text": text} for number, text in texts.items()]
    return library[PROMPT].render({"parts": parts}, {"language": NAMES[code]})


def _request(item: Item, texts: Mapping[int, str], code: str, library: Library) -> Request[Translation]:
    return Request(
        ask=PROMPT,
        item=item.id,
        messages=messages(_rendered(texts, code, library)),
        response=Translation,
        context={"texts": dict(texts), "language": code},
    )
