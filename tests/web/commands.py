"""The servers that commands start, each in a process of its own, for tests that go the way of people."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from conqret.data import Item
from tests.runs.killed import ended, kill, shared

LAST = ("Send each annotator", "Ctrl-C stops", "open it in a browser")
"""How the last line begins that a command says before it waits."""
START_SECONDS = 60


@dataclass(frozen=True)
class Started:
    """A server, with the number of its process and the addresses that its command printed, by the words before them
    (``anna``, ``everyone who joins``)."""

    number: int
    said: str

    @property
    def links(self) -> dict[str, str]:
        """The addresses by the words before them."""
        return dict(re.findall(r"^ *(.*?):? +(http://\S+)$", self.said, re.MULTILINE))

    @property
    def base(self) -> str:
        """The address of the server."""
        found = re.search(r"http://[^/\s]+", self.said)
        assert found is not None, self.said
        return found[0]


@contextlib.contextmanager
def started(*words: object) -> Iterator[Started]:
    """The server that ``conqret`` with these words starts, at a port that is free, until the block ends."""
    forks = shared()
    with tempfile.NamedTemporaryFile("r", encoding="utf-8") as out:
        number = forks.start(*words, "--port", 0, out=out.name, environment=dict(os.environ))
        code, said = None, ""
        try:
            deadline = time.monotonic() + START_SECONDS
            while not _waits(said := Path(out.name).read_text(encoding="utf-8")):
                assert time.monotonic() < deadline, said
                assert not ended(number), said
                time.sleep(0.02)
            yield Started(number, said)
            os.kill(number, signal.SIGTERM)
            code = forks.end(number)
            assert code == 0, out.read()
        finally:
            if code is None:
                kill(number)
                forks.end(number)


def _waits(said: str) -> bool:
    """Whether a command has said all that it says before it waits."""
    return said.endswith("\n") and said.splitlines()[-1].startswith(LAST)


def written_items(file: Path, items: Sequence[Item]) -> Path:
    """A file of these items."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("".join(item.model_dump_json() + "\n" for item in items))
    return file
