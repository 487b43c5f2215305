"""What a judge is: for each of its questions, the prompt file, the typed answer, and a pure function from
answer to scores. Everything that judges have in common (both orders, samples, calls) is in
:mod:`conqret.judging.instrument`, once.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from pydantic import BaseModel

from conqret.baseline import Evidence, foreign_documents, not_english
from conqret.data import Item, Measure, Reason
from conqret.data.digest import text_digest_of
from conqret.errors import DeclarationError, check_known, metric_name
from conqret.judging.dimensions import DIMENSIONS, Dimension
from conqret.judging.judge_options import JudgeOptions
from conqret.judging.known_as import elsewhere
from conqret.llm.decisions import Decided, Question
from conqret.llm.request import Reading
from conqret.prompts import Library, RenderedPrompt
from conqret.registry import Registry
from conqret.text.language import is_english, item_language

if TYPE_CHECKING:
    from conqret.judging.computed_metrics import CombinedMetrics, ComputedMetrics

R = TypeVar("R", bound=BaseModel)

COMPLEMENTS: Mapping[str, str] = {"hallucination": "groundedness"}
"""Metrics that follow from another one, and cost no request of their own: by its name, the metric whose complement
(``1 - value``) it is. Lower is better. They are reported where they are requested by name."""
LOWER_IS_BETTER = frozenset({*COMPLEMENTS, "unsupported_claims"})
"""Metrics of which less is better."""
NOT_JUDGED = "nothing that this item is judged by counts in it"
SECOND = "second."
"""Measures of the second argument carry the metric's name behind this prefix."""


@dataclass(frozen=True)
class Case:
    """One item in the form in which one request shows it.

    Its arguments may be swapped (``swapped``), its documents trimmed, its dimensions reordered. ``sample``
    numbers the repetition, from 0, and ``origin`` is the case that it repeats. Where the whole conversation is
    judged, ``last`` is the item with only the last answer as its argument.
    """

    item: Item
    options: JudgeOptions = field(default_factory=JudgeOptions)
    dimensions: tuple[Dimension, ...] = DIMENSIONS
    sample: int = 0
    swapped: bool = False
    origin: Case | None = None
    last: Item | None = None

    @cached_property
    def evidence(self) -> Evidence:
        """The offline baseline's evidence on this item, computed once for all samples."""
        return Evidence(self.item) if self.origin is None else self.origin.evidence


@dataclass(frozen=True, slots=True)
class JudgeReply(Generic[R]):
    """A validated response; ``distribution`` maps each rating to its probability where the provider returns
    them.
    """

    value: R
    distribution: Mapping[int, float] | None = None


def nothing(case: Case) -> Mapping[str, Any]:
    """Return an empty mapping: the default for prompts that need no further variables."""
    return {}


@dataclass(frozen=True)
class TypedQuestions:
    """The questions to a decision model about a case, in place of a prompt, and how its answers are scored.

    - ``questions(case)``: the questions by name, about the fields of the item that the prompt shows
    - ``measures``: for each metric a function from the answers and the case to its measure; it reads an
      answer as ``answers[name]``, a missing one makes the measure a missing one
    - ``variables(case)``: what the state holds besides the item's fields, or in their place (empty: left out)
    - ``names``: what a field is called in the state, if not by its own name
    """

    questions: Callable[[Case], Mapping[str, Question]]
    measures: Mapping[str, Callable[[Decided, Case], Measure]]
    variables: Callable[[Case], Mapping[str, Any]] = nothing
    names: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class JudgePrompt(Generic[R]):
    """One request to a judge about an item: the prompt, the type of its response, and how it is scored.

    - ``prompt``: the id of its prompt file, filled with topic, stance, documents, arguments and
      ``variables(case)``; its system part is filled with the dimensions and ``settings(case)``
    - ``response``: the pydantic model of the response, or a function from a case to that model; validators
      can read ``context(case)``
    - ``score(reply, case)``: the measures by metric; a pure function
    - ``baseline(case)``: the offline baseline's response, as plain data for the same model
    - ``needs``: the fields that the item must have; ``optional``: those shown where the item has them
    - ``against``: the fields that the item is compared with; without them it is unscored (nothing to judge)
    - ``both_orders``: True to send a second request with the two arguments swapped, and combine both
    - ``rating_field``: the field whose log-probabilities are requested, with its possible ``choices``
    - ``settled(case)``: measures that need no request because there is nothing to judge; else None
    - ``about(metrics)``: the same prompt restricted to these metrics; None if it cannot be restricted
    - ``section(metrics)``: the part of the response with these metrics, which can be valid by itself, of a
      prompt that cannot be restricted
    - ``reading(case, given, bare)``: for scores from log-probabilities, the texts to read after the prompt
      (``given``), and after the prompt without documents (``bare``)
    - ``further``: text added to the end of the system part
    - ``cases(case)``: the cases to request one by one where one request would be too large; ``joined(case,
      measures)`` combines their measures
    - ``also``: a mapping from a metric to a field; the metric is reported if at least one item has that field
    - ``english_only``: the metrics whose ``baseline`` uses English word lists
    - ``typed()``: the typed questions for a decision model; without them, it cannot judge the metrics
    """

    prompt: str
    metrics: tuple[str, ...]
    needs: frozenset[str]
    response: type[R] | Callable[[Case], type[R]]
    score: Callable[[JudgeReply[R], Case], Mapping[str, Measure]]
    baseline: Callable[[Case], Any]
    optional: frozenset[str] = frozenset()
    against: frozenset[str] = frozenset()
    variables: Callable[[Case], Mapping[str, Any]] = nothing
    settings: Callable[[Case], Mapping[str, Any]] = nothing
    context: Callable[[Case], Mapping[str, Any]] = nothing
    both_orders: bool = False
    rating_field: str | None = None
    choices: tuple[int, ...] = ()
    settled: Callable[[Case], Mapping[str, Measure] | None] | None = None
    about: Callable[[frozenset[str]], JudgePrompt[R]] | None = None
    section: Callable[[frozenset[str]], JudgePrompt[R]] | None = None
    reading: Callable[[Case, RenderedPrompt, RenderedPrompt], Reading] | None = None
    further: str = ""
    cases: Callable[[Case], Sequence[Case]] | None = None
    joined: Callable[[Case, Sequence[Mapping[str, Measure]]], Mapping[str, Measure]] | None = None
    also: Mapping[str, str] = field(default_factory=dict)
    english_only: frozenset[str] = frozenset()
    typed: Callable[[], TypedQuestions] | None = None

    def answer(self, case: Case) -> type[R]:
        """Return the pydantic model of the response for a case."""
        return self.response if isinstance(self.response, type) else self.response(case)

    @cached_property
    def questions(self) -> TypedQuestions:
        """The typed questions, made when a decision model first needs them; none where the format has none."""
        return TypedQuestions(nothing, {}) if self.typed is None else self.typed()

    @property
    def looked_at(self) -> frozenset[str]:
        """The fields of an item that affect the request."""
        return self.needs | self.optional | self.against

    def missing(self, reason: Reason, detail: str = "") -> dict[str, Measure]:
        """Return a missing measure of each metric."""
        return dict.fromkeys(self.metrics, Measure.missing(reason, detail))

    def unasked(self, case: Case) -> Mapping[str, Measure] | None:
        """Return a mapping from metric to measure for an item that needs no request; None if a request is needed.

        No request is needed where the item lacks what it is compared with, or where all metrics are settled.
        """
        if self.against:
            names = [name for name in sorted(self.against) if not (getattr(case.item, name) or "").strip()]
            if names:
                return self.missing(Reason.NOTHING_TO_JUDGE, f"the item has no {' and no '.join(names)}")
        return None if self.settled is None else self.settled(case)

    def offline(self, case: Case) -> tuple[JudgePrompt[R] | None, Mapping[str, Measure]]:
        """Split the prompt for the offline baseline, which cannot judge every metric in every language.

        Returns:
            The prompt for the metrics that the baseline can judge (None if there are none), and missing
                measures for the others.
        """
        if "documents" in self.needs | self.optional and (why := foreign_documents(case.item)):
            return None, self.missing(Reason.LANGUAGE, why)
        if not self.english_only or is_english(item_language(case.item)):
            return self, {}
        missing = self.missing(Reason.LANGUAGE, not_english(case.item))
        rest = frozenset(self.metrics) - self.english_only
        if rest and self.about is not None:
            return self.about(rest), {metric: missing[metric] for metric in self.english_only}
        return None, missing


@dataclass(frozen=True)
class Member:
    """A format among others of one judge: ``names`` has its metrics that are reported, each with its name there."""

    judge: Judge
    names: Mapping[str, str]


@dataclass(frozen=True)
class Judge:
    """A judge format: its name, its requests and computed metrics, its scale, scoring rule and source.

    ``declared`` is the plain data that the format was made from, where prompts do not contain it; it is part
    of the identity. ``combined`` are metrics computed from the requested ones. ``members`` are the formats
    that a judge of several consists of; each is requested separately.
    """

    name: str
    summary: str
    scale: str
    score: str
    source: str
    judge_prompts: tuple[JudgePrompt[Any], ...] = ()
    computed: tuple[ComputedMetrics, ...] = ()
    declared: Mapping[str, Any] = field(default_factory=dict)
    combined: CombinedMetrics | None = None
    members: tuple[Member, ...] = ()

    @property
    def metrics(self) -> tuple[str, ...]:
        """All metrics of this format, in the order of reports."""
        if self.members:
            return tuple(name for member in self.members for name in member.names.values())
        names = [] if self.combined is None else list(self.combined.made_of)
        parts: tuple[JudgePrompt[Any] | ComputedMetrics, ...] = (*self.judge_prompts, *self.computed)
        for part in () if self.combined is not None and self.combined.rows else parts:
            names += part.metrics
        return tuple(dict.fromkeys(names))

    @property
    def derived(self) -> Mapping[str, str]:
        """A mapping from each derived metric to the metric of this format that it is the complement of.

        Derived metrics are reported only where the user names them.
        """
        own = self.metrics
        return {name: base for name, base in COMPLEMENTS.items() if base in own and name not in own}

    def check_measured(self, metrics: Iterable[str], study: str) -> None:
        """Check that none of ``metrics`` is derived from another metric (as 1 - metric).

        Args:
            metrics: the names of metrics.
            study: the name of the study, for the error message.

        Raises:
            DeclarationError: a metric is derived.
        """
        for metric in metrics:
            if base := self.derived.get(metric_name(metric)):
                raise DeclarationError(
                    f"{metric} equals 1 - {base}: {study} needs {base} itself (--metric {base})"
                )

    def reported(self, metrics: Iterable[str] = ()) -> tuple[str, ...]:
        """Return the requested metrics in report order, derived ones after their base; without any, all
        metrics of the format but no derived ones.
        """
        wanted, order = frozenset(metrics), list(self.metrics)
        if not wanted:
            return tuple(order)
        for name, base in self.derived.items():
            order.insert(order.index(base) + 1, name)
        return tuple(filter(wanted.__contains__, order))

    def report(self, measures: Mapping[str, Measure], metrics: Iterable[str] = ()) -> dict[str, Measure]:
        """Return the measures to report, by metric in report order, from those that were measured.

        Without ``metrics`` these are all of the format. Derived metrics (1 - base) are computed here if they
        are requested. Metrics without a measure are left out; if all are, each gets a missing measure.
        Unknown names are ignored.
        """
        wanted, found = self.reported(metrics), dict[str, Measure]()
        for metric in wanted:
            if metric in measures:
                found[metric] = measures[metric]
            elif (base := measures.get(COMPLEMENTS.get(metric, ""))) is not None:
                found[metric] = base.complement
        return found or dict.fromkeys(wanted, Measure.missing(Reason.NOTHING_TO_JUDGE, NOT_JUDGED))

    def requested_metrics(self, metrics: Iterable[str]) -> frozenset[str]:
        """Return the metrics that must be measured to report ``metrics``; an empty set means all.

        Derived metrics are replaced by their base, and combined ones add the metrics that they are computed
        from.

        Raises:
            UnknownNameError: this format has no such metric.
        """
        if self.members or not (named := tuple(metrics)):
            return frozenset()
        known, derived, wanted = self.metrics, self.derived, set[str]()
        for metric in named:
            name = derived.get(metric, metric)
            check_known(f"metric of format {self.name}", known, name, elsewhere=elsewhere)
            wanted.add(name)
            if self.combined is not None:
                wanted |= self.combined.made_of.get(name, frozenset())
        return frozenset(wanted)

    def parts(self, metrics: Iterable[str] = ()) -> tuple[JudgePrompt[Any] | ComputedMetrics, ...]:
        """Return the prompts and computed metrics that yield at least one of ``metrics`` (all if empty).

        Prompts are restricted to these metrics where possible.

        Raises:
            UnknownNameError: this format has no such metric.
        """
        wanted = self.requested_metrics(metrics)
        computed = [part for part in self.computed if not wanted or wanted & set(part.metrics)]
        return (*self.select(metrics), *computed)

    def select(self, metrics: Iterable[str]) -> tuple[JudgePrompt[Any], ...]:
        """Return the prompts that yield at least one of ``metrics`` (all if empty), restricted to them where
        possible.

        Raises:
            UnknownNameError: this format has no such metric.
        """
        wanted = self.requested_metrics(metrics)
        if not wanted:
            return self.judge_prompts
        return tuple([_about(part, wanted) for part in self.judge_prompts if wanted & set(part.metrics)])

    def identity(
        self, options: JudgeOptions, library: Library, model: Mapping[str, Any], probe: Item | None = None
    ) -> dict[str, Any]:
        """Return the parts of the judge configuration: prompts, response schemas, dimensions, sampling and
        model.

        The requested metrics are part of it only where they change a prompt, that is, where one prompt rates
        several metrics. All other prompts of the format are part of it even if not requested, so that scores
        of one metric are comparable across runs. Long parts are replaced by a digest. With the item ``probe``,
        the typed questions about it take the place of prompts and response schemas.
        """
        identity: dict[str, Any] = {"format": self.name, **model}
        for part in self.computed:
            identity[f"computed {', '.join(part.metrics)}"] = part.version
        if not self.judge_prompts:
            return identity
        identity |= self.declared
        if probe is not None:
            return identity | self._questions(options, probe)
        case = Case(Item(id="fingerprint", topic="fingerprint"), options)
        wanted, schemas = self.requested_metrics(options.metrics), list[object]()
        for whole in self.judge_prompts:
            ask = _about(whole, wanted)
            identity[f"prompt {ask.prompt}"] = library[ask.prompt].digest
            if ask.further:
                identity[f"prompt {ask.prompt}, further words"] = digest(ask.further)
            if ask.about is not None:
                names = "all" if whole.metrics == ask.metrics else ", ".join(ask.metrics)
                identity[f"asked in one call of {ask.prompt}"] = names
            response: type[BaseModel] = ask.answer(case)
            schemas.append(response.model_json_schema())
        dimensions = list(map(attrgetter("name", "question", "definition"), DIMENSIONS))
        return identity | {
            "schemas of the answers": digest(schemas),
            "definitions of the dimensions": digest(dimensions),
            "samples": options.samples,
            "order": options.order,
            "seed": options.seed,
            "relevant_from": options.relevant_from,
            "temperature": options.sampling_temperature,
        }

    def _questions(self, options: JudgeOptions, item: Item) -> dict[str, Any]:
        """Return the parts of the identity for a decision model: digests of all typed questions about ``item`` (for any
        metrics), the number of samples, and the grade from which a document is relevant."""
        questions = dict[str, str]()
        uncited = item.model_copy(update={"argument": item.second_argument})  # it has more questions
        for part in self.judge_prompts:
            if part.typed is not None:
                texts = dict[str, list[Any]]()
                for shown in (uncited, item):
                    put = part.questions.questions(Case(shown, options))
                    texts |= {name: question.plain() for name, question in put.items()}
                questions[f"questions {part.prompt} ({', '.join(part.metrics)})"] = digest(texts)
        return {**questions, "samples": options.samples, "relevant_from": options.relevant_from}


def _about(part: JudgePrompt[Any], wanted: frozenset[str]) -> JudgePrompt[Any]:
    """Return the prompt restricted to the ``wanted`` metrics; the whole prompt if it cannot be restricted or
    has none of them.
    """
    return part if part.about is None or not wanted & set(part.metrics) else part.about(wanted)


def digest(parts: object) -> str:
    """Return a hash of plain data, as 16 hexadecimal digits."""
    return text_digest_of(json.dumps(parts, sort_keys=True))


DEFAULT_FORMAT = "rag-fine-grained"
"""The format that the paper finds closest to human labels (ConQRet, Tables 6 and 7)."""

JUDGES = Registry(
    "format",
    "conqret.judges",
    Judge,
    package="conqret.judges",
    attribute="JUDGE",
    first=(
        DEFAULT_FORMAT,
        "rag-direct",
        "rag-rubric",
        "query-rubric",
        "g-eval",
        "static-rubric",
        "direct",
        "listwise",
        "pointwise",
        "listwise-rag",
    ),
)
"""Every judge by its format's name; those that the paper compares come first."""

JURY = Judge(
    name="jury",
    summary="several judges together",
    scale="0 to 1",
    score="the jury's rule (mean, median, weights …) applied to the scores of its members",
    source="own",
    judge_prompts=(),
)
"""The format in the record of a jury's run; it cannot be run as a format."""

TOURNAMENT = Judge(
    name="tournament",
    summary="arguments of a topic ranked by comparisons of pairs",
    scale="log-odds",
    score="1 / (1 + exp(-strength)): the probability that the argument is preferred to a mean one of its topic",
    source="Bradley and Terry 1952; Davidson 1970",
    judge_prompts=(),
)
"""The format in the record of a tournament's run; it cannot be run as a format."""
