"""Check that the search of the site finds what people type: each query of ``scripts/site/queries.toml`` has its page
among the first three results.

The theme's own search worker answers, over the index of the site (``scripts/site/search.mjs``), so the results are
those of a browser. It needs Node; without it, the script says that nothing was checked. Exit code 1 where a page is
missing.

    python scripts/check_search.py site
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
QUERIES = ROOT / "scripts" / "site" / "queries.toml"
SEARCH = ROOT / "scripts" / "site" / "search.mjs"
FIRST = 3
"""Among so many results a page must be."""


def main(site: str = "site") -> None:
    """Print the queries whose page is missing among the first results."""
    wanted = queries()
    node = shutil.which("node")
    if node is None:
        print("There is no Node: the search was not checked.")
        return
    found = subprocess.run(
        [node, str(SEARCH), site], input=json.dumps(list(wanted)), capture_output=True, text=True, check=True
    )
    misses = list(missed(wanted, json.loads(found.stdout)))
    if misses:
        sys.exit("\n".join(misses))
    print(f"{len(wanted)} queries: the search shows the page of each among the first {FIRST}.")


def queries() -> dict[str, str]:
    """The pages that queries must find, by query."""
    groups = tomllib.loads(QUERIES.read_text(encoding="utf-8"))
    return {query: page for group in groups.values() for query, page in group.items()}


def missed(wanted: Mapping[str, str], results: Sequence[Sequence[str]]) -> Iterator[str]:
    """A line for each query whose page is not among the first of its results."""
    for (query, page), pages in zip(wanted.items(), results, strict=True):
        first = [place.replace(".html", ".md") for place in pages[:FIRST]]
        if page not in first:
            yield f"{query}: {page} is not among the first {FIRST} results ({', '.join(first) or 'there are none'})"


if __name__ == "__main__":
    main(*sys.argv[1:])
