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
    """One candidate: a variant, raw or calibrated, with its cross-fitted mean squared error from the mean
    label in [0, 1].

    ``worse`` is its error minus the smallest one, ``error_of_worse`` the standard error of this difference
    over topics.
    """

    variant: str
    calibrated: bool
    squared_error: float
    worse: float
    error_of_worse: float

    @property
    def name(self) -> str:
        """The candidate's name in words."""
        text = {"as_it_is": "as it is", "both": "examples and wording"}.get(self.variant, self.variant)
        return f"{text}, calibrated" if self.calibrated else text


class VariantChoice(Frozen):
    """The choice among ``candidates`` (the simplest first) without one ``fold`` of topics (-1: on all
    topics).

    The first candidate with an error within one standard error of the smallest is chosen.
    """

    fold: int
    variant: str
    calibrated: bool
    topics: int
    items: int
    candidates: tuple[Candidate, ...]

    @property
    def chosen(self) -> Candidate:
        """The chosen candidate."""
        return next(
            one for one in self.candidates if (one.variant, one.calibrated) == (self.variant, self.calibrated)
        )

    @property
    def changes(self) -> bool:
        """True if the choice differs from the original judge."""
        return self.variant != AS_IT_IS or self.calibrated


class VariantAgreement(Frozen):
    """Agreement with the mean label: Krippendorff's alpha, Spearman's correlation, and mean absolute error
    in [0, 1].
    """

    alpha: Estimate
    spearman: Estimate
    distance: Estimate


class ImproveResult(Frozen):
    """The agreement of a judge before and after improvement, on items that played no part in the choices
    made for them.

    - ``measured``: evaluated on held-out items, or cross-fitted over folds of topics.
    - ``gain``: agreement of the improved minus the original judge, paired by item (for the distance: original
    minus improved, so that a gain is positive).
    - ``over_calibration``: the same compared with calibration alone. An alpha below 0 in a comparison counts
    as 0.
    - ``choices``: the choices without each fold, if cross-fitted; ``final``: the choice on all training
    topics.
    - ``improvement``: what the final choice learned; ``observations``: those of the model that proposed the
    wording.
    - ``unscored``: the number of items left out, as one of the judges gave no score.
    - ``criterion``: that of the improved judge; ``use``: the options of ``conqret judge`` that select it.
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
        """True if the gain in alpha over the original judge is significant: its interval lies above 0."""
        return self.gain.alpha.low is not None and self.gain.alpha.low > 0

    @property
    def shown_over_calibration(self) -> bool:
        """True if the gain in alpha over calibration alone is significant."""
        return self.over_calibration.alpha.low is not None and self.over_calibration.alpha.low > 0

    @property
    def headline(self) -> str:
        """A sentence with the finding: alpha before and after, and the gain."""
        verdict = (
            "The improved judge agrees better with annotators" if self.shown else "No improvement is shown"
        )
        after, before = (self.agreement[series].alpha for series in ("improved", "as_it_is"))
        where = f"{self.items} items of {self.topics} topics without a part in training or choice"
        return f"{verdict}: alpha with the mean label {after} after, {before} before, gain {self.gain.alpha} ({where})"

    def command(self, folder: str = ".") -> str:
        """Return the command that judges new items with the improved judge, whose files are in ``folder``.

        It is empty if the judge did not change, or if it can only be used from Python by its ``criterion``.
        """
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
    """Yield the tables: agreement before and after with gains, the candidates, and the choices by fold."""
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
    """Return sentences with the model's observations and the limits of the result."""
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
    """Return the report page of an improvement run."""
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
