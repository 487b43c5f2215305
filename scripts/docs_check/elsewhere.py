"""What the check of the documentation leaves to others: to another job, to where the data are, to nobody here."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from scripts.docs_check.pages import ROOT, SETTINGS, heading, steps

DATA = "CONQRET_DATA"
NEEDS_DATA = re.compile(
    r"^docs/results/(?:offline-judge|retrieval|llm-judge|rag|ragchecker|debates|suites|trec-rag-2026)\.md: "
    r"|^docs/results/sensitivity\.md: python"
    r"|^docs/papers/[\w-]+\.md: .*(?:\$CONQRET_DATA|release/)"
)
"""Measurements on data that are not ours to ship."""

OF_THE_READER = re.compile(r": export \w+=…")
"""A path of the reader's own, over ``PAGE: TEXT`` as all the patterns here."""
CONTAINERS = re.compile(r": docker ")
"""Containers, which are made and run where an engine answers."""

JOBS = {job["pattern"]: (job["file"], job["holds"]) for job in SETTINGS["job"]}
"""What another job runs: patterns over ``PAGE: TEXT``, the file of that job, and what stands in it if that is so."""


def why_not(page: Path, text: str) -> str | None:
    """Why something is not run by this check; None where it is."""
    line = f"{page.relative_to(ROOT)}: {text}"
    if OF_THE_READER.search(line):
        return "a path of the reader's own"
    if CONTAINERS.search(line) and not engine_answers():
        return "no Docker engine answers here"
    for pattern, (file, _) in JOBS.items():
        if re.search(pattern, line):
            return f"run by {file}"
    if DATA not in os.environ and NEEDS_DATA.search(line):
        return f"needs the data sets ({DATA})"
    return None


@cache
def engine_answers() -> bool:
    """Whether there is an engine that makes containers, and not its client alone."""
    try:
        asked = subprocess.run(["docker", "version"], capture_output=True, check=False, timeout=60)
    except (FileNotFoundError, subprocess.TimeoutExpired):
        return False
    return asked.returncode == 0


def job_faults(page: Path) -> Iterator[tuple[int, str]]:
    """Steps that another job is said to run, and does not: their lines, and what is missing where."""
    for step in steps(page):
        line = f"{page.relative_to(ROOT)}: {step.text}"
        for pattern, (file, said) in JOBS.items():
            if found := re.search(pattern, line):
                wanted = said.format(*found.groups(), heading=heading(page, step.line))
                if wanted not in texts(file):
                    yield (
                        step.line,
                        f"{file} does not run this ({wanted.strip()} is not in it): {step.text[:60]}",
                    )
                break


@cache
def texts(pattern: str) -> str:
    """All that stands in the files of a pattern."""
    return "\n".join(file.read_text(encoding="utf-8") for file in sorted(ROOT.glob(pattern)))
