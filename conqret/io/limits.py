"""How much of what comes from outside is taken in: each limit with its reason, and the variable that raises it.

A hostile file is small and unpacks to gigabytes. What goes beyond a limit is a fault that names the place and the
variable; nothing of it is kept.
"""

from __future__ import annotations

import os
from dataclasses import dataclass

from conqret.errors import DeclarationError

_MIB = 2**20


@dataclass(frozen=True, slots=True)
class Limit:
    """The most of something; the environment ``variable`` takes the place of ``default``."""

    variable: str
    default: int
    unit: str = ""

    @property
    def most(self) -> int:
        """The limit now.

        Raises:
            DeclarationError: the variable holds no positive whole number.
        """
        text = os.environ.get(self.variable, "").strip()
        if not text:
            return self.default
        if not (text.isascii() and text.isdigit() and len(text) <= 18 and int(text)):
            raise DeclarationError(
                f"{self.variable}={text!r} is not a limit: give a positive whole number of {self.unit or 'bytes'}"
            )
        return int(text)

    @property
    def remedy(self) -> str:
        """How to raise it."""
        return f"or raise the limit: {self.variable}={2 * self.most}"

    def __str__(self) -> str:
        most = self.most
        if self.unit:
            return f"{most:,} {self.unit}"
        return f"{most // _MIB} MiB" if most >= _MIB else f"{most:,} bytes"


LINE = Limit("CONQRET_MAX_LINE", 64 * _MIB)
"""Of one line, which is one item: a hundred documents of a book's length."""

LINES = Limit("CONQRET_MAX_LINES", 10_000_000, "lines")
"""Of a TREC file, a leaderboard or tables of scores, which are held whole: a thousand documents for each of MS MARCO's
6,980 topics are seven million."""

LIST = Limit("CONQRET_MAX_LIST", 64 * _MIB)
"""Of a JSON file that is no JSON Lines: it is read whole, so it has to be small."""

CELL = Limit("CONQRET_MAX_CELL", 32 * _MIB, "characters")
"""Of one cell of a CSV; Python's own limit of 131,072 would refuse ten long documents."""

COLUMNS = Limit("CONQRET_MAX_COLUMNS", 10_000, "columns")
"""Of a table, or fields of one record: a benchmark has hundreds at most, and their names are compared."""

MEMBERS = Limit("CONQRET_MAX_MEMBERS", 10_000, "files")
"""In a zip archive; the published one has 87."""

MEMBER = Limit("CONQRET_MAX_MEMBER", 4 * _MIB)
"""Of one file in a zip archive, unpacked; the published ones have 7 kB."""

PAGE = Limit("CONQRET_MAX_PAGE", 256 * _MIB)
"""Of one page of a Parquet file, unpacked, which a reader makes at once: writers end a page at 1 MiB, or after some
thousand values."""

PAGES = Limit("CONQRET_MAX_PAGES", 1024 * _MIB)
"""Of the largest pages of all columns of a Parquet file together: a reader holds one of each at once."""

VALUES = Limit("CONQRET_MAX_VALUES", 2**25, "values")
"""In the lists of one column, in one row group of a Parquet file: those of a row are made at once, and a file of 100
bytes can name any number of empty ones."""

INDEX = Limit("CONQRET_MAX_INDEX", 512 * _MIB)
"""Of a list in the index of a corpus that is read whole: ids and places of ten million documents, the terms of an
engine."""

ROW = Limit("CONQRET_MAX_ROW", 128 * _MIB)
"""Of one row in a store of recordings: an answer with all its log-probabilities, four times over."""

ANSWER = Limit("CONQRET_MAX_ANSWER", 32 * _MIB)
"""Of one answer of a provider, unpacked: 500 times the longest that a judge asks for, log-probabilities included."""

IMAGE = Limit("CONQRET_MAX_IMAGE", 4 * _MIB)
"""Of one image of an item: Anthropic takes 5 MB in base64, OpenAI more."""

IMAGES = Limit("CONQRET_MAX_IMAGES", 20, "images")
"""Of one item: beyond that providers take smaller ones alone."""

MESSAGES = Limit("CONQRET_MAX_MESSAGES", 10_000, "messages")
"""Of one item, what tools gave back included: no context of a model holds more of any length."""

LIMITS = (
    LINE, LINES, LIST, CELL, COLUMNS, MEMBERS, MEMBER, PAGE, PAGES, VALUES, INDEX, ROW, ANSWER, IMAGE, IMAGES,
    MESSAGES,
)  # fmt: skip
"""All of them."""
