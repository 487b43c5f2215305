"""Half of a surrogate pair in what an assistant sends: it is mended, so that the message is answered."""

import json
import subprocess
import sys

import pytest

from conqret.serve.command import whole_characters


@pytest.mark.parametrize(
    ("sent", "read"),
    [
        (rb'"a \ud83d\ude00 b"', "a 😀 b"),
        (rb'"a \ud83d b"', "a \ufffd b"),
        (rb'"\udE00\uD83D"', "\ufffd\ufffd"),
        (rb'"\ud83d\ud83d\ude00"', "\ufffd😀"),
        (rb'"a \\ud83d b"', r"a \ud83d b"),
        (rb'"a \\\ud83d b"', "a \\\ufffd b"),
        (rb'"\u00e9\n\""', 'é\n"'),
    ],
)
def test_halves_become_the_replacement_character(sent: bytes, read: str) -> None:
    assert json.loads(whole_characters(sent)) == read


def test_a_process_reads_on_to_the_end() -> None:
    code = (
        "import os, sys; from conqret.serve.command import mend_input; mend_input(); "
        "sys.stdout.write(repr(sys.stdin.buffer.read()))"
    )
    lines = b'"\\udc00"\n' * 30_000 + b"cut off \\udc00"
    done = subprocess.run(
        [sys.executable, "-c", code], input=lines, capture_output=True, timeout=60, check=True
    )
    assert done.stdout == repr(lines.replace(b"dc00", b"fffd")).encode()
