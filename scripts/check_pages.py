"""Every page that conqret writes, in Chromium: axe-core finds no serious fault, and nothing runs over the edge.

    python scripts/check_pages.py                     # one of each kind, made offline from the fixtures
    python scripts/check_pages.py runs/first/report.html
    python scripts/check_pages.py --to pages/         # keep them, with a picture of each

Each page is looked at 1400 and 390 pixels wide, light and dark, and so are the main pages of the documentation where
``make docs`` has made them. axe-core comes from the npm registry (``npm pack``) unless ``AXE`` names its
``axe.min.js``. The exit code is 1 where a fault was found, or where no page of some kind was made. Without Chromium or
axe-core nothing is checked, which is said and is no fault.
"""

from __future__ import annotations

import argparse
import ast
import asyncio
import contextlib
import http.client
import json
import os
import re
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from conqret.debateqa.score_table import AWARENESS, DIVERSITY, ScoreRow, write_table  # noqa: E402 - after the checkout is on the path, as what follows
from scripts.experiment_steps import run_command  # noqa: E402 - likewise
from tests.show import chromium  # noqa: E402 - the tests' driver, from the checkout
from tests.web.annotating_pages import annotating_pages  # noqa: E402 - likewise

AXE_VERSION = "4.14.1"
WIDTHS = (1400, 390)
PHONE = 600
TOO_LOW = """[...document.querySelectorAll("body:is(.page, .annotate) :is(button, select, input:not([type=radio], \
[type=checkbox], [type=hidden]), a.button, nav a)")].filter((one) => one.offsetParent && one.offsetHeight < 44)\
.map((one) => `${one.textContent.trim() || one.id || one.name} (${one.offsetHeight} px)`)"""
"""What is touched on a phone, and less than 44 CSS pixels high (WCAG 2.2, 2.5.5)."""
CUT = """[...document.querySelectorAll(".md-typeset__scrollwrap:not(.wider)")]\
.filter((one) => one.scrollWidth > one.clientWidth + 1).map((one) => one.textContent.trim().slice(0, 40))"""
"""Tables of the documentation that go on beyond the page and do not say so."""
BAD = ("serious", "critical")
ITEMS = "fixtures/demo/items.jsonl"
TREC = "fixtures/examples/trec/reports.jsonl --topics fixtures/examples/trec/requests.jsonl"
SYSTEMS = ("bm25+extractive", "bm25+stance+extractive")
TOPLINE = re.compile(r'topline\("([^"]+)"')
"""How a template says of which kind its page is."""
SITE = ROOT / "site"
DOCUMENTATION = (
    "index.html guides/*.html commands/judge.html api.html papers.html results/llm-judge.html".split()
)
"""Of the documentation one page of each kind, and the guides."""


def kinds(root: Path = ROOT / "conqret") -> set[str]:
    """What stands beside the name at the head of each kind of page: the first word of each ``ReportPage``, and of each
    template that is a page of its own."""
    found: set[str] = set()
    for file in root.rglob("*.py"):
        text = file.read_text(encoding="utf-8")
        for call in ast.walk(ast.parse(text)) if "ReportPage(" in text else ():
            if isinstance(call, ast.Call) and ast.unparse(call.func) == "ReportPage":
                found |= {word.value for word in call.args[:1] if isinstance(word, ast.Constant)}
    for file in root.rglob("*.html.j2"):
        found |= set(TOPLINE.findall(file.read_text(encoding="utf-8")))
    return found


def main() -> int:
    """Check, and say what was found."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("pages", nargs="*", type=Path, help="Pages; none: those of the fixtures.")
    parser.add_argument("--to", type=Path, help="A folder for the pages made here, and for pictures.")
    args = parser.parse_args()
    binary = chromium.find()
    if binary is None:
        return skipped("there is no Chromium (scripts/install_chromium.sh installs it)")
    # A browser that has ended may write to its profile for a moment more.
    with tempfile.TemporaryDirectory(prefix="conqret-pages-", ignore_cleanup_errors=True) as scratch:
        folder = args.to or Path(scratch) / "pages"
        folder.mkdir(parents=True, exist_ok=True)
        try:
            axe = axe_core(Path(scratch))
        except (OSError, subprocess.CalledProcessError) as error:
            return skipped(f"axe-core {AXE_VERSION} cannot be had of npm ({error})")
        files, found = args.pages, []
        if not files:
            made = list(make_pages(folder.resolve()))
            there = set(map(kind_of, made))
            found = [f"no page of the kind {kind!r} was made" for kind in sorted(kinds() - there)]
            print(*found, sep="\n", flush=True)
            files = [*made, *(page for pattern in DOCUMENTATION for page in sorted(SITE.glob(pattern)))]
            if files == made:
                print("The documentation is not looked at: make docs makes it")
        browser = chromium.Chromium(binary, Path(scratch) / "profile")
        try:
            for fault in (one for file in files for one in look(browser, file, axe, args.to)):
                print(fault, flush=True)
                found.append(fault)
        finally:
            browser.close()
    print(f"{len(files)} pages, {len(found)} faults")
    return bool(found)


def skipped(why: str) -> int:
    """Say that nothing was checked."""
    print(f"SKIPPED, NO PAGE WAS CHECKED: {why}", file=sys.stderr)
    return 0


def axe_core(scratch: Path) -> str:
    """The source of axe-core."""
    if "AXE" in os.environ:
        return Path(os.environ["AXE"]).read_text(encoding="utf-8")
    packed = ["npm", "pack", "--silent", f"axe-core@{AXE_VERSION}"]
    name = subprocess.run(packed, cwd=scratch, check=True, capture_output=True, text=True).stdout.strip()
    with tarfile.open(scratch / name) as archive:
        file = archive.extractfile("package/axe.min.js")
        assert file is not None
        return file.read().decode()


def kind_of(file: Path) -> str:
    """What the head of a page says that it is."""
    found = re.search(r'<p class="brand"><b>conqret</b> ([^<·]*)', file.read_text(encoding="utf-8"))
    return found[1].strip() if found else ""


def make_pages(to: Path) -> Iterator[Path]:
    """Every kind of page, offline and from the fixtures."""
    with Path(os.devnull).open("w") as nowhere, contextlib.redirect_stdout(nowhere), contextlib.chdir(ROOT):
        for command in commands(to):
            run_command(*command)
    write_viewed(to)
    for name, text in asyncio.run(annotating_pages(to / "studies")).items():
        (to / f"annotate-{name}.html").write_text(text, encoding="utf-8")
    for pattern in ("*.html", "*/*.html", "judge/asked/1.html"):
        yield from sorted(to.glob(pattern))


def commands(to: Path) -> Iterator[list[str]]:
    """The commands that write pages."""
    write_labels(to / "labels.csv")
    judge = f"judge {ITEMS} --model offline --quiet --format"
    labels = f"--labels {to}/labels.csv --scale 1:5"
    gold = "--labels fixtures/demo/labels.jsonl"
    abstain = f"judges abstain {to}/samples {gold} --together --tolerance 0.4"
    systems = [f"{to}/experiment/judgments/{name}/rag-fine-grained-offline" for name in SYSTEMS]
    quick = "--topics 8,20,50 --items 1,3,10 --simulations 40"
    suites = "--from tests/fixtures/suites"
    for command in (
        f"{judge} rag-fine-grained -o {to}/judge",
        f"{judge} rag-direct -o {to}/pairs",
        f"bias {ITEMS} --format rag-fine-grained -o {to}/bias --quiet",
        f"sensitivity {ITEMS} --format rag-fine-grained -o {to}/sensitivity --quiet",
        f"validate {to}/judge {labels} --bias {to}/bias --sensitivity {to}/sensitivity -o {to}/card",
        f"experiment fixtures/experiment.toml -o {to}/experiment --quiet",
        f"check fixtures/examples/results.csv -o {to}/check",
        f"runs diff {' '.join(systems)} -o {to}/diff.html",
        f"{judge} rag-fine-grained --samples 3 -o {to}/samples",
        f"runs report {to}/judge",
        f"judges variance {to}/samples -o {to}/variance.html",
        f"{abstain} -o {to}/abstention.json --page {to}/abstention.html",
        f"{abstain} --against {to}/judge --margin 0.9 -o {to}/cascade.json --page {to}/cascade.html",
        f"{judge} rag-fine-grained -o {to}/again",
        f"judges drift {to}/judge {to}/again -o {to}/drift.html",
        f"judges compare {to}/judge {to}/samples {labels} -o {to}/compare.html",
        f"judges calibrate {to}/judge {labels} -o {to}/calibration.json --page {to}/calibration.html",
        f"labels agreement fixtures/examples/people.csv --map low=1,medium=2,high=3 -o {to}/agreement.html",
        f"judge {TREC} --model offline --quiet -o {to}/reports",
        f"judges systems {to}/reports --truth fixtures/examples/trec/truth.eval.txt --reports "
        f"{TREC.partition(' ')[0]} -o {to}/systems.html",
        f"judges power --for agreement {quick} -o {to}/power-agreement.html",
        f"judges power --for difference {quick} -o {to}/power-difference.html",
        f"judges power --for tournament --topics 12 --simulations 2 -o {to}/power-tournament.html",
        f"judges power --for bias --topics 12 --simulations 20 -o {to}/power-bias.html",
        f"judges jury {to}/judge {to}/samples {labels} -o {to}/jury",
        f"validate {to}/jury {labels}",
        f"judges improve {ITEMS} {gold} --format listwise --metric clarity -o {to}/improved --quiet",
        f"tournament {ITEMS} -o {to}/tournament",
        f"judges test ukpconvarg1 {suites} -o {to}/suite --quiet",
        f"judges leaderboard {to}/suite {suites} -o {to}/suites.html",
        f"debateqa rank {' '.join(write_scores(to))} --report {to}/ranks.html",
        f"debate hold fixtures/debate_topics.jsonl --model offline -o {to}/debates --quiet",
        f"debateqa answer fixtures/questions.jsonl --strategy none -o {to}/answers --quiet",
    ):
        yield command.split()


def write_viewed(to: Path) -> None:
    """What the viewer shows beside the pages of runs: its list, runs to compare, and that something is not there."""
    viewer = [sys.executable, "-m", "conqret.cli.main", "serve", "view", str(to), "--port", "0"]
    with subprocess.Popen(viewer, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            port = int(process.stdout.readline().rstrip("/\n ").rpartition(":")[2])
            for name, address in {"list": "/", "compare": "/diff?first=judge", "nowhere": "/nowhere"}.items():
                connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
                connection.request("GET", address)
                page = connection.getresponse().read().decode()
                (to / f"viewer-{name}.html").write_text(
                    re.sub('data-live="[0-9]+"', 'data-live="3600"', page)
                )
                connection.close()
        finally:
            process.terminate()


def write_labels(file: Path) -> None:
    """Three made-up annotators' labels of the demo items, by their places."""
    rows = ["item,annotator,clarity,cogency"]
    for place, line in enumerate((ROOT / ITEMS).read_text(encoding="utf-8").splitlines()):
        for shift, annotator in enumerate("xyz"):
            clarity, cogency = 1 + (place * 7 + shift) % 5, 1 + (place * 3 + shift // 2) % 5
            rows.append(f"{json.loads(line)['id']},{annotator},{clarity},{cogency}")
    file.write_text("\n".join(rows) + "\n", encoding="utf-8")


def write_scores(to: Path) -> Iterator[str]:
    """Tables of made-up scores of three systems, as of ``conqret debateqa score``; one answer has no score."""
    for place, system in enumerate(("none", "rag", "react")):
        rows = [ScoreRow(system, str(n), DIVERSITY, "gpt2", 3.0 + place + n) for n in range(4)]
        rows += [ScoreRow(system, str(n), AWARENESS, "phi", float(n > place)) for n in range(3)]
        rows.append(ScoreRow(system, "3", AWARENESS, "phi", None, 1, "refusal"))
        write_table(rows, to / "scores" / f"{system}.parquet")
        yield str(to / "scores" / f"{system}.parquet")


def look(browser: chromium.Chromium, file: Path, axe: str, pictures: Path | None) -> Iterator[str]:
    """The faults of a page."""
    for width in WIDTHS:
        for scheme in ("light", "dark"):
            page = browser.apart(width=width, height=900, dark=scheme == "dark")  # the site remembers a theme
            page.go(file.resolve().as_uri())
            page.js("document.querySelectorAll('details').forEach((one, place) => { one.open = place < 4; })")
            page.js(f"{axe}; 0")
            yield from (f"{file} at {width} {scheme}: {fault}" for fault in faults(page, width))
            if pictures is not None:
                name = "-".join(file.with_suffix("").parts[-2:])
                page.screenshot(pictures / f"{name}-{width}-{scheme}.png", whole=True)
            page.close()


def faults(page: chromium.Page, width: int) -> Iterator[str]:
    """What is wrong with the page as it is seen now."""
    while page.complaints:
        yield page.complaints.pop()
    if (wide := page.js("document.documentElement.scrollWidth")) > width:
        yield f"it is {wide} wide"
    yield from (f"nothing says that the table {one!r} goes on to the right" for one in page.js(CUT))
    if width < PHONE:
        yield from (f"{one} is too low for a thumb" for one in page.js(TOO_LOW))
    found: list[Mapping[str, Any]] = page.js(
        "axe.run(document, {resultTypes: ['violations'], preload: false}).then(found => found.violations.map(one => "
        "({id: one.id, impact: one.impact, help: one.help, n: one.nodes.length, "
        "where: one.nodes[0].html.slice(0, 200), why: one.nodes[0].failureSummary})))"
    )
    for one in found:
        if one["impact"] in BAD:
            yield f"{one['impact']} {one['id']} ({one['help']}), {one['n']} times, as in {one['where']}: {one['why']}"


if __name__ == "__main__":
    sys.exit(main())
