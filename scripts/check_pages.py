"""Every page that conqret writes, in Chromium: axe-core finds no serious fault, and nothing runs over the edge.

    python scripts/check_pages.py                     # pages made offline from the fixtures
    python scripts/check_pages.py runs/first/report.html
    python scripts/check_pages.py --to pages/         # keep them, with a picture of each

Each page is looked at 1400 and 390 pixels wide, light and dark. axe-core comes from the npm registry (``npm pack``)
unless ``AXE`` names its ``axe.min.js``. The exit code is 1 where a fault was found.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from conqret.debateqa.table import AWARENESS, DIVERSITY, ScoreRow, write_table  # noqa: E402 - likewise
from tests.report import chromium  # noqa: E402 - the tests' driver, from the checkout

AXE_VERSION = "4.14.1"
WIDTHS = (1400, 390)
BAD = ("serious", "critical")
ITEMS = "fixtures/demo/items.jsonl"


def main() -> int:
    """Check, and say what was found."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("pages", nargs="*", type=Path, help="Pages; none: those of the fixtures.")
    parser.add_argument("--to", type=Path, help="A folder for the pages made here, and for pictures.")
    given = parser.parse_args()
    binary = chromium.find()
    if binary is None:
        raise SystemExit("there is no Chromium (scripts/install_chromium.sh installs it)")
    with tempfile.TemporaryDirectory(prefix="conqret-pages-") as scratch:
        folder = given.to or Path(scratch) / "pages"
        folder.mkdir(parents=True, exist_ok=True)
        axe = axe_core(Path(scratch))
        files = given.pages or list(make_pages(folder))
        browser = chromium.Chromium(binary, Path(scratch) / "profile")
        try:
            faults = [fault for file in files for fault in look(browser, file, axe, given.to)]
        finally:
            browser.close()
    print(f"{len(files)} pages, {len(faults)} faults")
    return bool(faults)


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


def make_pages(to: Path) -> Iterator[Path]:
    """Every kind of page, offline and from the fixtures; what is there already is not made again."""
    for command in commands(to):
        done = subprocess.run(
            [sys.executable, "-m", "conqret.cli.main", *command],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode > 1:
            raise SystemExit(f"conqret {' '.join(command)}\n{done.stderr}")
    for pattern in ("*.html", "*/*.html", "judge/asked/1.html", "experiment/*/*/*/report.html"):
        yield from sorted(to.glob(pattern))


def commands(to: Path) -> Iterator[list[str]]:
    """The commands that write pages."""
    judge = ["judge", ITEMS, "--model", "offline", "--quiet"]
    labels = ["--labels", str(to / "labels.csv"), "--scale", "1:5"]
    write_labels(to / "labels.csv")
    yield [*judge, "--format", "rag-fine-grained", "-o", f"{to}/judge"]
    yield [*judge, "--format", "rag-direct", "-o", f"{to}/pairs"]
    yield [*judge, "--format", "citation-support", "-o", f"{to}/citations"]
    yield ["report", f"{to}/judge", "--beside", f"{to}/judge"]
    yield ["bias", ITEMS, "--format", "rag-fine-grained", "-o", f"{to}/bias", "--quiet"]
    yield ["sensitivity", ITEMS, "--format", "rag-fine-grained", "-o", f"{to}/sensitivity", "--quiet"]
    measured = ["--bias", f"{to}/bias", "--sensitivity", f"{to}/sensitivity"]
    yield ["validate", f"{to}/judge", *labels, *measured, "-o", f"{to}/card"]
    yield ["run", "fixtures/experiment.toml", "-o", f"{to}/experiment", "--quiet"]
    systems = ("bm25+extractive", "bm25+stance+extractive")
    runs = [f"{to}/experiment/judgments/{name}/rag-fine-grained-offline" for name in systems]
    yield ["diff", *runs, "-o", f"{to}/diff.html"]
    yield [*judge, "--format", "rag-fine-grained", "--samples", "3", "-o", f"{to}/samples"]
    yield ["components", f"{to}/samples", "-o", f"{to}/components.html"]
    yield ["frontier", f"{to}/judge", f"{to}/samples", *labels, "-o", f"{to}/frontier.html"]
    yield ["rank", *write_scores(to), "--report", f"{to}/ranks.html"]
    yield [
        "debate",
        "hold",
        "fixtures/debate_topics.jsonl",
        "--model",
        "offline",
        "-o",
        f"{to}/debates",
        "--quiet",
    ]
    yield ["answer", "fixtures/questions.jsonl", "--strategy", "none", "-o", f"{to}/answers", "--quiet"]


def write_labels(file: Path) -> None:
    """Three made-up people's labels of the demo items, by what they hold."""
    ids = [json.loads(line)["id"] for line in (ROOT / ITEMS).read_text(encoding="utf-8").splitlines()]
    rows = [
        f"{name},{person},{1 + (place * 7 + shift) % 5},{1 + (place * 3 + shift // 2) % 5}"
        for place, name in enumerate(ids)
        for shift, person in enumerate("xyz")
    ]
    file.write_text("\n".join(["item,annotator,clarity,cogency", *rows]) + "\n", encoding="utf-8")


def write_scores(to: Path) -> Iterator[str]:
    """Tables of made-up scores of three systems, as of ``conqret score``; one answer has no score."""
    for place, system in enumerate(("none", "rag", "react")):
        rows = [ScoreRow(system, str(n), DIVERSITY, "gpt2", 3.0 + place + n) for n in range(4)]
        rows += [ScoreRow(system, str(n), AWARENESS, "phi", float(n > place)) for n in range(3)]
        rows.append(ScoreRow(system, "3", AWARENESS, "phi", None, 1, "refusal"))
        write_table(rows, to / "scores" / f"{system}.parquet")
        yield str(to / "scores" / f"{system}.parquet")


def look(browser: chromium.Chromium, file: Path, axe: str, pictures: Path | None) -> Iterator[str]:
    """The faults of a page, each told as it is found."""
    for width in WIDTHS:
        for dark in (False, True):
            page = browser.page(file.resolve(), width=width, height=900, dark=dark)
            name = f"{file} at {width} {'dark' if dark else 'light'}"
            for fault in faults(page, axe, width):
                print(f"{name}: {fault}", flush=True)
                yield fault
            if pictures is not None:
                picture = (
                    f"{'-'.join(file.with_suffix('').parts[-2:])}-{width}-{'dark' if dark else 'light'}.png"
                )
                page.screenshot(pictures / picture)
            page.close()


def faults(page: chromium.Page, axe: str, width: int) -> Iterator[str]:
    """What is wrong with the page as it is seen now, closed parts opened."""
    page.js("document.querySelectorAll('details').forEach((one, place) => { one.open = place < 4; })")
    yield from page.complaints
    if (wide := page.js("document.documentElement.scrollWidth")) > width:
        yield f"it is {wide} wide"
    page.js(f"{axe}; 0")
    found: list[dict[str, Any]] = page.js(
        "axe.run(document, {resultTypes: ['violations']}).then(found => found.violations.map(one => "
        "({id: one.id, impact: one.impact, help: one.help, n: one.nodes.length, "
        "where: one.nodes[0].html.slice(0, 200), why: one.nodes[0].failureSummary})))"
    )
    for one in found:
        if one["impact"] in BAD:
            yield f"{one['impact']} {one['id']} ({one['help']}), {one['n']} times, as in {one['where']}: {one['why']}"


if __name__ == "__main__":
    sys.exit(main())
