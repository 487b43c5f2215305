"""Check that help texts, documentation, messages and reports use the field's words: each word of ``WORDS`` has a better
one, and each of ``EXCEPTIONS`` a reason why it stays.

    python scripts/check_words.py              # counts of each surface; exit code 1 where a strict one has a word
    python scripts/check_words.py --all notes  # each note, warning and error, to be read
    python scripts/check_words.py --list help  # each place of one

Help texts, documentation (results apart), reports, messages, docstrings, comments and names are strict. Results are
counted: records of what was done once.
"""

from __future__ import annotations

import ast
import re
import sys
import tokenize
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from conqret.cli.commands import HOMES, Parts, find  # noqa: E402

WORDS = {
    r"people|persons?|somebody|nobody|whoever": "annotators, human labels, users",
    r"floors?|free baselines?": "baseline",
    r"beside": "compared with, with, next to",
    r"damag(?:e|es|ed|ing)": "perturbation, perturbed",
    r"instruments?": "judge configuration",
    r"ask(?:s|ed|ing)?|re-ask\w*": "request, prompt, call",
    r"what was (?:said|told|heard|asked)": "a noun",
    r"by the way|in (?:this|the same|either) way|ways? to": "variant, strategy, route",
    r"brakes?|(?<!circuit )breakers?": "failure limit, circuit breaker",
    r"doors?|desks?|fate": "a word of the field",
    r"occasions?": "waves",
    r"(?<!pareto )frontier(?! llm)": "Pareto frontier",
    r"promis(?:e|es|ed)": "risk guarantee",
    r"stand(?:s)? still": "invariant, does not change",
    r"noise of samples": "sampling variance",
    r"strays?": "invalid citations, deviates",
    r"address(?:es)? the judge": "prompt injection",
    r"keeping": "run management",
    r"sheets?": "annotation form, report page",
    r"what to buy|worth its price": "cost-effectiveness",
    r"labell\w+|behaviour\w*|colour\w*|favour\w*|neighbour\w*|licences?|grey"
    r"|(?:recogni|normali|tokeni|summari|randomi|optimi|organi)s(?:e|es|ed|ing|ation)\w*": "American spelling",
}
"""What is not written, as patterns of whole words in any case, and what to write."""


class AllowedPassage(NamedTuple):
    """A passage in which a word stays, as a pattern over the text around it, and why."""

    passage: str
    reason: str


EXCEPTIONS: Sequence[AllowedPassage] = (
    AllowedPassage(
        r"(?:informed|thoughtful) people|people who build|most people agree", "a population, not annotators"
    ),
    AllowedPassage(r"url, licence", "the name of a column"),
    AllowedPassage(
        r"arguments are asked for, and|not among those asked for|of this name is asked for",
        "a fault in a response, which is sent back to the model: part of recording keys",
    ),
    AllowedPassage(r"in favour(?: of|:|$)", "a prompt, or a screen that studies keep"),
    AllowedPassage(
        r"asks about (?:somebody's )?own experience|in one call of|asked as|not asked how sure it is of each"
        r"|^a text addresses the judge$|^nobody (?:answered|rated|was asked|else argued)",
        "stored with results",
    ),
    AllowedPassage(r"stands still", "what an assertion claims, a name"),
    AllowedPassage(r"\\w\*|support\|worried", "patterns of words to look for"),
    AllowedPassage(
        r"sheet of conqret labels sample|^the sheet$|each dimension, beside the documents",
        "the name of a label layout, and a source of scales",
    ),
    AllowedPassage(r"^whoever joins$", "what the token of a link is made of"),
    AllowedPassage(r"gives way to the item's own", "a note that runs keep"),
    AllowedPassage(r"what is asked, (?:as|with)", "assumed texts by which costs are estimated"),
    AllowedPassage(r"ask before passing", "the license of a suite, kept with its results"),
    AllowedPassage(r"For Diverse People", "the title of a paper"),
    AllowedPassage(r"whether own experience is asked for", "part of recording keys"),
    AllowedPassage(r"first and second person", "a person of grammar"),
    AllowedPassage(r"sheet(?:-of-anna)?\.csv", "the default name of an annotation form's file"),
    AllowedPassage(r"asks = \"", "a key of files"),
    AllowedPassage(r"--normalise", "the name of an option, stored in files"),
)
NAMES_THAT_STAY: Sequence[AllowedPassage] = (
    AllowedPassage(
        r"(?:data/judgment|llm/(?:recordings|batches|request))\.py ask$"
        r"|(?:llm/batches|runs/study_run)\.py asked$|data/judgment\.py strays$"
        r"|labels/screens\.py (?:asks|person)$|labels/page\.py person$"
        r"|debatune/manual_inspection\.py (?:sheet|good_by_people)$|perspectives/threshold\.py said_yes$"
        r"|stats/agreement\.py person$|stats/confidence\.py (?:said|people)$|jury/result\.py people$"
        r"|llm/expected_cost\.py of$|suites/result\.py of$",
        "stored in files",
    ),
    AllowedPassage(r" CircuitBreaker$", "the field's word"),
    AllowedPassage(r" (?:FIRST|SECOND|FIRST_AND_SECOND)_PERSON$", "a person of grammar"),
)
"""Names that stay, as patterns over the module's path and the name, and why."""
PRINTED = ("note", "note_all", "note_each", "tell", "complain", "warn", "warning")
"""What prints a note or a warning."""
SPAN = 40
"""Characters around a word that an exception may look at."""
STRICT = ("help", "docs", "messages", "reports", "docstrings", "comments", "names")
NAMES: Mapping[str, str] = {
    "people": "annotators",
    "person": "annotator",
    "persons": "annotators",
    "floor": "baseline",
    "floors": "baselines",
    "damage": "perturbation",
    "damaged": "perturbed",
    "ask": "request, JudgePrompt",
    "asks": "requests",
    "asked": "requested",
    "asking": "requests",
    "told": "describe",
    "said": "a noun",
    "heard": "on_request",
    "fate": "outcome",
    "fates": "outcomes",
    "unfit": "invalid",
    "healed": "rebuilt",
    "mended": "repaired",
    "pardon": "count_as_usable",
    "brake": "failure limit",
    "breaker": "circuit breaker",
    "door": "a word of the field",
    "desk": "a word of the field",
    "conduct": "run config",
    "occasion": "wave",
    "occasions": "waves",
    "strays": "invalid_citations",
    "sheet": "annotation form, report page",
    "sheets": "annotation forms, report pages",
    "most": "max, at the beginning of a constant",
    "fewest": "min, at the beginning of a constant",
    "least": "min, at the beginning of a constant",
}
"""What no part of a public name is (of classes, functions, fields, parameters, constants), and what to write."""
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
    "perturb",
    "text",
    "baseline",
    "studies/bias/probes",
    "labels/page_words",
    "retrieval",
    "generation",
    "judging/dimensions.py",
    "labels/label_tasks.py",
    "cli/info_command.py",
    "judging/setup.py",
)
"""Folders and modules whose strings go into texts that are judged, into prompts, or are words to look for."""
DATABASE = re.compile(r"\b(?:SELECT|INSERT|UPDATE|DELETE|CREATE|REFERENCES|UNIQUE|PRIMARY KEY|SET)\b")


class Place(NamedTuple):
    """Where a text stands, and the text."""

    where: str
    text: str


def main(arguments: Sequence[str]) -> int:
    """Print how often each surface has a word that is not the field's, or its places."""
    surfaces: Mapping[str, Any] = {
        "help": help_texts,
        "docs": docs,
        "messages": messages,
        "reports": reports,
        "docstrings": docstrings,
        "comments": comments,
        "names": names,
        "results": results,
    }
    if "--all" in arguments:
        surfaces = {**surfaces, "notes": notes}
    wanted = [name for name in arguments if not name.startswith("--")] or list(surfaces)
    if "--all" in arguments:
        for name in wanted:
            for place in surfaces[name]():
                print(f"{place.where}: {' '.join(place.text.split())}")
        return 0
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
        commonest = ", ".join(
            f"{word} {n}" for word, n in Counter(word for _, word, *_ in found).most_common(6)
        )
        print(f"{name}: {len(found)}" + (f" ({commonest})" if found else ""))
        failed |= bool(found) and name in STRICT
    return int(failed)


def faults(text: str) -> Iterator[tuple[str, str, str]]:
    """The words of a text that are not the field's: each with the passage around it, and what to write."""
    for pattern, better in WORDS.items():
        for found in re.finditer(rf"(?<![\w-])(?:{pattern})(?![\w-])", text, re.IGNORECASE):
            passage = " ".join(text[max(0, found.start() - SPAN) : found.end() + SPAN].split())
            if not any(re.search(allowed.passage, passage, re.IGNORECASE) for allowed in EXCEPTIONS):
                yield found[0].lower(), passage, better


def stays(place: Place) -> bool:
    """Whether the name at a place is one of ``NAMES_THAT_STAY``."""
    name = f"{place.where.partition(':')[0]} {place.text}"
    return any(re.search(allowed.passage, name) for allowed in NAMES_THAT_STAY)


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


def trees() -> Iterator[tuple[str, ast.Module]]:
    """The modules of the package: path and syntax tree."""
    for file in sorted((ROOT / "conqret").rglob("*.py")):
        yield str(file.relative_to(ROOT)), ast.parse(file.read_text(encoding="utf-8"))


def help_texts() -> Iterator[Place]:
    """What ``--help`` and ``--help-all`` of each command say."""
    yield from of_command([], HOMES)


def of_command(path: list[str], home: str | Parts) -> Iterator[Place]:
    """The help of a command and its options, and of those below it."""
    command, _ = find(path, everything=True)
    for text in (command.help, command.help_epilogue):
        yield Place(command.name[0], prose(TYPED.sub("", text or "")))
    if isinstance(home, str):
        for argument in command.assemble_argument_collection():
            yield Place(f"{command.name[0]} {argument.name}", prose(argument.parameter.help or ""))
        return
    for child, below in home.items():
        yield from of_command([*path, child], below)


def docs() -> Iterator[Place]:
    """The pages for users, README among them."""
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    yield from (page_of(page) for page in pages if "results" not in page.parts)


def results() -> Iterator[Place]:
    """The pages of results."""
    yield from map(page_of, sorted((ROOT / "docs" / "results").glob("*.md")))


def page_of(page: Path) -> Place:
    """A page without its code and the targets of its links."""
    return Place(str(page.relative_to(ROOT)), prose(page.read_text(encoding="utf-8")))


def messages() -> Iterator[Place]:
    """Sentences in the code that are no docstrings: errors, notes, what is printed."""
    yield from strings(lambda path: not REPORTS.search(path))


def notes() -> Iterator[Place]:
    """Each note, warning and error, whole: what is filled in stands as …."""
    for file in sorted((ROOT / "conqret").rglob("*.py")):
        nodes = ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        written = [node for node in nodes if isinstance(node, ast.Raise | ast.Call)]
        for node in sorted(written, key=lambda node: node.lineno):
            call = node.exc if isinstance(node, ast.Raise) else node
            if not isinstance(call, ast.Call) or not call.args:
                continue
            name = getattr(call.func, "id", getattr(call.func, "attr", ""))
            text = " / ".join(filter(None, map(whole, call.args)))
            if " " in text and (isinstance(node, ast.Raise) or name in PRINTED):
                yield Place(f"{file.relative_to(ROOT)}:{node.lineno}", text)


def whole(node: ast.AST) -> str:
    """A text as it is written in the code; empty where the node is none."""
    if isinstance(node, ast.JoinedStr):
        return "".join(whole(part) or "…" for part in node.values)
    return str(node.value) if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def reports() -> Iterator[Place]:
    """Sentences of pages: their modules, and their templates."""
    yield from strings(lambda path: bool(REPORTS.search(path)))
    for template in sorted((ROOT / "conqret").rglob("*.html.j2")):
        yield Place(
            str(template.relative_to(ROOT)),
            " ".join(MARKUP.sub(" ", template.read_text(encoding="utf-8")).split()),
        )


def strings(wanted: Any) -> Iterator[Place]:
    """The literal strings of two words and more in the modules whose path is wanted, docstrings left out."""
    for file in sorted((ROOT / "conqret").rglob("*.py")):
        path = str(file.relative_to(ROOT))
        if not wanted(path) or any(path.startswith(f"conqret/{folder}") for folder in TEXTS_OF_ITEMS):
            continue
        tree = ast.parse(file.read_text(encoding="utf-8"))
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
