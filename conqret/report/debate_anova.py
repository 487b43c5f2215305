"""Tables of the repeated-measures ANOVA of judgments on debates."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from conqret.debate.anova import Anova, Subject
from conqret.io.faults import listed
from conqret.report import words
from conqret.report.table import Column, Table


def anova_tables(found: Iterable[Anova], subject: Subject) -> Iterator[Table]:
    """A table a measure: each effect with its F and p, and beside it the mixed model where subjects lack cells."""
    for one in found:
        by_name = {effect.name: effect for effect in one.effects}
        mixed = {effect.name: effect for effect in one.mixed}
        rows = []
        for name in dict.fromkeys([*by_name, *mixed]):
            effect, beside = by_name.get(name), mixed.get(name)
            rows.append(
                (
                    name.replace(":", " x "),
                    effect and f"F{effect.df} = {effect.statistic:.2f}".replace(" ", ""),
                    words.p_value(effect and effect.p),
                    beside and f"{beside.statistic:.2f}",
                    words.p_value(beside and beside.p),
                )
            )
        columns = ("effect", "F", "p", "mixed: chi2", "p (mixed)")
        wide = len(columns) if one.mixed else 3
        yield Table(
            f"{one.measure}: {words.count(one.subjects)} {subject}s with all cells",
            (Column(columns[0], "text"), *columns[1:wide]),
            [row[:wide] for row in rows],
            note=_note(one, subject),
        )


def _note(one: Anova, subject: Subject) -> str:
    lacking = len(one.lacking)
    parts = [
        f"No ANOVA: {one.reason}." if one.reason and not one.effects else one.reason and f"{one.reason}.",
        f"Without an answer in every cell, and only in the mixed model: {listed(one.lacking, 5)} "
        f"({words.count(lacking)} of {words.count(lacking + one.subjects)} {subject}s)." if lacking else "",
        "Mixed: all answers, a random intercept for each subject, Wald tests." if one.mixed else "",
        one.mixed_reason and f"Mixed model: {one.mixed_reason.rstrip('.')}.",
    ]  # fmt: skip
    return " ".join(filter(None, parts))
