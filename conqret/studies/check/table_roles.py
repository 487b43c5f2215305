"""The roles of a table's columns: whose verdicts, labels and texts they hold; long tables made wide."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from conqret.errors import DeclarationError
from conqret.studies.check.column_roles import (
    ADJUDICATED,
    ANNOTATOR_NAMES,
    CHANCES,
    HUMAN,
    ID,
    JUDGE,
    JUDGE_NAMES,
    MODEL,
    MODELS,
    PREDICTED,
    PROBABILITY,
    RUN,
    SWAPPED,
    SYSTEM,
    TEXTS,
    VERDICTS,
    human_and_judges,
    label_and_score,
    loose,
    named,
    no_judge,
    orders_of,
    runs_of,
    same_subject,
    words,
)
from conqret.studies.check.text_table import TextTable, spread
from conqret.studies.check.verdict_words import is_failed, number_of, pass_or_fail, preference

UNSWAPPED = frozenset("false 0 no ab a,b a-b original normal forward a".split())
"""What a column of orders says of a row in which answer A was shown first."""


@dataclass(slots=True)
class ColumnRoles:
    """The columns of a table by what they hold.

    Attributes:
        judges: the columns of each judge: one, its runs, or its two orders.
        humans: the columns of annotators.
        texts: the columns of texts by their role.
        system, chances, swapped: the columns of systems, of inclusion probabilities, and of the order of the two
            answers; None without.
        ordered: the judges whose two columns are the orders A, B and B, A.
        run, judge_names, annotator_names: columns that tell apart the rows of one item; None without.
        fixed: whether the user named columns of judges or annotators.
        swapped_note: how verdicts on swapped answers are read, if the labels tell.
        notes: what else was decided without the user.
    """

    judges: dict[str, list[str]] = field(default_factory=dict)
    humans: list[str] = field(default_factory=list)
    texts: dict[str, str] = field(default_factory=dict)
    system: str | None = None
    chances: str | None = None
    swapped: str | None = None
    ordered: set[str] = field(default_factory=set)
    run: str | None = None
    judge_names: str | None = None
    annotator_names: str | None = None
    fixed: bool = False
    swapped_note: str = ""
    notes: list[str] = field(default_factory=list)

    @property
    def markers(self) -> list[str]:
        """The columns that are neither verdicts nor texts."""
        every = (self.chances, self.swapped, self.system, self.run, self.judge_names, self.annotator_names)
        return [column for column in every if column is not None]

    @property
    def keys(self) -> list[str]:
        """The columns that tell items apart; empty if the table has no such column."""
        item = (
            [self.texts["id"]]
            if "id" in self.texts
            else [self.texts[role] for role in ("input", "output") if role in self.texts]
        )
        return [*item, self.system] if item and self.system else item


def guessed_roles(table: TextTable, judges: Sequence[str], humans: Sequence[str]) -> ColumnRoles:
    """Return the role of each column: as the user names it, else by its name and content.

    Raises:
        DeclarationError: no column is a judge's, or several could be.
    """
    fixed = {*judges, *humans}
    roles = ColumnRoles(fixed=bool(fixed))
    free = [column for column in table.columns if column not in fixed]
    for role, likely in TEXTS.items():
        column = named([name for name in free if name not in roles.texts.values()], likely)
        if column is not None:
            roles.texts[role] = column
    roles.chances = named(free, CHANCES)
    roles.swapped = _flag(table, free)
    roles.system = _system(table, free)
    if roles.system is not None and _judges_of_one_output(table, roles):
        roles.system = None
    if roles.system is not None:
        roles.texts = {role: column for role, column in roles.texts.items() if column != roles.system}
    _find_markers(table, free, roles)
    taken = {*fixed, *roles.texts.values()}
    taken |= {*roles.markers}
    taken |= {name for name in free if loose(name) in ("model_a", "model_b", "run", "epoch", "seed")}
    found_humans, found_judges = human_and_judges(table, taken)
    names = list(judges or table.judges)
    if table.judges:
        found_humans = list(table.humans)
    roles.humans = list(humans) or _annotators([name for name in found_humans if name not in judges], roles)
    if not names:
        names = [name for name in found_judges if name not in roles.humans]
        names = _one_verdict_each(table, names, roles)
        _same_subjects(table, names, roles)
        if (
            roles.humans
            and not fixed
            and {loose(name) for name in (*names, *roles.humans)} == {"label", "score"}
        ):
            raise label_and_score(table)
    if not names:
        raise no_judge(table, [*roles.texts.values(), *roles.humans], roles.humans)
    orders = orders_of(names)
    roles.judges = {name: list(pair) for name, pair in orders.items()}
    roles.ordered = set(orders)
    in_orders = {column for pair in orders.values() for column in pair}
    rest = [name for name in names if name not in in_orders]
    roles.judges |= {name: [name] for name in rest} if judges and not _say_runs(rest) else runs_of(rest)
    return roles


def sides_apart(table: TextTable) -> TextTable:
    """Return a table in which a column says whose verdict each row has, a judge's or a person's, with a column each."""
    sides = named(table.columns, f"source {ANNOTATOR_NAMES} {JUDGE_NAMES} rater_type author")
    value = named(table.columns, "value label rating score verdict judgment grade answer")
    item = named(table.columns, f"{ID} item input question prompt")
    if sides is None or value is None or item is None:
        return table
    humans, judges = human_and_judges(table, {sides, item})
    if not {value}.issuperset([*humans, *judges]):
        return table
    names = dict.fromkeys(table.columns[sides])
    judges = [name for name in names if set(words(name)) & JUDGE or MODEL.fullmatch(" ".join(words(name)))]
    things = set(zip(table.columns[item], table.columns[sides], strict=True))
    if not 0 < len(judges) < len(names) <= 20 or len(things) < len(table):
        return table
    table, new = spread(table, [item], sides, [value], short=True)
    judged = [column for column in new[value] if column.removeprefix(f"{value} {sides} ") in judges]
    return replace(
        table,
        judges=tuple(judged),
        humans=tuple(column for column in new[value] if column not in judged),
        note=f"rows are those of {', '.join(names)}, by the column {sides!r}",
    )


def _say_runs(names: Sequence[str]) -> bool:
    return all(set(words(name)) & {*RUN.split(), "r"} for name in names)


def _flag(table: TextTable, free: Sequence[str]) -> str | None:
    """The column that says in which of two orders the answers were shown."""
    column = named(free, SWAPPED)
    if column is None:
        return None
    values = {text.casefold() for text in table.columns[column] if text}
    known = UNSWAPPED | frozenset("true 1 yes ba b,a b-a swapped reversed flipped b".split())
    return column if len(values) in (1, 2) and values <= known else None


def _system(table: TextTable, free: Sequence[str]) -> str | None:
    column = named(free, SYSTEM)
    if column is None:
        return None
    values = set(table.columns[column]) - {""}
    few = 2 <= len(values) <= max(2, min(20, len(table) // 3))
    return column if few and any(pass_or_fail(value) is None for value in values) else None


def _judges_of_one_output(table: TextTable, roles: ColumnRoles) -> bool:
    """Whether models are those of judges: all have the same output of each id."""
    if loose(roles.system or "") not in ("model", "model_name") or not {"id", "output"} <= roles.texts.keys():
        return False
    ids, outputs = table.columns[roles.texts["id"]], table.columns[roles.texts["output"]]
    return len(set(zip(ids, outputs, strict=True))) == len(set(ids)) < len(table)


def _find_markers(table: TextTable, free: Sequence[str], roles: ColumnRoles) -> None:
    """Find the columns by which several rows of one item differ: run, name of the judge, name of the annotator."""
    keys = roles.keys
    rows = set(zip(*(table.columns[key] for key in keys), strict=True)) if keys else None
    repeated = rows is not None and len(rows) < len(table)
    free = [column for column in free if column not in keys]
    if repeated:
        roles.run = named(free, RUN)
    free = [column for column in free if column not in (roles.system, roles.swapped, roles.run)]
    for names, value_words in ((JUDGE_NAMES, VERDICTS | {"label"}), (ANNOTATOR_NAMES, _LABEL_WORDS)):
        column = named(free, names)
        others = [name for name in free if name != column and set(words(name)) & value_words]
        values = {text for text in table.columns[column] if text} if column is not None else set()
        if column is None or not values or not all(map(_is_name, values)):
            continue
        if names == ANNOTATOR_NAMES:
            if any(not set(words(name)) & JUDGE for name in others):
                roles.annotator_names = column
        elif others and (
            repeated or len(values) == 1 or all(MODEL.fullmatch(" ".join(words(v))) for v in values)
        ):
            roles.judge_names = column


_LABEL_WORDS = HUMAN | {"label", "labels", "rating", "value"}


def _is_name(text: str) -> bool:
    """Whether a cell is a name, not a verdict."""
    return not is_failed(text) and (pass_or_fail(text), number_of(text), preference(text)) == (
        None,
        None,
        None,
    )


def _annotators(names: list[str], roles: ColumnRoles) -> list[str]:
    final = [name for name in names if set(words(name)) & ADJUDICATED]
    if len(final) == 1 and len(names) > 2:
        rest = ", ".join(name for name in names if name not in final)
        roles.notes.append(
            f"labels are those of {final[0]!r}, made of {rest}; to take these, name them with --human"
        )
        return final
    return names


def _one_verdict_each(table: TextTable, names: list[str], roles: ColumnRoles) -> list[str]:
    """Leave one of two columns of one judge: its verdict, or its score where the labels are numbers, too."""
    labeled = [text for name in roles.humans for text in set(table.columns[name]) if not is_failed(text)]
    by_word = not labeled or all(pass_or_fail(text) is not None for text in labeled)
    scores = [name for name in names if set(words(name)) & PROBABILITY]
    for score in scores:
        verdict = next((name for name in names if name not in scores and same_subject(name, score)), None)
        if verdict is not None:
            left_out = score if by_word or not _are_numbers(table, score) else verdict
            names = [name for name in names if name != left_out]
            if left_out == verdict:
                roles.notes.append(
                    f"the judge's column is {score!r}, as labels are numbers; {verdict!r} is not used"
                )
    return names


def _are_numbers(table: TextTable, name: str) -> bool:
    return all(number_of(text) is not None for text in set(table.columns[name]) if not is_failed(text))


def _same_subjects(table: TextTable, names: Sequence[str], roles: ColumnRoles) -> None:
    """Raise an error if verdicts and labels are of several criteria, which are checked one by one."""
    generic = HUMAN | JUDGE | MODELS | PREDICTED | VERDICTS | PROBABILITY | {"label", "labels"}
    sides: tuple[dict[frozenset[str], list[str]], ...] = ({}, {})
    for side, columns in zip(sides, (names, roles.humans), strict=True):
        for name in columns:
            subject = {part for part in words(name) if len(part) > 1 and not part.isdigit()} - generic
            side.setdefault(frozenset(subject), []).append(name)
    judged, labeled = sides
    both = [subject for subject in judged if subject and subject in labeled]
    if both and max(len(judged), len(labeled)) > 1:
        ready = []
        for subject in both:
            options = [("--judge", name) for name in judged[subject]] + [
                ("--human", name) for name in labeled[subject]
            ]
            ready.append(table.command(*(part for option in options for part in option)))
        raise DeclarationError(
            f"{table.source} has verdicts and labels of several criteria; check them one by one: {'; '.join(ready)}"
        )


def made_wide(table: TextTable, roles: ColumnRoles, by: str | None) -> TextTable:
    """Return the table with one row for each item, and update the roles of its columns; ``by`` stays as it is.

    Raises:
        DeclarationError: an item has two rows of the same run, judge, annotator or order.
    """
    keys = roles.keys
    if not keys or len(set(zip(*(table.columns[key] for key in keys), strict=True))) == len(table):
        return table
    markers = [roles.annotator_names, roles.judge_names, roles.run, roles.swapped]
    wide = [marker for marker in markers if marker not in (None, by)]
    for place, marker in enumerate(wide):
        others = [*keys, *wide[place + 1 :]]
        values = list(dict.fromkeys(table.columns[marker]))
        judged = [column for group in roles.judges.values() for column in group]
        own = roles.humans if marker == roles.annotator_names else judged
        first = next((value for value in values if value.casefold() in UNSWAPPED), "")
        named_by = marker in (roles.annotator_names, roles.judge_names)
        table, new = spread(
            table, others, marker, own, first=first if marker == roles.swapped else "", short=named_by
        )
        if marker == roles.annotator_names:
            roles.humans = [column for name in own for column in new[name]]
        elif marker == roles.judge_names:
            roles.judges = {column: [column] for name in own for column in new[name]}
        elif marker == roles.run:
            roles.judges = {
                name: [c for column in group for c in new[column]] for name, group in roles.judges.items()
            }
        elif len(values) == 2:
            roles.judges = {name: new[group[0]] for name, group in roles.judges.items()}
            roles.ordered = set(roles.judges)
            roles.swapped = None
    return table
