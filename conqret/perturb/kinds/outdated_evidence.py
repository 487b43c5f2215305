"""Outdated evidence: documents of long ago, and an argument that cites them as they are."""

from __future__ import annotations

import re

from conqret.data import Document
from conqret.perturb.expectations import ANSWER, PREFERENCE, QUALITY, RELEVANCE, expect
from conqret.perturb.perturbation import Change, Draw, Perturbation, PerturbedItem
from conqret.perturb.sentence_edits import replace_sentences, split, split_close
from conqret.text.citations import MARK, citations

YEARS_BACK = 40
"""Long enough for figures on any question of the day to have changed."""

UNDATED = 2020
"""The year that a document is taken to be of, where it names none."""

SUFFERS = ("local_acceptability", "local_sufficiency", "overall_quality")

_year = re.compile(rf"{MARK}|(?<![\d.,])(?P<year>(?:19|20)[0-9]{{2}})(?!\d|[.,]\d)")


def change(draw: Draw) -> PerturbedItem:
    """A share of the documents and the sentences that cite them, with all years so much earlier, and a date.

    What the argument says still stands in its documents; only it was so long ago.
    """
    documents = list(draw.item.documents)
    places = draw.share(range(len(documents)))
    dates = {place + 1: _latest(documents[place]) - YEARS_BACK for place in places}
    for number, year in dates.items():
        old = documents[number - 1]
        text = f"{published(year, draw)}\n\n{earlier(old.text)}"
        documents[number - 1] = old.model_copy(update={"text": text, "title": earlier(old.title)})
    argument = draw.item.argument or ""
    sentences, new = split(argument), {}
    for place, span in enumerate(sentences, start=1):
        cited = citations(span.text)
        years = [year for number, year in dates.items() if number in cited]
        if years:
            body, close = split_close(span.text)
            moved = earlier(body)
            dated = f" ({years[0]})" if draw.language else f", as of {years[0]}"
            new[place] = (moved if moved != body else f"{body.rstrip(' ,;:')}{dated}") + close
    changes = [
        Change(where=f"document {number}", kind="dated back", after=published(year, draw))
        for number, year in sorted(dates.items())
    ]
    changes += [
        Change(where=f"argument sentence {n}", kind="dated back", before=sentences[n - 1].text, after=after)
        for n, after in new.items()
    ]
    update = {"documents": tuple(documents), "argument": replace_sentences(argument, new)}
    return PerturbedItem(update, tuple(changes), 100 * len(places) / len(documents))


def published(year: int, draw: Draw) -> str:
    """The line that dates a document; in another language than English the year alone."""
    return f"({year})" if draw.language else f"Published in {year}."


def earlier(text: str) -> str:
    """``text`` with every year from 1900 on so much earlier; citations stay."""

    def moved(match: re.Match[str]) -> str:
        return str(int(match["year"]) - YEARS_BACK) if match["year"] else match.group()

    return _year.sub(moved, text)


def _latest(document: Document) -> int:
    """The latest year that a document names."""
    years = [int(match["year"]) for match in _year.finditer(document.text) if match["year"]]
    return max(years, default=UNDATED)


PERTURBATION = Perturbation(
    name="outdated-evidence",
    summary=f"documents, and what cites them, dated back by {YEARS_BACK} years",
    unit="percent of the documents",
    levels=(0, 50, 100),
    expects=expect(
        fall=SUFFERS,
        unchanged=ANSWER,
        no_rise=(*RELEVANCE, *[name for name in QUALITY if name not in SUFFERS], *PREFERENCE),
    ),
    needs=frozenset({"argument", "documents"}),
    source="own; acceptability and sufficiency as in Wachsmuth et al. 2017",
    change=change,
)
