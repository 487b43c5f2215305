"""Finished rows by key: a file of JSON lines to which each is appended as it comes, so that a stopped run goes on.

Only the places of the lines are held, so that memory grows by some hundred bytes a row. A last line that was cut off
by a kill is cut away; of two rows under one key the later counts, unless it is worth less.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import BinaryIO, Generic, NamedTuple, TypeVar

from pydantic import BaseModel, ValidationError

from conqret.errors import DeclarationError
from conqret.io.safe_files import AppendLog, Closing, replacing, whole_lines

Row = TypeVar("Row", bound=BaseModel)


class _Place(NamedTuple):
    start: int
    length: int
    finished: bool


class RowStore(Closing, Generic[Row]):
    """The rows of a run, in ``path``.

    Args:
        path: the file; it is made with the first row.
        model: what a line holds.
        key: under which key a row is found again; None leaves it where it is, of no use.
        finished: whether a row needs not be made again.
        foreign: what to say of a line that holds something else, behind its place; such a line is passed over (and
            its row made again) where this is empty.

    Raises:
        DeclarationError: a line holds something else, and ``foreign`` is given.
    """

    def __init__(
        self,
        path: Path,
        model: type[Row],
        key: Callable[[Row], str | None],
        *,
        finished: Callable[[Row], bool] = lambda row: True,
        foreign: str = "",
    ) -> None:
        self.path = path
        self._model, self._key, self._finished = model, key, finished
        self._places: dict[str, _Place] = {}
        self._log: AppendLog | None = None
        self._end = 0
        for number, line in whole_lines(path):
            row = self._parsed(line)
            if row is not None:
                self._index(row, len(line))
            elif foreign:
                raise DeclarationError(f"{path}:{number} {foreign}")
            self._end += len(line)

    def __contains__(self, key: str) -> bool:
        """Whether a finished row is there."""
        place = self._places.get(key)
        return place is not None and place.finished

    def __len__(self) -> int:
        """How many finished rows are there."""
        return sum(place.finished for place in self._places.values())

    def get(self, key: str) -> Row | None:
        """The row of this key, finished or not; None where there is none."""
        place = self._places.get(key)
        if place is None:
            return None
        with self.path.open("rb") as file:
            return self._parsed(_line(file, place))

    def add(self, row: Row) -> None:
        """Append a row, and hand it to the system at once."""
        if self._log is None:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._log = AppendLog(self.path)
        self._index(row, length := self._log.append(row))
        self._end += length

    def replace(self, row: Row) -> None:
        """Append a row that counts instead of the one of its key, whatever it is worth, once the rows are arranged."""
        self._places.pop(self._key(row) or "", None)
        self.add(row)

    def rows(self) -> Iterator[Row]:
        """The rows that count, in the order of the file."""
        if not self._places:
            return
        with self.path.open("rb") as file:
            for place in sorted(self._places.values()):
                row = self._parsed(_line(file, place))
                if row is not None:
                    yield row

    def arrange(self, order: Iterable[str]) -> None:
        """Leave only the rows of these keys in the file, in this order."""
        wanted = {key: self._places[key] for key in order if key in self._places}
        starts = [place.start for place in wanted.values()]
        self.close()
        size = self.path.stat().st_size if self.path.exists() else 0
        if starts == sorted(starts) and sum(place.length for place in wanted.values()) == size:
            return
        places: dict[str, _Place] = {}
        self._end = 0
        with replacing(self.path) as arranged, self.path.open("rb") as file:
            for key, place in wanted.items():
                arranged.write(_line(file, place))
                places[key] = place._replace(start=self._end)
                self._end += place.length
        self._places = places

    def close(self) -> None:
        """Close the file once its bytes are on the disk."""
        if self._log is not None:
            self._log.close()
            self._log = None

    def _parsed(self, line: bytes) -> Row | None:
        try:
            return self._model.model_validate_json(line)
        except ValidationError:
            return None

    def _index(self, row: Row, length: int) -> None:
        key = self._key(row)
        if key is not None:
            finished = self._finished(row)
            if finished or key not in self:
                self._places[key] = _Place(self._end, length, finished)


def _line(file: BinaryIO, place: _Place) -> bytes:
    file.seek(place.start)
    return file.read(place.length)
