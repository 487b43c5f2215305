"""Check that README.md and docs/ tell the truth about files and commands.

Relative links must lead to a file (and an anchor to a heading), and every ``conqret …`` line of a fenced
block must name a subcommand and options that ``conqret --help`` knows. Exit code 1 and a list otherwise.
"""

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CONQRET = Path(sys.executable).parent / "conqret"
LINK = re.compile(r"(?<!`)\[[^\]]*\]\(<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\)")
IMAGE = re.compile(r"<(?:img|source|a)\b[^>]*?\b(?:src|srcset|href)=\"([^\"]+)\"")
FENCE = re.compile(r"^\s*(?:```|~~~)")
OUTSIDE = re.compile(r"^[a-z][a-z0-9+.-]*:", re.IGNORECASE)


def split_fences(text: str) -> tuple[list[tuple[int, str]], list[tuple[int, str]]]:
    """Numbered lines outside the fenced blocks, and numbered lines inside them."""
    outside: list[tuple[int, str]] = []
    inside: list[tuple[int, str]] = []
    fenced = False
    for number, line in enumerate(text.splitlines(), start=1):
        if FENCE.match(line):
            fenced = not fenced
        else:
            (inside if fenced else outside).append((number, line))
    return outside, inside


@cache
def anchors(path: Path) -> set[str]:
    """The anchors of a Markdown file's headings, in the form that code hosts give them."""
    outside, _ = split_fences(path.read_text(encoding="utf-8"))
    headings = (line.lstrip("#").strip() for _, line in outside if re.match(r"#{1,6}\s", line))
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def link_faults(page: Path) -> Iterator[str]:
    outside, _ = split_fences(page.read_text(encoding="utf-8"))
    for number, line in outside:
        for target in LINK.findall(line) + IMAGE.findall(line):
            if OUTSIDE.match(target):
                continue
            name, _, anchor = target.partition("#")
            path = (page.parent / name).resolve() if name else page
            place = f"{page.relative_to(ROOT)}:{number}"
            if not path.exists() or not path.is_relative_to(ROOT):
                yield f"{place}: no such file: {target}"
            elif anchor and path.suffix == ".md" and anchor not in anchors(path):
                yield f"{place}: no such heading: {target}"


def commands(page: Path) -> Iterator[tuple[int, list[str]]]:
    """The words after ``conqret`` of each command line in the fenced blocks, continued lines joined."""
    _, inside = split_fences(page.read_text(encoding="utf-8"))
    text, start = "", 0
    for number, line in inside:
        start = start if text else number
        text += line.rstrip("\\") + " "
        if line.endswith("\\"):
            continue
        for part in re.split(r"\s(?:;|&&|\|\|?)\s", text):
            found = re.match(r"\s*(?:\$ +)?(?:[A-Z_]+=\S+ +)*(?:\S*/)?conqret(?: +(.*))?$", part)
            if found:
                yield start, shlex.split(found.group(1) or "", comments=True)
        text = ""


@cache
def help_of(words: tuple[str, ...]) -> str | None:
    """The help of a subcommand, or None where there is no such one."""
    plain = os.environ | {"COLUMNS": "200", "TERM": "dumb", "NO_COLOR": "1"}
    done = subprocess.run([CONQRET, *words, "--help"], capture_output=True, text=True, env=plain, check=False)
    return done.stdout if done.returncode == 0 else None


def command_fault(words: list[str]) -> str | None:
    """What is wrong with a command line, or None."""
    path: tuple[str, ...] = ()
    for word in words:
        page = help_of(path) or ""
        if word.startswith("-") or not re.search(r"\bCOMMAND\b", page):
            break
        path += (word,)
        if help_of(path) is None:
            return f"no such command: conqret {' '.join(path)}"
    page = help_of(path) or ""
    for word in words:
        option = word.partition("=")[0]
        if option.startswith("-") and not re.search(rf"(?<![\w-]){re.escape(option)}(?![\w-])", page):
            return f"conqret {' '.join(path)} has no option {option}"
    return None


def main() -> None:
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    faults: list[str] = []
    checked = 0
    for page in pages:
        faults += link_faults(page)
        for number, words in commands(page):
            checked += 1
            if fault := command_fault(words):
                faults.append(f"{page.relative_to(ROOT)}:{number}: {fault}")
    if faults:
        sys.exit("\n".join(faults))
    print(f"{len(pages)} pages: every relative link leads somewhere, and {checked} commands are known.")


if __name__ == "__main__":
    main()
