"""What stands in a page: its blocks of code, the commands of these, and links."""

from __future__ import annotations

import re
import shlex
import textwrap
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SETTINGS = tomllib.loads(Path(__file__).with_name("steps.toml").read_text(encoding="utf-8"))
"""Which steps other jobs run, and how the others are made small."""
TYPED = ROOT / "docs" / "tasks.md"
"""The page whose tables say what to type."""
FENCE = re.compile(r"^(?P<indent> *)(?:```|~~~)(?P<kind>[\w-]*)")
NAMED = re.compile(r"^`(?P<file>[\w./-]+)`:$")
"""The line before a block that says under which name its text is to be kept."""
INLINE = re.compile(r"`((?:conqret|python|auto-judge) [^`]+)`")
SHELL = "bash"


@dataclass(frozen=True)
class Block:
    """A block of a page: its language, its text, the line that it begins at, and the file that it is, if it is one."""

    kind: str
    text: str
    line: int
    file: str | None = None


def split(page: Path) -> tuple[list[tuple[int, str]], list[Block]]:
    """The numbered lines of a page outside its blocks, and its blocks."""
    outside: list[tuple[int, str]] = []
    blocks: list[Block] = []
    inside: tuple[str, int, list[str]] | None = None
    said = ""  # the last line since the block before
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), start=1):
        fence = FENCE.match(line)
        if inside is None and fence:
            inside = fence["kind"], number, []
        elif inside is not None and fence:
            kind, start, lines = inside
            named = NAMED.match(said.strip())
            text = textwrap.dedent("\n".join(lines)) + "\n"
            blocks.append(Block(kind, text, start, named["file"] if named else None))
            inside, said = None, ""
        elif inside is not None:
            inside[2].append(line)
        else:
            outside.append((number, line))
            said = line if line.strip() else said
    return outside, blocks


def steps(page: Path) -> list[Block]:
    """What a reader of a page does, in order: its blocks, those of the shell command by command.

    The tables of the page of tasks say what to type, too.
    """
    blocks: list[Block] = []
    for block in split(page)[1]:
        blocks += commands(block) if block.kind == SHELL and not block.file else [block]
    if page == TYPED:
        blocks += [Block(SHELL, text, line) for line, text in inline(page)]
    return sorted(blocks, key=lambda block: block.line)


def inline(page: Path) -> Iterator[tuple[int, str]]:
    """The commands in the tables of a page, with their lines."""
    for number, line in split(page)[0]:
        if line.startswith("|"):
            yield from ((number, text) for text in INLINE.findall(line))


def commands(block: Block) -> Iterator[Block]:
    """The commands of a block of the shell: continued lines and loops joined, remarks and empty lines left out."""
    text, start = "", 0
    for number, line in enumerate(block.text.splitlines(), start=block.line + 1):
        start = start if text else number
        text += line.removesuffix("\\")
        if line.endswith("\\"):
            continue
        if text.startswith("for ") and not text.endswith("done"):
            text += " " if text.endswith("do") else "; "
            continue
        if bare := re.sub(r"(^|\s)#\s.*", "", text).strip():
            yield Block(SHELL, " ".join(bare.split()), start)
        text = ""


def heading(page: Path, line: int) -> str:
    """The heading of the second level that a line of a page stands under; empty if none."""
    above = [text for number, text in split(page)[0] if number < line and text.startswith("## ")]
    return above[-1].removeprefix("## ").strip() if above else ""


def words(command: str) -> list[str] | None:
    """The words of a command line that is nothing but one call of conqret; None for any other."""
    if not command.startswith("conqret ") or re.search(r"\$|\s(?:[|;&<>]|&&|\|\||2>)\s", f"{command} "):
        return None
    return shlex.split(command)[1:]
