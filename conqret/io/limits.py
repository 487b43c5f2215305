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
                f"{self.variable}={text!r} is not a limit: give a positive whole number of bytes"
            )
        return int(text)

    @property
    def remedy(self) -> str:
        """How to raise it."""
        return f"or raise the limit: {self.variable}={2 * self.most}"

    def __str__(self) -> str:
        most = self.most
        return f"{most // _MIB} MiB" if most >= _MIB else f"{most:,} bytes"


LINE = Limit("CONQRET_MAX_LINE", 64 * _MIB)
"""Of one line, one cell or one row, which is one item: a hundred documents of a book's length."""

FILE = Limit("CONQRET_MAX_FILE", 64 * _MIB)
"""Of a file that is read whole: a JSON list, the record of a run, a file in a zip archive."""

UNPACKED = Limit("CONQRET_MAX_UNPACKED", 2048 * _MIB)
"""Of what is held or fetched all together: a TREC file, a list in the index of a corpus, a download. A thousand
documents for each of MS MARCO's 6,980 topics take 300 MB."""

IMAGE = Limit("CONQRET_MAX_IMAGE", 4 * _MIB)
"""Of one image of an item: Anthropic takes 5 MB in base64, OpenAI more."""

ANSWER = Limit("CONQRET_MAX_ANSWER", 32 * _MIB)
"""Of one answer of a provider, unpacked: 500 times the longest that a judge asks for, log-probabilities included. A
row of recordings has four times as much."""

LIMITS = (LINE, FILE, UNPACKED, IMAGE, ANSWER)
"""All that a variable raises."""

MAX_COLUMNS = 10_000
"""Of a table, or fields of one record: a benchmark has hundreds at most, and their names are compared."""
MAX_MEMBERS = 10_000
"""Files in a zip archive; the published one has 87."""
MAX_IMAGES = 20
"""Of one item: beyond that providers take smaller ones alone."""
MAX_MESSAGES = 10_000
"""Of one item, what tools gave back included: no context of a model holds more of any length."""
