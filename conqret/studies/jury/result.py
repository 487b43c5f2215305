"""What a jury is worth: its agreement with annotators compared with that of its members, how these err together,
and where they differ.

A jury is held against the mean of its members' alphas, which takes no choice of a member, and then against each of
them: that it is better than all takes as many tests, each of which has to show it (Berger 1982), and no correction.
To these is added the gain over the member that is best by other topics: it is chosen by alpha on all other folds of
topics (:mod:`conqret.studies.compare.compare_judges`): the best of several on the very labels that it is then held
against looks better than it is. Judges that err alike are worth fewer: with a mean correlation r of the errors, K of
them count as ``K / (1 + (K - 1) r)`` independent ones (Kish 1965, section 5.4).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal

from conqret.data.item import Frozen
from conqret.judging.summary_tables import metric_names
from conqret.llm.client_options import OFFLINE_MODEL
from conqret.show import words
from conqret.show.forest import Forest, forests
from conqret.show.report_page import ReportPage, section
from conqret.show.table import Column, Table
from conqret.stats.effects import ALPHA, p_words
from conqret.stats.estimate import Estimate
from conqret.studies.agreement.agreement_settings import Basis
from conqret.studies.compare.result import HeldOut, chance_sentence, chosen_words

RESULT = "jury.json"
Rule = Literal["mean", "median"]


class JuryMember(Frozen):
    """A member of the jury. ``alpha`` is its mean alpha with annotators; None without labels."""

    name: str
    format: str
    model: str
    fingerprint: str
    alpha: Estimate | None = None


class RuleAgreement(Frozen):
    """The jury's mean alpha with human labels, compared with its members.

    - ``over_average``: alpha minus the mean of the members' alphas, with two-sided ``p`` (None: not tested).
    - ``over``: for each member, the p-value of alpha minus its alpha (1 where the jury is not above it).
    - ``shown``: better than the members on ``average``, then also than ``each`` of them, or ``worse`` on
    average; both tests together have an error of 5%.
    - ``gain``: alpha minus that of the best member, chosen on other topics.
    """

    alpha: Estimate
    gain: Estimate
    over_average: Estimate
    p: float | None
    over: Mapping[str, float | None]
    shown: Literal["each", "average", "worse", ""]


class ErrorPair(Frozen):
    """The correlation of the errors of two members (score minus human label, within dimensions)."""

    first: str
    second: str
    correlation: Estimate


class DisputedItem(Frozen):
    """An item on which the members differ: their scores, the jury's score and the human label, in [0, 1]."""

    item: str
    topic: str
    metric: str
    values: tuple[float, ...]
    jury: float
    people: float | None


class JuryCheck(Frozen):
    """The evaluation of a jury with human labels.

    ``reached`` is its agreement, ``best`` the choice of the best member on other topics, and ``errors`` the
    error correlations of members. ``independent`` is the effective number of independent judges (None:
    unknown).
    """

    basis: Basis
    reached: RuleAgreement
    best: HeldOut
    errors: tuple[ErrorPair, ...]
    independent: float | None
    left_out: tuple[str, ...]


class Jury(Frozen):
    """A jury: its ``rule``, its members, the items on which they differ most, and its evaluation.

    ``scored`` counts the ``items`` with all scores. ``checked`` is None without labels.
    """

    schema_name: str = "conqret.jury/3"
    rule: Rule
    members: tuple[JuryMember, ...]
    metrics: tuple[str, ...]
    items: int
    scored: int
    checked: JuryCheck | None
    disagreements: tuple[DisputedItem, ...]

    @property
    def chance(self) -> str:
        """A sentence that neither the jury nor a member agrees beyond chance; empty if one does."""
        reached = [] if self.checked is None else [self.checked.reached.alpha]
        members = [member.alpha for member in self.members if member.alpha is not None]
        return chance_sentence([*reached, *members])

    @property
    def verdict(self) -> str:
        """A sentence on what the jury gains over its members."""
        if self.checked is None:
            return "what the jury gains over its members is unknown without human labels (--labels)"
        reached = self.checked.reached
        jury, members = f"the jury ({self.rule})", f"each of its {len(reached.over)} members"
        known = {name: 1.0 if p is None else p for name, p in reached.over.items()}
        by = f"{words.with_interval(reached.over_average)} (Krippendorff's α)"
        if reached.shown == "each":
            worst = p_words(max(known.values(), default=1.0))
            return f"{jury} agrees better with annotators than {members} ({worst} at most)"
        average = "with annotators than its members do on average"
        if not reached.shown:
            return f"the data do not show that {jury} agrees better or worse {average} (difference {by})"
        if reached.shown == "worse":
            return f"{jury} agrees worse {average}, by {by}"
        best = max(known, key=known.__getitem__, default="")
        alone = f"the data do not show that it agrees better than the member “{best}” alone"
        return f"{jury} agrees better {average}, by {by}; {alone}"


def jury_tables(jury_result: Jury) -> Iterator[Table]:
    """Yield the tables: agreement of jury and members, error correlations, and the items on which members
    differ most.
    """
    checked = jury_result.checked
    if checked is not None:
        reached, best, basis, beaten = checked.reached, checked.best, checked.basis, ""
        if reached.shown in ("each", "average"):
            shown = sum(p is not None and p < ALPHA for p in reached.over.values())
            beaten = f"{shown} of {len(reached.over)}"
        figures = (reached.alpha, reached.over_average, words.p_value(reached.p), beaten, reached.gain)
        yield Table(
            f"What the jury gains, {basis.intervals}",
            ("Jury by", "Alpha", "Over the average", "p", "Over each", "Gain"),
            [(jury_result.rule, *figures)],
            foot=[(words.label(_chosen(checked)), best.alpha, "", "", "", "")],
            note="“Alpha” is of the units that all members scored, averaged over dimensions without overall quality. "
            "“Over the average” is the jury's alpha minus its members' mean alpha, with p (t-test over "
            f"{basis.clustered_by}s); “Over each” counts the members that it agrees significantly better than, where "
            f"it is better than their average. “Gain” is over the member {_chosen(checked)}. "
            f"{words.symmetry_note(basis.clusters)}".rstrip(),
        )
        yield Table(
            "Its members",
            {
                "Member": "name",
                Column("Judge", "text"): lambda member: f"{member.format} with {member.model}",
                Column("Fingerprint", "name"): "fingerprint",
                "Alpha": "alpha",
                "Chosen": lambda member: f"{best.chosen[member.name]} of {best.folds}",
            },
            jury_result.members,
            note=chosen_words(best, basis),
        )
        counted = ""
        if checked.independent is not None and checked.errors:
            counted = f" Together the members count as {checked.independent:.1f} independent judges."
        yield Table(
            "Do the members make the same errors?",
            {"Judge": "first", Column("And", "name"): "second", "Correlation of errors": "correlation"},
            checked.errors,
            note=f"An error is a score minus the human label, compared within dimensions.{counted}",
        )
    if jury_result.disagreements:
        yield Table(
            "Items on which the members differ most",
            (
                "Item",
                Column("Metric", "name"),
                *(member.name for member in jury_result.members),
                "Jury",
                "Label",
            ),
            [
                (
                    row.item,
                    words.label(row.metric),
                    *map(words.item_score, (*row.values, row.jury, row.people)),
                )
                for row in jury_result.disagreements
            ],
            note=f"Each item stands with the metric on which its members differ most. {RESULT} has all numbers.",
        )


def jury_page(jury_result: Jury) -> ReportPage:
    """Return the report page of a jury."""
    checked = jury_result.checked
    sentences = (f"{jury_result.verdict}.", jury_result.chance)
    return ReportPage(
        "jury",
        f"Is a jury of {len(jury_result.members)} better than its best judge?",
        list(map(section, jury_tables(jury_result))),
        badges=words.baseline_badges([member.model == OFFLINE_MODEL for member in jury_result.members]),
        answer=[words.capitalised(text) for text in sentences if text],
        picture=[] if checked is None else _picture(jury_result, checked),
        facts=[
            ("Rule", jury_result.rule),
            ("Metrics", metric_names(jury_result.metrics).replace("_", " ")),
            (
                "Items",
                f"{words.count(jury_result.scored)} of {words.count(jury_result.items)} judged by all members",
            ),
            *([("Labels", checked.basis.labels)] if checked is not None else []),
        ],
    )


def _chosen(checked: JuryCheck) -> str:
    return f"chosen on other {checked.basis.clustered_by}s"


def _picture(jury_result: Jury, checked: JuryCheck) -> list[Forest]:
    alphas = [
        *((member.name, member.alpha) for member in jury_result.members),
        (f"Member {_chosen(checked)}", checked.best.alpha),
        (f"Jury: {jury_result.rule}", checked.reached.alpha),
    ]
    return forests("Mean Krippendorff's alpha with annotators", "Alpha", alphas)
