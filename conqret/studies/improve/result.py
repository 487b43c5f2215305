"""What came of improving a judge."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from shlex import quote
from typing import Any, Literal

from conqret.data.item import Frozen
from conqret.runs.session import SessionCounts
from conqret.show import words
from conqret.show.forest import forests
from conqret.show.report_page import PageRemarks, ReportPage, Section
from conqret.show.table import Column, Table
from conqret.stats.estimate import Estimate
from conqret.studies.agreement.agreement_settings import Basis
from conqret.studies.improve.improved_prompt import AS_IT_IS, CALIBRATION, PROMPTS, Improvement

Series = Literal["as_it_is", "calibrated", "improved"]
"""What is held against the labels: the judge as it is, the same with a calibration alone, and what was chosen."""


class Candidate(Frozen):
    """What could be chosen: a variant, with a map onto the labels or without, with its mean squared error from the mean
    label in [0, 1], cross-fitted over the topics that it was chosen on. ``worse`` is that error minus the least, and
    its standard error over topics is ``error_of_worse``."""

    variant: str
    calibrated: bool
    squared_error: float
    worse: float
    error_of_worse: float

    @property
    def name(self) -> str:
        """The candidate in words."""
        text = {"as_it_is": "as it is", "both": "examples and wording"}.get(self.variant, self.variant)
        return f"{text}, calibrated" if self.calibrated else text


class VariantChoice(Frozen):
    """What was chosen without one ``fold`` of topics (-1: with all of them) among ``candidates``, the simplest first:
    the first whose error is within one standard error of the least."""

    fold: int
    variant: str
    calibrated: bool
    topics: int
    items: int
    candidates: tuple[Candidate, ...]

    @property
    def chosen(self) -> Candidate:
        """The candidate that was taken."""
        return next(
            one for one in self.candidates if (one.variant, one.calibrated) == (self.variant, self.calibrated)
        )

    @property
    def changes(self) -> bool:
        """Whether it is another judge than the one that was given."""
        return self.variant != AS_IT_IS or self.calibrated


class VariantAgreement(Frozen):
    """Agreement with the mean label: Krippendorff's alpha, Spearman's correlation, and the mean distance in [0, 1]."""

    alpha: Estimate
    spearman: Estimate
    distance: Estimate


class ImproveResult(Frozen):
    """A judge before and after, on ``items`` of ``topics`` that had no part in what was chosen for them.

    ``measured`` says whether these were held out, or each fold of topics was measured on in turn. ``gain`` is what the
    improved judge has more than the judge as it is (for distances: less), paired by item, and ``over_calibration``
    what it has more than a calibration alone; where an alpha that it is held against lies below 0, it counts as 0,
    that of agreement by chance. ``choices`` are those without each fold, where topics were measured on in turn, and
    ``final`` is that of all topics that may be learned from, which ``improvement`` belongs to. ``observations`` are
    those of the model that proposed the wording. ``criterion`` is that of the improved judge, and ``use`` are the
    options of ``conqret judge`` that name it.
    """

    schema_name: str = "conqret.improvement/3"
    metric: str
    dimension: str
    format: str
    model: str
    baseline: bool
    fingerprint: str
    improved_fingerprint: str
    basis: Basis
    measured: Literal["held out", "cross-fitted"]
    training_items: int
    training_topics: int
    items: int
    topics: int
    unscored: int
    agreement: Mapping[Series, VariantAgreement]
    gain: VariantAgreement
    over_calibration: VariantAgreement
    choices: tuple[VariantChoice, ...]
    final: VariantChoice
    improvement: Improvement
    observations: tuple[str, ...]
    criterion: Mapping[str, Any] | None
    use: tuple[str, ...]
    options: Mapping[str, Any]
    session: SessionCounts = SessionCounts()
    missing: tuple[str, ...] = ()

    @property
    def shown(self) -> bool:
        """Whether a gain in alpha over the judge as it is is shown: its interval lies above 0."""
        return self.gain.alpha.low is not None and self.gain.alpha.low > 0

    @property
    def shown_over_calibration(self) -> bool:
        """Whether a gain in alpha over a calibration alone is shown."""
        return self.over_calibration.alpha.low is not None and self.over_calibration.alpha.low > 0

    @property
    def headline(self) -> str:
        """What came of it, in a sentence."""
        verdict = (
            "The improved judge agrees better with annotators" if self.shown else "No improvement is shown"
        )
        after, before = (self.agreement[series].alpha for series in ("improved", "as_it_is"))
        where = f"{self.items} items of {self.topics} topics without a part in training or choice"
        return f"{verdict}: alpha with the mean label {after} after, {before} before, gain {self.gain.alpha} ({where})"

    def command(self, folder: str = ".") -> str:
        """The command that judges new items with the improved judge, whose files lie in ``folder``; empty where it is
        the judge that was given, or can only be had from Python, by its ``criterion``."""
        if not self.use:
            return ""
        places = {name: f"{folder}/{name}" for name in (PROMPTS, CALIBRATION)}
        return " ".join(["conqret judge NEW.jsonl", *(quote(places.get(word, word)) for word in self.use)])


SERIES: dict[Series, str] = {
    "as_it_is": "(a) the judge as it is",
    "calibrated": "(b) a calibration alone",
    "improved": "the improved judge",
}


def improve_tables(result: ImproveResult) -> Iterator[Table]:
    """Agreement before and after with what was gained; and what could be chosen."""
    rows = {
        **{name: result.agreement[series] for series, name in SERIES.items()},
        "gain over (a)": result.gain,
        "gain over (b)": result.over_calibration,
    }
    how = "Each fold of topics is scored by the judge that was improved and chosen on the others."
    yield Table(
        f"Agreement with the mean label, {result.basis.intervals}",
        (Column("", "name"), "Alpha", "Spearman", "Distance"),
        [(name, one.alpha, one.spearman, one.distance) for name, one in rows.items()],
        note=f"{'These topics were held out.' if result.measured == 'held out' else how} “Distance” is the mean "
        "absolute difference of score and mean label, in [0, 1]; a gain is its decrease. For gains an alpha of (a) or "
        "(b) below 0 counts as 0.",
    )
    final = result.final
    yield Table(
        "Candidates for the improved judge",
        (Column("Candidate", "name"), "Squared error", "Over the least", Column("", "text")),
        [
            (
                one.name,
                one.squared_error,
                f"{one.worse:+.4f} ± {one.error_of_worse:.4f}",
                "chosen" if one is final.chosen else "",
            )
            for one in final.candidates
        ],
        note=f"Cross-validated over {words.number(final.topics, 'topic')} ({words.number(final.items, 'item')}). The "
        "simplest candidate within one standard error of the least squared error is chosen.",
    )
    if result.choices:
        yield Table(
            "Candidate chosen when a fold is left out",
            (Column("Without fold", "name"), Column("Chosen", "text"), "Squared error", "Items"),
            [
                (str(choice.fold + 1), choice.chosen.name, choice.chosen.squared_error, choice.items)
                for choice in result.choices
            ],
            note="If the choice changes from fold to fold, the labels are too few to tell the candidates apart.",
        )


def remarks(result: ImproveResult) -> list[str]:
    """What is said in words."""
    final = result.final
    lines = {
        f"Left out, as one of the judges gave no score: {words.number(result.unscored, 'item')}.": result.unscored,
        "No calibration map could be fitted: there are too few scores, or nearly all are the same.": not any(
            one.calibrated for one in final.candidates
        ),
        "Calibrating the scores is enough: the improved judge is not shown to be better than that.": result.shown
        and not result.shown_over_calibration,
        "The improved criterion describes each point of its scale, so it can be used only from Python: "
        "conqret.Criterion(**criterion), with the criterion in summary.json.": final.changes
        and not result.use,
        "No change of the judge was chosen, so there is no improved judge to use.": not final.changes,
    }
    said = [f"The model that proposed the wording says: {text}" for text in result.observations]
    return [*said, *(line for line, holds in lines.items() if holds)]


def improve_page(result: ImproveResult) -> ReportPage:
    """The page of a run, and as Markdown its card."""
    improvement = result.improvement
    anchors = [f"{anchor.rating}: {anchor.meaning}" for anchor in improvement.anchors]
    texts = {
        "The wording": [improvement.wording, *anchors] if improvement.wording else [],
        "Examples in the prompt": [
            f"{one.item} ({one.question}): {one.label}" for one in improvement.examples
        ],
        "How to use it": [f"In this folder: {result.command()}"] if result.use else [],
    }
    first, *tables = [Section(table.title, [table]) for table in improve_tables(result)]
    said = remarks(result)
    alphas = [(words.capitalised(name), result.agreement[series].alpha) for series, name in SERIES.items()]
    items, topics = words.number(result.training_items, "item"), words.number(result.training_topics, "topic")
    return ReportPage(
        "improve",
        f"The judge of {words.label(result.metric).lower()} with {result.model}, improved from human labels",
        [
            first,
            Section("In words", [PageRemarks(said)] if said else []),
            *tables,
            *(Section(title, [PageRemarks(lines)]) for title, lines in texts.items() if lines),
        ],
        badges=words.baseline_badges([result.baseline]),
        answer=[f"{result.headline}."],
        picture=forests("Agreement with the mean label", "Krippendorff's alpha, 95% intervals", alphas),
        facts=[
            ("Chosen", result.final.chosen.name),
            ("Fingerprint", result.improved_fingerprint),
            ("Before", result.fingerprint),
            ("Learned from", f"{items} on {topics}"),
            (
                "Measured",
                f"{result.measured}, {words.number(result.items, 'item')} on {result.topics} topics",
            ),
        ],
    )
