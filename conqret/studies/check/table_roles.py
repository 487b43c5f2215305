"""The roles of a table's columns: whose verdicts, labels and texts they hold; long tables made wide."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from conqret.studies.check.column_roles import (
    NAMES,
    SAID,
    TEXTS,
    human_and_judges,
    is_model,
    loose,
    named,
    no_judge,
    orders_of,
    runs_of,
    same_subject,
    says,
    words,
)
from conqret.studies.check.text_table import TextTable, spread
from conqret.studies.check.verdict_words import CELLS, is_failed, number_of, pass_or_fail, preference

_LABEL = frozenset({"label", "labels"})


@dataclass(slots=True)
class ColumnRoles:
    """The columns of a table by what they hold.

    Attributes:
        judges: the columns of each judge: one, its runs, or its two orders.
        humans: the columns of annotators.
        texts: the columns of texts by the text.
        markers: the columns of systems, inclusion probabilities, and what else tells rows apart, by that.
        ordered: the judges whose two columns are the orders A, B and B, A.
        fixed: whether the user named columns of judges or annotators.
        swapped_note: how verdicts on swapped answers are read, if the labels tell.
        notes: what else was decided without the user.
    """

    judges: dict[str, list[str]] = field(default_factory=dict)
    humans: list[str] = field(default_factory=list)
    texts: dict[str, str] = field(default_factory=dict)
    markers: dict[str, str] = field(default_factory=dict)
    ordered: set[str] = field(default_factory=set)
    fixed: bool = False
    swapped_note: str = ""
    notes: list[str] = field(default_factory=list)

    @property
    def judged(self) -> list[str]:
        """The columns of all judges."""
        return [column for columns in self.judges.values() for column in columns]

    @property
    def keys(self) -> list[str]:
        """The columns that tell items apart; empty if the table has no such column."""
        names = ("id",) if "id" in self.texts else ("input", "output")
        item = [self.texts[name] for name in names if name in self.texts]
        return [*item, self.markers["system"]] if item and "system" in self.markers else item


def guessed_roles(table: TextTable, judges: Sequence[str], humans: Sequence[str]) -> ColumnRoles:
    """Return the role of each column: as the user names it, else by its name and content.

    Raises:
        DeclarationError: no column is a judge's, or several could be.
    """
    fixed = {*judges, *humans}
    roles = ColumnRoles(fixed=bool(fixed))
    free = [column for column in table.columns if column not in fixed]
    for text, likely in TEXTS.items():
        column = named([name for name in free if name not in roles.texts.values()], likely)
        if column is not None:
            roles.texts[text] = column
    _find_markers(table, free, roles)
    names = list(judges or table.judges)
    taken = {*fixed, *roles.texts.values(), *roles.markers.values()}
    taken |= {name for name in free if loose(name) in NAMES["neither"].split()}
    found, judged = (list(table.humans), []) if table.judges else human_and_judges(table, taken)
    roles.humans = list(humans) or _annotators([name for name in found if name not in judges], roles)
    if not names:
        judged = [name for name in judged if name not in roles.humans]
        names = _one_verdict_each(table, judged, roles)
        _check_one_criterion(table, names, roles)
        if roles.humans and not fixed and set(map(loose, (*names, *roles.humans))) == {"label", "score"}:
            label, score = (named(table.columns, name) or name for name in ("label", "score"))
            raise table.error(
                f"{label!r} and {score!r} may both be the judge's. Say whether {label!r} is the human label or the "
                "judge's verdict",
                ["--judge", score, "--human", label],
                ["--judge", label],
            )
    if not names:
        raise no_judge(table, [*roles.texts.values(), *roles.humans], roles.humans)
    roles.judges = orders_of(names)
    roles.ordered = set(roles.judges)
    rest = [name for name in names if name not in roles.judged]
    runs = all(set(words(name)) & {*NAMES["run"].split(), "r"} for name in rest)
    roles.judges |= runs_of(rest) if runs or not judges else {name: [name] for name in rest}
    return roles


def sides_apart(table: TextTable) -> TextTable:
    """Return a table in which a column says whose verdict each row has, a judge's or a person's, with a column each."""
    sides = named(table.columns, f"source {NAMES['annotator_name']} {NAMES['judge_name']} rater_type author")
    value = named(table.columns, "value label rating score verdict judgment grade answer")
    item = named(table.columns, f"{TEXTS['id']} item input question prompt")
    if sides is None or value is None or item is None:
        return table
    humans, judges = human_and_judges(table, {sides, item})
    names = list(dict.fromkeys(table.columns[sides]))
    judged = [name for name in names if says(name, "judge") or is_model(name)]
    repeated = len(set(table.rows([item, sides]))) < len(table)
    if not {value}.issuperset([*humans, *judges]) or repeated or not 0 < len(judged) < len(names) <= 20:
        return table
    table, new = spread(table, [item], sides, [value], short=True)
    judges = [column for column in new[value] if column.removeprefix(f"{value} {sides} ") in judged]
    return replace(
        table,
        judges=tuple(judges),
        humans=tuple(column for column in new[value] if column not in judges),
        note=f"rows are those of {', '.join(names)}, by the column {sides!r}",
    )


def _find_markers(table: TextTable, free: Sequence[str], roles: ColumnRoles) -> None:
    """Find the columns that tell apart the rows of one item, and that of inclusion probabilities."""
    found = {role: named(free, NAMES[role]) for role in ("chance", "swapped", "system")}
    if (swapped := found["swapped"]) is not None:
        marks = {text.casefold() for text in table.columns[swapped] if text}
        if len(marks) not in (1, 2) or not marks <= {*CELLS["unswapped"], *CELLS["swapped"]}:
            found["swapped"] = None
    found["system"] = _system(table, found["system"], roles)
    roles.markers = {role: column for role, column in found.items() if column is not None}
    roles.texts = {text: column for text, column in roles.texts.items() if column != found["system"]}
    keys = roles.keys
    repeated = bool(keys) and len(set(table.rows(keys))) < len(table)
    free = [column for column in free if column not in keys]
    if repeated and (run := named(free, NAMES["run"])) is not None:
        roles.markers["run"] = run
    used = [roles.markers.get(role) for role in ("system", "swapped", "run")]
    free = [column for column in free if column not in used]
    judge, annotator = (
        _column_of_names(table, free, NAMES[role]) for role in ("judge_name", "annotator_name")
    )
    if judge is not None:
        values, verdicts = set(table.columns[judge]) - {""}, SAID["verdict"] | {"label"}
        several = repeated or len(values) == 1 or all(map(is_model, values))
        if several and any(name != judge and verdicts & {*words(name)} for name in free):
            roles.markers["judge_name"] = judge
    labels = SAID["human"] | _LABEL | {"rating", "value"}
    others = [name for name in free if name != annotator and not says(name, "judge")]
    if annotator is not None and any(labels & {*words(name)} for name in others):
        roles.markers["annotator_name"] = annotator


def _column_of_names(table: TextTable, free: Sequence[str], names: str) -> str | None:
    """The column that has one of ``names``, if its cells are names, not verdicts."""
    column = named(free, names)
    values = set(table.columns[column]) - {""} if column is not None else set()
    return column if values and all(map(_is_name, values)) else None


def _is_name(text: str) -> bool:
    read = (pass_or_fail(text), number_of(text), preference(text))
    return not is_failed(text) and read == (None, None, None)


def _system(table: TextTable, column: str | None, roles: ColumnRoles) -> str | None:
    """The column of systems, if it has few values, and none that judges of one output have."""
    values = set(table.columns[column]) - {""} if column is not None else set()
    few = 2 <= len(values) <= max(2, min(20, len(table) // 3))
    if column is None or not few or all(pass_or_fail(value) is not None for value in values):
        return None
    if loose(column) in ("model", "model_name") and {"id", "output"} <= roles.texts.keys():
        ids = table.columns[roles.texts["id"]]
        if len(set(table.rows([roles.texts["id"], roles.texts["output"]]))) == len(set(ids)) < len(table):
            return None
    return column


def _annotators(names: list[str], roles: ColumnRoles) -> list[str]:
    final = [name for name in names if says(name, "adjudicated")]
    if len(final) != 1 or len(names) < 3:
        return names
    rest = ", ".join(name for name in names if name not in final)
    roles.notes.append(
        f"labels are those of {final[0]!r}, made of {rest}; to take these, name them with --human"
    )
    return final


def _one_verdict_each(table: TextTable, names: list[str], roles: ColumnRoles) -> list[str]:
    """Leave one of two columns of one judge: its verdict, or its score where the labels are numbers, too."""

    def cells(columns: Sequence[str]) -> list[str]:
        return [text for name in columns for text in set(table.columns[name]) if not is_failed(text)]

    by_word = all(pass_or_fail(text) is not None for text in cells(roles.humans))
    scores = [name for name in names if says(name, "probability")]
    for score in scores:
        verdict = next((name for name in names if name not in scores and same_subject(name, score)), None)
        if verdict is None:
            continue
        numbers = not by_word and all(number_of(text) is not None for text in cells([score]))
        names = [name for name in names if name != (verdict if numbers else score)]
        if numbers:
            taken = f"the judge's column is {score!r}, as labels are numbers"
            roles.notes.append(f"{taken}; {verdict!r} is not used")
    return names


def _check_one_criterion(table: TextTable, names: Sequence[str], roles: ColumnRoles) -> None:
    """Raise an error if verdicts and labels are of several criteria, which are checked one by one."""
    kinds = ("human", "judge", "models", "predicted", "verdict", "probability")
    generic = _LABEL.union(*(SAID[kind] for kind in kinds))
    options: dict[str, dict[frozenset[str], list[str]]] = {"--judge": {}, "--human": {}}
    for (option, by_subject), columns in zip(options.items(), (names, roles.humans), strict=True):
        for name in columns:
            subject = {part for part in words(name) if len(part) > 1 and not part.isdigit()} - generic
            by_subject.setdefault(frozenset(subject), []).extend([option, name])
    judged, labeled = options.values()
    both = [subject for subject in judged if subject and subject in labeled]
    if both and max(len(judged), len(labeled)) > 1:
        ways = [[*judged[subject], *labeled[subject]] for subject in both]
        raise table.error("there are verdicts and labels of several criteria; check one at a time", *ways)


def made_wide(table: TextTable, roles: ColumnRoles, by: str | None) -> TextTable:
    """Return the table with one row for each item, and update the roles of its columns; ``by`` stays as it is.

    Raises:
        DeclarationError: an item has two rows of the same run, judge, annotator or order.
    """
    keys = roles.keys
    if not keys or len(set(table.rows(keys))) == len(table):
        return table
    order = ("annotator_name", "judge_name", "run", "swapped")
    wide = {role: roles.markers[role] for role in order if roles.markers.get(role, by) != by}
    rest = list(wide.values())
    for role, marker in wide.items():
        rest.remove(marker)
        own = roles.humans if role == "annotator_name" else roles.judged
        values = dict.fromkeys(table.columns[marker])
        unswapped = (
            value for value in values if role == "swapped" and value.casefold() in CELLS["unswapped"]
        )
        first, short = next(unswapped, ""), role in order[:2]
        table, new = spread(table, [*keys, *rest], marker, own, first=first, short=short)
        if role == "annotator_name":
            roles.humans = [column for name in own for column in new[name]]
        elif role == "judge_name":
            roles.judges = {column: [column] for name in own for column in new[name]}
        elif role == "run":
            roles.judges = {
                name: [column for one in group for column in new[one]] for name, group in roles.judges.items()
            }
        elif len(values) == 2:
            roles.judges = {name: new[group[0]] for name, group in roles.judges.items()}
            roles.ordered = set(roles.judges)
            del roles.markers["swapped"]
    return table
