"""What a judge is: for each of its questions, the prompt file, the typed answer, and a pure function from
answer to scores. Everything that judges have in common (both orders, samples, calls) is in
:mod:`conqret.judging.instrument`, once.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from operator import attrgetter
from typing import Any, Generic, TypeVar

from pydantic import BaseModel

from conqret.baseline import Evidence, foreign_documents, not_english, reads_english
from conqret.data import Item, Measure, Reason
from conqret.data.digest import text_digest_of
from conqret.errors import DeclarationError, check_known, first_line
from conqret.judging.dimensions import DIMENSIONS, Dimension
from conqret.judging.judge_options import JudgeOptions
from conqret.judging.known_as import elsewhere
from conqret.llm.request import Reading
from conqret.prompts import Library, RenderedPrompt
from conqret.registry import Registry

R = TypeVar("R", bound=BaseModel)

COMPLEMENTS: Mapping[str, str] = {"hallucination": "groundedness"}
"""Metrics that follow from another one, and cost no request of their own: by its name, the metric whose complement
(``1 - value``) it is. Lower is better. They are reported where they are requested by name."""
NOT_JUDGED = "nothing that this item is judged by counts in it"
SECOND = "second."
"""Measures of the second argument carry the metric's name behind this prefix."""
SCHEMAS = 256
"""Response models whose JSON schema is kept; a format has a handful, made once for all items."""


@dataclass(frozen=True)
class Case:
    """One item as one request sees it: perhaps with its arguments swapped, its documents trimmed, its
    dimensions reordered. ``sample`` numbers the repetition, ``swapped`` says which argument stands first;
    ``origin`` is the case that this one repeats. ``last`` is the item with its last answer alone as its argument, where
    the whole of its conversation is judged."""

    item: Item
    options: JudgeOptions = field(default_factory=JudgeOptions)
    dimensions: tuple[Dimension, ...] = DIMENSIONS
    sample: int = 0
    swapped: bool = False
    origin: Case | None = None
    last: Item | None = None

    @cached_property
    def evidence(self) -> Evidence:
        """What the offline baseline knows of this item; gathered once for all samples."""
        return Evidence(self.item) if self.origin is None else self.origin.evidence


@dataclass(frozen=True, slots=True)
class JudgeReply(Generic[R]):
    """A validated answer; ``distribution`` holds the probability of each rating where the provider gave one."""

    value: R
    distribution: Mapping[int, float] | None = None


def nothing(case: Case) -> Mapping[str, Any]:
    """What a prompt has for a case that needs no more than all have."""
    return {}


@dataclass(frozen=True)
class JudgePrompt(Generic[R]):
    """One question to the model about an item.

    - ``prompt``: the id of its prompt file, filled with topic, stance, documents, arguments and
      ``variables(case)``; its system part with the dimensions and ``settings(case)``
    - ``response``: the pydantic model of the answer, or what gives it for a case; its validators find ``context(case)``
    - ``score(reply, case)``: the measures; a pure function
    - ``baseline(case)``: the offline model's answer, as plain data for the same response model
    - ``needs``: the fields of the item that must be there; ``optional``: those that are shown where they are there
    - ``against``: the fields that the item is held against; one that lacks them is unscored, with nothing to judge
    - ``both_orders``: request again with the two arguments swapped, and combine
    - ``rating_field``: the field whose log-probabilities are wanted, with the ``choices`` that it has
    - ``settled(case)``: measures that need no answer because there is nothing to request; else None
    - ``about(metrics)``: the same question for these metrics and whatever comes with them; None where it is always
      requested whole
    - ``reading(case, given, bare)``: for what no model writes but log-probabilities say, the texts to be read
      after the prompt as ``given``, and after the one without documents
    - ``further``: words that stand behind those of the prompt's system part
    - ``cases(case)``: the cases of which each has a request of its own, where one request would be too large; their
      measures are put together by ``joined(case, measures)``
    - ``also``: by metric one more field that at least one item must have, so that the metric is reported
    - ``english_only``: the metrics for which ``baseline`` rests on English word lists
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
    reading: Callable[[Case, RenderedPrompt, RenderedPrompt], Reading] | None = None
    further: str = ""
    cases: Callable[[Case], Sequence[Case]] | None = None
    joined: Callable[[Case, Sequence[Mapping[str, Measure]]], Mapping[str, Measure]] | None = None
    also: Mapping[str, str] = field(default_factory=dict)
    english_only: frozenset[str] = frozenset()

    def answer(self, case: Case) -> type[R]:
        """The pydantic model of the answer about a case."""
        return self.response if isinstance(self.response, type) else self.response(case)

    @property
    def looked_at(self) -> frozenset[str]:
        """The fields of an item on which the request depends."""
        return self.needs | self.optional | self.against

    def unasked(self, case: Case) -> Mapping[str, Measure] | None:
        """The measures of an item of which nothing is requested: it has nothing to be held against, or all is settled;
        else None."""
        if self.against:
            names = [name for name in sorted(self.against) if not (getattr(case.item, name) or "").strip()]
            if names:
                why = f"the item has no {' and no '.join(names)}"
                return dict.fromkeys(self.metrics, Measure.missing(Reason.NOTHING_TO_JUDGE, why))
        return None if self.settled is None else self.settled(case)

    def offline(self, case: Case) -> tuple[JudgePrompt[R] | None, Mapping[str, Measure]]:
        """What is left of the question where the offline baseline answers it (None: nothing), and the measures of the
        metrics that are not: it has no evidence for them in the item's language, or in that of its documents."""
        if "documents" in self.needs and (why := foreign_documents(case.item)):
            return None, dict.fromkeys(self.metrics, Measure.missing(Reason.LANGUAGE, why))
        if not self.english_only or reads_english(case.item):
            return self, {}
        missing = Measure.missing(Reason.LANGUAGE, not_english(case.item))
        rest = frozenset(self.metrics) - self.english_only
        if rest and self.about is not None:
            return self.about(rest), dict.fromkeys(self.english_only, missing)
        return None, dict.fromkeys(self.metrics, missing)


@dataclass(frozen=True)
class ComputedMetrics:
    """Metrics that are computed from an item alone: no prompt, no model, the same value every time.

    - ``score(item)``: the measures, each in [0, 1]; a pure function. Raising is a failure of this item, never a score
    - ``needs``: the fields of the item that must be there; ``optional``: those that are used where they are there
    - ``version``: part of the fingerprint; raise it with every change of what comes out
    - ``also``: as of :class:`JudgePrompt`
    """

    metrics: tuple[str, ...]
    needs: frozenset[str]
    score: Callable[[Item], Mapping[str, Measure]]
    optional: frozenset[str] = frozenset()
    version: int = 1
    also: Mapping[str, str] = field(default_factory=dict)
    against: frozenset[str] = field(default=frozenset(), init=False)

    @property
    def looked_at(self) -> frozenset[str]:
        """The fields of an item on which the metrics depend."""
        return self.needs | self.optional

    def measures(self, item: Item) -> Mapping[str, Measure]:
        """The measures of an item; where the function raises, failed ones that say so."""
        try:
            return self.score(item)
        except Exception as error:  # noqa: BLE001 - a metric does not end the run
            lost = Measure.missing(Reason.JUDGE_FAILED, f"{type(error).__name__}: {first_line(error)}")
            return dict.fromkeys(self.metrics, lost)


@dataclass(frozen=True)
class CombinedMetrics:
    """Metrics that a pure function computes from the requested metrics of the same item, without a further request.

    - ``made_of``: for each the rated metrics that it needs
    - ``score(item, measures)``: the measures, of those metrics that this item has
    - ``rows``: the rated metrics are rows behind these, and not reported by themselves
    - ``check(items)``: what there is to say of the items, all of which it reads; raises where they do not fit
    - ``columns``: further columns of an item with what it judges by
    """

    made_of: Mapping[str, frozenset[str]]
    score: Callable[[Item, Mapping[str, Measure]], Mapping[str, Measure]]
    rows: bool = False
    check: Callable[[Iterable[Item]], Sequence[str]] = field(default=lambda items: ())
    columns: tuple[str, ...] = ()


@dataclass(frozen=True)
class Judge:
    """A format: its name, what it requests or computes, on which scale, how scores come about, and where it is from.
    ``declared`` is what it was made from, as plain data, where that is not in its prompts; a part of the identity.
    ``combined`` is what is put together from what it requests."""

    name: str
    summary: str
    scale: str
    score: str
    source: str
    judge_prompts: tuple[JudgePrompt[Any], ...] = ()
    computed: tuple[ComputedMetrics, ...] = ()
    declared: Mapping[str, Any] = field(default_factory=dict)
    combined: CombinedMetrics | None = None

    @property
    def metrics(self) -> tuple[str, ...]:
        """Every metric of this format, in the order in which they are reported."""
        names = [] if self.combined is None else list(self.combined.made_of)
        parts: tuple[JudgePrompt[Any] | ComputedMetrics, ...] = (*self.judge_prompts, *self.computed)
        for part in () if self.combined is not None and self.combined.rows else parts:
            names += part.metrics
        return tuple(dict.fromkeys(names))

    @property
    def derived(self) -> Mapping[str, str]:
        """The metrics that follow from one of this format, by name, each with that one; reported only by name."""
        own = self.metrics
        return {name: base for name, base in COMPLEMENTS.items() if base in own and name not in own}

    def check_measured(self, metrics: Iterable[str], study: str) -> None:
        """Check that none of ``metrics`` only follows from another one, of which ``study`` can say more.

        Raises:
            DeclarationError: one does.
        """
        for metric in metrics:
            if base := self.derived.get(metric.replace("-", "_")):
                raise DeclarationError(
                    f"{metric} equals 1 - {base}: {study} needs {base} itself (--metric {base})"
                )

    def reported(self, metrics: Iterable[str] = ()) -> tuple[str, ...]:
        """The requested metrics (all of the format, where none is named), in the order of reports: what
        follows from one stands behind it."""
        wanted, order = frozenset(metrics), list(self.metrics)
        if not wanted:
            return tuple(order)
        for name, base in self.derived.items():
            order.insert(order.index(base) + 1, name)
        return tuple(filter(wanted.__contains__, order))

    def report(self, measures: Mapping[str, Measure], metrics: Iterable[str] = ()) -> dict[str, Measure]:
        """The measures of what is requested, in the order of reports, from those of what was measured. Of what is put
        together, those that the item has; where it has none of them, each is missing."""
        wanted, found = self.reported(metrics), dict[str, Measure]()
        for metric in wanted:
            if metric in measures:
                found[metric] = measures[metric]
            elif (base := measures.get(COMPLEMENTS.get(metric, ""))) is not None:
                found[metric] = base.complement
        return found or dict.fromkeys(wanted, Measure.missing(Reason.NOTHING_TO_JUDGE, NOT_JUDGED))

    def requested_metrics(self, metrics: Iterable[str]) -> frozenset[str]:
        """What has to be requested these metrics: what they follow from, and what those are made of that are put
        together.

        Raises:
            UnknownNameError: this format has no such metric.
        """
        if not (named := tuple(metrics)):
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
        """What yields at least one of ``metrics`` (all, where it is empty): what is requested, each for these alone
        where it can be, and what is computed. Raises UnknownNameError as :meth:`requested_metrics`."""
        wanted = self.requested_metrics(metrics)
        if not wanted:
            return (*self.judge_prompts, *self.computed)
        computed = [part for part in self.computed if wanted & set(part.metrics)]
        return (*self.select(metrics), *computed)

    def select(self, metrics: Iterable[str]) -> tuple[JudgePrompt[Any], ...]:
        """The prompts that yield at least one of ``metrics`` (all, where it is empty), each for these alone where it
        can be. Raises UnknownNameError as :meth:`requested_metrics`."""
        wanted = self.requested_metrics(metrics)
        if not wanted:
            return self.judge_prompts
        return tuple([_about(part, wanted) for part in self.judge_prompts if wanted & set(part.metrics)])

    def identity(self, options: JudgeOptions, library: Library, model: Mapping[str, Any]) -> dict[str, Any]:
        """Return the parts of the judge configuration: prompts, answer schemas, dimensions, sampling and model.

        What is requested is part of it only where it changes a question: one for several things. All other questions
        of the format are part of it, whichever are requested, so that scores of one metric belong together wherever
        they were made. What is long stands for itself as a digest.
        """
        computed: dict[str, int] = {}
        for part in self.computed:
            computed[f"computed {', '.join(part.metrics)}"] = part.version
        if not self.judge_prompts:
            return {"format": self.name, **model, **computed}
        case = Case(Item(id="fingerprint", topic="fingerprint"), options)
        wanted = self.requested_metrics(options.metrics)
        prompts, further, together, schemas = (
            dict[str, str](),
            dict[str, str](),
            dict[str, str](),
            list[object](),
        )
        for whole in self.judge_prompts:
            ask = _about(whole, wanted)
            prompts[f"prompt {ask.prompt}"] = library[ask.prompt].digest
            if ask.further:
                further[f"prompt {ask.prompt}, further words"] = digest(ask.further)
            if ask.about is not None:
                names = "all" if whole.metrics == ask.metrics else ", ".join(ask.metrics)
                together[f"asked in one call of {ask.prompt}"] = names
            response: type[BaseModel] = ask.answer(case)
            schemas.append(_schema(response))
        dimensions = list(map(attrgetter("name", "question", "definition"), DIMENSIONS))
        return {
            "format": self.name,
            **model,
            **computed,
            **self.declared,
            **prompts,
            **further,
            **together,
            "schemas of the answers": digest(schemas),
            "definitions of the dimensions": digest(dimensions),
            "samples": options.samples,
            "order": options.order,
            "seed": options.seed,
            "relevant_from": options.relevant_from,
            "temperature": options.sampling_temperature,
        }


@lru_cache(maxsize=SCHEMAS)
def _schema(response: type[BaseModel]) -> Mapping[str, Any]:
    return response.model_json_schema()


def _about(part: JudgePrompt[Any], wanted: frozenset[str]) -> JudgePrompt[Any]:
    """The question for what is wanted of it alone; whole, where that is nothing or it is always requested whole."""
    return part if part.about is None or not wanted & set(part.metrics) else part.about(wanted)


def digest(parts: object) -> str:
    """16 hex digits that stand for plain data."""
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
