"""Check that README.md and docs/ tell the truth about files and commands.

Relative links must lead to a file (and an anchor to a heading), and every ``conqret …`` line of a fenced
block must name a subcommand and options that ``conqret --help`` knows. Exit code 1 and a list otherwise.

With ``--run`` the commands are executed, too, page by page, each page in a folder of its own that holds
``fixtures/`` as a fresh checkout does. A hosted model's name is taken for ``offline``, as there is no key here;
everything else runs as it stands, and must end with exit code 0. What needs the network, weights, a server or a file
of one's own is only looked up; how many commands these are is told, and there must not become more of them.
"""

import os
import re
import shlex
import shutil
import signal
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NoReturn

from typer.testing import CliRunner

from conqret.cli.main import app
from conqret.cli.main import main as command_line

ROOT = Path(__file__).resolve().parent.parent
LINK = re.compile(r"(?<!`)\[[^\]]*\]\(<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\)")
LONGEST = 300
RUN = "run"
OWN = "a file of one's own"
ELSEWHERE = {
    r"…|\|": "a result that a real model gave, or a pattern for several commands",
    r"https?://(?!localhost)|--search|^scrape|import-passages|^corpus build": "the network",
    r"models?/|local/|--backbone|--encoder|--engine|tune|semscore|likelihood|sphere|--detector": "weights",
    r"^(?:bias|calibrate|sensitivity|power|run|frontier) ": "a minute or more: the tests run smaller ones",
    r"--batch": "a key",
    r"^(?:view|serve|mcp)\b": "somebody who stops it",
    r"--api-base|my-judge|--strategy brief|shouting|clarity": "a server or plug-in of one's own",
}
"""What commands need that is not here: patterns, and what to call it."""
EXECUTED = [
    "README.md",
    *(f"docs/guides/{one.name}" for one in sorted((ROOT / "docs" / "guides").glob("*.md"))),
]
"""The pages whose commands are run where no other is named."""
NOT_RUN_AT_MOST = 60
"""Commands that are not run: a new one has to run, or to be argued for here."""
WRITTEN = ("-o", "--output", "--to", "--svg", "--plot", "--report", "--html")
FILE = re.compile(
    r"[\w.*/-]+(?:\.(?:jsonl|csv|tsv|json|txt|parquet|toml|res|npy|gz|qrels|html)|/)|runs/[\w*/.-]+"
)
"""Words that name a file or a folder, and the options before those that are written."""
MODEL_OPTIONS = ("--model", "-m", "--agent", "--against", "--rerank")
HOSTED = re.compile(r"gpt-|claude|openai/|anthropic/")
IMAGE = re.compile(r"<(?:img|source|a)\b[^>]*?\b(?:src|srcset|href)=\"([^\"]+)\"")
FENCE = re.compile(r"^\s*(?:```|~~~)")
INLINE = re.compile(r"`(conqret [^`]+)`")
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


def not_run(words: list[str], folder: Path) -> str | None:
    """Why a command is not run here; None where it is."""
    line = " ".join(words)
    if why := next((why for pattern, why in ELSEWHERE.items() if re.search(pattern, line)), None):
        return why
    named = [one for before, one in zip(["", *words], words, strict=False) if before not in WRITTEN]
    files = [one for one in named if FILE.fullmatch(one) and not list(folder.glob(one.rstrip("/")))]
    return f"{OWN} ({files[0]})" if files else None


def commands(page: Path) -> Iterator[tuple[int, list[str]]]:
    """The words after ``conqret`` of each command line in the fenced blocks (continued lines joined), and in the tables
    of the README."""
    outside, inside = split_fences(page.read_text(encoding="utf-8"))
    if page.name == "README.md":  # its tables say what to type
        inside += [(n, one) for n, line in outside if line.startswith("|") for one in INLINE.findall(line)]
    text, start = "", 0
    for number, line in sorted(inside, key=lambda one: one[0]):
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
    plain = {"COLUMNS": "200", "TERM": "dumb", "NO_COLOR": "1"}
    done = CliRunner().invoke(app, [*words, "--help"], env=plain)
    return done.output if done.exit_code == 0 else None


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


def executed(words: list[str], folder: Path) -> str | None:
    """Run a command in ``folder`` as it stands, but for the names of hosted models; what went wrong, or None.

    A fork of this process runs it, which has the modules already.
    """
    if "--dry-run" not in words:
        pairs = zip(["", *words], words, strict=False)
        words = [
            "offline" if before in MODEL_OPTIONS and HOSTED.search(one) else one for before, one in pairs
        ]
    with tempfile.TemporaryFile() as said:
        child = os.fork()
        if not child:
            _become(words, folder, said.fileno())
        status = os.waitpid(child, 0)[1]
        said.seek(0)
        last = " ".join(said.read().decode(errors="replace").strip().splitlines()[-3:])
    code = os.waitstatus_to_exitcode(status)
    return None if code == 0 else f"ended with {code}: conqret {shlex.join(words)}: {last}"


def _become(words: list[str], folder: Path, said: int) -> NoReturn:
    """Be the command line, in a fork: what it says goes into the file ``said``."""
    code: object = 1
    try:
        os.dup2(os.open(os.devnull, os.O_RDWR), 0)
        for stream in (1, 2):
            os.dup2(said, stream)
        os.environ.update({"COLUMNS": "80", "NO_COLOR": "1"})
        os.chdir(folder)
        sys.argv = ["conqret", *words]
        signal.alarm(LONGEST)
        command_line()
        code = 0
    except SystemExit as end:
        code = end.code or 0
    finally:
        sys.stdout.flush()
        os._exit(code if isinstance(code, int) else 1)


def run_page(page: Path) -> tuple[list[str], list[str]]:
    """Run the commands of a page, in their order: what went wrong, and for each command whether or why not it ran."""
    import conqret.api  # noqa: F401 - so that each command finds it in memory

    faults, told = [], []
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        shutil.copytree(ROOT / "fixtures", folder / "fixtures")
        for number, words in commands(page):
            if why := not_run(words, folder):
                told.append(why)
                continue
            told.append(RUN)
            if fault := executed(words, folder):
                faults.append(f"{page.relative_to(ROOT)}:{number}: {fault}")
    return faults, told


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
    told: list[str] = []
    if "--run" in sys.argv[1:]:
        named = [one for one in sys.argv[1:] if not one.startswith("--")] or EXECUTED
        wanted = [page for page in pages if str(page.relative_to(ROOT)) in named]
        for page in wanted:
            found, each = run_page(page)
            faults += found
            told += each
        left_out = len(told) - told.count(RUN)
        if named is EXECUTED and left_out > NOT_RUN_AT_MOST:
            faults.append(
                f"{left_out} commands are not run, and {NOT_RUN_AT_MOST} is the most: {Counter(told)}"
            )
    if faults:
        sys.exit("\n".join(faults))
    print(f"{len(pages)} pages: every relative link leads somewhere, and {checked} commands are known.")
    reasons = Counter(why.partition(" (")[0] for why in told)
    for why, count in reasons.most_common():
        print(f"{count:5} {why if why == RUN else f'not run: {why}'}")
    if "--list" in sys.argv[1:]:
        print("\n".join(sorted(set(told))))


if __name__ == "__main__":
    main()
