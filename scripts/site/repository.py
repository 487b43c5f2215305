"""Take pages of the repository that stand outside docs/ into the site, lead links between the two, and list all pages
in ``llms.txt``, as assistants look for them.

A page is written for the checkout: its links are relative to where it stands there. ``PLACES`` says where a file from
outside docs/ stands on the site; a link to one that has no place is left as it is, and fails the build.
"""

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).resolve().parents[2]
PLACES = {
    "README.md": "index.md",
    "SECURITY.md": "security.md",
    "CHANGELOG.md": "changes.md",
    "CONTRIBUTING.md": "contributing.md",
    "AGENTS.md": "agents.md",
    "conqret/cli/skill.md": "skill.md",
    "action.yml": "action.yml",
    "Dockerfile": "Dockerfile",
    "fixtures/plugin/conqret_example/clarity.py": "examples/clarity.py",
    "fixtures/plugin/conqret_example/prompts/example/clarity.j2": "examples/clarity.j2",
    "fixtures/study/length/command.py": "examples/study/command.py",
    "fixtures/study/length/result.py": "examples/study/result.py",
    "benchmarks/README.md": "benchmarks/README.md",
    "benchmarks/overhead.md": "benchmarks/overhead.md",
}
"""Files from outside docs/, by their path in the repository: their path among the pages of the site."""
ORIGINS = {place: origin for origin, place in PLACES.items()}
FENCED = re.compile(r"(^[ \t]*(```|~~~).*?^[ \t]*\2[ \t]*$)", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"(?:(?<=\]\()|(?<= src=\")|(?<= srcset=\"))([^)\s#\"]+)(?=[#)\"])")
START = "index.md"
"""The page that stands alone: the tabs lead to all others, and its tables need the width of a list of pages."""
OUTSIDE = re.compile(r"^[a-z][a-z0-9+.-]*:", re.IGNORECASE)


def on_files(files: Files, config: Any) -> Files:
    """The files of the site, with those from outside docs/."""
    for origin, place in PLACES.items():
        files.append(File.generated(config, place, abs_src_path=str(ROOT / origin)))
    return files


def on_nav(nav: Any, config: Any, **_: Any) -> None:
    """Keep the pages in the order of the navigation for ``llms.txt``."""
    config.extra["pages"] = nav.pages


def on_post_build(config: Any) -> None:
    """Write ``llms.txt``: what conqret is, and each page's title and address, below the headings of the navigation."""
    lines = [f"# {config.site_name}", "", f"> {config.site_description}"]
    heading = ""
    for page in config.extra["pages"]:
        above = page.ancestors[-1].title if page.ancestors else "Start"
        lines += [] if above == heading else ["", f"## {above}", ""]
        heading = above
        lines.append(f"- [{page.title}]({page.url})")
    Path(config.site_dir, "llms.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """The text of a page with its links leading to where their targets stand on the site."""
    here = page.file.src_uri
    if here == START:
        page.meta["hide"] = ["navigation"]
    origin = ORIGINS.get(here, f"docs/{here}")

    def led(found: re.Match[str]) -> str:
        if OUTSIDE.match(found[1]):
            return found[1]
        target = posixpath.normpath(posixpath.join(posixpath.dirname(origin), found[1]))
        if target not in PLACES and not target.startswith("docs/"):
            return found[1]
        place = PLACES.get(target) or target.removeprefix("docs/").replace(".ipynb", ".md")
        return posixpath.relpath(place, posixpath.dirname(here) or ".")

    parts = FENCED.split(markdown)
    # A split gives text, the fenced block and its fence in turn.
    texts = [LINK.sub(led, text) for text in parts[::3]]
    blocks = [*parts[1::3], ""]
    return "".join(text + block for text, block in zip(texts, blocks, strict=True))
