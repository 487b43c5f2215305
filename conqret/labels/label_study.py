"""A study: its screens, its people, and how many labels each screen is to get."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Sequence

from conqret.data.item import Frozen, Identifier
from conqret.errors import DeclarationError
from conqret.labels.screens import Screen

OVERLAP = 3
"""Labels of each screen: two agree or do not, and three have a majority."""
MAX_PEOPLE = 500
MAX_NAME = 60

_RESERVED = re.compile(r"\A\s*+(?:[pa]\d++$|deleted\b|final$)", re.IGNORECASE)
"""Names that nobody may have: commands take pseudonyms, too, and would mean somebody else."""


class Study(Frozen):
    """What stays the same for as long as labels are collected.

    ``overlap`` is the number of people who get each screen, ``open_to`` how many may join who are not named;
    ``items`` is a digest of what is shown. ``estimates`` is false where the items were chosen for what a judge said of
    them, so that their labels say nothing of others; ``probability`` is that of each item to be drawn, where they were.
    Everybody has ``practice`` screens first, which are not counted among ``screens``; who has fewer than a share of
    ``passing`` right gets no others.
    """

    task: Identifier
    overlap: int = OVERLAP
    open_to: int = 0
    items: str
    screens: int
    seed: int = 13
    consent: str = ""
    estimates: bool = True
    probability: float | None = None
    practice: int = 0
    passing: float = 0.0


def study_of(
    task: str,
    screens: Sequence[Screen],
    annotators: Sequence[str],
    *,
    overlap: int = OVERLAP,
    open_to: int = 0,
    consent: str = "",
    estimates: bool = True,
    probability: float | None = None,
    passing: float = 0.0,
) -> Study:
    """The study of ``screens``, those to practise among them, checked.

    Raises:
        DeclarationError: there is nobody to ask or nothing to ask, there are fewer people than labels wanted of a
            screen, or names repeat.
    """
    labelled = [screen for screen in screens if not screen.practice]
    if not labelled:
        raise DeclarationError("there is nothing to label: no item can be shown in this task")
    names = check_names(annotators)
    if not names and not open_to:
        raise DeclarationError(
            "name the annotators (--annotators anna,ben,carl), or admit everyone who has the link (--open)"
        )
    able = len(names) + open_to
    if not 1 <= overlap <= able:
        raise DeclarationError(
            f"--overlap is the number of annotators who label each item, from 1 to the number of annotators "
            f"({able}), not {overlap}"
        )
    return Study(
        task=task, overlap=overlap, open_to=open_to, items=digest(screens), screens=len(labelled),
        consent=consent, estimates=estimates, probability=probability, passing=passing,
        practice=max(Counter(screen.person for screen in screens if screen.practice).values(), default=0),
    )  # fmt: skip


def check_names(annotators: Sequence[str]) -> list[str]:
    """The names, without the white space around them.

    Raises:
        DeclarationError: one is empty, too long or not printable, or stands twice.
    """
    names = [name.strip() for name in annotators]
    if len(names) > MAX_PEOPLE:
        raise DeclarationError(f"{len(names)} annotators are named, and {MAX_PEOPLE} is the most")
    for name in names:
        if not name or len(name) > MAX_NAME or not name.isprintable():
            raise DeclarationError(
                f"{name[:MAX_NAME]!r} is not a name of 1 to {MAX_NAME} printable characters"
            )
        if _RESERVED.match(name):
            raise DeclarationError(f"{name!r} looks like a pseudonym in exports; choose another name")
        if names.count(name) > 1:
            raise DeclarationError(f"two annotators have the name {name!r}; give each a name of their own")
    return names


def digest(screens: Iterable[Screen]) -> str:
    """What tells other screens apart."""
    sha = hashlib.sha256()
    for screen in screens:
        sha.update(screen.model_dump_json().encode("utf-8", "backslashreplace") + b"\n")
    return sha.hexdigest()[:32]
