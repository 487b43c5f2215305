"""Perturbations of documents: replaced by those of other topics (ConQRet, section 6.2), in another order
with citations renumbered so that each still points to the same document, or dated back with the
argument that cites them.
"""

from __future__ import annotations

import re

from conqret.errors import number
from conqret.perturb import Change, InapplicableError, Perturbation, UnreachedError, expect
from conqret.perturb.perturbation import (
    ANSWER,
    CORRECTNESS,
    EVERYTHING,
    FAITHFULNESS,
    GROUNDING,
    QUALITY,
    RECALL,
    RELEVANCE,
    Draw,
    PerturbedItem,
)
from conqret.perturb.sentence_edits import rewrite_sentences, split, split_close
from conqret.text.citations import MARK, citations, replace_marks
from conqret.text.language import NAMES


def replaced(draw: Draw) -> PerturbedItem:
    """Replace a share of the documents by documents of other topics; the level is a percentage. Citations
    stay and thus become wrong.

    Raises:
        UnreachedError: the pool has too few documents.
    """
    documents = list(draw.item.documents)
    places = draw.share(range(len(documents)))
    others = draw.materials.pool.draw(draw.item, len(places), draw.rng("pool"))
    if len(others) < len(places):
        in_language = f" in {NAMES.get(draw.language, draw.language)}" if draw.language else ""
        are = "is" if len(places) == 1 else "are"
        raise UnreachedError(
            f"item {draw.original}: {number(len(places), 'document')} of other topics {are} "
            f"needed, and the pool has {len(others) or 'none'}{in_language}; give a larger one with --pool"
        )
    changes = tuple(
        Change(where=f"document {place + 1}", kind="replaced", before=documents[place].id, after=other.id)
        for place, other in zip(places, others, strict=True)
    )
    for place, other in zip(places, others, strict=True):
        documents[place] = other
    return PerturbedItem({"documents": tuple(documents)}, changes, 100 * len(places) / len(documents))


IRRELEVANT = Perturbation(
    name="irrelevant",
    summary="documents replaced in place by documents of other topics; citations untouched",
    unit="percent of the documents",
    levels=(0, 10, 20, 50, 70, 100),
    expects=expect(
        fall=(*RELEVANCE, *RECALL, *GROUNDING, *FAITHFULNESS, "second.groundedness"),
        unchanged=(*ANSWER, *CORRECTNESS, "second.answer_relevance"),
        no_rise=QUALITY,
    ),
    needs=frozenset({"documents"}),
    source="ConQRet, section 6.2, Tables 7, 15 to 17",
    change=replaced,
    pool=True,
)


def shuffled(draw: Draw) -> PerturbedItem:
    """Exchange the positions of a share of the documents (two at least; the level is a percentage), and
    renumber the citations accordingly.

    Raises:
        InapplicableError: the item has fewer than two documents.
    """
    item = draw.item
    total = len(item.documents)
    if total < 2:
        raise InapplicableError(f"item {draw.original}: one document cannot be shuffled")
    places = draw.ordered(range(total))[: max(2, draw.count(total))]
    documents, moved = list(item.documents), {}
    for place, target in zip(places, [*places[1:], places[0]], strict=True):
        documents[target] = item.documents[place]
        moved[place + 1] = target + 1

    def renumbered(text: str | None) -> str | None:
        return text and replace_marks(text, lambda _, cited: [moved.get(number, number) for number in cited])

    return PerturbedItem(
        {
            "documents": tuple(documents),
            "argument": renumbered(item.argument),
            "second_argument": renumbered(item.second_argument),
        },
        tuple(
            Change(where=f"document {old}", kind="moved", before=str(old), after=str(new))
            for old, new in moved.items()
        ),
        100 * len(places) / total,
    )


SHUFFLE = Perturbation(
    name="shuffle",
    summary="documents change places; citations are renumbered and point to the same documents",
    unit="percent of the documents",
    levels=(0, 50, 100),
    expects=expect(unchanged=EVERYTHING),
    needs=frozenset({"documents"}),
    source="own; order effects as in ConQRet, Table 13, and Liu et al. 2023 (lost in the middle)",
    change=shuffled,
)


YEARS_BACK = 40
"""The years by which dates move: long enough for figures on any question of the day to have changed."""

UNDATED = 2020
"""The year of a document that names none."""

_UNTIMELY = ("local_acceptability", "local_sufficiency", "overall_quality")

_year = re.compile(rf"{MARK}|(?<![\d.,])(?P<year>(?:19|20)[0-9]{{2}})(?!\d|[.,]\d)")


def outdated(draw: Draw) -> PerturbedItem:
    """Make a share of the documents older: their years, and those in sentences that cite them, are moved
    back.

    Each such document gets a date line. The argument is still supported by its documents, but these are
    outdated.
    """
    documents = list(draw.item.documents)
    places = draw.share(range(len(documents)))
    dates = {}
    for place in places:
        years = [int(match["year"]) for match in _year.finditer(documents[place].text) if match["year"]]
        dates[place + 1] = max(years, default=UNDATED) - YEARS_BACK
    for n, year in dates.items():
        old = documents[n - 1]
        text = f"{published(year, draw)}\n\n{earlier(old.text)}"
        documents[n - 1] = old.model_copy(update={"text": text, "title": earlier(old.title)})
    argument = draw.item.argument or ""
    new = {}
    for place, span in enumerate(split(argument), start=1):
        cited = citations(span.text)
        years = [year for n, year in dates.items() if n in cited]
        if years:
            body, close = split_close(span.text)
            moved = earlier(body)
            dated = f" ({years[0]})" if draw.language else f", as of {years[0]}"
            moved = moved if moved != body else f"{body.rstrip(' ,;:')}{dated}"
            new[place] = moved + close, "dated back"
    changes = [
        Change(where=f"document {n}", kind="dated back", after=published(year, draw))
        for n, year in sorted(dates.items())
    ]
    text, dated_sentences = rewrite_sentences(argument, new)
    update = {"documents": tuple(documents), "argument": text}
    return PerturbedItem(update, (*changes, *dated_sentences), 100 * len(places) / len(documents))


def published(year: int, draw: Draw) -> str:
    """Return a line that dates a document; only the year in languages other than English."""
    return f"({year})" if draw.language else f"Published in {year}."


def earlier(text: str) -> str:
    """Return ``text`` with all years from 1900 to 2099 moved back by :data:`YEARS_BACK`; citations stay."""

    return _year.sub(lambda match: str(int(match["year"]) - YEARS_BACK) if match["year"] else match[0], text)


OUTDATED = Perturbation(
    name="outdated-evidence",
    summary=f"documents, and what cites them, dated back by {YEARS_BACK} years",
    unit="percent of the documents",
    levels=(0, 50, 100),
    expects=expect(
        fall=_UNTIMELY,
        unchanged=ANSWER,
        no_rise=(*RELEVANCE, *[name for name in QUALITY if name not in _UNTIMELY], "preference"),
    ),
    needs=frozenset({"argument", "documents"}),
    source="own; acceptability and sufficiency as in Wachsmuth et al. 2017",
    change=outdated,
)

PERTURBATIONS = (IRRELEVANT, SHUFFLE, OUTDATED)
