"""Money: what is spent on a model over a store of answers, and the budget at which no more is asked."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from conqret.data import Reason
from conqret.llm.retry import ProviderError
from conqret.llm.store_file import StoreFile

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
    """The spending on ``model`` in a store, in US dollars, and the row of one client in it."""

    def __init__(self, file: StoreFile, model: str) -> None:
        self._file, self._model = file, model
        self._client = uuid.uuid4().hex
        with self._file.guarded("what was spent could not be booked"):
            self._file.db.execute(_MAKE)

    def total(self) -> tuple[float, float]:
        """What was spent on the model, and what is held for requests under way, by all clients: what rounding leaves of
        what was given back is nothing."""
        with self._file.guarded("what was spent could not be read"):
            spent, held = self._file.db.execute(_TOTAL, (self._model,)).fetchone()
        return float(spent), float(held) if held > _ROUNDING else 0.0

    def answered(self) -> tuple[int, float]:
        """How many answers were paid for, as far as they were counted, and what they have cost."""
        query = (
            "SELECT coalesce(sum(answers), 0), coalesce(sum(spent), 0) FROM costs WHERE model = ? AND answers"
        )
        with self._file.guarded("what was spent could not be read"):
            answers, spent = self._file.db.execute(query, (self._model,)).fetchone()
        return int(answers), float(spent)

    def hold(self, dollars: float, limit: float) -> bool:
        """Hold so much for a request, if with all that was spent and is held it stays below ``limit``."""
        with self._file.guarded("what was spent could not be booked"), self._file.transaction():
            spent, held = self._file.db.execute(_TOTAL, (self._model,)).fetchone()
            fits = bool(spent + held + dollars <= limit + _ROUNDING)
            if fits:
                self._book(0.0, dollars)
        return fits

    def settle(self, held: float, spent: float, answers: int = 0) -> None:
        """Give back what was held for a request, and book what its ``answers`` have cost."""
        with self._file.guarded("what was spent could not be booked"):
            self._book(spent, -held, answers)

    def _book(self, spent: float, held: float, answers: int = 0) -> None:
        self._file.db.execute(_BOOK, (self._client, self._model, spent, held, answers, held))


PATIENCE = 5.0
"""Seconds that a process which has nothing under way waits for what others on its store hold."""

POLL = 0.1


class Budget:
    """Money: a call is let through where what was spent and is held, with what is held for it, stays within ``limit``
    (None: no limit).

    What an answer has cost on average so far is held for each call, and no less than its prompt costs. So all calls are
    made where all answers together cost less than the limit; what is spent passes it by no more than the calls under
    way are dearer than the average. Until the first answer has come, one call at a time is let through. With a
    ``ledger`` all that was ever spent on the model over its store counts, by other processes, too.
    """

    def __init__(self, limit: float | None) -> None:
        self.limit = float("inf") if limit is None else limit
        self.ledger: SpendingLedger | None = None
        self.spent = 0.0
        self._reserved = 0.0
        self._running = 0
        self._settled = asyncio.Event()
        self._answers, self._answered = 0, 0.0
        self._patience = PATIENCE
        self.refused = False

    def book_in(self, ledger: SpendingLedger) -> None:
        """Have the limit hold for all that books in a ledger."""
        answers, cost = ledger.answered()
        self.ledger = ledger
        self._answers, self._answered = self._answers + answers, self._answered + cost

    @asynccontextmanager
    async def reserve(self, prompt: float) -> AsyncIterator[Callable[[float | None], None]]:
        """Hold what a call is expected to cost, whose prompt costs so many dollars; waits for calls under way if only
        they are in the way. What is yielded books what the call has cost (None: as much as is held, for a lost answer).

        Raises:
            ProviderError: with the reason BUDGET, if the money is not there and nothing is under way.
        """
        while not self._hold(held := max(prompt, self._answered / max(1, self._answers))):
            await self._wait(held)
        self._running += 1
        cost, answers = 0.0, 0

        def spend(dollars: float | None) -> None:
            nonlocal cost, answers
            cost += held if dollars is None else dollars
            answers += dollars is not None

        try:
            yield spend
        finally:
            self.spent += cost
            if answers:
                self._answers, self._answered = self._answers + answers, self._answered + cost
            self._running -= 1
            self._reserved = self._reserved - held if self._running else 0.0
            if self.ledger is not None:
                self.ledger.settle(held, cost, answers)
            self._settled.set()

    def _hold(self, dollars: float) -> bool:
        """Hold so much, if it is there."""
        if self.limit == float("inf"):
            return True
        if not self._answers and self._running:  # nobody knows yet what an answer costs
            return False
        if self.ledger is not None:
            fits = self.ledger.hold(dollars, self.limit)
        else:
            fits = self.spent + self._reserved + dollars <= self.limit
        if fits:
            self._reserved += dollars
            self.refused = False
        return fits

    async def _wait(self, dollars: float) -> None:
        """Wait until calls under way are settled, here or in other processes.

        Raises:
            ProviderError: with the reason BUDGET: nothing is under way.
        """
        if self._running:
            self._settled.clear()
            await self._settled.wait()
            return
        spent, held = (self.spent, 0.0) if self.ledger is None else self.ledger.total()
        if held and self._patience > 0:
            self._patience -= POLL
            await asyncio.sleep(POLL)
            return
        self.refused = True
        lost = f" and ${held:.6f} held for calls whose answers never came" if held else ""
        raise ProviderError(
            Reason.BUDGET,
            f"the budget of ${self.limit:g} does not cover this call: ${spent:.6f} spent{lost}, about ${dollars:.6f} "
            "needed",
        )
