"""Tables of the repeated-measures ANOVA of judgments on debates."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from conqret.debate.two_turn.anova import Anova, AnovaEffect, Subject
from conqret.io.faults import listed
from conqret.show import words
from conqret.show.table import Column, Table


def anova_tables(found: Iterable[Anova], subject: Subject) -> Iterator[Table]:
    """A table a measure: each effect with its F and p, and beside it the mixed model where subjects lack cells."""
    for one in found:
        by_name = {effect.name: effect for effect in one.effects}
        mixed = {effect.name: effect for effect in one.mixed}
        rows = [
            (name.replace(":", " x "), *_tested(by_name.get(name), "F"), *_tested(mixed.get(name), ""))
            for name in dict.fromkeys([*by_name, *mixed])
        ]
        columns = ("effect", "F", "p", "mixed: chi2", "p (mixed)")
        wide = len(columns) if one.mixed else 3
        yield Table(
            f"{one.measure}: {words.count(one.subjects)} {subject}s with all cells",
            (Column(columns[0], "text"), *columns[1:wide]),
            [row[:wide] for row in rows],
            note=_note(one, subject),
        )


def _tested(effect: AnovaEffect | None, letter: str) -> tuple[str, str]:
    """The statistic, with its degrees of freedom after the letter, and p."""
    if effect is None:
        return words.score(None), words.score(None)
    of = f"{letter}({','.join(map(str, effect.df))})=" if letter else ""
    return f"{of}{effect.statistic:.2f}", words.p_value(effect.p)


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
