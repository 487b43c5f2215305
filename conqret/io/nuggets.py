"""Nuggets as they stand in a table: a text, and perhaps how important it is and what was found; and nugget banks, the
nuggets of whole topics, which the items of a topic get.

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
from conqret.io.checks import a_list, identifier, one_line, one_of, text
from conqret.io.files import file_rows
from conqret.io.reports import TOPIC_IDS, topic_names
from conqret.io.rows import InvalidCell, kind, listed, object_rows, quoted
from conqret.io.schema import Field, TableReader, table_schema
from conqret.text.analysis import analysed

NUGGETS = 'Write a list of {"text": …, "importance": "vital" or "okay"}'
_FAILED = "failed"
"""The assignment of AutoNuggetizer where its model gave none: it is no assignment."""
_assignment = one_of(("support", "partial_support", "not_support", _FAILED), "assignment")


def _sub_narrative(value: object, where: str, reader: TableReader) -> str | None:
    """A name on one line, without the quotes around it that TREC's files have."""
    name = " ".join(text(value, where, reader).split())
    if len(name) > 1 and name[0] == name[-1] == '"':
        name = name[1:-1].strip()
    return name or None


def _assigned(value: object, where: str, reader: TableReader) -> str | None:
    assignment: str = _assignment(value, where, reader)
    return None if assignment == _FAILED else assignment


NUGGET = table_schema(
    text=Field(
        ("text", "nugget", "claim", "question"), one_line, needed="Write what it says, or delete the nugget"
    ),
    importance=Field(("importance",), one_of(("vital", "okay"), "importance")),
    sub_narrative=Field(("sub_narrative", "mapped_sub_narrative"), _sub_narrative),
    assignment=Field(("assignment",), _assigned),
)


def read_nuggets(value: object, where: str, reader: TableReader) -> tuple[Nugget, ...]:
    """Parse the nuggets in a column's value: objects or plain texts. Faults are recorded in the reader."""
    nuggets = [
        _nugget(entry, f"{where}[{number}]", reader)
        for number, entry in enumerate(a_list(value, "a list of nuggets", NUGGETS), start=1)
    ]
    weighed = [nugget.importance is not None for nugget in nuggets if nugget is not None]
    if any(weighed) and not all(weighed):
        place = next(
            number for number, nugget in enumerate(nuggets, 1) if nugget and nugget.importance is None
        )
        reader.fault(
            f"{where}[{place}].importance",
            "is missing, and other nuggets of the same list have one",
            "Write vital or okay for every nugget, or for none",
        )
    return tuple(nugget for nugget in nuggets if nugget is not None)


def _nugget(value: object, where: str, reader: TableReader) -> Nugget | None:
    if isinstance(value, Nugget):
        value = value.model_dump(exclude_none=True)
    if isinstance(value, str):
        value = {"text": value}
    if not isinstance(value, Mapping):
        reader.fault(where, f"is {kind(value)}, and a nugget is expected", NUGGETS)
        return None
    values = reader.read(value, NUGGET, f"{where}.")
    if values is None:
        return None
    if answers := _answers(value.get("answers")):
        values["text"] = f"{values['text']} {' or '.join(answers)}"
    return reader.model(Nugget, values)


def _answers(value: object) -> list[str]:
    """The answers of a nugget that is a question, which stand under their texts (AutoJudge) or in a list."""
    listed_answers = list(value) if isinstance(value, Mapping | list) else []
    return [" ".join(answer.split()) for answer in listed_answers if isinstance(answer, str)]


def nuggets_by_text(value: object, where: str, reader: TableReader) -> tuple[Nugget, ...]:
    """Parse the nuggets of an AutoJudge bank, which is an object with nuggets under their texts.

    Raises:
        InvalidCell: the value is not an object.
    """
    if not isinstance(value, Mapping):
        raise InvalidCell(f"is {kind(value)}, and an object is expected", NUGGETS)
    return read_nuggets(list(value.values()), where, reader)


NuggetSource = str | Path | Mapping[str, object] | Iterable[Mapping[str, object]]
"""A file of banks, what stands in its lines, or the nuggets of each topic by its id."""


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

    @cached_property
    def _by_query(self) -> dict[str, NuggetBank]:
        """The first bank of each question."""
        banks: dict[str, NuggetBank] = {}
        for bank in self.banks.values():
            if bank.query:
                banks.setdefault(_plain(bank.query), bank)
        return banks


def _names(item: Item) -> list[str]:
    """What names the topic of an item, in this order."""
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
        raise DeclarationError(
            f"nugget banks must be a file, or the nuggets of each topic, not {kind(source)}"
        )
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


def with_nuggets(
    items: Iterable[Item | None], reader: TableReader, banks: NuggetBanks
) -> Iterator[Item | None]:
    """Yield the items, each with the nuggets of its topic's bank unless it has its own.

    None is yielded, and a fault recorded, if there is no bank for the topic, or one for another question.
    """
    for item in items:
        if item is None or item.nuggets:
            if item is not None:
                reader.note(
                    f"items have nuggets of their own, which are judged instead of those of {banks.name}"
                )
            yield item
            continue
        bank = banks.bank_of(item)
        if bank is None:
            reader.fault(
                "nuggets",
                f"are missing: {banks.name} has no bank of its topic, which is {quoted(_names(item)[0])} (it has "
                f"banks of {listed(banks.banks, 5)})",
                "Give the bank of this topic, or name the topic as the bank does (topic_id, qid, or the item's id)",
            )
            yield None
            continue
        terms, of_topic = analysed(bank.query).terms, analysed(item.topic).terms
        if terms and of_topic and terms.isdisjoint(of_topic):  # they share no word that says anything
            reader.fault(
                "topic",
                f"is {quoted(item.topic)}, and the bank of topic {bank.topic!r} in {banks.name}:{bank.line} is about "
                f"{quoted(bank.query)}",
                "Give the bank of this topic",
            )
            yield None
        else:
            yield item.model_copy(update={"nuggets": bank.nuggets})
