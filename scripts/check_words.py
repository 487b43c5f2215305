"""Check that help texts, documentation, messages and reports use the field's words, as ``words.toml`` lists them.

python scripts/check_words.py              # counts of each surface; exit code 1 where one has a word
python scripts/check_words.py --list help  # each place of one
"""

from __future__ import annotations

import ast
import re
import sys
import tokenize
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from conqret.cli.commands import HOMES, Parts, find  # noqa: E402

LISTS = tomllib.loads((ROOT / "scripts" / "words.toml").read_text(encoding="utf-8"))
WORDS: Mapping[str, str] = LISTS["words"]
"""What is not written, as patterns of whole words in any case, and what to write."""
NAMES: Mapping[str, str] = LISTS["names"]
"""What no part of a public name is (of classes, functions, fields, parameters, constants), and what to write."""
EXCEPTIONS: Mapping[str, str] = LISTS["exceptions"]
"""Passages in which a word stays, as patterns over the text around it, and why."""
NAMES_THAT_STAY: Mapping[str, str] = LISTS["names_that_stay"]
"""Names that stay, as patterns over the module's path and the name, and why."""
SPAN = 40
"""Characters around a word that an exception may look at."""
PARTICIPLES = frozenset(
    "said told stated heard shown found kept drawn made held given opened settled asked judged".split()
)
"""What no class and no module is called."""
CODE = re.compile(
    r"^[ \t]*(```|~~~).*?^[ \t]*\1[ \t]*$|``[^`\n]+``|`[^`\n]*`|\]\([^)\s]*\)|<!--.*?-->",
    re.DOTALL | re.MULTILINE,
)
TYPED = re.compile(r"^\s*(?:conqret|python|pip) .*$", re.MULTILINE)
"""A line of an example."""
MARKUP = re.compile(
    r"\{%.*?%\}|\{\{.*?\}\}|\{#.*?#\}|<(?:script|style).*?</(?:script|style)>|<[^>]*>", re.DOTALL
)
REPORTS = re.compile(r"(?:page|_page|report_page|charts|forest|words)\.py$")
TEXTS_OF_ITEMS = (
    "perturb text baseline studies/bias/probes labels/page_words retrieval generation judging/dimensions.py "
    "labels/label_tasks.py cli/info_command.py judging/setup.py"
).split()
"""Folders and modules whose strings go into texts that are judged, into prompts, or are words to look for."""
DATABASE = re.compile(r"\b(?:SELECT|INSERT|UPDATE|DELETE|CREATE|REFERENCES|UNIQUE|PRIMARY KEY|SET)\b")


class Place(NamedTuple):
    """Where a text stands, and the text."""

    where: str
    text: str


def main(arguments: Sequence[str]) -> int:
    """Print how often each surface has a word that is not the field's, or its places."""
    surfaces: dict[str, Any] = {"help": lambda: help_of([], HOMES)}
    for surface in (docs, messages, reports, docstrings, comments, names):
        surfaces[surface.__name__] = surface
    wanted = [name for name in arguments if not name.startswith("--")] or list(surfaces)
    failed = False
    for name in wanted:
        look = faults_of_name if name == "names" else faults
        found = [
            (place.where, word, passage, better)
            for place in surfaces[name]()
            if name != "names" or not stays(place)
            for word, passage, better in look(place.text)
        ]
        if "--list" in arguments:
            for where, word, passage, better in found:
                print(f"{where}: {word} ({better}): …{passage}…")
        print(f"{name}: {len(found)}")
        failed |= bool(found)
    return int(failed)


def faults(text: str) -> Iterator[tuple[str, str, str]]:
    """The words of a text that are not the field's: each with the passage around it, and what to write."""
    for pattern, better in WORDS.items():
        for found in re.finditer(rf"(?<![\w-])(?:{pattern})(?![\w-])", text, re.IGNORECASE):
            passage = " ".join(text[max(0, found.start() - SPAN) : found.end() + SPAN].split())
            if not any(re.search(allowed, passage, re.IGNORECASE) for allowed in EXCEPTIONS):
                yield found[0].lower(), passage, better


def stays(place: Place) -> bool:
    """Whether the name at a place is one of ``NAMES_THAT_STAY``."""
    name = f"{place.where.partition(':')[0]} {place.text}"
    return any(re.search(allowed, name) for allowed in NAMES_THAT_STAY)


def faults_of_name(name: str) -> Iterator[tuple[str, str, str]]:
    """The parts of a name that are not the field's."""
    if name.strip("_") == "of":
        yield "of", name, "from_…, or a verb"
    parts = [part.lower() for part in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name)]
    for position, part in enumerate(parts):
        constant = position == 0 and name.isupper()
        if part in NAMES and (part not in ("most", "fewest", "least") or constant):
            yield part, name, NAMES[part]
    if name[:1].isupper() and not name.isupper() and len(parts) == 1 and parts[0] in PARTICIPLES:
        yield parts[0], name, "a noun"


def docstrings() -> Iterator[Place]:
    """The docstrings of modules, classes, functions, fields and constants."""
    for path, tree in trees():
        for node in ast.walk(tree):
            text = node.value if isinstance(node, ast.Expr) else None
            if isinstance(text, ast.Constant) and isinstance(text.value, str):
                yield Place(f"{path}:{text.lineno}", prose(text.value))


def comments() -> Iterator[Place]:
    """The comments of the code."""
    for file in sorted((ROOT / "conqret").rglob("*.py")):
        with file.open("rb") as opened:
            for token in tokenize.tokenize(opened.readline):
                if token.type == tokenize.COMMENT:
                    yield Place(f"{file.relative_to(ROOT)}:{token.start[0]}", token.string)


def names() -> Iterator[Place]:
    """The public names: of modules, classes, functions, their parameters, fields, and constants."""
    for path, tree in trees():
        yield Place(path, Path(path).stem.capitalize())
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef | ast.arg):
                name = node.arg if isinstance(node, ast.arg) else node.name
            elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
                name = node.target.id
            elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                name = node.targets[0].id if node.targets[0].id.isupper() else "_"
            else:
                continue
            if not name.startswith("_"):
                yield Place(f"{path}:{node.lineno}", name)


@cache
def trees() -> Sequence[tuple[str, ast.Module]]:
    """The modules of the package: path and syntax tree."""
    files = sorted((ROOT / "conqret").rglob("*.py"))
    return [(str(file.relative_to(ROOT)), ast.parse(file.read_text(encoding="utf-8"))) for file in files]


def help_of(path: list[str], home: str | Parts) -> Iterator[Place]:
    """The help of a command and its options (``--help-all``), and of those below it."""
    command, _ = find(path, everything=True)
    for text in (command.help, command.help_epilogue):
        yield Place(command.name[0], prose(TYPED.sub("", text or "")))
    if isinstance(home, str):
        for argument in command.assemble_argument_collection():
            yield Place(f"{command.name[0]} {argument.name}", prose(argument.parameter.help or ""))
        return
    for child, below in home.items():
        yield from help_of([*path, child], below)


def docs() -> Iterator[Place]:
    """The pages for users, README among them, and results apart: these record what was done once."""
    for page in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]:
        if "results" not in page.parts:
            yield Place(str(page.relative_to(ROOT)), prose(page.read_text(encoding="utf-8")))


def messages() -> Iterator[Place]:
    """Sentences in the code that are no docstrings: errors, notes, what is printed."""
    yield from strings(lambda path: not REPORTS.search(path))


def reports() -> Iterator[Place]:
    """Sentences of pages: their modules, and their templates."""
    yield from strings(lambda path: bool(REPORTS.search(path)))
    for template in sorted((ROOT / "conqret").rglob("*.html.j2")):
        text = " ".join(MARKUP.sub(" ", template.read_text(encoding="utf-8")).split())
        yield Place(str(template.relative_to(ROOT)), text)


def strings(wanted: Any) -> Iterator[Place]:
    """The literal strings of two words and more in the modules whose path is wanted, docstrings left out."""
    for path, tree in trees():
        if not wanted(path) or any(path.startswith(f"conqret/{folder}") for folder in TEXTS_OF_ITEMS):
            continue
        plain = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        for node in ast.walk(tree):
            if (
                isinstance(node, ast.Constant)
                and isinstance(node.value, str)
                and id(node) not in plain
                and " " in node.value.strip()
                and not DATABASE.search(node.value)
            ):
                yield Place(f"{path}:{node.lineno}", prose(node.value))


def prose(text: str) -> str:
    """A text without code and the targets of links."""
    return CODE.sub(" ", text)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
