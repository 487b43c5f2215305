"""Make the pictures of README.md and docs/, each from a run: none is drawn or cut by hand.

python scripts/pictures.py                 # all, into docs/images/ (make pictures)
python scripts/pictures.py report.png      # only this one
"""

from __future__ import annotations

import argparse
import asyncio
import re
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
IMAGES = ROOT / "docs" / "images"
sys.path.insert(0, str(ROOT))

from tests.web.annotating_pages import annotating_pages  # noqa: E402 - after the checkout is on the path

ITEMS = "fixtures/demo/items.jsonl"
RECORDINGS = "fixtures/demo/recordings.jsonl.gz"
SENSITIVITY = (
    f"sensitivity {ITEMS} --format direct,static-rubric,query-rubric,rag-direct,rag-fine-grained --quiet "
    "--perturb irrelevant,hallucinate:25%,50%,100% --metric context_relevance --metric groundedness"
)
WIDE: Mapping[str, Any] = {"width": 1400, "height": 900}
SMALL: Mapping[str, Any] = {"width": 1100, "height": 720}
PHONE: Mapping[str, Any] = {"width": 390, "height": 760, "scale": 2, "fragment": "#scores"}
"""How large a page is, in pixels, as a picture shows it, and where on it a phone begins."""
REPORTS = {
    "report.png": WIDE,
    "report-dark.png": {**WIDE, "dark": True},
    "report-phone.png": PHONE,
    "report-phone-dark.png": {**PHONE, "dark": True},
}
"""Pictures of one report, and how each reader sees it."""
CURVES = {
    "sensitivity-irrelevant-context-relevance.svg": "irrelevant-context-relevance.svg",
    "sensitivity-hallucinate-share-groundedness.svg": "hallucinate-share-groundedness.svg",
}
"""Curves of the offline judges: a picture's name, and that of the plot in the folder of ``conqret sensitivity``."""
PEOPLE = tuple(f"annotate-{name}.png" for name in ("rating", "adjudicate", "debate"))
"""Pages on which people label or judge, and of who runs it."""
PICTURES = (*REPORTS, *CURVES, *PEOPLE, LAYERS := "layers.svg")


def main() -> None:
    """Make what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="PICTURE", help=f"of {', '.join(PICTURES)}; all, if none")
    names = parser.parse_args().names or PICTURES
    if unknown := set(names) - set(PICTURES):
        parser.error(f"no such picture: {', '.join(sorted(unknown))}")
    with tempfile.TemporaryDirectory(prefix="conqret-pictures-", ignore_cleanup_errors=True) as place:
        runs = Path(place)
        if reports := [name for name in names if name in REPORTS]:
            page = report(runs)
            for name in reports:
                photograph({page: IMAGES / name}, runs / name, REPORTS[name])
        if curves := [name for name in names if name in CURVES]:
            conqret(f"{SENSITIVITY} -o {runs}/perturbed")
            for name in curves:
                (IMAGES / name).write_bytes((runs / "perturbed" / "plots" / CURVES[name]).read_bytes())
        if LAYERS in names:
            (IMAGES / LAYERS).write_text(layers(), encoding="utf-8")
        if pages := [name for name in names if name in PEOPLE]:
            made = asyncio.run(annotating_pages(runs / "studies"))
            taken = {runs / f"{name}.html": IMAGES / name for name in pages}
            for page, to in taken.items():
                page.write_text(made[to.stem.removeprefix("annotate-")], encoding="utf-8")
            photograph(taken, runs / "people", SMALL)
    print("\n".join(f"docs/images/{name}" for name in names))


def layers() -> str:
    """The layers of the table in docs/architecture.md, the highest first, each a bar with its folders."""
    table = re.findall(r"^\| (\d+) \| (.+?) \|", (IMAGES.parent / "architecture.md").read_text("utf-8"), re.M)
    places: dict[int, list[str]] = {}
    for number, cell in table:
        named = (Path(place) for place in re.findall(r"`(.+?)`", cell))
        places.setdefault(int(number), []).extend(place.stem for place in named)
    bars = "".join(
        f'<rect x="4" y="{4 + 30 * row}" width="752" height="27" rx="4" fill="{("#dfe9f3", "#eef3f8")[row % 2]}"/>'
        f'<text x="16" y="{22 + 30 * row}" fill="#5a5d63">{number}</text>'
        f'<text x="44" y="{22 + 30 * row}" fill="#1d1f22" font-weight="600">{" · ".join(places[number])}</text>\n'
        for row, number in enumerate(sorted(places, reverse=True))
    )
    shape = f'viewBox="0 0 760 {8 + 30 * len(places)}" font-family="sans-serif" font-size="13" role="img"'
    label = 'aria-label="The layers of conqret: each imports only those below it"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {shape} {label}>\n{bars}</svg>\n'


def report(runs: Path) -> Path:
    """The page of the demo: a model's recorded judgments compared with the baseline."""
    judge = f"judge {ITEMS} --format rag-fine-grained --quiet"
    conqret(f"{judge} --model offline -o {runs}/demo-offline")
    conqret(f"{judge} --model openai/claude --replay {RECORDINGS} -o {runs}/demo")
    conqret(f"runs report {runs}/demo --recordings {RECORDINGS}")
    return runs / "demo" / "report.html"


def photograph(pages: Mapping[Path, Path], profile: Path, view: Mapping[str, Any]) -> None:
    """The upper part of pages, as a browser shows it in a view (of ``Page.view``), in the files beside them."""
    from tests.show import chromium

    binary = chromium.find()
    if binary is None:
        raise SystemExit("there is no Chromium (scripts/install_chromium.sh installs it)")
    browser = chromium.Chromium(binary, profile)
    try:
        for page, to in pages.items():
            shown = browser.page(page, **view)
            shown.screenshot(to)
            shown.close()
    finally:
        browser.close()


def conqret(command: str) -> None:
    """Run a command of this checkout."""
    subprocess.run(
        [sys.executable, "-m", "conqret", *command.split()], cwd=ROOT, stdout=subprocess.DEVNULL, check=True
    )


if __name__ == "__main__":
    main()
