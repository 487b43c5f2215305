"""Whether an index stems the language of its documents."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from conqret.retrieval.collection import collection_of
from conqret.retrieval.engines.bm25s import LANGUAGES
from conqret.text.language import language_of
from conqret.text.language_names import NAMES, language_code

LOOKED_AT = 200
"""Documents of whose language a note tells: the first of the corpus."""
_OF_ENGLISH = ("porter2", "krovetz")


def languages_beside(corpus: Path, stemmer: str | None) -> Iterator[str]:
    """What is to be said where most documents are in another language than the ``stemmer`` stems; None: none stems."""
    stems = "en" if stemmer in _OF_ENGLISH else language_code(stemmer or "")
    if not stems:
        return
    counts = Counter(
        document.language or language_of(document.whole, model=False)
        for document in islice(collection_of(corpus).documents(), LOOKED_AT)
    )
    (language, count), *_ = counts.most_common(1)
    if language in ("", stems) or 2 * count <= counts.total():
        return
    name = NAMES.get(language, language)
    better = name.lower() if name.lower() in LANGUAGES else "none"
    yield (
        f"{count} of the first {counts.total()} documents are in {name}, and {stemmer} stems {NAMES[stems]}: "
        f"--engine bm25s --stemmer {better} --stopwords none"
    )
