"""Set up a judge configuration: find the judge, check its options, prompts and model, and check the items."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Set
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from conqret.data import Document, Item, Nugget
from conqret.data.judgment import ARROW
from conqret.errors import DeclarationError, ItemsError
from conqret.io import CheckedItems, ItemSource
from conqret.judging.instrument import ENGLISH, Instrument, filled
from conqret.judging.judge_folder import InstrumentRecord
from conqret.judging.judge_options import (
    CONVERSATION,
    CRITERIA,
    LANGUAGE,
    NUGGETS,
    OWN_JUDGE,
    RUBRIC,
    JudgeOptions,
)
from conqret.judging.judge_parts import (
    JUDGES,
    JURY,
    TOURNAMENT,
    Case,
    Judge,
    JudgePrompt,
    Member,
    digest,
)
from conqret.judging.metric_homes import judge_of_members
from conqret.judging.responses import stating_confidence
from conqret.judging.shots import PROMPT as SHOTS_PROMPT
from conqret.llm.client import Client
from conqret.llm.client_options import NO_MODEL, OFFLINE_MODEL, ClientOptions
from conqret.prompts import Library
from conqret.text.language import NAMES, explanation_language

if TYPE_CHECKING:
    from conqret.judging.computed_metrics import ComputedMetrics

_NEEDS = {
    "documents": "rates documents",
    "argument": "judges an argument",
    "second_argument": "compares two arguments",
    "reference": "holds what it judges against a reference",
    "nuggets": "judges nuggets that are given (--nuggets, or the item's own)",
    "nuggets.assignment": "computes measures of nuggets that are assigned already",
}


NO_CRITERIA = (
    "the offline baseline has no evidence for criteria of your own: without a model they are not scored"
)

PROBE = Item(
    id="example",
    topic="Should the voting age be lowered to 16?",
    stance="pro",
    documents=(
        Document(
            id="turnout", title="Turnout", text="In two of three towns turnout rose. In the third it fell."
        ),
        Document(id="work", text="In many countries people of sixteen may work, and then pay taxes."),
    ),
    argument="Whoever pays taxes should have a say in them [2]. Turnout rose in most towns [1].",
    second_argument="At sixteen few people follow politics.",
    reference="There are good reasons on both sides.",
    nuggets=(
        Nugget(text="Turnout rose in two of three towns.", importance="vital", sub_narrative="Turnout"),
        Nugget(text="People of sixteen pay taxes.", importance="okay", sub_narrative="Work"),
    ),
)
"""An item that has everything: to see whether prompts can be filled, and what they look like then."""


@dataclass(frozen=True)
class Setup:
    """A judge configuration without an open connection: judge, options, prompts and client options.

    ``turns`` is True if items have earlier turns or images, which prompts then show. ``languages`` are the
    languages of the items. ``share`` (0 to 1) is the share of the items that it is expected to
    judge.
    """

    judge: Judge
    options: JudgeOptions
    library: Library
    client: ClientOptions
    notes: tuple[str, ...] = field(default=())
    turns: bool = False
    languages: tuple[str, ...] = ()
    share: float = 1.0

    @property
    def judges(self) -> tuple[Setup, ...]:
        """The judges that have their turn one after the other."""
        return (self,)

    @property
    def model(self) -> str:
        """The name of the model; of a cascade, those of both."""
        return ARROW.join(map(attrgetter("client.model"), self.judges))

    @property
    def judge_prompts(self) -> tuple[JudgePrompt[Any], ...]:
        """The prompts for the requested metrics."""
        return self.judge.select(self.options.metrics)

    @property
    def parts(self) -> tuple[JudgePrompt[Any] | ComputedMetrics, ...]:
        """The prompts for the requested metrics, and the metrics that are computed without a model."""
        return self.judge.parts(self.options.metrics)

    @property
    def metrics(self) -> tuple[str, ...]:
        """The requested metrics, in the order of reports."""
        return self.judge.reported(self.options.metrics)

    @cached_property
    def members(self) -> tuple[tuple[Setup, Mapping[str, str]], ...]:
        """The setup of each of several formats, with the names of its metrics here."""
        members = []
        for member in self.judge.members:
            options = replace(self.options, metrics=tuple(member.names))
            members.append((replace(self, judge=member.judge, options=options), member.names))
        return tuple(members)

    @cached_property
    def identity(self) -> dict[str, Any]:
        """The parts of the judge configuration, from which its fingerprint is computed."""
        if self.members:
            return {setup.judge.name: setup.identity for setup, _ in self.members}
        decides = self.client.backend.decides
        probe = PROBE if decides else None
        identity = self.judge.identity(self.options, self.library, self.client.identity, probe)
        if self.turns:
            identity |= {} if decides else {f"prompt {CONVERSATION}": self.library[CONVERSATION].digest}
            identity |= {"conversation": self.options.conversation}
        explained = explanation_language(self.options.explain_in)
        named = {explained, *self.languages} & (NAMES.keys() - {ENGLISH})  # prompts name these languages
        if self.judge.judge_prompts and named and not decides:
            identity |= {
                f"prompt {LANGUAGE}": self.library[LANGUAGE].digest,
                "explain_in": explained or "the item's language",
            }
        if self.options.shots:
            shots = (asdict(example) for example in self.options.examples)
            identity |= {f"prompt {SHOTS_PROMPT}": self.library[SHOTS_PROMPT].digest}
            identity |= {"shots": self.options.shots, "examples": digest(list(shots))}
        return identity

    @cached_property
    def fingerprint(self) -> str:
        """The hash of the identity, which identifies the judge configuration; of one format, its own."""
        if len(self.members) == 1:
            return self.members[0][0].fingerprint
        return digest(self.identity)

    @property
    def fingerprints(self) -> tuple[str, ...]:
        """That of the judge configuration, and of each format that it is made of."""
        return (self.fingerprint, *(setup.fingerprint for setup, _ in self.members))

    @property
    def recorded(self) -> dict[str, Any]:
        """The fields of a run record that describe the judge configuration, by name."""
        formats = {}
        for setup, names in self.members:
            formats[setup.judge.name] = {
                "fingerprint": setup.fingerprint,
                "identity": setup.identity,
                "names": dict(names),
            }
        return {
            "format": self.judge.name,
            "model": self.model,
            "baseline": all(map(attrgetter("client.backend.baseline"), self.judges)),
            "fingerprint": self.fingerprint,
            "identity": self.identity,
            "metrics": list(self.metrics),
            "formats": formats,
        }

    @property
    def needs(self) -> dict[str, str]:
        """A mapping from each field that items must have to the words of the error where one is missing."""
        needs = {}
        for part in self.parts:
            for need in part.needs:
                needs[need] = f"format {self.judge.name} {_NEEDS[need]}"
        return dict(sorted(needs.items()))

    def instrument(self, *clients: Client) -> Instrument:
        """Return this judge configuration as an :class:`Instrument` with an open client for each of its
        judges, in their order."""
        (client,) = clients
        members = []
        for setup, names in self.members:
            members.append((setup.instrument(client), names))
        made = self.judge, self.options, self.library, client, self.model, self.fingerprint
        return Instrument(*made, members=tuple(members))

    def in_one_order(self, metric: str) -> Setup:
        """Return the configuration with only the prompts of ``metric`` (and all metrics that these rate), sent in one
        order of the two arguments."""
        judge_prompts = [
            replace(part, both_orders=False) for part in self.judge_prompts if metric in part.metrics
        ]
        metrics = tuple(metric for part in judge_prompts for metric in part.metrics)
        return replace(
            self,
            judge=replace(self.judge, judge_prompts=tuple(judge_prompts)),
            options=replace(self.options, metrics=metrics),
        )


def set_up(
    format: str | Judge,  # noqa: A002 - the word that users know
    client: ClientOptions,
    options: JudgeOptions,
    prompts: str | Path | Library | None = None,
) -> Setup:
    """Build the judge configuration, and check its metrics and prompts.

    The name of a local model is extended by the identity of its weights.

    Args:
        format: the name of a format, or a judge.
        client: how the model is called.
        options: the options of the judge.
        prompts: a folder of user-defined prompts, or a library.

    Raises:
        DeclarationError: a format, metric or prompt does not exist, a prompt cannot be filled, or the model
            cannot be called.
    """
    if isinstance(format, str) and ":" in format:
        raise DeclarationError(
            f"{format} is not the name of a format: give a function that judges with --judge (judge=… in Python), or "
            "declare a format of your own (docs/adding-a-judge.md)"
        )
    judge = JUDGES.resolve(format)
    if judge.members:
        options = replace(options, metrics=judge.metrics)
    ask_prompts = map(attrgetter("prompt"), judge.judge_prompts)
    library = (
        prompts if isinstance(prompts, Library) else Library(Path(prompts) if prompts else None, ask_prompts)
    )
    if options.confidence and client.backend.decides:
        raise DeclarationError(
            f"{client.model} gives a probability for each of its answers and states no other confidence: leave "
            "--confidence out"
        )
    if options.confidence:
        judge = stating_confidence(judge, library)
    if options.conversation == "whole" and any(part.reading is not None for part in judge.judge_prompts):
        raise DeclarationError(
            f"the format {judge.name} computes the probability of the last answer only: leave --conversation whole out"
        )
    probe = Case(PROBE, options)
    for part in judge.select(options.metrics):
        read = part.reading is not None
        if client.backend.decides and part.typed is None:
            raise DeclarationError(_cannot_be_typed(judge, part, client))
        client.backend.check_can_request(
            f"the format {judge.name}", read=read, written=not read, decided=part.typed is not None
        )
        filled(library[part.prompt], part, probe)  # a prompt that cannot be filled shows here, not halfway
    if not judge.judge_prompts:
        if client.model not in (OFFLINE_MODEL, NO_MODEL):
            raise DeclarationError(
                f"the format {judge.name} is computed from the items without a model: leave {client.model} out"
            )
        client = replace(client, model=NO_MODEL)
    client = client.resolved()
    notes = client.backend.notes(client)
    if client.backend.baseline and {CRITERIA, RUBRIC} & {
        judge.name,
        *map(attrgetter("judge.name"), judge.members),
    }:
        notes = (NO_CRITERIA, *notes)
    if client.backend.decides and library.overlay is not None:
        notes += (
            f"the prompts in {library.overlay} are not sent: {client.model} gets conqret's typed questions",
        )
    return Setup(judge, options, library, client, notes)


def _cannot_be_typed(judge: Judge, part: JudgePrompt[Any], client: ClientOptions) -> str:
    """Return the error message that a decision model cannot judge by this format, with the formats by which
    it can.
    """
    able = [
        name
        for name, other in JUDGES.items()
        if other.judge_prompts and all(each.typed is not None for each in other.judge_prompts)
    ]
    return (
        f"the format {judge.name} cannot put {', '.join(part.metrics[:3])} as typed questions, which is all that "
        f"{client.model} answers: judge by {', '.join(able)}, or criteria of your own, or with a model that writes"
    )


def recorded_judge(record: InstrumentRecord) -> Judge:
    """Rebuild the judge of a run record: a format, criteria, a rubric, a user-defined judge, a jury or a
    tournament.

    Raises:
        UnknownNameError: the format does not exist here.
        DeclarationError: the record's criteria or rubric are invalid.
    """
    if record.format in (JURY.name, TOURNAMENT.name):
        return JURY if record.format == JURY.name else TOURNAMENT
    if record.format == OWN_JUDGE:
        from conqret.judging.own_judge import own_judge

        return own_judge(record.metrics)
    members, alone = [], {record.format: {"identity": record.identity, "names": {}}}
    for name, each in (record.formats or alone).items():
        if name in (CRITERIA, RUBRIC):
            from conqret.judging.rubrics import judge_of_record

            judge = judge_of_record(name, each["identity"])
        else:
            judge = JUDGES[name]
        members.append(Member(judge, each["names"]))
    return judge_of_members(members) if record.formats else members[0].judge


def check_items(source: ItemSource, setup: Setup, *, all_items: bool = True) -> tuple[CheckedItems, Setup]:
    """Check every item before the first call, and determine which metrics the items allow.

    Without selected metrics, those whose fields no item has are left out, with a note. A field that only some
    items lack, or that a selected metric needs, is a fault of each item without it. ``all_items`` is False
    for some of many items; then rubrics may be for items that are absent.

    Returns:
        The result of the check, and the configuration with the metrics left. A source that skips invalid
            items must be read with its ``needs``.

    Raises:
        ItemsError: items have faults; it lists them all.
        DeclarationError: no metric of the format is possible for these items.
    """
    combined = setup.judge.combined
    source = replace(source, judged=() if combined is None else combined.columns)
    try:
        checked, whole = source.check(), True
    except ItemsError:  # what the format needs is checked all the same, so that all faults are told at once
        checked, whole = replace(source, skip_invalid=True).check(), False
    notes: list[str] = []
    if not setup.options.metrics:
        absent = set[str]()
        for name, share in checked.has.items():
            if share == "none":
                absent.add(name)
        setup, notes = _possible(setup, absent)
    judge, parts, needs = setup.judge, setup.parts, setup.needs
    if checked.has["reference"] != "none" and not any("reference" in part.looked_at for part in parts):
        column = source.column("reference")
        notes.append(
            "no metric of this run compares answers with the reference answers (answer_correctness does, and "
            f"context_recall documents); if they are answers to rate, too: --columns second_argument={column}"
        )
    if judge.name == NUGGETS and checked.has["nuggets.assignment"] != "none":
        notes.append(
            "nuggets are assigned already in these items, and are assigned anew; to compute the measures from what is "
            "there, without a model: --format nugget-assignments"
        )
    for name in sorted(frozenset[str]().union(*map(attrgetter("against"), parts))):
        if checked.has[name] == "none":
            needs[name] = f"format {judge.name} {_NEEDS[name]}"
        elif checked.has[name] == "some":
            names = _reported(
                setup, [metric for part in parts if name in part.against for metric in part.metrics]
            )
            notes.append(
                f"{', '.join(names)} {'does' if len(names) == 1 else 'do'} not apply to items without a {name}"
            )
    if not whole or {*map(checked.has.__getitem__, needs)} - {"all"}:
        checked = source.check(needs)  # raises, unless items are left out
    notes.extend(map("left out: {}".format, checked.reasons))
    if combined is not None and all_items:
        notes += combined.check(replace(source, needs=needs))
    notes = [*setup.notes, *checked.notes, *notes]
    return checked, replace(setup, notes=tuple(notes), turns=checked.turns, languages=checked.languages)


def _reported(setup: Setup, lost: Collection[str]) -> list[str]:
    """The metrics of a run that are among ``lost``, by the names under which they are reported; else the judge."""
    inside = {name: inner for member in setup.judge.members for inner, name in member.names.items()}
    return [metric for metric in setup.metrics if inside.get(metric, metric) in lost] or [setup.judge.name]


def _possible(setup: Setup, absent: Set[str]) -> tuple[Setup, list[str]]:
    """Return the setup without metrics that no item can have, as all lack what these need (``absent``), and notes on
    what is left out. If nothing would be left, all metrics stay, without notes."""
    possible: list[JudgePrompt[Any] | ComputedMetrics] = []
    notes, also = list[str](), dict[str, str]()
    for part in setup.parts:
        if lacking := sorted(absent & (part.needs | part.against)):
            notes.append(f"{', '.join(part.metrics)} left out: no item has {' or '.join(lacking)}")
        else:
            possible.append(part)
    if not possible:
        possible, notes = list(setup.parts), []
    for part in possible:
        also |= part.also
    for metric in {*also}:
        if also[metric] not in absent:
            del also[metric]
    for need in dict.fromkeys(also.values()):
        names = [metric for metric, field_name in also.items() if field_name == need]
        what = need.rpartition(".")[2].replace("_", "-")
        article = "an" if what[0] in "aeiou" else "a"
        notes.append(f"{', '.join(names)} left out: no nugget has {article} {what}")
    kept = set[str]().union(*map(attrgetter("metrics"), possible)) - also.keys()
    metrics = tuple(filter(kept.__contains__, setup.judge.metrics))
    if not notes or not metrics:
        return setup, []
    return replace(setup, options=replace(setup.options, metrics=metrics)), notes
