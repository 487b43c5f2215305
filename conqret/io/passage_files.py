"""Passage files as documents of a corpus: Wikipedia's (DPR), Sphere's, and others with the same columns.

DPR's ``psgs_w100.tsv`` has ``id``, ``text`` and ``title`` (Karpukhin et al. 2020), Sphere's JSON Lines ``id``, ``raw``,
``title`` and ``url`` (Piktus et al. 2021), BEIR's ``corpus.jsonl`` ``_id``, ``title`` and ``text``. One passage is held
at a time. That no id stands twice is left to the index, which reads all of them anyway.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from string import Formatter
from typing import Any
from urllib.parse import quote

from conqret.errors import DeclarationError
from conqret.io.checks import filled, identifier, text
from conqret.io.files import file_rows
from conqret.io.schema import Field, Schema, TableReader

PASSAGE = Schema(
    "a passage",
    {
        "id": Field(("id", "_id"), identifier, needed="Give the passage an id"),
        "title": Field(("title",), text, ""),
        "url": Field(("url",), text, ""),
        "text": Field(("text", "raw", "contents"), filled, needed="Give the passage its text"),
        "licence": Field(("licence", "license"), text, ""),
    },
)
URL_FIELDS = frozenset({"id", "title"})
"""What an address can be made of."""


def read_passages(
    files: Iterable[Path],
    *,
    licence: str = "",
    url: str = "",
    on_passage: Callable[[], object] = lambda: None,
) -> Iterator[dict[str, Any]]:
    """The passages of the files one after the other, as lines of ``documents.jsonl``; plain or gzipped.

    Where a passage states none itself, ``licence`` is its licence, and ``url`` with ``{title}`` or ``{id}`` filled in
    its address (``https://en.wikipedia.org/wiki/{title}``).

    Raises:
        ItemsError: a file cannot be read, or rows have faults; those of a file are listed at its end.
        DeclarationError: a file holds no passage, or ``url`` asks for something else.
    """
    if not _fields(url) <= URL_FIELDS:
        raise DeclarationError(
            f"--url {url!r}: {{title}} and {{id}} are the only fields that can be filled in"
        )
    for file in files:
        reader = TableReader(file_rows(file), PASSAGE)
        for values in reader:
            values["licence"] = values["licence"] or licence
            values["url"] = values["url"] or url.format(
                id=quote(values["id"]), title=quote(values["title"].replace(" ", "_"))
            )
            on_passage()
            yield values
        reader.finish(wanted="passages")


def _fields(template: str) -> set[str]:
    """What is to be filled in; the template itself where it is broken."""
    try:
        return {name for _, name, _, _ in Formatter().parse(template) if name is not None}
    except ValueError:
        return {template}
