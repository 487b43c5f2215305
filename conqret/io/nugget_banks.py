"""Read nugget banks: the nuggets of whole topics, which the items of a topic get.

A bank is an object with a topic and its nuggets, as TREC RAG (``qid``, ``nuggets``), AutoNuggetizer (the same with a
``query``), AutoJudge (``query_id``, ``claim_bank``, ``nugget_bank``) or a user writes it; a file has one a line.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from conqret.data.item import Item, Nugget
from conqret.errors import DeclarationError, ItemsError
from conqret.io.checks import identifier, text
from conqret.io.files import file_rows
from conqret.io.nuggets import NUGGETS, read_nuggets
from conqret.io.reports import TOPIC_IDS, topic_names
from conqret.io.rows import InvalidCell, kind, listed, object_rows, quoted
from conqret.io.schema import Field, TableReader, table_schema
from conqret.text.analysis import analysed

NuggetSource = str | Path | Mapping[str, object] | Iterable[Mapping[str, object]]
"""A file of banks, its records, or a mapping from topic id to nuggets."""


def nuggets_by_text(value: object, where: str, reader: TableReader) -> tuple[Nugget, ...]:
    """Parse the nuggets of an AutoJudge bank, which is an object with nuggets under their texts.

    Raises:
        InvalidCell: the value is not an object.
    """
    if not isinstance(value, Mapping):
        raise InvalidCell(f"is {kind(value)}, and an object is expected", NUGGETS)
    return read_nuggets(list(value.values()), where, reader)


BANK = table_schema(
    topic=Field((*TOPIC_IDS, "id", "query.qid"), identifier, needed="Name the topic of its nuggets"),
    query=Field(("query.text", "query", "title_query", "title", "topic"), text, ""),
    nuggets=Field(("nuggets",), read_nuggets, ()),
    questions=Field(("nugget_bank",), nuggets_by_text, ()),
    claims=Field(("claim_bank",), nuggets_by_text, ()),
)


class BanksError(ItemsError):
    """Raised when nugget banks have faults."""

    of = "nugget banks"


@dataclass(frozen=True, slots=True)
class NuggetBank:
    """The nuggets of one topic; ``query`` is the topic's question in the bank, and ``line`` its line in
    the file."""

    topic: str
    query: str
    nuggets: tuple[Nugget, ...]
    line: int


@dataclass(frozen=True)
class NuggetBanks:
    """Nugget banks by topic id; ``name`` is the name of their source in messages."""

    name: str
    banks: Mapping[str, NuggetBank]

    def bank_of(self, item: Item) -> NuggetBank | None:
        """Return the bank of an item's topic, or None.

        The topic's id in the item's metadata is tried first, then the item's id, then the topic's
        question.
        """
        for name in _names(item):
            if name in self.banks:
                return self.banks[name]
        return self._by_query.get(_plain(item.topic))

    def complete(self, items: Iterable[Item | None], reader: TableReader) -> Iterator[Item | None]:
        """Yield the items, each with the nuggets of its topic's bank unless it has its own.

        None is yielded, and a fault recorded, if there is no bank for the topic, or one for another question.
        """
        for item in items:
            if item is None or item.nuggets:
                if item is not None:
                    reader.note(
                        f"items have nuggets of their own, which are judged instead of those of {self.name}"
                    )
                yield item
                continue
            bank = self.bank_of(item)
            if bank is None:
                reader.fault(
                    "nuggets",
                    f"are missing: {self.name} has no bank of its topic, which is {quoted(_names(item)[0])} (it has "
                    f"banks of {listed(self.banks, 5)})",
                    "Give the bank of this topic, or name the topic as the bank does (topic_id, qid, or the item's id)",
                )
                yield None
                continue
            terms, of_topic = analysed(bank.query).terms, analysed(item.topic).terms
            if terms and of_topic and terms.isdisjoint(of_topic):  # they share no word that says anything
                reader.fault(
                    "topic",
                    f"is {quoted(item.topic)}, and the bank of topic {bank.topic!r} in {self.name}:{bank.line} is "
                    f"about {quoted(bank.query)}",
                    "Give the bank of this topic",
                )
                yield None
            else:
                yield item.model_copy(update={"nuggets": bank.nuggets})

    @cached_property
    def _by_query(self) -> dict[str, NuggetBank]:
        """The first bank of each question."""
        banks: dict[str, NuggetBank] = {}
        for bank in self.banks.values():
            if bank.query:
                banks.setdefault(_plain(bank.query), bank)
        return banks


def _names(item: Item) -> list[str]:
    """Return the possible names of an item's topic: the ids in its metadata, then the item's own id."""
    return [*topic_names(item, (*TOPIC_IDS, "id")), item.id]


def _plain(topic: str) -> str:
    return " ".join(topic.split()).casefold()


def read_banks(source: NuggetSource | NuggetBanks) -> NuggetBanks:
    """Read nugget banks from a file (JSON, or JSON Lines, also gzipped) or from memory.

    Banks that are already read are returned unchanged.

    Raises:
        ItemsError: the file cannot be read.
        BanksError: banks have faults; all are listed.
        DeclarationError: the source contains no bank.
    """
    if isinstance(source, NuggetBanks):
        return source
    if not isinstance(source, str | Path | Iterable):
        raise DeclarationError(f"nugget banks must be a file, or nuggets by topic, not {kind(source)}")
    if isinstance(source, Mapping):
        source = [{"qid": topic, "nuggets": nuggets} for topic, nuggets in source.items()]
    rows = file_rows(source) if isinstance(source, str | Path) else object_rows(source, "nuggets")
    reader, banks = TableReader(rows, BANK), dict[str, NuggetBank]()
    for values in reader:
        reader.once("topic", values["topic"], "Write all nuggets of a topic into one bank")
        nuggets = (*values["nuggets"], *values["questions"], *values["claims"])
        if not nuggets:
            reader.fault("nuggets", "is missing, or contains no nugget", NUGGETS)
        banks[values["topic"]] = NuggetBank(values["topic"], values["query"], nuggets, reader.line)
    reader.finish(BanksError, wanted="nugget banks")
    return NuggetBanks(rows.name, banks)
