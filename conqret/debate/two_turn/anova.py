"""Do arguments, the second judgment or the instruction change what judges answer? Repeated-measures ANOVA.

Parrish et al. 2022, section 3: arguments by judgment by instruction, 2 x 2 x 2, on right or wrong (with abstentions
removed, or counted as incorrect) and on the seven points of the slider. Each subject enters with the mean of its
answers in each cell. Subjects that lack a cell cannot enter; where there are any, a mixed model of all answers with a
random intercept for each subject stands next to it.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from conqret._optional import require
from conqret.debate.two_turn.outcomes import Answers, counted_answers
from conqret.debate.two_turn.slider_answers import Design, SliderAnswer
from conqret.errors import DeclarationError, strict_options
from conqret.io.rows import listed
from conqret.show import words
from conqret.show.table import Column, Table

if TYPE_CHECKING:
    import pandas as pd


Subject = Literal["judge", "passage"]
FACTORS = ("arguments", "judgment", "instruction")
"""What differs within a subject, by the name of its column."""

MEASURES: Mapping[str, Callable[[int], float | None]] = {
    "right or wrong, abstentions removed": lambda point: float(point > 0) if point else None,
    "right or wrong, abstentions as wrong": lambda point: float(point > 0),
    "slider, -3 to 3": float,
}
"""What an answer counts, from how far it is toward the right option; None removes it."""

_VARIES = 1e-9
"""Means whose deviation is below this do not vary: there is nothing to test with."""


@dataclass(frozen=True, slots=True)
class AnovaEffect:
    """The test of one effect or interaction: F with two degrees of freedom, or chi-squared with one, and the
    p-value."""

    name: str
    statistic: float
    df: tuple[int, ...]
    p: float


@dataclass(frozen=True, slots=True)
class Anova:
    """The analysis of variance of one measure.

    Attributes:
        factors: the factors that vary; the others are left out.
        subjects: the number of subjects with all cells, which are analyzed; ``lacking`` names the others.
        effects: the effects of the repeated-measures ANOVA; empty where there is none, and ``reason``
            says why.
        mixed: the Wald tests of the mixed model, if subjects lack cells; empty where there is none
            (``mixed_reason``).
    """

    measure: str
    factors: tuple[str, ...]
    subjects: int
    lacking: tuple[str, ...]
    effects: tuple[AnovaEffect, ...]
    reason: str
    mixed: tuple[AnovaEffect, ...]
    mixed_reason: str


@strict_options
def debate_anova(
    answers: Answers, *, subject: Subject | None = None, design: Design | None = None
) -> tuple[Anova, ...]:
    """Test by repeated-measures ANOVA if arguments, a second judgment or the instruction change the judges'
    answers.

    Consultancies are left out.

    Args:
        answers: a file of answers on the slider, or such answers of one design.
        subject: the unit of repeated measurement; by default judges, or passages if there is one judge.
        design: for a file with both designs, the one to analyze.

    Returns:
        One analysis for each measure.

    Raises:
        ItemsError: rows have faults; all are listed.
        DeclarationError: there is no answer of the design, or nothing varies within the subjects.
        MissingDependencyError: statsmodels is not installed.
    """
    require("statsmodels", extra="anova")
    answers = [answer for answer in counted_answers(answers, design) if not answer.consultant]
    if not answers:
        raise DeclarationError(
            "all answers come from consultancies, which this analysis leaves out: give answers of debates"
        )
    unit = subject or default_subject(answers)
    return tuple(_anova(answers, unit, name, counts) for name, counts in MEASURES.items())


def default_subject(answers: Sequence[SliderAnswer]) -> Subject:
    """Return ``judge`` where there are several judges, else ``passage``."""
    return "judge" if len({answer.judge for answer in answers}) > 1 else "passage"


def _anova(
    answers: Sequence[SliderAnswer], subject: Subject, name: str, counts: Callable[[int], float | None]
) -> Anova:
    everything = _frame(answers, subject, float)
    levels = {factor: int(everything[factor].nunique()) for factor in FACTORS}
    factors = tuple(factor for factor, count in levels.items() if count > 1)
    if not factors:
        raise DeclarationError(
            "all answers have the same condition, judgment and instruction, so there is nothing to compare"
        )
    cells = math.prod(levels[factor] for factor in factors)
    data = _frame(answers, subject, counts)
    means = data.groupby(["subject", *factors], observed=True)["value"].mean().reset_index()
    there = means["subject"].value_counts()
    full = sorted(there[there == cells].index)
    lacking = sorted({getattr(answer, subject) for answer in answers} - set(full))
    effects, reason = _repeated(means[means["subject"].isin(full)], factors, len(full))
    mixed: tuple[AnovaEffect, ...] = ()
    mixed_reason = ""
    if lacking:
        if len(data.groupby(list(factors), observed=True)) < cells:
            mixed_reason = "some combination of the factors has no answer at all"
        else:
            mixed, mixed_reason = _mixed(data, factors)
    return Anova(name, factors, len(full), tuple(lacking), effects, reason, mixed, mixed_reason)


def _frame(
    answers: Sequence[SliderAnswer], subject: Subject, counts: Callable[[int], float | None]
) -> pd.DataFrame:
    import pandas as pd

    counted = [(answer, counts(answer.toward_right)) for answer in answers if answer.toward_right is not None]
    rows = [
        (
            getattr(answer, subject),
            "with" if answer.condition.endswith("A") else "without",
            str(answer.turn),
            answer.instruction,
            value,
        )
        for answer, value in counted
        if value is not None
    ]
    return pd.DataFrame(rows, columns=["subject", *FACTORS, "value"]).astype({"value": float})


def _repeated(
    means: pd.DataFrame, factors: Sequence[str], subjects: int
) -> tuple[tuple[AnovaEffect, ...], str]:
    from statsmodels.stats.anova import AnovaRM

    if subjects < 2:
        return (), f"two subjects with answers in all cells are needed, and there are {subjects}"
    if means.groupby(list(factors), observed=True)["value"].std().max() < _VARIES:
        return (), "all subjects answer alike in every cell"
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")  # an effect without any error has no F; it is left out below
        table = AnovaRM(means, "value", "subject", within=list(factors)).fit().anova_table
    cells = means.sort_values(["subject", *factors])["value"].to_numpy()
    values = cells.reshape(subjects, *(means[factor].nunique() for factor in factors))
    effects = tuple(
        AnovaEffect(
            name, float(row["F Value"]), (int(row["Num DF"]), int(row["Den DF"])), float(row["Pr > F"])
        )
        for name, row in table.iterrows()
        if _varies(values, [factors.index(part) + 1 for part in str(name).split(":")])
    )
    lost = len(table) - len(effects)
    return effects, f"{lost} effects are the same in all subjects, and have no F" if lost else ""


def _varies(values: NDArray[np.float64], axes: Sequence[int]) -> bool:
    """Whether an effect differs between subjects (the first axis): without that, its error is only rounding."""
    others = tuple(axis for axis in range(1, values.ndim) if axis not in axes)
    part = values.mean(axis=others, keepdims=True)
    for axis in axes:
        part = part - part.mean(axis=axis, keepdims=True)
    return bool(part.std(axis=0).max() > _VARIES)


def _mixed(data: pd.DataFrame, factors: Sequence[str]) -> tuple[tuple[AnovaEffect, ...], str]:
    from statsmodels.formula.api import mixedlm

    formula = "value ~ " + " * ".join(f"C({factor}, Sum)" for factor in factors)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # subjects that hardly differ; whether it converged is said below
            fitted = mixedlm(formula, data, groups=data["subject"]).fit()
            table = fitted.wald_test_terms(scalar=True).table
    except (np.linalg.LinAlgError, ValueError, ZeroDivisionError) as error:
        return (), f"the mixed model cannot be fitted: {error}"
    effects = tuple(
        AnovaEffect(
            str(name).replace("C(", "").replace(", Sum)", ""),
            float(row["statistic"]),
            (int(row["df_constraint"]),),
            float(row["pvalue"]),
        )
        for name, row in table.iterrows()
        if name != "Intercept" and np.isfinite(row["statistic"])
    )
    return effects, "" if fitted.converged else "the fit did not converge, and is uncertain"


def anova_tables(analyses: Iterable[Anova], subject: Subject) -> Iterator[Table]:
    """Yield a table for each measure: every effect with F and p, and the mixed model where subjects lack
    cells."""
    for analysis in analyses:
        by_name = {effect.name: effect for effect in analysis.effects}
        mixed = {effect.name: effect for effect in analysis.mixed}
        rows = [
            (name.replace(":", " x "), *_tested(by_name.get(name), "F"), *_tested(mixed.get(name), ""))
            for name in dict.fromkeys([*by_name, *mixed])
        ]
        columns = ("effect", "F", "p", "mixed: chi2", "p (mixed)")
        wide = len(columns) if analysis.mixed else 3
        yield Table(
            f"{analysis.measure}: {words.count(analysis.subjects)} {subject}s with all cells",
            (Column(columns[0], "text"), *columns[1:wide]),
            [row[:wide] for row in rows],
            note=_note(analysis, subject),
        )


def _tested(effect: AnovaEffect | None, letter: str) -> tuple[str, str]:
    """The statistic, with its degrees of freedom after the letter, and p."""
    if effect is None:
        return words.score(None), words.score(None)
    label = f"{letter}({','.join(map(str, effect.df))})=" if letter else ""
    return f"{label}{effect.statistic:.2f}", words.p_value(effect.p)


def _note(anova: Anova, subject: Subject) -> str:
    lacking = len(anova.lacking)
    parts = [
        f"No ANOVA: {anova.reason}."
        if anova.reason and not anova.effects
        else anova.reason and f"{anova.reason}.",
        f"Without an answer in every cell, and only in the mixed model: {listed(anova.lacking, 5)} "
        f"({words.count(lacking)} of {words.count(lacking + anova.subjects)} {subject}s)."
        if lacking
        else "",
        "Mixed: all answers, a random intercept for each subject, Wald tests." if anova.mixed else "",
        anova.mixed_reason and f"Mixed model: {anova.mixed_reason.rstrip('.')}.",
    ]
    return " ".join(filter(None, parts))
