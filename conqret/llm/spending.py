"""What a model has cost over one store of recordings: all runs and processes that share the store book there.

A budget is one for the store, and does not begin anew with each command. A row is a client's: what it has spent, what
it holds for requests under way, and how many times dearer than expected its dearest answer was. What a killed process
held stays held, as the provider may ask to be paid for it.
"""

from __future__ import annotations

import uuid

from conqret.llm.store_file import StoreFile

_MAKE = (
    "CREATE TABLE IF NOT EXISTS spending (client TEXT PRIMARY KEY, model TEXT NOT NULL, spent REAL NOT NULL, "
    "held REAL NOT NULL, dearer REAL NOT NULL)"
)
_TOTAL = "SELECT coalesce(sum(spent), 0), coalesce(sum(held), 0) FROM spending WHERE model = ?"
_BOOK = (
    "INSERT INTO spending VALUES (?, ?, ?, max(0, ?), ?) ON CONFLICT (client) DO UPDATE SET "
    "spent = spent + excluded.spent, held = max(0, held + ?), dearer = max(dearer, excluded.dearer)"
)
_ROUNDING = 1e-9


class SpendingLedger:
    """The spending on ``model`` in a store, in US dollars, and the row of one client in it."""

    def __init__(self, file: StoreFile, model: str) -> None:
        self._file, self._model = file, model
        self._client = uuid.uuid4().hex
        with self._file.guarded("what was spent could not be booked"):
            self._file.db.execute(_MAKE)

    def total(self) -> tuple[float, float]:
        """What was spent on the model, and what is held for requests under way, by all clients."""
        with self._file.guarded("what was spent could not be read"):
            spent, held = self._file.db.execute(_TOTAL, (self._model,)).fetchone()
        return float(spent), float(held)

    def dearer(self) -> float:
        """How many times dearer than expected the dearest answer was; 0 where none came yet."""
        query = "SELECT coalesce(max(dearer), 0) FROM spending WHERE model = ?"
        with self._file.guarded("what was spent could not be read"):
            (times,) = self._file.db.execute(query, (self._model,)).fetchone()
        return float(times)

    def hold(self, dollars: float, limit: float) -> bool:
        """Hold so much for a request, if with all that was spent and is held it stays below ``limit``."""
        with self._file.guarded("what was spent could not be booked"), self._file.transaction():
            spent, held = self._file.db.execute(_TOTAL, (self._model,)).fetchone()
            fits = bool(spent + held + dollars <= limit + _ROUNDING)
            if fits:
                self._book(0.0, dollars)
        return fits

    def settle(self, held: float, spent: float, dearer: float = 0.0) -> None:
        """Give back what was held for a request, and book what it has cost."""
        with self._file.guarded("what was spent could not be booked"):
            self._book(spent, -held, dearer)

    def _book(self, spent: float, held: float, dearer: float = 0.0) -> None:
        self._file.db.execute(_BOOK, (self._client, self._model, spent, held, dearer, held))
