"""Check that README.md and docs/ tell the truth about files and commands.

Relative links must lead to a file (and an anchor to a heading), and every ``conqret …`` line of a block must name a
subcommand and options that ``conqret --help`` knows. Exit code 1 and a list otherwise.

With ``--run`` every command and block of Python is executed, too, page by page, each page in a folder of its own that
holds what a fresh checkout does, and must end with exit code 0. Hosted models, weights, servers and sites get a small
stand-in (``docs_check/stand_ins.py``), and what takes hours is made small. What another job runs, and what needs
``CONQRET_DATA``, is left out (``docs_check/elsewhere.py``); that the job runs it is checked. Pages can be named.
"""

from __future__ import annotations

import importlib
import io
import os
import pkgutil
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import redirect_stdout
from functools import cache
from multiprocessing import get_context
from pathlib import Path
from unittest.mock import patch

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))
for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "POLARS_MAX_THREADS"):
    os.environ.setdefault(name, "1")  # pages are checked beside each other
os.environ.update(LITELLM_LOCAL_MODEL_COST_MAP="True", HF_HUB_OFFLINE="1", TOKENIZERS_PARALLELISM="false")

from conqret.cli.commands import find  # noqa: E402 - after the threads are counted
from conqret.errors import DeclarationError  # noqa: E402
from scripts.docs_check.elsewhere import job_faults  # noqa: E402
from scripts.docs_check.pages import split, steps, words  # noqa: E402
from scripts.docs_check.running import Done, follow  # noqa: E402
from scripts.docs_check.stand_ins import make_weights  # noqa: E402
from scripts.pictures import IMAGES, PICTURES  # noqa: E402

LINK = re.compile(r"(?<!`)\[[^\]]*\]\(<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\)")
IMAGE = re.compile(r"<(?:img|source|a)\b[^>]*?\b(?:src|srcset|href)=\"([^\"]+)\"")
OUTSIDE = re.compile(r"^[a-z][a-z0-9+.-]*:", re.IGNORECASE)
HEAVY = "litellm instructor matplotlib.pyplot polars scipy.stats sentence_transformers trl".split()
PACKAGES = ("cli", "debate", "debateqa", "experiments", "generation", "judging", "perspectives", "studies")
"""What is imported once, before the pages' processes fork."""


def main() -> None:
    """Check, and print what was found."""
    named = [word for word in sys.argv[1:] if word != "--run"]
    every = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    pages = [page for page in every if not named or str(page.relative_to(ROOT)) in named]
    faults = [fault for page in pages for fault in (*link_faults(page), *command_faults(page))]
    faults += [] if named else list(picture_faults(every))
    faults += [f"{place(page, line)}: {fault}" for page in pages for line, fault in job_faults(page)]
    done = run(pages) if "--run" in sys.argv else []
    faults += [f"{place(step.page, step.step.line)}: {step.fault}" for step in done if step.fault]
    if faults:
        sys.exit("\n".join(faults))
    print(f"{len(pages)} pages: every relative link leads somewhere, and every command is known.")
    for reason, count in Counter(step.why_not or f"run: {step.step.kind}" for step in done).most_common():
        print(f"{count:5} {reason}")


def run(pages: list[Path]) -> list[Done]:
    """Follow the pages, two at a time, the longest first."""
    for name in HEAVY:
        try:
            importlib.import_module(name)
        except ImportError:
            print(f"{name} is not installed: commands that need it will fail", file=sys.stderr)
    for name in PACKAGES:
        package = importlib.import_module(f"conqret.{name}")
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            importlib.import_module(module.name)
    done: list[Done] = []
    longest = sorted(pages, key=lambda page: -len(steps(page)))
    with tempfile.TemporaryDirectory() as store:
        make_weights(Path(store))
        with ProcessPoolExecutor(2, mp_context=get_context("fork")) as readers:
            waiting = [readers.submit(follow, page, Path(store)) for page in longest]
            for page in as_completed(waiting):
                done += page.result()
                failed = sum(bool(step.fault) for step in page.result())
                print(f"{len(page.result())} steps, {failed} faults", flush=True)
    return done


def place(page: Path, line: int) -> str:
    return f"{page.relative_to(ROOT)}:{line}"


@cache
def anchors(path: Path) -> set[str]:
    """The anchors of a Markdown file's headings, in the form that code hosts give them."""
    outside, _ = split(path)
    headings = (line.lstrip("#").strip() for _, line in outside if re.match(r"#{1,6}\s", line))
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def link_faults(page: Path) -> Iterator[str]:
    """Links of a page that lead nowhere."""
    outside, _ = split(page)
    for number, line in outside:
        for target in LINK.findall(line) + IMAGE.findall(line):
            if OUTSIDE.match(target):
                continue
            name, _, anchor = target.partition("#")
            path = (page.parent / name).resolve() if name else page
            if not path.exists() or not path.is_relative_to(ROOT):
                yield f"{place(page, number)}: no such file: {target}"
            elif anchor and path.suffix == ".md" and anchor not in anchors(path):
                yield f"{place(page, number)}: no such heading: {target}"


def picture_faults(pages: list[Path]) -> Iterator[str]:
    """Pictures that no script makes, or that no page shows."""
    text = "".join(page.read_text(encoding="utf-8") for page in pages)
    shown = set(re.findall(r"images/([\w.-]+)", text))
    there = {file.name for file in IMAGES.iterdir()}
    made = set(PICTURES)
    for name in sorted((shown | there) - made):
        yield f"docs/images/{name}: scripts/pictures.py does not make it"
    for name in sorted(made - (shown & there)):
        yield f"docs/images/{name}: it is not there, or no page shows it"


def command_faults(page: Path) -> Iterator[str]:
    """Commands of a page that name what there is not."""
    for step in steps(page):
        given = words(step.text) if step.kind == "bash" else None
        if given is not None and (fault := command_fault(given)):
            yield f"{place(page, step.line)}: {fault}"


@cache
def help_of(words: tuple[str, ...]) -> str | None:
    """The help of a subcommand, or None where there is no such one."""
    try:
        command, rest = find(words, everything=True)
    except DeclarationError:
        return None
    if rest:
        return None
    with patch.dict(os.environ, {"COLUMNS": "200", "TERM": "dumb", "NO_COLOR": "1"}):
        said = io.StringIO()
        with redirect_stdout(said):
            command.help_print([])
    return said.getvalue()


def command_fault(given: list[str]) -> str | None:
    """What is wrong with a command line, or None."""
    path: tuple[str, ...] = ()
    for word in given:
        page = help_of(path) or ""
        if word.startswith("-") or not re.search(r"\bCOMMAND\b", page):
            break
        path += (word,)
        if help_of(path) is None:
            return f"no such command: conqret {' '.join(path)}"
    page = help_of(path) or ""
    for word in given:
        option = word.partition("=")[0]
        if option.startswith("-") and not re.search(rf"(?<![\w-]){re.escape(option)}(?![\w-])", page):
            return f"conqret {' '.join(path)} has no option {option}"
    return None


if __name__ == "__main__":
    main()
