"""Keep the chatter of native libraries away from the user's terminal."""

from __future__ import annotations

import contextlib
import os
import sys
import tempfile
from collections.abc import Iterator

TAIL = 500
"""Characters of what was swallowed that are shown where the library fails: its last two or three lines."""


@contextlib.contextmanager
def silenced() -> Iterator[None]:
    """Swallow what is written to the file descriptors 1 and 2 inside the block, whoever writes it.

    Native code writes past ``sys.stdout``, so the descriptors themselves point elsewhere meanwhile. If the
    block raises, the end of what was swallowed is added to the exception as a note. Not for use by two
    threads at a time: the descriptors belong to the whole process.
    """
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError, AttributeError):
            stream.flush()
    with tempfile.TemporaryFile() as sink:
        kept = {target: os.dup(target) for target in (1, 2) if _is_open(target)}
        try:
            for target in kept:
                os.dup2(sink.fileno(), target)
            yield
        except Exception as error:
            sink.seek(0)
            if said := sink.read().decode("utf-8", "replace").strip()[-TAIL:]:
                error.add_note(f"the engine said: {said}")
            raise
        finally:
            for target, copy in kept.items():
                os.dup2(copy, target)
                os.close(copy)


def _is_open(descriptor: int) -> bool:
    try:
        os.fstat(descriptor)
    except OSError:
        return False
    return True
