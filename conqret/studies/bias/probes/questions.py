"""Probes that repeat the request: unchanged, in other words, with the question reversed, or in another language."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence

from conqret.data import Item
from conqret.data.item import TRANSLATION_OF
from conqret.errors import number
from conqret.judging.instrument import ENGLISH
from conqret.perturb import LanguageError
from conqret.perturb.perturbation import ANSWER, PREFERENCE, QUALITY
from conqret.perturb.versions import counted_reasons
from conqret.studies.bias.contrast import (
    AGAIN,
    AS_IS,
    NO_QUALITY,
    TEXTS,
    Contrast,
    ProbeContext,
    ProbeUnavailableError,
    VersionPair,
    own_contrast,
    own_probe,
    paired,
)
from conqret.text.language import NAMES, is_english, item_language


def repeated_requests(context: ProbeContext) -> Sequence[Contrast]:
    """Return the contrast of each further sample and the first one. It is a measurement and raises no alarm.

    Raises:
        ProbeUnavailableError: fewer than two samples are requested.
    """
    if context.repeats < 2:
        raise ProbeUnavailableError("repeatability needs at least two samples")
    further = [f"{AGAIN} {number}" for number in range(1, context.repeats)]
    pairs = [
        VersionPair((AS_IS, item.id), (variant, item.id), item.topic)
        for item in context.items
        for variant in further
    ]
    return (
        Contrast(
            name=f"the same request {context.repeats} times",
            adverse="none",
            up="later samples are higher",
            metrics=context.metrics,
            pairs=tuple(pairs),
            versions={AS_IS: context.items, **dict.fromkeys(further, context.items)},
        ),
    )


REPEATABILITY = own_probe("repeatability", repeated_requests)
"""Does the judge repeat itself? The very same request, several times."""


def in_english(context: ProbeContext, name: str) -> tuple[tuple[Item, ...], tuple[str, ...]]:
    """Return the items in English, and a note on how many others are left out, for a probe with English
    words only.

    Raises:
        ProbeUnavailableError: every item is in another language.
    """
    items = tuple(item for item in context.items if is_english(item_language(item)))
    out = [str(LanguageError(item.id, item, name)) for item in context.items if item not in items]
    if not items and out:
        raise ProbeUnavailableError(f"no item can be changed: {counted_reasons(out)}")
    note = f"{name}: {number(len(out), 'item')} cannot be changed ({counted_reasons(out)})" if out else ""
    return items, tuple(filter(None, (note,)))


TEMPLATES: Sequence[str] = TEXTS["wording"]["templates"]
"""Wordings of the same question, for every topic."""


def other_wordings(context: ProbeContext) -> Sequence[Contrast]:
    """Return the contrast of paraphrased and original questions, relative to repeated requests.

    Each item gets as many paraphrases, drawn by seed, as there are repetitions. With the base score b, a
    paraphrase's score w and a repetition's score r, the effect is the mean of ``|w - b| - |r - b|``. Where
    the wording does not matter, either sign is equally likely.

    Raises:
        ProbeUnavailableError: the request is not repeated, or no item is in English.
    """
    if context.repeats < 2:
        raise ProbeUnavailableError(
            "the judge's noise is known from repeated requests alone: give two samples or more"
        )
    pairs, worded = [], []
    further = [f"{AGAIN} {number}" for number in range(1, min(context.repeats, len(TEMPLATES) + 1))]
    items, notes = in_english(context, "wording")
    for item in items:
        drawn = random.Random(f"{context.seed}/wording/{item.id}").sample(TEMPLATES, len(further))
        for nth, (variant, template) in enumerate(zip(further, drawn, strict=True), start=1):
            topic = template.format(topic=item.topic)
            other = item.model_copy(update={"id": f"{item.id}+wording-{nth}", "topic": topic})
            worded.append(other)
            pairs.append(
                VersionPair((AS_IS, item.id), (AS_IS, other.id), item.topic, again=(variant, item.id))
            )
    return (
        own_contrast(
            "wording",
            metrics=context.metrics,
            pairs=tuple(pairs),
            versions={AS_IS: (*items, *worded), **dict.fromkeys(further, items)},
            notes=notes,
        ),
    )


WORDING = own_probe("wording", other_wordings)
"""Does another wording of the same question change the score more than a repetition does?"""

YES_NO_QUESTION = 'Would it be right to say "{answer}" to this: {topic}'
"""The question in both ways has the same words but one, so neither is the harder to read."""

YES = {"pro": "yes", "con": "no"}
NO = {"pro": "no", "con": "yes"}
"""The answer in the question that an argument of this stance agrees with, or disagrees."""


def turned(item: Item, answer: str, stance: str) -> Item:
    """Return the item with a question under which its argument answers ``answer``, which has ``stance``
    there.
    """
    topic = YES_NO_QUESTION.format(answer=answer, topic=item.topic)
    return item.model_copy(update={"id": f"{item.id}+says-{stance}", "topic": topic, "stance": stance})


def yes_and_no_questions(context: ProbeContext) -> Sequence[Contrast]:
    """Return the contrast of each argument under a question that it answers with yes and with no.

    Raises:
        ProbeUnavailableError: no English item with an argument states its stance, or the judge has no metric
            of arguments.
    """
    english, notes = in_english(context, "yes-bias")
    items = [item for item in english if item.argument and item.stance in YES]
    if not items:
        raise ProbeUnavailableError("no item with an argument states its stance")
    metrics = context.select_metrics((*PREFERENCE, *QUALITY, *ANSWER), NO_QUALITY)
    says_no = [turned(item, NO[item.stance], "con") for item in items]
    says_yes = [turned(item, YES[item.stance], "pro") for item in items]
    return (
        own_contrast(
            "yes-bias",
            metrics=metrics,
            pairs=tuple(
                VersionPair((AS_IS, no.id), (AS_IS, yes.id), item.topic, item.id)
                for item, no, yes in zip(items, says_no, says_yes, strict=True)
            ),
            versions={AS_IS: (*says_no, *says_yes)},
            notes=notes,
        ),
    )


YES_BIAS = own_probe("yes-bias", yes_and_no_questions)
"""Is the side favored that says yes? The question is reversed, and the argument stays."""

LANGUAGE_NAME = "language"
NOT_TIED = (
    f"no two items are translations of each other: give those that are the same metadata.{TRANSLATION_OF}, and each "
    "its language; or have a model translate them: conqret generate translations"
)


def translations(items: Sequence[Item]) -> list[dict[str, Item]]:
    """Return the versions of each item that exists in several languages, by language.

    The first version in a language counts.
    """
    tied: dict[str, dict[str, Item]] = {}
    for item in items:
        if language := item_language(item):
            tied.setdefault(item.translation_of or item.id, {}).setdefault(language, item)
    return [versions for versions in tied.values() if len(versions) > 1]


def language_contrasts(context: ProbeContext) -> Sequence[Contrast]:
    """Return one contrast for each language: the version of an item in it minus that in the reference
    language.

    The reference language is that of most items; among equals English, else the first by code.

    Raises:
        ProbeUnavailableError: no items are translations of each other.
    """
    tied = translations(context.items)
    if not tied:
        raise ProbeUnavailableError(NOT_TIED)
    counts = Counter(language for versions in tied for language in versions)
    reference = min(counts, key=lambda language: (-counts[language], language != ENGLISH, language))
    codes = sorted(counts.keys() - {reference}, key=lambda code: NAMES.get(code, code))
    made = [_contrast(context, tied, reference, language) for language in codes]
    return [contrast for contrast in made if contrast.pairs]


def _contrast(
    context: ProbeContext, tied: Sequence[dict[str, Item]], reference: str, language: str
) -> Contrast:
    both = [versions for versions in tied if {reference, language} <= versions.keys()]
    name, original = NAMES.get(language, language), NAMES.get(reference, reference)
    bases, others = ([versions[one] for versions in both] for one in (reference, language))
    return Contrast(
        name=f"the text in {name}",
        adverse="any",
        up=f"higher in {name} than in {original}",
        metrics=context.metrics,
        pairs=paired(bases, others),
        versions={AS_IS: context.items},
        against=f"with the text in {original}",
        probe=f"{LANGUAGE_NAME} ({name})",
    )


LANGUAGE = own_probe(LANGUAGE_NAME, language_contrasts)
"""Does the language of a text count? Translations of an item must get its scores.

Which items are translations of each other their metadata say: all that have the same ``translation_of`` (or the id of
the item that they were translated from), in different languages."""

PROBES = (REPEATABILITY, WORDING, YES_BIAS, LANGUAGE)
