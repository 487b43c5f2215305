"""One judged item as the page shows it: plain data, made from an item and its judgment. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from types import SimpleNamespace as View

from conqret.data import Flag, Item, Judgment, Measure, Part, Status
from conqret.data.digest import gathered
from conqret.io.images import described, inline
from conqret.judging.dimensions import BY_NAME
from conqret.judging.item_parts import (
    citation_verdicts,
    is_documents,
    measure_cell,
    part_cell,
    tables,
)
from conqret.judging.overview import VERDICTS
from conqret.show import words
from conqret.show.visible_text import cited, cut, flagged, link
from conqret.text.words import count_words

ITEM_CHARACTERS = 400_000
"""Characters of an item's documents that the page shows; a longer one is cut, and says so."""

TEXT_CHARACTERS = 30_000
"""Characters of a single text that the page shows at most."""

DOCUMENTS = 200
"""Documents of an item that the page shows."""

EXPLANATION = 4_000


TURNS = 200
"""Earlier messages of an item that the page shows: the last ones."""


def _images(urls: Iterable[str]) -> list[View]:
    """Images: the URL of each where the page itself can show it, and what it is in words."""
    return [View(url=inline(url), words=cut(described(url), 300)) for url in urls]


def turns(judgment: Judgment, item: Item) -> Iterator[View]:
    """The messages before the question, in their order."""
    limit = min(TEXT_CHARACTERS, ITEM_CHARACTERS // max(min(len(item.messages), TURNS), 1))
    places = {document.id: place for place, document in enumerate(item.documents[:DOCUMENTS], start=1)}
    for number, turn in list(enumerate(item.messages, start=1))[-TURNS:]:
        excerpts = [flag.excerpt for flag in judgment.flags if flag.where == f"message:{number}"]
        shown = turn.content[:limit]
        yield View(
            role=turn.role,
            name=cut(turn.name, 100),
            pieces=tuple(flagged(shown, excerpts)),
            omitted=len(turn.content) - len(shown),
            calls=tuple(cut(call, 1000) for call in turn.calls[:50]),
            document=places.get(turn.document, 0),
            images=_images(turn.images),
        )


def arguments(judgment: Judgment, item: Item) -> Iterator[View]:
    """The arguments that the item has, with their citations found and, where they were judged, marked."""
    for key, title, text in (
        ("a", "Argument", item.argument),
        ("b", "Second argument", item.second_argument),
    ):
        if text:
            shown = text[:TEXT_CHARACTERS]
            verdict = citation_verdicts(judgment, shown) if key == "a" else lambda start, cites: ""
            pieces = cited(shown, min(len(item.documents), DOCUMENTS), verdict, judgment.strays)
            yield View(key=key, title=title, pieces=tuple(pieces), omitted=len(text) - len(shown))


def documents(judgment: Judgment, item: Item, citing: Sequence[View]) -> Iterator[View]:
    """The documents in their order, with what the judge says of each and where the arguments cite it."""
    limit = min(TEXT_CHARACTERS, ITEM_CHARACTERS // max(min(len(item.documents), DOCUMENTS), 1))
    rated = _rated(judgment, item)
    trims = {
        trim.document: f"{words.count(trim.before)} to {words.count(trim.after)}" for trim in judgment.trims
    }
    back: dict[int, dict[str, list[int]]] = {}
    for argument in citing:
        for piece in argument.pieces:
            if piece.cites is not None:
                back.setdefault(piece.cites, {}).setdefault(argument.key, []).append(piece.mark)
    for number, document in enumerate(item.documents[:DOCUMENTS], start=1):
        flags = [flag for flag in judgment.flags if flag.where == f"document:{document.id}"]
        shown = document.text[:limit]
        measure, part = rated.get(document.id, (None, None))
        yield View(
            number=number,
            id=document.id,
            title=cut(document.title or " ".join(document.text[:400].split()), 160),
            url=cut(document.url, 300),
            href=link(document.url),
            pieces=tuple(flagged(shown, [flag.excerpt for flag in flags])),
            omitted=len(document.text) - len(shown),
            words=words.count(count_words(document.text)),
            rating=part_cell(part) if part else None,
            explanation=explained(measure, part.explanation) if measure and part else "",
            cited=tuple((key, tuple(marks[:50])) for key, marks in back.get(number, {}).items()),
            flagged=any(flag in judgment.addressed for flag in flags),
            trim=trims.get(document.id, ""),
            images=_images([document.image] if document.image else []),
        )


def explained(measure: Measure, text: str) -> str:
    """What the judge says; of several samples it is said by the first that has a score, and which that is."""
    place = next((n for n, value in enumerate(measure.samples, start=1) if value is not None), 0)
    return cut(f"Sample {place}: {text}" if text and len(measure.samples) > 1 else text, EXPLANATION)


def _rated(judgment: Judgment, item: Item) -> dict[str, tuple[Measure, Part]]:
    """The ratings of single documents by their ids, with the measure that they make."""
    measures = (measure for measure in judgment.measures.values() if is_documents(measure, item))
    return {part.id: (measure, part) for measure in measures for part in measure.parts}


def item_view(item: Item | None, judgment: Judgment) -> View:
    """The view of ``judgment`` and of its item (None: the run directory does not hold it). ``lost`` says why nothing at
    all was scored, where one sentence says it for every metric; ``paired`` whether any metric is rated for both
    arguments. An argument's ``key`` is "a" for the first and "b" for the second."""
    rows = list(_measures(judgment))
    missing, paired = {row.missing for _, row in rows}, any(row.second is not None for _, row in rows)
    citing = tuple(arguments(judgment, item)) if item else ()
    return View(
        turns=tuple(turns(judgment, item)) if item else (),
        turns_omitted=max(len(item.messages) - TURNS, 0) if item else 0,
        images=_images(item.images) if item else (),
        arguments=citing,
        documents=tuple(documents(judgment, item, citing)) if item else (),
        documents_omitted=max(len(item.documents) - DOCUMENTS, 0) if item else 0,
        measures=tuple(row for name, row in rows if name not in BY_NAME),
        dimensions=tuple(row for name, row in rows if name in BY_NAME),
        tables=tuple(tables(judgment, item)),
        flags=tuple(_flags(judgment.flags[:100], item)),
        metadata=tuple((cut(k, 100), cut(str(v), 500)) for k, v in item.metadata.items()) if item else (),
        known=item is not None,
        lost=missing.pop() if len(rows) > 1 and len(missing) == 1 else "",
        paired=paired,
    )


def _measures(judgment: Judgment) -> Iterator[tuple[str, View]]:
    for index, (name, measure) in enumerate(judgment.measures.items()):
        if name.startswith(words.SECOND) and name.removeprefix(words.SECOND) in judgment.measures:
            continue
        other = judgment.measures.get(words.SECOND + name)
        yield (
            name,
            View(
                index=index,
                label=words.label(name),
                cell=measure_cell(measure),
                second=measure_cell(other) if other is not None else None,
                explanation=explained(measure, measure.explanation),
                extras=tuple(_extras(measure) if other is None else _both(measure, other)),
                missing=_missing(measure) or (_missing(other) if other is not None else ""),
            ),
        )


def _both(first: Measure, second: Measure) -> Iterator[str]:
    """The same of either argument."""
    for name, measure in (("first", first), ("second", second)):
        yield from (f"{name}: {extra}" for extra in _extras(measure))


def _extras(measure: Measure) -> Iterator[str]:
    """What stands beside the score: the rating on the format's scale, flips, the method, every sample."""
    if measure.label is not None:
        yield VERDICTS.get(measure.label, measure.label)
    if measure.flipped is not None:
        yield "the verdict flipped with the order" if measure.flipped else "the same in both orders"
    if measure.raw is not None:
        sampled = len(measure.samples) > 1
        yield f"mean rating {measure.raw:.2f}" if sampled else f"rating {words.rating(measure.raw)}"
    if measure.method is not None:
        yield f"read from {measure.method}"
    if measure.samples:
        yield "scores of the samples " + " · ".join(words.score(value) for value in measure.samples[:50])
    if measure.majority is not None:
        often = Counter(value for value in measure.samples if value is not None).most_common(2)
        tied = len({times for _, times in often}) < len(often)
        name = "no score is the most frequent; median" if tied else "most frequent score"
        yield f"{name} {words.score(measure.majority)}"
    if measure.value is not None and measure.detail:
        yield cut(measure.detail, 500)


def _missing(measure: Measure) -> str:
    if measure.status is Status.SCORED:
        return ""
    detail = f" ({cut(measure.detail, EXPLANATION)})" if measure.detail else ""
    return f"{measure.status.value.capitalize()}: {words.reason(measure.reason)}{detail}"


def _flags(flags: Sequence[Flag], item: Item | None) -> Iterator[View]:
    """The passages, each once with all that is said of it."""
    for (where, excerpt), kinds in gathered(
        ((flag.where, flag.excerpt), flag.kind) for flag in flags
    ).items():
        name, anchor = _place(where, item)
        told = dict.fromkeys(words.FLAGS.get(kind, kind) for kind in kinds)
        yield View(
            where=cut(name, 300), anchor=anchor, kinds=tuple(told), excerpt=cut(f"… {excerpt} …", 1000)
        )


def _place(where: str, item: Item | None) -> tuple[str, str]:
    """What a field of the item is called, and where the page shows it."""
    turn, name = where.removeprefix("message:"), where.removeprefix("document:")
    if item is not None and turn != where and turn.isdecimal() and 0 < int(turn) <= len(item.messages):
        return f"earlier message {turn}", "t"
    if item is None or name == where:
        return where.replace("_", " "), {"argument": "a", "second_argument": "b"}.get(where, "")
    for number, document in enumerate(item.documents[:DOCUMENTS], start=1):
        if document.id == name:
            return f"document {number} ({name})", f"d{number}"
    return where, ""
