"""Which column of a table holds the judge's verdicts, the human labels, their texts and groups, by the names."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import islice

from conqret.errors import DeclarationError, UnknownNameError
from conqret.studies.check.text_table import TextTable
from conqret.studies.check.verdict_words import (
    CELLS,
    WORDS,
    is_failed,
    number_of,
    pass_or_fail,
    preference,
    word_of,
)

SAID: Mapping[str, frozenset[str]] = {
    role: frozenset(text.split()) for role, text in WORDS["in_column_names"].items()
}
"""The words of names of columns by what they say of a column."""
NAMES: Mapping[str, str] = WORDS["columns"]
"""The whole names of columns that hold neither verdicts nor texts, by what they hold."""
TEXTS: Mapping[str, str] = WORDS["texts"]
"""The whole names of columns of texts, by the text."""
MODEL = re.compile(
    r"(?:(?:openai|anthropic|google|mistralai|meta llama|azure) )?(?:gpt|chatgpt|claude|gemini|llama|mistral|mixtral|"
    r"ministral|qwen|deepseek|command|cohere|gemma|grok|nova|haiku|sonnet|opus|prometheus|selene|kimi|glm|phi|"
    r"o [134])\b.*"
)
"""The words of a column that has the name of a model."""
ROLES = (
    ("human", frozenset({"human", "humans"})),
    ("judge", SAID["machine"] | SAID["models"]),
    ("human", SAID["human"]),
    ("judge", SAID["judge"]),
    ("verdict", SAID["predicted"]),
    ("label", SAID["label"]),
    ("verdict", SAID["verdict"] | SAID["criterion"]),
    ("checked", SAID["checked"]),
)
"""The role of a column by a word of its name, the surer first."""
_VERDICT_ENDS = SAID["verdict"] | SAID["criterion"] | SAID["checked"] | {"label", "labels"}
_GENERIC = SAID["judge"] | SAID["predicted"] | SAID["verdict"] | {"label", "labels"}
"""Words that do not say what is judged."""


@lru_cache(maxsize=4096)
def words(name: str) -> tuple[str, ...]:
    """Return the words of a column's name in small letters: of ``judgeVerdict_1`` judge, verdict and 1."""
    parts = re.sub(r"(?<=[a-zäöü])(?=[A-Z])", " ", name)
    return tuple(part.casefold() for part in re.findall(r"[^\W\d_]+|\d+", parts))


def says(name: str, *roles: str) -> bool:
    """Return True if a word of a column's name says one of ``roles`` of it."""
    return any(not SAID[role].isdisjoint(words(name)) for role in roles)


def is_model(name: str) -> bool:
    """Return True if a text is the name of a model."""
    return MODEL.fullmatch(" ".join(words(name))) is not None


def loose(name: str) -> str:
    """Return a column's name with underscores between its words, in small letters."""
    return "_".join(words(name))


def named(columns: Iterable[str], names: str) -> str | None:
    """Return the first column that has one of ``names``, in the order of the names; None if there is none."""
    by_name = {loose(column): column for column in reversed(list(columns))}
    return next((by_name[name] for name in names.split() if name in by_name), None)


def chosen(table: TextTable, names: Sequence[str]) -> list[str]:
    """Return the columns that the user names, whatever their case and separators.

    Raises:
        UnknownNameError: the table has no such column.
    """
    spelled = {loose(column): column for column in table.columns} | {
        column: column for column in table.columns
    }
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
    """Return True if a column may hold verdicts: numbers, known words, or few short ones."""
    distinct = dict.fromkeys(texts)
    sample = list(islice((text for text in distinct if not is_failed(text)), 200))
    if not sample:
        return True
    known = sum(
        number_of(text) is not None or pass_or_fail(text) is not None or preference(text) is not None
        for text in sample
    )
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
        if role and holds_verdicts(table.columns[column]):
            by_role[role].append(column)
    humans, judges = by_role["human"], by_role["judge"]
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
    known = all(
        number_of(cell) is not None or pass_or_fail(cell) is not None for cell in cells if not is_failed(cell)
    )
    return known or bool(cells & verdicts)


def _role(parts: tuple[str, ...]) -> str:
    """human and judge where the name says so; label, verdict and checked where it says so next to another."""
    if not parts:
        return ""
    names = frozenset(parts)
    numbered = len(parts) > 1 and parts[-1].isdigit() and parts[-2] in SAID["verdict"] | {"label"}
    if names & SAID["other"] and not (numbered or parts[-1] in _VERDICT_ENDS):
        return "soft" if names & SAID["judge"] and names & {"output", "response", "answer", "raw"} else ""
    if parts[-1] == "model":
        return ""
    found = next((role for role, known in ROLES if names & known), "")
    return "judge" if MODEL.fullmatch(" ".join(parts)) and not names & {"human", "humans"} else found


def runs_of(columns: Sequence[str]) -> dict[str, list[str]]:
    """Return the columns of each judge: several where they are numbered runs (``run1``, ``judge_run_2``)."""
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
    return {
        members[0] if len(members) == 1 else " ".join(stem) or "judge": members
        for stem, members in groups.items()
    }


def orders_of(columns: Sequence[str]) -> dict[str, list[str]]:
    """Return the two columns of each judge that saw both orders, A first and B first."""
    pairs: dict[str, dict[int, str]] = {}
    for column in columns:
        text, order, stem = f" {' '.join(words(column))} ", 0, ""
        for place, marks in enumerate((CELLS["first_order"], CELLS["second_order"])):
            mark = next((mark for mark in marks if f" {mark} " in text), None)
            if mark is not None:
                order, stem = place, text.replace(f" {mark} ", " ").strip()
                break
        else:
            stem = text.strip()
        pairs.setdefault(stem, {}).setdefault(order, column)
    return {stem or "judge": [pair[0], pair[1]] for stem, pair in pairs.items() if len(pair) == 2}


def same_subject(first: str, second: str) -> bool:
    """Return True if two names differ only in words for the kind of column (``judge_verdict``, ``judge_score``)."""
    kinds = _GENERIC | SAID["probability"] | {"of", "pass"}
    return set(words(first)) - kinds == set(words(second)) - kinds


def check_no_labels(table: TextTable, judges: Sequence[str], others: Collection[str | None]) -> None:
    """Raise an error if a column next to those of judges may hold labels, but its name does not say so."""
    names = []
    for name, cells in table.columns.items():
        role, distinct = _role(words(name)), set(cells)
        if name in judges or name in others or (says(name, "other") and not role):
            continue
        if len(distinct) > 1 and holds_verdicts(cells):
            fits = [
                _comparable(table, name, j) if role else distinct <= set(table.columns[j]) for j in judges
            ]
            names += [name] if any(fits) else []
    if names:
        raise table.error(
            f"no column has the name of human labels. Name theirs (of {', '.join(names)}), or the judge's alone if "
            "there are none yet",
            [part for name in names for part in ("--human", name)],
            [part for name in judges for part in ("--judge", name)],
        )


def no_judge(table: TextTable, texts: Collection[str], humans: Sequence[str]) -> DeclarationError:
    """Return the error for a table in which no column has the name of a judge's."""
    fitting = [
        name
        for name, cells in table.columns.items()
        if name not in texts and holds_verdicts(cells) and 2 <= len(set(cells)) <= max(2, len(cells) // 2)
    ]
    judge, human = [*fitting[:1], "COLUMN"][0], [*humans, *fitting[1:], "COLUMN"][0]
    columns = ", ".join(table.columns)
    return table.error(
        f"no column has the name of a judge's verdicts (columns: {columns}). Name it",
        ["--judge", judge, "--human", human],
    )
