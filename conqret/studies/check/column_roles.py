"""The roles of a table's columns: which holds verdicts of the judge, human labels, texts and groups, by the names."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice

from conqret.errors import DeclarationError, UnknownNameError
from conqret.studies.check.text_table import TextTable
from conqret.studies.check.verdict_words import (
    CELLS,
    MODEL,
    NAME_WORDS,
    NAMES,
    TEXTS,
    is_failed,
    is_known,
    is_model,
    loose,
    named,
    number_of,
    pass_or_fail,
    says,
    word_of,
    words,
)

ROLES = (
    ("human", frozenset({"human", "humans"})),
    ("judge", NAME_WORDS["machine"] | NAME_WORDS["models"]),
    ("human", NAME_WORDS["human"]),
    ("judge", NAME_WORDS["judge"]),
    ("verdict", NAME_WORDS["predicted"]),
    ("label", NAME_WORDS["label"]),
    ("verdict", NAME_WORDS["verdict"] | NAME_WORDS["criterion"]),
    ("checked", NAME_WORDS["checked"]),
)
"""The role of a column by a word of its name, the surer first."""
_LABEL = frozenset({"label", "labels"})
_LABELED = NAME_WORDS["human"] | _LABEL | {"rating", "value"}
_VERDICT_ENDS = _LABEL.union(*(NAME_WORDS[kind] for kind in ("verdict", "criterion", "checked", "predicted")))
_SIDES = ("human", "machine", "judge", "models", "predicted", "verdict", "probability", "empty")
_KINDS = _LABEL.union(*(NAME_WORDS[kind] for kind in _SIDES))
"""Words that say whose a column is, or of which kind."""
_GENERIC = NAME_WORDS["judge"] | NAME_WORDS["predicted"] | NAME_WORDS["verdict"] | _LABEL
"""Words that do not say what is judged."""


def chosen(table: TextTable, names: Sequence[str]) -> list[str]:
    """Return the columns that the user names, whatever their case and separators.

    Raises:
        UnknownNameError: the table has no such column.
    """
    spelled = {loose(column): column for column in table.columns}
    spelled |= dict(zip(table.columns, table.columns, strict=True))
    columns: list[str] = []
    for name in names:
        whole = name in spelled or loose(name) in spelled
        for part in [name] if whole else map(str.strip, name.split(",")):
            column = spelled.get(part) or spelled.get(loose(part))
            if column is None:
                raise UnknownNameError(f"column of {table.source}", part, table.columns)
            columns.append(column)
    return list(dict.fromkeys(columns))


def holds_verdicts(texts: Sequence[str]) -> bool:
    """Return True if a column may hold verdicts: of its first 200 different texts four fifths are numbers or known
    words, or all are short and there are few of them. Also if it has nothing but failed verdicts or empty cells."""
    distinct = dict.fromkeys(texts)
    sample = list(islice((text for text in distinct if not is_failed(text)), 200))
    if not sample:
        return True
    known = sum(map(is_known, sample))
    filled = sum(map(bool, texts))
    few = len(distinct) <= min(30, max(4, filled // 3)) and all(len(text) <= 40 for text in sample)
    return known >= 0.8 * len(sample) or few


def human_and_judges(table: TextTable, taken: Collection[str]) -> tuple[list[str], list[str]]:
    """Return the columns of human labels and those of judges, by their names; columns in ``taken`` are left out.

    Names that say it come first (``human``, ``llm_judge``, ``gpt-4o``); then those that say it next to another
    (``label`` and ``verdict``).
    """
    by_role: dict[str, list[str]] = defaultdict(list)
    for column in table.columns:
        role = _role(words(column)) if column not in taken else ""
        last = loose(column.rpartition(".")[2])
        if last in NAMES["annotator_name"].split() and _holds_names(table, column):
            continue
        if role and holds_verdicts(table.columns[column]):
            by_role[role].append(column)
    humans, judges = by_role["human"], by_role["judge"]
    expected, actual = (
        [name for name in by_role["label"] if word in words(name)] for word in ("expected", "actual")
    )
    if expected and actual and not judges:
        judges, by_role["label"] = actual, expected
    if not judges:
        judges = by_role["verdict"] or (by_role["checked"] or by_role["label"] if humans else [])
        judges = judges or [column for column in by_role["soft"] if says(column, "judge")]
    if not humans:
        labels = [column for column in by_role["label"] or by_role["checked"] if column not in judges]
        humans = [column for column in labels if any(_comparable(table, column, name) for name in judges)]
    return humans, judges


def _comparable(table: TextTable, label: str, verdict: str) -> bool:
    """Whether a column may hold labels of the same things as one of verdicts: numbers, pass or fail, or its words."""
    cells, verdicts = ({word_of(text) for text in table.columns[name] if text} for name in (label, verdict))
    read = [(number_of(cell), pass_or_fail(cell)) for cell in cells if not is_failed(cell)]
    return (None, None) not in read or bool(cells & verdicts)


def _role(parts: tuple[str, ...]) -> str:
    """Return what the words of a column's name say of it: ``human`` or ``judge`` if they say so by themselves;
    ``verdict``, ``label`` or ``checked`` if only the names of other columns can decide whose verdicts these are;
    ``soft`` for a judge's output (``judge_response``), which is taken for want of another. Empty for all other columns,
    and for agreement of several verdicts."""
    names = frozenset(parts)
    if not parts or is_agreement(parts):
        return ""
    others = names & NAME_WORDS["other"]
    last = next((part for part in reversed(parts) if not part.isdigit()), "")
    if others <= NAME_WORDS["object"] and last not in others:
        others = frozenset()
    by_user = last == "feedback" and not names.isdisjoint(NAME_WORDS["human"] | {"user"})
    numbered = len(parts) > 1 and parts[-1].isdigit() and parts[-2] in NAME_WORDS["verdict"] | {"label"}
    if others and not (numbered or by_user or last in _VERDICT_ENDS):
        return (
            "soft" if names & NAME_WORDS["judge"] and names & {"output", "response", "answer", "raw"} else ""
        )
    if parts[-1] == "model":
        return ""
    found = next((role for role, known in ROLES if names & known), "")
    return "judge" if MODEL.fullmatch(" ".join(parts)) and not names & {"human", "humans"} else found


def is_agreement(parts: Collection[str]) -> bool:
    """Return True if the words of a name say that annotators agree with the judge, or that it is right or wrong."""
    said = NAME_WORDS["agreement"].intersection(parts)
    return bool(said) and (
        said.isdisjoint({"right", "wrong"}) or bool(NAME_WORDS["judge"].intersection(parts))
    )


def runs_of(columns: Sequence[str]) -> dict[str, list[str]]:
    """Return the columns of each judge: several where they are numbered runs (``run1``, ``judge_run_2``). A judge with
    one column has that column's name, else the words that the names share, or ``judge``."""
    groups: dict[str | tuple[str, ...], list[str]] = {}
    for column in columns:
        parts = words(column)
        numbers = [place for place, part in enumerate(parts) if part.isdigit()]
        run = [place for place in numbers if place and parts[place - 1] in (*NAMES["run"].split(), "r")]
        stem: str | tuple[str, ...] = column
        if run:
            stem = parts[: run[-1] - 1] + parts[run[-1] + 1 :]
        elif numbers == [len(parts) - 1] and set(parts[:-1]) <= _GENERIC:
            stem = parts[:-1]
        groups.setdefault(stem, []).append(column)
    names = {stem: " ".join(stem) or "judge" for stem in groups}
    return {them[0] if len(them) == 1 else names[stem]: them for stem, them in groups.items()}


def orders_of(columns: Sequence[str]) -> dict[str, list[str]]:
    """Return the two columns of each judge that saw both orders of the answers, A first and B first, by the words that
    their names share (or ``judge``). Judges with one order are left out."""
    pairs: dict[str, dict[int, str]] = defaultdict(dict)
    marked = [(order, mark) for order in (0, 1) for mark in CELLS[("first_order", "second_order")[order]]]
    for column in columns:
        text = f" {' '.join(words(column))} "
        order, mark = next((found for found in marked if f" {found[1]} " in text), (0, text))
        stem = text.replace(f" {mark} ", " ").strip()
        pairs[stem].setdefault(order, column)
    return {stem or "judge": [pair[0], pair[1]] for stem, pair in pairs.items() if len(pair) == 2}


def subject(name: str) -> frozenset[str]:
    """Return the words of a column's name that say what is judged."""
    return frozenset(part for part in words(name) if len(part) > 1 and not part.isdigit()) - _KINDS


def same_subject(first: str, second: str) -> bool:
    """Return True if two names differ only in words for the kind of column (``judge_verdict``, ``judge_score``)."""
    kinds = _GENERIC | NAME_WORDS["probability"] | {"of", "pass"}
    return set(words(first)) - kinds == set(words(second)) - kinds


def _check_whose(table: TextTable, names: Sequence[str], roles: ColumnRoles) -> None:
    """Raise an error if no name says whether a judge or an annotator gave one of two verdicts.

    Raises:
        DeclarationError: it is so; the message has the commands that say it.
    """
    if len(names) != 2 or roles.humans or len(runs_of(names)) < 2 or orders_of(names):
        return
    if all(_role(words(name)) == "verdict" for name in names) and not table.note:
        first, second = sorted(names, key=lambda name: not says(name, "predicted"))
        raise table.error(
            f"cannot tell whether {first!r} or {second!r} is the judge's column. Say it",
            ["--judge", first, "--human", second, f"# {first} is the judge's"],
            ["--judge", second, "--human", first, f"# {second} is"],
            ["--judge", first, "--judge", second, "# both are, of two judges"],
        )


def check_no_labels(table: TextTable, judges: Sequence[str], others: Collection[str | None]) -> None:
    """Raise an error if a column may hold labels although its name does not say so. ``judges`` are the columns of
    judges, and ``others`` are columns that hold something else.

    Raises:
        DeclarationError: it is so; the message has the commands that say it.
    """

    def fits(name: str, cells: Sequence[str]) -> bool:
        if _role(words(name)):
            return any(_comparable(table, name, judge) for judge in judges)
        return not says(name, "other") and any(set(cells) <= set(table.columns[judge]) for judge in judges)

    names = [
        name
        for name, cells in table.columns.items()
        if name not in (*judges, *others)
        and len(set(cells)) > 1
        and holds_verdicts(cells)
        and fits(name, cells)
    ]
    if names:
        raise table.error(
            f"no column has the name of human labels. Name theirs (of {', '.join(names)}), or the judge's alone if "
            "there are none yet",
            [part for name in names for part in ("--human", name)],
            [part for name in judges for part in ("--judge", name)],
        )


def no_judge(table: TextTable, texts: Collection[str], humans: Sequence[str]) -> DeclarationError:
    """Return the error for a table in which no column has the name of a judge's; ``texts`` are the columns that hold no
    verdicts, ``humans`` those of labels."""
    fitting = [
        name
        for name, cells in table.columns.items()
        if name not in texts and holds_verdicts(cells) and 2 <= len(set(cells)) <= max(2, len(cells) // 2)
    ]
    labels = [*humans, *(name for name in fitting if _role(words(name)) in ("human", "label"))]
    rest = [name for name in fitting if name not in labels]
    judge, human = [*rest[:1], "COLUMN"][0], [*labels, *rest[1:], "COLUMN"][0]
    columns = ", ".join(table.columns)
    if len({*fitting, *humans}) < 2 and "id" in map(loose, table.columns):
        return table.error(
            f"there are no verdicts of a judge next to the labels (columns: {columns}). Give the file of verdicts, and "
            f"this one with --labels {table.source}"
        )
    return table.error(
        f"no column has the name of a judge's verdicts (columns: {columns}). Name it",
        ["--judge", judge, "--human", human],
    )


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
        by_verdict: whether the labels were drawn by verdict, with unknown probabilities.
    """

    judges: dict[str, list[str]] = field(default_factory=dict)
    humans: list[str] = field(default_factory=list)
    texts: dict[str, str] = field(default_factory=dict)
    markers: dict[str, str] = field(default_factory=dict)
    ordered: set[str] = field(default_factory=set)
    fixed: bool = False
    swapped_note: str = ""
    notes: list[str] = field(default_factory=list)
    by_verdict: bool = False

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


def guessed_roles(
    table: TextTable, judges: Sequence[str], humans: Sequence[str], texts: Mapping[str, str] | None = None
) -> ColumnRoles:
    """Return the role of each column: as the user names it, else by its name and content.

    ``judges`` and ``humans`` are the columns that the user names, ``texts`` those of texts by the text.

    Raises:
        DeclarationError: no column is a judge's, or several could be.
    """
    fixed = {*judges, *humans}
    roles = ColumnRoles(fixed=bool(fixed), texts=dict(texts or {}))
    free = [column for column in table.columns if column not in fixed]
    for text, likely in TEXTS.items():
        if text in roles.texts:
            continue
        column = named([name for name in free if name not in roles.texts.values()], likely)
        if column is not None:
            roles.texts[text] = column
    _find_markers(table, free, roles, humans, id_named="id" in (texts or {}))
    names = list(judges or table.judges)
    taken = {*fixed, *roles.texts.values(), *roles.markers.values()}
    taken |= {name for name in free if loose(name) in NAMES["neither"].split()}
    found, judged = (list(table.humans), []) if table.judges else human_and_judges(table, taken)
    roles.humans = list(humans) or _annotators([name for name in found if name not in judges], roles)
    if not names:
        judged = [name for name in judged if name not in roles.humans]
        names = _one_verdict_each(table, judged, roles)
        _check_one_criterion(table, names, roles)
        _check_whose(table, names, roles)
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
    _assume_ids(table, roles)
    return roles


MAX_ID, MIN_TEXT = 40, 25
"""The most characters of an id, and the fewest of what was judged, on average, in a column without a usual name."""


def _assume_ids(table: TextTable, roles: ColumnRoles) -> None:
    """Put the first column into ``roles.texts`` as that of ids, if no column has their name, the first has no other
    role, and it tells all rows apart by short texts."""
    first = next(iter(table.columns))
    used = {*roles.judged, *roles.humans, *roles.texts.values(), *roles.markers.values()}
    if "id" in roles.texts or first in used or not table or _role(words(first)):
        return
    cells, keys = set(table.columns[first]), roles.keys
    repeated = bool(keys) and len(set(table.rows(keys))) < len(table)
    if len(cells) == len(table) and not repeated and all(0 < len(cell) <= MAX_ID for cell in cells):
        roles.texts["id"] = first


def assume_texts(table: TextTable, roles: ColumnRoles) -> None:
    """Put the column with the longest texts into ``roles.texts`` as the output that was judged, if no column has the
    name of a text. Texts of fewer than :data:`MIN_TEXT` characters on average are not taken."""
    if not {"input", "output", "context", "answer_a"}.isdisjoint(roles.texts) or not table:
        return
    used = {*roles.judged, *roles.humans, *roles.texts.values(), *roles.markers.values()}
    kinds = ("remark", "human", "machine", "judge", "models", "verdict")
    lengths = {
        name: sum(map(len, cells)) / len(cells)
        for name, cells in table.columns.items()
        if name not in used and not any(says(name, kind) for kind in kinds)
    }
    longest = max(lengths, key=lambda name: lengths[name], default="")
    if lengths.get(longest, 0) >= MIN_TEXT:
        roles.texts["output"] = longest


def _find_markers(
    table: TextTable, free: Sequence[str], roles: ColumnRoles, humans: Sequence[str], *, id_named: bool
) -> None:
    """Find among ``free`` columns those that tell apart the rows of one item (system, swapped order, run, names of
    judges and annotators) and that of inclusion probabilities, and put them into ``roles.markers``. A column of systems
    no longer counts as a text. Next to a column of orders, one of pairs has the ids, unless the user named these, or
    the usual ones repeat."""
    found = {role: named(free, NAMES[role]) for role in ("chance", "swapped", "system")}
    if (swapped := found["swapped"]) is not None:
        marks = {text.casefold() for text in table.columns[swapped] if text}
        if len(marks) not in (1, 2) or not marks <= {*CELLS["unswapped"], *CELLS["swapped"]}:
            found["swapped"] = None
        ids, pair = roles.texts.get("id"), named(free, NAMES["pair"])
        if (
            pair
            and not id_named
            and found["swapped"]
            and (not ids or len(set(table.columns[ids])) == len(table))
        ):
            roles.texts["id"] = pair
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
    judge = _column_of_names(table, free, NAMES["judge_name"])
    annotator = _column_of_names(table, free, NAMES["annotator_name"], humans)
    if judge is not None:
        values, verdicts = set(table.columns[judge]) - {""}, NAME_WORDS["verdict"] | {"label"}
        several = repeated or len(values) == 1 or all(map(is_model, values))
        if several and any(name != judge and verdicts & {*words(name)} for name in free):
            roles.markers["judge_name"] = judge
    others = [name for name in free if name != annotator and not says(name, "judge")]
    if annotator is not None and (humans or any(_LABELED & {*words(name)} for name in others)):
        roles.markers["annotator_name"] = annotator


def _column_of_names(
    table: TextTable, free: Sequence[str], names: str, humans: Sequence[str] = ()
) -> str | None:
    """The column that has one of ``names``, if its cells are names, not verdicts; ``humans`` are columns of labels."""
    column = named(free, names)
    return column if column is not None and _holds_names(table, column, humans) else None


LETTERS = frozenset("abcdeghijklmoqrsuvwxz")
"""Letters that may stand for annotators: all but those that may stand for yes, no, true, false, pass."""


def _holds_names(table: TextTable, column: str, humans: Sequence[str] = ()) -> bool:
    """Whether the cells of a column are names of annotators or judges, no verdicts: also numbers and letters of
    annotators next to a column of labels, such as ``humans``."""
    values = set(table.columns[column]) - {""}
    if words(column)[-1] in ("id", "name", "by"):
        return bool(values)
    annotators = loose(column.rpartition(".")[2]) in NAMES["annotator_name"].split()
    if annotators and values and all(text.isdecimal() or text.casefold() in LETTERS for text in values):
        labels = [name for name in table.columns if name != column and _LABELED & {*words(name)}]
        others = (not says(name, "judge") and not is_agreement(words(name)) for name in labels)
        return len(values) == 1 or any(others) or bool({*humans} - {column})
    return bool(values) and not any(is_known(text) or is_failed(text) for text in values)


def _system(table: TextTable, column: str | None, roles: ColumnRoles) -> str | None:
    """Return the column of systems if it may be one: it has from two to about 20 values, not pass and fail. A column
    ``model`` is none if its values are judges of the same output."""
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
    """Return the columns without one of two that a judge has: its score is left out where it also has a verdict, or its
    verdict where the labels are numbers (noted)."""

    def cells(columns: Sequence[str]) -> list[str]:
        return [text for name in columns for text in set(table.columns[name]) if not is_failed(text)]

    by_word = all(pass_or_fail(text) is not None for text in cells(roles.humans))
    verdicts = [name for name in names if not says(name, "probability")]
    for score in [name for name in names if name not in verdicts]:
        verdict = next((name for name in verdicts if name in names and same_subject(name, score)), None)
        if verdict is None:
            continue
        numbers = not by_word and all(number_of(text) is not None for text in cells([score]))
        names = [name for name in names if name != (verdict if numbers else score)]
        if numbers:
            taken = f"the judge's column is {score!r}, as labels are numbers"
            roles.notes.append(f"{taken}; {verdict!r} is not used")
    return names


def _check_one_criterion(table: TextTable, names: Sequence[str], roles: ColumnRoles) -> None:
    """Raise an error if verdicts and labels are of several criteria, which are checked one at a time.

    Raises:
        DeclarationError: it is so; the message has a command for each criterion that has both.
    """
    options: dict[str, dict[frozenset[str], list[str]]] = {"--judge": {}, "--human": {}}
    for (option, by_subject), columns in zip(options.items(), (names, roles.humans), strict=True):
        for name in columns:
            by_subject.setdefault(subject(name), []).extend([option, name])
    judged, labeled = options.values()
    both = [about for about in judged if about and about in labeled]
    if both and max(len(judged), len(labeled)) > 1:
        ways = [[*judged[about], *labeled[about]] for about in both]
        raise table.error("there are verdicts and labels of several criteria; check one at a time", *ways)
