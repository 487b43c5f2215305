"""What the drivers of all libraries share: items in, scores out, and what it took. It runs in each library's
environment, with the standard library alone.

    python with_NAME.py ITEMS URL FOLDER

FOLDER keeps what the library keeps of its work; the same command again goes on with it, as far as the library can.
FOLDER/result.json has for each item its two scores, null where the library gives none.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

CONCURRENCY = 16
"""Questions or items at once, whichever the library counts: about what each has by default (10 to 20)."""
PATIENCE = 30.0
"""Seconds for one attempt, wherever a library has such a setting: enough on a busy machine, and what nuggetizer has."""
MODEL = "gpt-4o-mini"
"""A name that every library knows as a chat model of OpenAI's which takes schemas."""

Scores = dict[str, list[float | None]]


@dataclass(frozen=True)
class Task:
    """The items (``id``, ``topic``, ``argument``, ``documents``), the server's address, the folder for what is kept."""

    items: list[dict[str, object]]
    url: str
    folder: Path


def drive(measure: Callable[[Task], Scores]) -> None:
    """Run ``measure`` on the task of the command line and write what came of it."""
    items, url, folder = sys.argv[1:]
    rows = [json.loads(line) for line in Path(items).read_text(encoding="utf-8").splitlines()]
    items_of = [
        {
            "id": row["id"],
            "topic": row["topic"],
            "argument": row["argument"],
            "documents": [document["text"] for document in row["documents"]],
        }
        for row in rows
    ]
    os.chdir(folder)
    cpu, began = time.process_time(), time.perf_counter()
    scores = measure(Task(items_of, url, Path(folder)))
    found = {"seconds": time.perf_counter() - began, "cpu": time.process_time() - cpu, "scores": scores}
    Path(folder, "result.json").write_text(json.dumps(found), encoding="utf-8")
    sys.stdout.flush()
    os._exit(0)  # some libraries leave threads behind that wait for hanging answers
