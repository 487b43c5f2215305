"""The type of a perturbation (:class:`Perturbation`): a named change of an item by a level, a record of
it, and the expected effects; and all perturbations by name.

Levels are nested: what a lower level changes is part of what a higher one changes, because every draw comes
from a generator that is seeded by seed, perturbation and item, and never by the level.
"""

from __future__ import annotations

import math
import random
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, TypeVar

from conqret.data import Item
from conqret.data.digest import text_digest_of
from conqret.data.item import CHANGES, Frozen
from conqret.errors import DeclarationError, metric_name
from conqret.judging.dimensions import DIMENSIONS
from conqret.perturb.document_pool import Pool
from conqret.registry import Registry
from conqret.text.language import NAMES, is_english, item_language

T = TypeVar("T")

SEED = 13
"""The default seed."""

LONGEST_ID = 200
"""The most characters of an id (see :class:`conqret.data.item.Item`)."""

ENGLISH = frozenset({"en"})
"""The languages of rules and texts that exist in English only."""

PERCENT = 100.0
"""The highest level of a perturbation whose levels are percentages."""


class Direction(StrEnum):
    """How a metric of a good judge should change as the perturbation level rises.

    ``NO_RISE`` is for perturbations that a good judge may punish or ignore, but must never reward.
    """

    FALL = "fall"
    RISE = "rise"
    UNCHANGED = "unchanged"
    NO_RISE = "no rise"


class Change(Frozen):
    """One change to an item: its position (``document 3``, ``argument sentence 5``), kind, and content
    before and after.

    What these hold depends on ``kind``: of a replaced document ids, of a moved one positions (from 1), of
    citation marks the cited numbers, else texts. They are empty where nothing was before or is after.
    """

    where: str
    kind: str
    before: str = ""
    after: str = ""


class PerturbationRecord(Frozen):
    """The record of a perturbation of an item.

    ``reached`` is the level after rounding to whole units: 25% of ten sentences is three, which is 30%.
    ``original`` is the id of the unperturbed item.
    """

    name: str
    level: float
    unit: str
    seed: int
    original: str
    reached: float
    changes: tuple[Change, ...] = ()


class InapplicableError(DeclarationError):
    """Raised when an item cannot be perturbed; the message gives the reason."""


CHANGES_NOTHING = "changes nothing in it"


class LanguageError(InapplicableError):
    """Raised when an item cannot be perturbed because there are no rules for its language.

    Attributes:
        language: the item's language, as its ISO 639-1 code.
    """

    def __init__(self, original: str, item: Item, name: str, *, model: bool = False) -> None:
        self.language = item_language(item)
        by_model = "; a model rewrites in any language" if model else ""
        spoken = NAMES.get(self.language, self.language)
        super().__init__(f"item {original}: {name} has no rule for items in {spoken}{by_model}")


class UnreachedError(InapplicableError):
    """Raised when an item cannot be perturbed at this level, though perhaps at a lower one."""


@dataclass(frozen=True)
class Materials:
    """Resources of a perturbation besides the item.

    ``pool`` holds documents of other topics. ``rewrites`` are sentences rewritten by a model, by item id
    and sentence number (from 1). ``by_model`` is true if a model rewrites sentences, even if it has not
    yet done so; else rules do.
    """

    pool: Pool = field(default_factory=Pool)
    rewrites: Mapping[str, Mapping[int, str]] = field(default_factory=dict)
    by_model: bool = False


@dataclass(frozen=True, slots=True)
class Draw:
    """One perturbation of one item at one level, with its source of randomness (``seed``).

    ``original`` is the id of the unperturbed item, ``name`` that of the perturbation.
    """

    item: Item
    original: str
    name: str
    level: float
    seed: int
    materials: Materials

    @property
    def language(self) -> str:
        """The item's language code; empty if it is English or cannot be detected."""
        language = item_language(self.item)
        return "" if is_english(language) else language

    def rng(self, part: object = "") -> random.Random:
        """Return a random generator with the same seed at every level; ``part`` separates several
        generators of one item."""
        return random.Random(f"{self.seed}/{self.name}/{self.original}/{part}")

    def count(self, total: int) -> int:
        """Return how many of ``total`` things the level, as a percentage, covers; halves are rounded up."""
        return min(total, math.floor(total * self.level / PERCENT + 0.5))

    def ordered(self, things: Sequence[T], part: object = "") -> list[T]:
        """Return ``things`` in random order, the same at every level, so that higher levels extend lower
        ones."""
        return self.rng(part).sample(things, len(things))

    def share(self, things: Sequence[T]) -> list[T]:
        """Return the random share of ``things`` that the level covers, as a percentage."""
        return self.ordered(things)[: self.count(len(things))]


@dataclass(frozen=True, slots=True)
class PerturbedItem:
    """The result of a perturbation: new fields of the item, the list of changes, and the level that was
    reached."""

    update: Mapping[str, Any]
    changes: tuple[Change, ...]
    reached: float


def additions(added: Mapping[int, Sequence[str]]) -> tuple[Change, ...]:
    """Return the changes that record texts added after sentences of the argument, by sentence index (from
    0)."""
    return tuple(
        Change(where=f"argument after sentence {place + 1}", kind="added", after=" ".join(more))
        for place, more in sorted(added.items())
    )


@dataclass(frozen=True)
class Perturbation:
    """A perturbation: how items are changed by a known amount.

    - ``unit``: what a level counts. Levels end at ``most`` (None: no limit); if ``most`` is 100, they
      are percentages, else whole numbers.
    - ``levels``: the default levels, ascending from 0.
    - ``expects``: the expected direction of change for each metric; other metrics may change in any
      direction.
    - ``needs``: the fields that an item must have; ``pool`` is true if other documents are needed.
    - ``rewriting``: how a model can apply it, or None.
    - ``share``: the name of the perturbation that does the same to a share of an item, such as ``25%``.
    - ``languages``: the languages of its rules and texts; None if it works in any language.
    - ``control``: makes the version that bias probes compare with: the same change in the same places,
      without the probed feature. None: the item itself.
    """

    name: str
    summary: str
    unit: str
    levels: tuple[float, ...]
    expects: Mapping[str, Direction]
    source: str
    change: Callable[[Draw], PerturbedItem]
    needs: frozenset[str] = frozenset({"argument"})
    most: float | None = PERCENT
    pool: bool = False
    rewriting: Any = None  # a conqret.perturb.sentence_edits.Rewriting, whose module imports this one
    share: str = ""
    control: Callable[[Draw], PerturbedItem] | None = None
    languages: frozenset[str] | None = None

    @property
    def controlled(self) -> Perturbation | None:
        """The perturbation that makes the control version with the same random draws; None if there is no
        control."""
        if self.control is None:
            return None
        name, control = self.name, self.control
        change: Callable[[Draw], PerturbedItem] = lambda draw: control(replace(draw, name=name))  # noqa: E731
        return replace(self, name=f"{name}-control", change=change, control=None)

    def expected(self, metric: str) -> Direction | None:
        """Return how ``metric`` should change; None if nothing is expected."""
        return self.expects.get(metric_name(metric))

    def apply(
        self, item: Item, level: float, *, seed: int = SEED, materials: Materials | None = None
    ) -> Item:
        """Return ``item`` perturbed at ``level``, with a record in its metadata; at level 0 it is
        unchanged. ``seed`` draws what is changed, with ``materials`` besides the item (None: no pool,
        and rules instead of a model).

        Raises:
            InapplicableError: the item lacks a field that is to be changed.
            LanguageError: there are no rules for the item's language.
            UnreachedError: the item cannot reach the level, or the level rounds to no change at all.
            DeclarationError: the perturbation does not allow this level.
        """
        self.check_level(level)
        if level == 0:
            return item
        for need in sorted(self.needs):
            if not getattr(item, need):
                raise InapplicableError(f"item {item.id}: {self.name} changes its {need}, but it has none")
        before, materials = records(item), materials or Materials()
        original = before[0].original if before else item.id
        draw = Draw(item, original, self.name, level, seed, materials)
        speaks = self.languages is None or (draw.language or "en") in self.languages
        if not speaks and not (self.rewriting and materials.by_model):
            raise LanguageError(original, item, self.name, model=self.rewriting is not None)
        changed = self.change(draw)
        if all(getattr(item, field) == value for field, value in changed.update.items()):
            raise UnreachedError(f"item {original}: {self.name} at {level:g} {self.unit} {CHANGES_NOTHING}")
        record = PerturbationRecord(
            name=self.name,
            level=level,
            unit=self.unit,
            seed=seed,
            original=original,
            reached=changed.reached,
            changes=changed.changes,
        )
        stack = [*before, record]
        name = versioned(original, [(done.name, done.level) for done in stack])
        metadata = {**item.metadata, CHANGES: [done.model_dump(mode="json") for done in stack]}
        return item.model_copy(update={**changed.update, "id": name, "metadata": metadata})

    def check_level(self, level: float) -> None:
        """Check that the perturbation allows this level.

        Raises:
            DeclarationError: it is below 0, above ``most``, infinite, or no integer although levels are
                counts.
        """
        if not 0 <= level <= (self.most or sys.float_info.max):
            most = "" if self.most is None else f" to {self.most:g}"
            raise DeclarationError(f"{self.name} takes levels from 0{most} ({self.unit}), not {level:g}")
        if self.most != PERCENT and level != int(level):
            raise DeclarationError(f"{self.name} takes whole numbers as levels ({self.unit}), not {level:g}")


def records(item: Item) -> tuple[PerturbationRecord, ...]:
    """Return the records of all perturbations of ``item``, in order; empty if it is unperturbed.

    Raises:
        DeclarationError: the metadata has other content under the same key.
    """
    entries = item.metadata.get(CHANGES, ())
    try:
        return tuple(PerturbationRecord.model_validate(entry) for entry in entries)
    except (TypeError, ValueError) as error:
        raise DeclarationError(
            f"item {item.id}: metadata[{CHANGES!r}] is not a list of perturbation records; rename that field"
        ) from error


def versioned(original: str, stack: Iterable[tuple[str, float]]) -> str:
    """Return the id of a perturbed item, such as ``voting-age-pro+irrelevant-20``.

    ``stack`` holds the names and levels of its perturbations. The end of a very long id is replaced by a
    digest.
    """
    suffix = "".join(f"+{name}-{level:g}" for name, level in stack)
    if len(original) + len(suffix) > LONGEST_ID:
        digest = text_digest_of(original)
        original = f"{original[: LONGEST_ID - len(suffix) - len(digest) - 1]}~{digest}"
    return original + suffix


PERTURBATIONS = Registry(
    "perturbation",
    "conqret.perturbations",
    Perturbation,
    package="conqret.perturb.kinds",
    attribute="PERTURBATIONS",
    first=tuple(
        "irrelevant hallucinate hallucinate-share reverse reverse-share shuffle drop-citations wrong-citations "
        "padding flip-stance inject-document inject-argument truncate".split()
    ),
)
"""All perturbations by name; those of the paper come first."""


RELEVANCE = ("context_relevance", "predicted_precision", "second.context_relevance")
"""Metrics of the documents."""

GROUNDING = ("groundedness", "citation_precision", "citation_recall")
"""Metrics of the argument given its documents."""

FAITHFULNESS = ("faithfulness",)
"""Groundedness of claims in any document, cited or not."""

ANSWER = ("answer_relevance",)
"""Metrics of the argument given the topic."""

SECOND = ("second.groundedness", "second.answer_relevance")
"""Metrics of the second argument."""

QUALITY = tuple(dimension.name for dimension in DIMENSIONS)
"""The fifteen dimensions of the argument's quality."""

PREFERENCE = ("preference",)
"""Which of two arguments is better: 1 for the first."""

CORRECTNESS = ("correctness", "completeness", "correctness_f1")
"""Metrics of the argument given a reference."""

RECALL = ("context_recall",)
"""Metrics of the documents given a reference."""

EVERYTHING = (
    *RELEVANCE,
    *GROUNDING,
    *FAITHFULNESS,
    *ANSWER,
    *SECOND,
    *QUALITY,
    *PREFERENCE,
    *CORRECTNESS,
    *RECALL,
)


def expect(
    *, fall: Iterable[str] = (), unchanged: Iterable[str] = (), no_rise: Iterable[str] = ()
) -> dict[str, Direction]:
    """Return a mapping from metrics to the expected direction of change: those that ``fall``, are
    ``unchanged``, or do not rise (``no_rise``). Metrics not named are not in it.
    """
    return (
        dict.fromkeys(fall, Direction.FALL)
        | dict.fromkeys(unchanged, Direction.UNCHANGED)
        | dict.fromkeys(no_rise, Direction.NO_RISE)
    )
