"""One judged item as the page shows it: plain data, made from an item and its judgment. What stands behind its measures
is in tables: nuggets, criteria, and verdicts on citations. Pure."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from operator import attrgetter
from types import SimpleNamespace as View

from conqret.data import Flag, Item, Judgment, Measure, Part, Status
from conqret.data.digest import gathered
from conqret.io.images import described, inline
from conqret.judging.dimensions import BY_NAME
from conqret.judging.judge_options import BY_SUB_NARRATIVE
from conqret.judging.judge_parts import LOWER_IS_BETTER
from conqret.show import words
from conqret.show.visible_text import cited, cut, flagged, link
from conqret.text.sentences import sentences
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


def _image(url: str) -> View:
    """An image: its URL where the page itself can show it, and what it is in words."""
    return View(url=inline(url), words=cut(described(url), 300))


def turns(judgment: Judgment, item: Item) -> Iterator[View]:
    """Yield a view of each of the last :data:`TURNS` messages before the question, in order; long texts are
    cut."""
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
            images=list(map(_image, turn.images)),
        )


def arguments(judgment: Judgment, item: Item) -> Iterator[View]:
    """Yield a view of each argument of the item, cut at :data:`TEXT_CHARACTERS`, with its citations linked and, in the
    first one, marked with their verdicts."""
    for key, title, text in (
        ("a", "Answer" if item.stance == "none" and not item.second_argument else "Argument", item.argument),
        ("b", "Second argument", item.second_argument),
    ):
        if text:
            shown = text[:TEXT_CHARACTERS]
            verdicts = _verdicts(judgment) if key == "a" else []
            verdict = _citation_verdicts(verdicts, shown) if verdicts else None
            pieces = cited(shown, min(len(item.documents), DOCUMENTS), verdict, judgment.strays)
            yield View(key=key, title=title, pieces=tuple(pieces), omitted=len(text) - len(shown))


def documents(judgment: Judgment, item: Item, citing: Sequence[View]) -> Iterator[View]:
    """Yield a view of each of the first :data:`DOCUMENTS` documents, in order, with its ratings and the
    places where the arguments cite it.
    """
    limit = min(TEXT_CHARACTERS, ITEM_CHARACTERS // max(min(len(item.documents), DOCUMENTS), 1))
    rated = dict[str, tuple[Measure, Part]]()  # the ratings of single documents, each with its measure
    for measure in judgment.measures.values():
        if _rates_documents(measure, item):
            for part in measure.parts:
                rated[part.id] = (measure, part)
    trims = dict[str, str]()
    for trim in judgment.trims:
        trims[trim.document] = f"{words.count(trim.before)} to {words.count(trim.after)}"
    flags = dict[str, list[Flag]]()
    for flag in judgment.flags:
        flags.setdefault(flag.where, []).append(flag)
    back: dict[int, dict[str, list[int]]] = {}
    for argument in citing:
        for piece in argument.pieces:
            if piece.cites is not None:
                marks = back.setdefault(piece.cites, {}).setdefault(argument.key, [])
                if len(marks) < 50:
                    marks.append(piece.mark)
    for number, document in enumerate(item.documents[:DOCUMENTS], start=1):
        flagged_here = flags.get(f"document:{document.id}", [])
        shown = document.text[:limit]
        rating = rated.get(document.id)
        yield View(
            number=number,
            id=document.id,
            title=cut(document.title or " ".join(document.text[:400].split()), 160),
            url=cut(document.url, 300),
            href=link(document.url),
            pieces=tuple(flagged(shown, list(map(attrgetter("excerpt"), flagged_here)))),
            omitted=len(document.text) - len(shown),
            words=words.count(count_words(document.text)),
            rating=None if rating is None else _part_cell(rating[1]),
            explanation="" if rating is None else explained(rating[0], _why(rating[1])),
            cited=list(back.get(number, {}).items()),
            flagged=any(map(judgment.addressed.__contains__, flagged_here)),
            trim=trims.get(document.id, ""),
            images=[_image(document.image)] if document.image else [],
        )


def explained(measure: Measure, text: str) -> str:
    """Return the judge's explanation, cut to ``EXPLANATION`` characters.

    With several samples, it names the number of the first sample that has a score.
    """
    if text and len(measure.samples) > 1:
        place = next((n for n, value in enumerate(measure.samples, start=1) if value is not None), 0)
        text = f"Sample {place}: {text}"
    return cut(text, EXPLANATION)


def item_view(item: Item | None, judgment: Judgment, lower: Collection[str] = LOWER_IS_BETTER) -> View:
    """Return the view of a judgment and its item for the report page.

    ``item`` is None where the run folder lacks it. ``lost`` is the reason why all metrics are missing, if
    they share one. ``paired`` is True if any metric rates both arguments. An argument's ``key`` is "a" or
    "b". Lower scores of the metrics in ``lower`` are better.
    """
    measures, dimensions, missing, paired = list[View](), list[View](), dict[str, None](), False
    for index, (name, measure) in enumerate(judgment.measures.items()):
        if name.startswith(words.SECOND) and name.removeprefix(words.SECOND) in judgment.measures:
            continue
        other = judgment.measures.get(words.SECOND + name)
        row = View(
            index=index,
            label=words.label(name),
            cell=_measure_cell(measure, lower_is_better=name in lower),
            second=None,
            explanation=explained(measure, measure.explanation),
            extras=tuple(_extras(name, measure)),
            missing=_missing(measure),
        )
        if other is not None:
            row.second = _measure_cell(other, lower_is_better=name in lower)
            paired, row.missing = True, row.missing or _missing(other)
            row.extras = tuple(f"first: {extra}" for extra in row.extras)
            row.extras += tuple(f"second: {extra}" for extra in _extras(name, other))
        (dimensions if name in BY_NAME else measures).append(row)
        missing[row.missing] = None
    citing = tuple(arguments(judgment, item)) if item else ()
    return View(
        turns=tuple(turns(judgment, item)) if item and item.messages else (),
        turns_omitted=max(len(item.messages) - TURNS, 0) if item else 0,
        images=list(map(_image, item.images)) if item else (),
        arguments=citing,
        cites=any(piece.cites is not None for argument in citing for piece in argument.pieces),
        documents=tuple(documents(judgment, item, citing)) if item else (),
        documents_omitted=max(len(item.documents) - DOCUMENTS, 0) if item else 0,
        measures=measures,
        dimensions=dimensions,
        tables=tuple(tables(judgment, item)),
        flags=tuple(_flags(judgment.flags[:100], item)) if judgment.flags else (),
        metadata=[(cut(k, 100), cut(str(v), 500)) for k, v in item.metadata.items()] if item else (),
        known=item is not None,
        lost=min(missing) if len(measures) + len(dimensions) > 1 and len(missing) == 1 else "",
        paired=paired,
    )


def _extras(name: str, measure: Measure) -> Iterator[str]:
    """What is reported with the score: the rating on the format's scale, flips, the method, every sample."""
    if measure.label is not None:
        yield BETTER.get(measure.label, measure.label)
    if measure.flipped is not None:
        yield "the verdict flipped with the order" if measure.flipped else "the same in both orders"
    if measure.raw is not None:
        kind = "weighted count" if name == "unsupported_claims" else "rating"
        sampled = len(measure.samples) > 1
        yield f"mean {kind} {measure.raw:.2f}" if sampled else f"{kind} {words.rating(measure.raw)}"
    if measure.distribution:
        yield f"probabilities {words.probabilities(measure.distribution)}"
    elif measure.method is not None:
        yield f"read from {measure.method}"
    if measure.samples:
        yield "scores of the samples " + " · ".join(words.item_score(value) for value in measure.samples[:50])
    if measure.majority is not None:
        often = Counter(value for value in measure.samples if value is not None).most_common(2)
        tied = len({times for _, times in often}) < len(often)
        name = "no score is the most frequent; median" if tied else "most frequent score"
        yield f"{name} {words.item_score(measure.majority)}"
    if measure.value is not None and measure.detail:
        yield cut(measure.detail, 500)


def _missing(measure: Measure) -> str:
    if measure.status is Status.SCORED:
        return ""
    detail = f" ({cut(measure.detail, EXPLANATION)})" if measure.detail else ""
    return f"{measure.status.value.capitalize()}: {words.reason(measure.reason)}{detail}"


def _flags(flags: Sequence[Flag], item: Item | None) -> Iterator[View]:
    """Yield the flagged passages, each once with all kinds of injection that were found in it, in their first order."""
    for (where, excerpt), kinds in gathered(
        ((flag.where, flag.excerpt), flag.kind) for flag in flags
    ).items():
        name, anchor = _place(where, item)
        told = dict.fromkeys(words.FLAGS.get(kind, kind) for kind in kinds)
        yield View(
            where=cut(name, 300), anchor=anchor, kinds=tuple(told), excerpt=cut(f"… {excerpt} …", 1000)
        )


def _place(where: str, item: Item | None) -> tuple[str, str]:
    """Return the name of a field of the item in words, and the anchor on the page where it is shown (empty if it is not
    shown)."""
    turn, name = where.removeprefix("message:"), where.removeprefix("document:")
    if item is not None and turn != where and turn.isdecimal() and 0 < int(turn) <= len(item.messages):
        return f"earlier message {turn}", "t"
    if item is None or name == where:
        return where.replace("_", " "), {"argument": "a", "second_argument": "b"}.get(where, "")
    for number, document in enumerate(item.documents[:DOCUMENTS], start=1):
        if document.id == name:
            return f"document {number} ({name})", f"d{number}"
    return where, ""


PREFERRED = {"first": "1st", "second": "2nd", "tie": "tie"}
"""Which of two arguments is better, for a narrow cell."""
BETTER = {"first": "first argument better", "tie": "tie", "second": "second argument better"}
"""The same in words."""
GAP = "gap-cell"
LEVELS = 10
"""Steps of the color scale above 0: a value v has level round(10 v)."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of a table on the report page.

    ``shade`` is its color class in ``page.css`` (:data:`GAP`: no color), ``title`` its tooltip, ``target``
    its link. ``verdict`` is one of :data:`VERDICTS` where the cell is a verdict on a citation.
    """

    text: str
    shade: str = GAP
    title: str = ""
    target: str = ""
    verdict: str = ""


def level(value: float) -> int:
    """Return the step on the color scale, 0 to 10, for a value in [0, 1]."""
    return min(max(round(value * LEVELS), 0), LEVELS)


def cell(value: float | None, text: str = "", title: str = "", *, lower_is_better: bool = False) -> Cell:
    """Return a cell in the value's color, with ``text``, or else the value to two decimals, or a dash for
    None. The color is dark where the value is good.
    """
    shade = GAP if value is None else f"l{level(1 - value if lower_is_better else value)}"
    return Cell(text or words.item_score(value), shade, title)


def _measure_cell(measure: Measure, *, lower_is_better: bool) -> Cell:
    """A measure as one cell: its score with its verdict; a dash and the reason where it has none."""
    if measure.value is None:
        return cell(None, title=f"{measure.status.value}: {words.reason(measure.reason)}")
    verdict = PREFERRED.get(measure.label or "", "")
    title = f"score {words.item_score(measure.value)}" if verdict else ""
    return cell(measure.value, verdict, title, lower_is_better=lower_is_better)


def _why(part: Part) -> str:
    """The explanation of a part, or else the probabilities behind it."""
    return part.explanation or words.probabilities(part.distribution)


def _part_cell(part: Part) -> Cell:
    """A part as one rating: its label, else its rating, else its value."""
    value_text = "" if part.value is None else words.item_score(part.value)
    label = (part.label or "").replace("_", " ")
    return cell(part.value, cut(label, 60) or words.rating(part.raw), value_text)


PART_LIMIT = 400
"""Rows of one table on the page; nuggets are 20, criteria 6, and an argument has as many citations as it has."""

_PAIR = re.compile(r"sentence ([0-9]{1,6}), document ([0-9]{1,6})\Z")

KINDS = {
    "sentence": "Citations",
    "criterion": "Criteria",
    "nugget": "Nuggets",
    "claim": "Claims",
    "part of the question": "Parts of the question",
    "sub-narrative": "Sub-narratives",
}
"""What a table of parts is called."""

OF_QUESTION = ("completeness", "context_sufficiency")
"""Metrics whose parts are those of the question."""
WEIGHT = ", weight "
"""What stands in the label of a rubric's criterion between what was found and its weight."""
VERDICTS = {"supports": "supports", "contradicts": "contradicts", "silent": "says nothing"}


def _rates_documents(measure: Measure, item: Item | None) -> bool:
    """Whether the parts of ``measure`` are the item's documents."""
    if item is None or not measure.parts:
        return False
    identifier = attrgetter("id")
    return {*map(identifier, item.documents)} >= {*map(identifier, measure.parts)}


def tables(judgment: Judgment, item: Item | None) -> Iterator[View]:
    """Yield the tables of a judgment: its citation verdicts, and one for all metrics that rate the same
    parts.

    Each has a ``kind``, one of :data:`KINDS`, and rows with a name, a cell for each column and an
    explanation.
    """
    if verdicts := _verdicts(judgment):
        yield _table("sentence", ("Document", "Verdict"), list(_verdict_rows(verdicts, item)))
    groups: dict[tuple[str, ...], dict[str, Measure]] = {}
    for metric, measure in judgment.measures.items():
        if measure.parts and not _rates_documents(measure, item) and not _PAIR.match(measure.parts[0].id):
            groups.setdefault(tuple(part.id for part in measure.parts), {})[words.label(metric)] = measure
    for group in groups.values():
        together = list(zip(*(measure.parts for measure in group.values()), strict=True))
        kind = _kind(judgment.format, group)
        if judgment.format == "rubric":
            yield _table(kind, ("Found", "Weight"), [_weighed(parts[0]) for parts in together])
            continue
        rows = [
            _row(
                words.label(parts[0].id) if kind == "criterion" else parts[0].id,
                map(_part_cell, parts),
                parts,
            )
            for parts in together
        ]
        columns = tuple(group)
        given = {} if item is None else {nugget.text: nugget.importance or "–" for nugget in item.nuggets}
        if kind == "nugget" and given and all(row.name in given for row in rows):
            for row in rows:
                row.cells = (Cell(given[row.name]), *row.cells)
            columns = ("Importance", *columns)
        yield _table(kind, columns, rows)


def _kind(judge_format: str, metrics: Collection[str]) -> str:
    """Return what the parts are that these metrics, given by their labels, rate together, such as "criterion"
    or "nugget".
    """
    if judge_format in ("static-rubric", "rubric"):
        return "criterion"
    if set(metrics) == {words.label(BY_SUB_NARRATIVE)}:
        return "sub-narrative"
    if "nugget" in judge_format or "rubric" in judge_format:
        return "nugget"
    return "part of the question" if {*map(words.label, OF_QUESTION)}.issuperset(metrics) else "claim"


def _weighed(part: Part) -> View:
    """Return the row of a criterion of a rubric: what was found, and its weight. A fault that points are
    taken for has the color of what is left of them.
    """
    verdict, _, weight = (part.label or "").partition(WEIGHT)
    value = part.value
    if value is not None and weight.startswith("-"):
        value = 1 - value
    found = Cell(cut(verdict, 60), cell(value).shade)
    return _row(part.id, (found, Cell(weight, verdict="none")), [part])


def _table(kind: str, columns: tuple[str, ...], rows: list[View]) -> View:
    shown, omitted = tuple(rows[:PART_LIMIT]), max(len(rows) - PART_LIMIT, 0)
    return View(kind=kind, columns=columns, rows=shown, omitted=omitted)


def _row(name: str, cells: Iterable[Cell], parts: Sequence[Part]) -> View:
    explanation = " / ".join(dict.fromkeys(why for part in parts if (why := _why(part))))
    return View(name=cut(name, 1000), cells=tuple(cells), explanation=cut(explanation, 2000))


def _verdict_rows(verdicts: Iterable[tuple[Part, tuple[int, int]]], item: Item | None) -> Iterator[View]:
    """Yield a table row for each verdict on a citation, in order: the sentence, the cited document and the
    verdict.
    """
    texts = [span.text for span in sentences(item.argument)] if item is not None and item.argument else []
    documents = len(item.documents) if item is not None else 0
    for part, (sentence, document) in verdicts:
        text = texts[sentence - 1] if 1 <= sentence <= len(texts) else f"sentence {sentence}"
        cited = Cell(f"[{document}]", target=f"d{document}" if 1 <= document <= documents else "")
        verdict_text = VERDICTS.get(part.label or "", cut(part.label or "no verdict", 60))
        verdict_cell = Cell(verdict_text, verdict=part.label if part.label in VERDICTS else "none")
        yield _row(text, (cited, verdict_cell), [part])


def _citation_verdicts(
    verdicts: Iterable[tuple[Part, tuple[int, int]]], argument: str
) -> Callable[[int, int], str]:
    """Return a function that gives the verdict on a citation; an empty text if there is none.

    The function takes the place of the mark in the argument, and the number of the document that it cites.
    """
    labels = {place: part.label for part, place in verdicts if part.label in VERDICTS}
    starts = [span.start for span in sentences(argument)]
    return lambda start, document: labels.get((bisect_right(starts, start), document)) or ""


def _verdicts(judgment: Judgment) -> list[tuple[Part, tuple[int, int]]]:
    """Return the verdicts on citations, each with the numbers of its sentence and its document, from 1."""
    verdicts = []
    for measure in judgment.measures.values():
        for part in measure.parts:
            if pair := _PAIR.match(part.id):
                place = (int(pair[1]), int(pair[2]))
                verdicts.append((part, place))
    return verdicts
