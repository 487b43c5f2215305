"""Probes that change the request: the order of arguments or dimensions, a repetition, other words, the question
reversed, another language; and which of two arguments wins."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace

from conqret.data import Item
from conqret.data.item import TRANSLATION_OF
from conqret.errors import number
from conqret.judging.instrument import ENGLISH
from conqret.judging.scales import swap_item
from conqret.perturb import LanguageError
from conqret.perturb.perturbation import ANSWER, QUALITY
from conqret.perturb.versions import counted_reasons
from conqret.studies.bias.contrast import (
    AGAIN,
    AS_IS,
    NO_QUALITY,
    ONE_ORDER,
    PREFERENCE,
    REPEATS,
    REVERSED,
    TEXTS,
    Contrast,
    JudgedVersion,
    ProbeContext,
    ProbeUnavailableError,
    VersionPair,
    own_contrast,
    own_probe,
    paired,
)
from conqret.text.language import NAMES, is_english, item_language
from conqret.text.words import count_words

SWAPPED = "+swapped"


def both_orders(context: ProbeContext) -> Iterator[Contrast]:
    """Yield the contrast of each pair of arguments judged in both orders (Zheng et al. 2023, section 3.3).

    With the preference v in {0, 0.5, 1} for the first place, the effect is the mean of ``v(given) +
    v(swapped) - 1``. It is 1 if the first place always wins, -1 if the second does, and 0 if verdicts follow
    the arguments.

    Raises:
        ProbeUnavailableError: the judge states no preference, or no item has two arguments.
    """
    context.check_preference()
    items = [item for item in context.items if _paired(item)]
    if not items:
        raise ProbeUnavailableError("no item has two arguments")
    contrast = own_contrast("position", metrics=(PREFERENCE,), pairs=())
    yield _turned(contrast, [(item, item.topic, "") for item in items])


def in_every_version(contrasts: Sequence[Contrast], swaying: Collection[str]) -> list[Contrast]:
    """Extend position contrasts to all versions of the items that other probes judge with the usual request.

    This makes the estimate more precise; versions are judged anyway. Changed versions of the probes in
    ``swaying`` are left out, but not their controls.
    """
    further: dict[str, tuple[Item, str, str]] = {}
    for contrast in contrasts:
        for pair in contrast.pairs:
            for version in (pair.base,) if contrast.probe in swaying else (pair.base, pair.changed):
                if version.variant == AS_IS and _paired(version.item):
                    further.setdefault(version.item.id, (version.item, pair.cluster, pair.original))
    return [
        _turned(contrast, further.values()) if contrast.mirrored and not contrast.observed else contrast
        for contrast in contrasts
    ]


def _paired(item: Item) -> bool:
    return bool(item.argument and item.second_argument)


def _turned(contrast: Contrast, versions: Iterable[tuple[Item, str, str]]) -> Contrast:
    """Return the contrast with ``versions`` (item, topic, id of the original item) added, each in both orders of its
    arguments; those that it already has are left out."""
    known = {pair.base.item.id for pair in contrast.pairs}
    pairs = []
    for item, topic, original in versions:
        if item.id not in known:
            swapped = swap_item(item).model_copy(update={"id": f"{item.id}{SWAPPED}"})
            pairs.append(
                VersionPair(
                    JudgedVersion(ONE_ORDER, item), JudgedVersion(ONE_ORDER, swapped), topic, original
                )
            )
    note = f"{contrast.probe}: {number(len(pairs), 'version')} of pairs by other probes count, too"
    notes = (*contrast.notes, note) if known and pairs else contrast.notes
    return replace(contrast, pairs=(*contrast.pairs, *pairs), notes=notes)


POSITION = own_probe("position", both_orders)
"""Does the place of an argument decide which of two is preferred?

Formats that state a preference request both orders and call a flip a tie. This probe compares the two responses: the
requests are the same, so recordings have them. Items changed by other probes are judged in both orders, too, and count
as further pairs."""


def first_places(context: ProbeContext) -> Iterator[Contrast]:
    """Yield the observed contrast of how often the first argument wins: the mean of ``2 v - 1``, with v its
    preference.

    Raises:
        ProbeUnavailableError: the judge states no preference, or every pair was judged in both orders.
    """
    context.check_preference()
    log = context.log
    single = [item for item in context.items if log is None or not log.times(swap_item(item))]
    if not single:
        raise ProbeUnavailableError(
            "every pair was judged in both orders: the probe position is more informative"
        )
    yield own_contrast("first place", metrics=(PREFERENCE,), pairs=_verdicts(single, ONE_ORDER))


FIRST_PLACE = own_probe("first place", first_places)
"""How often does the first place win, where each pair was judged in one order only?"""


def longer_arguments(context: ProbeContext) -> Iterator[Contrast]:
    """Yield the observed contrast of how often the longer argument wins: the mean of ``2 v - 1``, with v
    its preference.

    Raises:
        ProbeUnavailableError: the judge states no preference, or all arguments are equally long.
    """
    context.check_preference()
    longer = {
        item.id: count_words(item.argument or "") - count_words(item.second_argument or "")
        for item in context.items
    }
    uneven = [item for item in context.items if longer[item.id]]
    if not uneven:
        raise ProbeUnavailableError("no pair has arguments of different lengths")
    turned = frozenset(name for name, more in longer.items() if more < 0)
    pairs = _verdicts(uneven, AS_IS)
    yield own_contrast("longer argument", metrics=(PREFERENCE,), pairs=pairs, turned=turned)


LONGER_ARGUMENT = own_probe("longer argument", longer_arguments)
"""How often does the longer of two arguments win?"""


def reversed_dimensions(context: ProbeContext) -> Iterator[Contrast]:
    """Yield the contrast of the dimensions of argument quality in reversed and in given order (ConQRet,
    Table 13).

    Raises:
        ProbeUnavailableError: no prompt of this judge has several dimensions.
    """
    judge_prompts = context.setup.judge.select(context.setup.options.metrics)
    together = [
        metric for ask in judge_prompts if len(set(ask.metrics) & set(QUALITY)) > 1 for metric in ask.metrics
    ]
    several = [metric for metric in together if metric in QUALITY]
    metrics = context.select_metrics(several, "no question of this judge asks for several dimensions")
    pairs = [
        VersionPair(JudgedVersion(AS_IS, item), JudgedVersion(REVERSED, item), item.topic)
        for item in context.items
    ]
    yield own_contrast("dimension order", metrics=metrics, pairs=tuple(pairs))


DIMENSION_ORDER = own_probe("dimension order", reversed_dimensions)
"""Does the order matter in which dimensions are requested?"""


def _verdicts(items: Iterable[Item], variant: str) -> tuple[VersionPair, ...]:
    """Return the judgments of ``items`` with this variant of the request, each as base and as changed version."""
    versions = [JudgedVersion(variant, item) for item in items]
    return tuple(VersionPair(version, version, version.item.topic) for version in versions)


FURTHER = tuple(f"{AGAIN} {number}" for number in range(1, REPEATS))
"""The variants of a request's further samples."""


def repeated_requests(context: ProbeContext) -> Iterator[Contrast]:
    """Yield the contrast of each further sample and the first one. It is a measurement and raises no alarm."""
    pairs = [
        VersionPair(JudgedVersion(AS_IS, item), JudgedVersion(variant, item), item.topic)
        for item in context.items
        for variant in FURTHER
    ]
    yield own_contrast("repeatability", metrics=context.metrics, pairs=tuple(pairs))


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


def other_wordings(context: ProbeContext) -> Iterator[Contrast]:
    """Yield the contrast of paraphrased and original questions, relative to repeated requests.

    Each item gets as many paraphrases, drawn by seed, as there are repetitions. With the base score b, a
    paraphrase's score w and a repetition's score r, the effect is the mean of ``|w - b| - |r - b|``. Where
    the wording does not matter, either sign is equally likely.

    Raises:
        ProbeUnavailableError: no item is in English.
    """
    pairs = []
    items, notes = in_english(context, "wording")
    for item in items:
        drawn = random.Random(f"{context.seed}/wording/{item.id}").sample(TEMPLATES, len(FURTHER))
        for nth, (variant, template) in enumerate(zip(FURTHER, drawn, strict=True), start=1):
            topic = template.format(topic=item.topic)
            other = item.model_copy(update={"id": f"{item.id}+wording-{nth}", "topic": topic})
            base, again = JudgedVersion(AS_IS, item), JudgedVersion(variant, item)
            pairs.append(VersionPair(base, JudgedVersion(AS_IS, other), item.topic, again=again))
    yield own_contrast("wording", metrics=context.metrics, pairs=tuple(pairs), notes=notes)


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


def yes_and_no_questions(context: ProbeContext) -> Iterator[Contrast]:
    """Yield the contrast of each argument under a question that it answers with yes, minus under one that it answers
    with no.

    Raises:
        ProbeUnavailableError: no English item with an argument states its stance, or the judge has no metric
            of arguments.
    """
    english, notes = in_english(context, "yes-bias")
    items = [item for item in english if item.argument and item.stance in YES]
    if not items:
        raise ProbeUnavailableError("no item with an argument states its stance")
    metrics = context.select_metrics((PREFERENCE, *QUALITY, *ANSWER), NO_QUALITY)
    says_no = [turned(item, NO[item.stance], "con") for item in items]
    says_yes = [turned(item, YES[item.stance], "pro") for item in items]
    pairs = tuple(
        replace(pair, cluster=item.topic, item=item.id)
        for item, pair in zip(items, paired(says_no, says_yes), strict=True)
    )
    yield own_contrast("yes-bias", metrics=metrics, pairs=pairs, notes=notes)


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


def language_contrasts(context: ProbeContext) -> Iterator[Contrast]:
    """Yield one contrast for each language: the version of an item in it minus that in the reference
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
    original = NAMES.get(reference, reference)
    names = {code: NAMES.get(code, code) for code in counts.keys() - {reference}}
    for code, name in sorted(names.items(), key=lambda pair: pair[1]):
        both = [versions for versions in tied if {reference, code} <= versions.keys()]
        bases, others = ([versions[one] for versions in both] for one in (reference, code))
        if both:
            yield Contrast(
                name=f"the text in {name}",
                adverse="any",
                up=f"higher in {name} than in {original}",
                metrics=context.metrics,
                pairs=paired(bases, others),
                against=f"with the text in {original}",
                probe=f"{LANGUAGE_NAME} ({name})",
            )


LANGUAGE = own_probe(LANGUAGE_NAME, language_contrasts)
"""Does the language of a text count? Translations of an item must get its scores.

Which items are translations of each other their metadata say: all that have the same ``translation_of`` (or the id of
the item that they were translated from), in different languages."""

PROBES = (
    *(POSITION, FIRST_PLACE, LONGER_ARGUMENT, DIMENSION_ORDER),
    *(REPEATABILITY, WORDING, YES_BIAS, LANGUAGE),
)
