"""The ledger of what was spent on a model over a store of recordings."""

from __future__ import annotations

import uuid

from conqret.llm.recordings import Recordings

_MAKE = (
    "CREATE TABLE IF NOT EXISTS costs (client TEXT PRIMARY KEY, model TEXT NOT NULL, spent REAL NOT NULL, "
    "held REAL NOT NULL, answers INTEGER NOT NULL)"
)
_TOTAL = "SELECT coalesce(sum(spent), 0), coalesce(sum(held), 0) FROM costs WHERE model = ?"
_BOOK = (
    "INSERT INTO costs VALUES (?, ?, ?, max(0, ?), ?) ON CONFLICT (client) DO UPDATE SET "
    "spent = spent + excluded.spent, held = max(0, held + ?), answers = answers + excluded.answers"
)
_ROUNDING = 1e-9


class SpendingLedger:
    """The record of US dollars spent on ``model`` in a store, shared by all clients of the store."""

    def __init__(self, store: Recordings, model: str) -> None:
        self._store, self._model = store, model
        self._client = uuid.uuid4().hex
        with self._store.guarded("what was spent could not be booked"):
            self._store.db.execute(_MAKE)

    def total(self) -> tuple[float, float]:
        """Return the dollars spent on the model and the dollars reserved for requests under way, by all
        clients.
        """
        with self._store.guarded("what was spent could not be read"):
            spent, held = self._store.db.execute(_TOTAL, (self._model,)).fetchone()
        return float(spent), float(held) if held > _ROUNDING else 0.0

    def answered(self) -> tuple[int, float]:
        """Return the number of paid responses that were counted, and their cost in dollars."""
        query = (
            "SELECT coalesce(sum(answers), 0), coalesce(sum(spent), 0) FROM costs WHERE model = ? AND answers"
        )
        with self._store.guarded("what was spent could not be read"):
            answers, spent = self._store.db.execute(query, (self._model,)).fetchone()
        return int(answers), float(spent)

    def hold(self, dollars: float, limit: float) -> bool:
        """Reserve dollars for a request; returns False where spending and reservations would exceed
        ``limit``.
        """
        with self._store.guarded("what was spent could not be booked"), self._store.transaction():
            spent, held = self._store.db.execute(_TOTAL, (self._model,)).fetchone()
            fits = bool(spent + held + dollars <= limit + _ROUNDING)
            if fits:
                self._book(0.0, dollars)
        return fits

    def release_and_record(self, held: float, spent: float, answers: int = 0) -> None:
        """Release ``held`` dollars that were reserved for a request, and record ``spent`` dollars for its
        ``answers`` paid responses.

        Raises:
            StoreError: the store cannot be written; all methods raise it.
        """
        with self._store.guarded("what was spent could not be booked"):
            self._book(spent, -held, answers)

    def _book(self, spent: float, held: float, answers: int = 0) -> None:
        self._store.db.execute(_BOOK, (self._client, self._model, spent, held, answers, held))
