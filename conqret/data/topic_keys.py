"""Which topics are one: the same question in several languages counts as one cluster in every interval.

Topics are told apart by their texts, so that of an item and its translations would be several. They are joined by what
ties the items: the word under ``translation_of`` in their metadata, the id of the original, or an id that ends in the
code of the item's language (``bees-de``), as ``conqret generate translations`` writes it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Self

from conqret.data.item import Item
from conqret.data.judgment import Judgment


class TopicKeys:
    """Topics as they come, joined where an item of one is a translation of an item of another.

    Ids are kept as hashes, since a translation may come before its original.
    """

    def __init__(self) -> None:
        self._places: dict[str, int] = {}
        self._joined: list[int] = []
        self._ties: dict[int, int] = {}
        self._originals: dict[int, int] = {}
        self._names: dict[str, str] | None = None

    @classmethod
    def of(cls, judged: Iterable[Item | Judgment]) -> Self:
        """Those of items or judgments."""
        keys = cls()
        for each in judged:
            keys.add(each)
        return keys

    def add(self, judged: Item | Judgment) -> int:
        """Take the topic of an item or a judgment in, and return its place among all topics."""
        if isinstance(judged, Item):
            return self.tie(judged.topic, judged.id, judged.language, judged.translation_of)
        return self.tie(judged.topic, judged.item, judged.language, judged.translation_of)

    def tie(self, topic: str, item: str, language: str = "", translation_of: str = "") -> int:
        """The same of what is known of the item: its id, its language, and what it is a translation of."""
        place = self._places.setdefault(topic, len(self._places))
        if place == len(self._joined):
            self._joined.append(place)
            self._names = None
        own = hash(item)
        ties = {hash(translation_of)} if translation_of else set()
        if language and item.endswith(f"-{language}"):
            ties.add(hash(item[: -len(language) - 1]))
        named = {self._ties.get(own, place)}
        for tie in ties:
            named |= {self._ties.setdefault(tie, place), self._originals.get(tie, place)}
        self._originals.setdefault(own, place)
        for other in named - {place}:
            first, second = sorted((self._root(place), self._root(other)))
            self._joined[second] = first
            self._names = None
        return place

    def _root(self, place: int) -> int:
        while self._joined[place] != place:
            self._joined[place] = place = self._joined[self._joined[place]]
        return place

    def roots(self) -> list[int]:
        """The place of the topic that stands for each, by place."""
        return list(map(self._root, range(len(self._joined))))

    def __getitem__(self, topic: str) -> str:
        """The topic that stands for this one: the first of its translations, else itself."""
        return self.joined.get(topic, topic)

    @property
    def count(self) -> int:
        """How many topics there are, translations of one counted once."""
        return len(set(self.roots()))

    @property
    def joined(self) -> Mapping[str, str]:
        """The topics for which another one stands."""
        if self._names is None:
            names = list(self._places)
            pairs = zip(names, self.roots(), strict=True)
            self._names = {name: names[root] for name, root in pairs if names[root] != name}
        return self._names
