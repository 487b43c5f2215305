"""Conditions on a result, as in ``--require "groundedness >= 0.7"``: parsed by a grammar, never evaluated
as code.

``NAME[.low|.high][DIMENSION] OPERATOR NUMBER``; ``.low`` and ``.high`` are the ends of the 95% interval. A quantity
that has no value fails its condition. Each command declares what can be required of it. Where a command decides on an
interval (:meth:`Requirement.decision`), a condition may be undecided. Outcomes are shown as tables and as JUnit XML.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from conqret.errors import DeclarationError, Elsewhere, check_known
from conqret.show.table import Alarm, Column, Table
from conqret.show.visible_text import visible
from conqret.text.words import dimension_name

if TYPE_CHECKING:
    from conqret.stats.effects import Effect
    from conqret.stats.estimate import Estimate

OPERATORS: Mapping[str, Callable[[float, float], bool]] = {
    ">=": operator.ge,
    "<=": operator.le,
    ">": operator.gt,
    "<": operator.lt,
    "==": operator.eq,
}
ENDS = ("low", "high")
FORM = re.compile(
    r"\A\s*+(?P<name>[A-Za-z_][\w-]*+(?:\s*+\.\s*+[A-Za-z_][\w-]*+)*+)\s*+"
    r"(?:\[\s*+(?P<dimension>[^\[\]]{1,200}?)\s*+\]\s*+)?"
    r"(?P<operator>>=|<=|==|>|<)\s*+(?P<bound>[-+]?(?:\d++(?:\.\d*+)?|\.\d++))\s*+"
)


@dataclass(frozen=True, slots=True)
class Requirement:
    """One requirement on a result, such as ``alpha.low >= 0.6`` or ``alpha[clarity] >= 0.6``.

    ``name`` is the quantity, ``dimension`` the name in brackets (None: without), ``operator`` one of
    :data:`OPERATORS`, and ``bound`` the number. ``end`` is the end of the confidence interval (``low`` or
    ``high``), or the bound, that must meet it; None means the value itself.
    """

    text: str
    name: str
    dimension: str | None
    end: str | None
    operator: str
    bound: float

    @classmethod
    def parse(
        cls,
        text: str,
        known: Collection[str] | None,
        what: str,
        example: str,
        ended: Collection[str] | None = None,
        named: tuple[Collection[str], str, str] | None = None,
        ends: Collection[str] = ENDS,
        elsewhere: Elsewhere | None = None,
    ) -> Self:
        """Parse one requirement on a quantity whose name is in ``known`` (None: any name).

        ``what`` names the kind of quantity in messages, and ``ended`` are those with an interval (None:
        all). ``named`` holds the quantities that take a name in brackets, the kind of that name, and an
        example; None allows brackets for all. ``ends`` are the valid ends, and ``elsewhere`` suggests
        names from other commands.

        Raises:
            DeclarationError: the text does not have the form of ``example``.
            UnknownNameError: the quantity or the end is unknown.
        """
        match = FORM.fullmatch(text)
        if match is None:
            raise DeclarationError(f"the requirement {text!r} cannot be read: write it as in {example}")
        name, end = "".join(match["name"].split()).casefold().replace("-", "_"), None
        if "." in name and name not in (known or ()):
            name, end = name.rsplit(".", 1)
        if known is not None:
            check_known(what, known, name, elsewhere=elsewhere)
        if end:
            check_known(f"end of {name}", ends, end)
        if end and ended is not None and name not in ended:
            raise DeclarationError(
                f"{name} has no interval, so {text!r} cannot require its {end} end: leave .{end} out"
            )
        of = dimension_name(match["dimension"]) if match["dimension"] else None
        if named is not None and (of is not None) != (name in named[0]):
            _, part, quantity = named
            says = f"names no {part}: {quantity}" if of is None else f"names a {part}, but {name} has none"
            raise DeclarationError(f"the requirement {text!r} {says}")
        return cls(text.strip(), name, of, end, match["operator"], float(match["bound"]))

    @property
    def lower_is_better(self) -> bool:
        """True if it sets an upper bound, or requires 0."""
        return self.operator in ("<", "<=") or (self.operator == "==" and self.bound == 0)

    def end_of(self, estimate: Estimate | Effect) -> float | None:
        """Return the end of the estimate's interval that the requirement is about, or its value if ``end``
        is None; None where it has none.
        """
        return {None: estimate.value, "low": estimate.low, "high": estimate.high}[self.end]

    def outcome(self, value: float | None, lacking: str = "it has no value") -> RequirementOutcome:
        """Return the outcome of the requirement for ``value``; without a value it is not met, with
        ``lacking`` as the reason."""
        if value is None:
            return RequirementOutcome(self.text, False, None, lacking)
        return RequirementOutcome(self.text, OPERATORS[self.operator](value, self.bound), value)

    def decision(self, estimate: Estimate) -> RequirementOutcome:
        """Return the outcome of the requirement for an ``estimate``: met, not met or undecided.

        ``low >= 0.8`` is met by an interval that lies above 0.8, not met by one that lies below it, and
        undecided where the interval contains 0.8 or is not known; likewise ``high <= 0.2``.
        """
        claim = {"low": (">=", ">"), "high": ("<=", "<")}.get(self.end or "", ())
        if estimate.value is None or self.operator not in claim:
            return self.outcome(self.end_of(estimate), estimate.reason or "it has no value")
        if estimate.low is None or estimate.high is None:
            reason = estimate.reason or "it has no interval"
            return RequirementOutcome(self.text, False, None, reason, undecided=True)
        near, far = (estimate.low, estimate.high) if self.end == "low" else (estimate.high, estimate.low)
        outcome = self.outcome(near)
        if outcome.met or not OPERATORS[self.operator](far, self.bound):
            return outcome
        reason = f"the interval {estimate.low:.3f} to {estimate.high:.3f} contains {self.bound:g}"
        return RequirementOutcome(self.text, False, near, reason, undecided=True)


@dataclass(frozen=True, slots=True)
class WorstItem:
    """An item behind a condition that is not met: its score (None: it has none), and what decides it."""

    item: str
    score: float | None
    why: str

    def __str__(self) -> str:
        score = "none" if self.score is None else f"{self.score:.2f}"
        return f"{score:>5}  {self.item}  {self.why}"


@dataclass(frozen=True, slots=True)
class RequirementOutcome:
    """The outcome of a requirement: if it is met, by which value, and why there is no value or no decision.

    An outcome that is ``undecided`` is not met, and about ``labels`` more rows would decide it. ``items`` are the
    worst items of a run that does not meet it; ``more`` says how many there are besides, and what lists them.
    """

    requirement: str
    met: bool
    value: float | None
    reason: str = ""
    items: tuple[WorstItem, ...] = ()
    more: str = ""
    undecided: bool = False
    labels: int | None = None

    def __str__(self) -> str:
        value = "none" if self.value is None else f"{self.value:.3f}"
        known = ", ".join(filter(None, (value, self.reason)))
        return f"{self.status}: {self.requirement} ({known})"

    def lines(self) -> list[str]:
        """Return a line for each of the worst items, and what is said of the others."""
        return [*map(str, self.items), *filter(None, [self.more])]

    @property
    def status(self) -> str:
        """The outcome in words: ``met``, ``not met`` or ``undecided``."""
        return "met" if self.met else "undecided" if self.undecided else "not met"


Case = tuple[str, str, str, str]
"""Its kind, its name, ``failure``, ``skipped`` or nothing, and what is said of it."""


def required_cases(outcomes: Sequence[RequirementOutcome]) -> Iterator[Case]:
    """Yield a JUnit test case for each requirement, a failure if it is not met, and then one for each of its
    worst items.
    """
    for outcome in outcomes:
        message = outcome.reason if outcome.value is None else f"it is {outcome.value:.3f}"
        message += outcome.more and f"; {len(outcome.items)} worst items follow, {outcome.more}"
        yield "require", outcome.requirement, "" if outcome.met else "failure", message
        for worst in outcome.items:
            score = "no score" if worst.score is None else f"{worst.score:.2f}"
            yield f"require.{outcome.requirement}", worst.item, "failure", f"{score}: {worst.why}"


def junit_suite(command: str, cases: Sequence[Case]) -> bytes:
    """Return the test cases as one JUnit test suite, encoded as XML. A case is its kind, its name, ``failure`` or
    ``skipped`` (empty: passed), and a message."""
    failed, skipped = (sum(tag == wanted for _, _, tag, _ in cases) for wanted in ("failure", "skipped"))
    suite = Element(
        "testsuite",
        name=f"conqret {command}",
        tests=str(len(cases)),
        failures=str(failed),
        skipped=str(skipped),
        errors="0",
    )
    for kind, name, tag, message in cases:
        case = SubElement(suite, "testcase", classname=f"conqret.{command}.{kind}", name=visible(name))
        if tag:
            SubElement(case, tag, message=visible(message))
    indent(suite)
    return bytes(tostring(suite, encoding="utf-8", xml_declaration=True)) + b"\n"


def requirement_table(outcomes: Sequence[RequirementOutcome]) -> Table:
    """Build the table of requirements: each with the result (met or not), its value and a remark."""
    rows = [
        (outcome.requirement, "met" if outcome.met else Alarm(outcome.status), outcome.value, outcome.reason)
        for outcome in outcomes
    ]
    return Table("Requirements", ("requirement", Column("", "name"), "value", Column("remark", "text")), rows)


def worst_table(outcomes: Sequence[RequirementOutcome]) -> Table:
    """Build the table of the worst items of the conditions that are not met."""
    rows = [
        (outcome.requirement, worst.item, worst.score, worst.why)
        for outcome in outcomes
        for worst in outcome.items
    ]
    columns = ("requirement", Column("item", "text"), "score", Column("why", "text"))
    more = [f"{outcome.requirement}: {outcome.more}." for outcome in outcomes if outcome.more]
    return Table("Worst items", columns, rows, note=" ".join(more))


DIFFERENCE_EXAMPLE = "difference[groundedness] >= -0.02"


def parse_difference(text: str, *others: str) -> Requirement:
    """Parse a condition such as ``difference[groundedness] >= -0.02``; ``others`` are further quantities
    allowed.

    Raises:
        DeclarationError: the text has another form.
        UnknownNameError: there is no such quantity.
    """
    known = ("difference",)
    return Requirement.parse(
        text,
        (*known, *others),
        "quantity to require",
        DIFFERENCE_EXAMPLE,
        known,
        (known, "metric", DIFFERENCE_EXAMPLE),
    )


def check_difference(
    requirement: Requirement, differences: Mapping[str, Estimate], compared: str = "both runs"
) -> RequirementOutcome:
    """Check one requirement against the differences by metric, and return the outcome.

    Raises:
        UnknownNameError: there is no difference for its metric.
    """
    metric = str(requirement.dimension)
    check_known(f"metric of {compared}", differences, metric)
    difference = differences[metric]
    end = requirement.end_of(difference)
    equal = end is None and difference.value == 0  # the same scores have no interval: both ends are 0
    return requirement.outcome(0.0 if equal else end, difference.reason or "it has no value")
