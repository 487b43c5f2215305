"""Standard input whose lines of JSON the SDK of MCP can read.

The SDK reads no message in which half a surrogate pair stands, as a text has it that was cut within an emoji, and
answers none: who sent it would wait for ever.
"""

from __future__ import annotations

import contextlib
import os
import re
import threading
from io import BufferedReader, FileIO

_HALF = re.compile(rb"\\u[dD][89a-fA-F]")
_ESCAPE = re.compile(
    rb"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(?P<half>u[dD][89a-fA-F][0-9a-fA-F]{2})|.)",
    re.DOTALL,
)


def whole_characters(line: bytes) -> bytes:
    """A line of JSON with U+FFFD for each escape that is half of a surrogate pair."""
    if not _HALF.search(line):
        return line
    return _ESCAPE.sub(lambda match: rb"\ufffd" if match["half"] else match[0], line)


def mend_input() -> None:
    """From now on this process reads its standard input with :func:`whole_characters`, a line at a time."""
    before, (reads, writes) = os.dup(0), os.pipe()
    source, target = os.fdopen(before, "rb"), os.fdopen(writes, "wb", buffering=0)
    os.dup2(reads, 0)
    os.close(reads)
    threading.Thread(target=_pass_on, args=(source, target), daemon=True).start()


def _pass_on(source: BufferedReader, target: FileIO) -> None:
    with contextlib.suppress(OSError, ValueError), target:  # nobody reads on
        for line in source:
            data = memoryview(whole_characters(line))
            while data:
                data = data[target.write(data) :]
