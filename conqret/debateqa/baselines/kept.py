"""Values that were computed already: each is appended to a file as it comes, so that a stopped run goes on."""

from __future__ import annotations

import hashlib
import json
import math
from pathlib import Path
from types import TracebackType
from typing import Self

from conqret.debateqa.baselines.similarity import Case, Likeness
from conqret.errors import DeclarationError
from conqret.io.append import AppendLog, whole_lines


class KeptValues:
    """Likenesses by what they are values of: metric, instrument, answer and partial answers.

    Values under another instrument or of other texts are of no use and stay where they are. What could not be
    computed, or is no finite number, is not kept, and is tried again. A last line that was cut off by a kill is
    computed again.

    Raises:
        DeclarationError: the file holds something else.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._known: dict[str, Likeness] = {}
        self._read()
        self._log: AppendLog | None = None  # made with the first value

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._log is not None:
            self._log.close()

    def __len__(self) -> int:
        return len(self._known)

    def find(self, metric: str, fingerprint: str, case: Case) -> Likeness | None:
        """The value from before; None where there is none."""
        return self._known.get(_key(metric, fingerprint, case))

    def add(self, metric: str, fingerprint: str, case: Case, likeness: Likeness) -> None:
        """Append a value, and see it written."""
        if likeness.value is None or not math.isfinite(likeness.value):
            return
        key = _key(metric, fingerprint, case)
        self._known[key] = likeness
        if self._log is None:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._log = AppendLog(self._path)
        self._log.append({"key": key, "metric": metric, "value": likeness.value, "detail": likeness.detail})

    def _read(self) -> None:
        """Take in the whole lines."""
        for number, line in whole_lines(self._path):
            try:
                record = json.loads(line)
                key, value, detail = str(record["key"]), float(record["value"]), str(record["detail"])
                if "metric" not in record or not math.isfinite(value):
                    raise ValueError("no metric, or no finite number")
            except (ValueError, KeyError, TypeError):
                raise DeclarationError(
                    f"{self._path}:{number} is no value of conqret score baselines; give another folder with -o, "
                    "or delete this file"
                ) from None
            self._known[key] = Likeness(value, "", detail)


def _key(metric: str, fingerprint: str, case: Case) -> str:
    text = json.dumps([metric, fingerprint, case.answer, case.partial])
    return hashlib.sha256(text.encode()).hexdigest()[:32]
