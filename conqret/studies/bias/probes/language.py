"""Does the language of a text count? Translations of an item must get its scores.

Which items are translations of each other their metadata say: all that have the same ``translation_of`` (or the id of
the item that they were translated from), in different languages.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from conqret.data import Item
from conqret.data.item import TRANSLATION_OF
from conqret.judging.conversation import ENGLISH
from conqret.studies.bias.contrast import AS_IS, Contrast, NotAskedError, Probe, ProbeContext, VersionPair
from conqret.text.language import item_language
from conqret.text.language_names import NAMES

NAME = "language"
NOT_TIED = (
    f"no two items are translations of each other: give those that are the same metadata.{TRANSLATION_OF}, and each "
    "its language; or have a model translate them: conqret generate translations"
)


def translations(items: Sequence[Item]) -> list[dict[str, Item]]:
    """The items that are there in several languages, each by its languages; the first of a language counts."""
    tied: dict[str, dict[str, Item]] = {}
    for item in items:
        if language := item_language(item):
            tied.setdefault(item.translation_of or item.id, {}).setdefault(language, item)
    return [versions for versions in tied.values() if len(versions) > 1]


def reference_language(tied: Sequence[dict[str, Item]]) -> str:
    """The language that most items are there in; of several English, else the first in the alphabet."""
    counts = Counter(language for versions in tied for language in versions)
    return min(counts, key=lambda language: (-counts[language], language != ENGLISH, language))


def contrasts(ground: ProbeContext) -> Sequence[Contrast]:
    """One a language: each item's version in it, minus the one in the reference language.

    Raises:
        NotAskedError: no items are tied.
    """
    tied = translations(ground.items)
    if not tied:
        raise NotAskedError(NOT_TIED)
    reference = reference_language(tied)
    others = {language for versions in tied for language in versions} - {reference}
    made = [
        _contrast(ground, tied, reference, language)
        for language in sorted(others, key=lambda code: NAMES.get(code, code))
    ]
    return [contrast for contrast in made if contrast.pairs]


def _contrast(
    ground: ProbeContext, tied: Sequence[dict[str, Item]], reference: str, language: str
) -> Contrast:
    both = [versions for versions in tied if {reference, language} <= versions.keys()]
    name, original = NAMES.get(language, language), NAMES.get(reference, reference)
    return Contrast(
        name=f"the text in {name}",
        adverse="any",
        up=f"higher in {name} than in {original}",
        metrics=ground.metrics,
        pairs=tuple(
            VersionPair(
                (AS_IS, versions[reference].id), (AS_IS, versions[language].id), versions[reference].topic
            )
            for versions in both
        ),
        versions={AS_IS: ground.items},
        against=f"with the text in {original}",
        probe=f"{NAME} ({name})",
    )


PROBE = Probe(
    name=NAME,
    contrasts=contrasts,
    compares="translations of the same item (metadata.translation_of ties them), a row a language",
    finds="any difference",
    advice="compare and rank texts of one language only, or try another model",
    default=False,
)
