"""The servers that commands start, each in a process of its own: for tests that go the way of people."""

from __future__ import annotations

import contextlib
import re
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from conqret.data import Item

LAST = ("Give each person", "Ctrl-C stops", "open it in a browser")
"""How the last line begins that a command says before it waits."""
END_SECONDS = 60


@dataclass(frozen=True)
class Started:
    """A server, with the addresses that its command printed, by the words before them (``anna``, ``whoever joins``)."""

    process: subprocess.Popen[str]
    said: str
    links: dict[str, str]

    @property
    def base(self) -> str:
        """The address of the server."""
        found = re.search(r"http://[^/\s]+", self.said)
        assert found is not None, self.said
        return found[0]


@contextlib.contextmanager
def started(*words: object, code: str = "from conqret.cli.main import main; main()") -> Iterator[Started]:
    """The server that ``conqret`` with these words starts, at a port that is free, until the block ends; ``code`` is
    run in its place by a test that puts something around it."""
    command = [sys.executable, "-c", code, *map(str, words), "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        lines: list[str] = []
        while not lines or not lines[-1].startswith(LAST):
            lines.append(process.stdout.readline())
            assert lines[-1], "".join(lines)
        said = "".join(lines)
        try:
            yield Started(process, said, dict(re.findall(r"^ *(.*?):? +(http://\S+)$", said, re.MULTILINE)))
            process.send_signal(signal.SIGTERM)
            assert process.wait(END_SECONDS) == 0, process.stdout.read()
        finally:
            process.kill()


def written_items(file: Path, items: Sequence[Item]) -> Path:
    """A file of these items."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("".join(item.model_dump_json() + "\n" for item in items))
    return file
