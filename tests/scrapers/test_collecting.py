"""What ``conqret corpus`` reads from the web: the functions give what the commands print."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import conqret
from fixtures.site import Site, serving
from tests.commands import run_conqret

pytest.importorskip("trafilatura", reason="the extra scrape is not installed")


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    with serving() as running:
        yield running


def command(*arguments: str, code: int = 0) -> dict[str, Any]:
    done = run_conqret("corpus", *arguments, "--json", "--allow-private", "--delay", "0")
    assert done.code == code, f"{done.output}"
    record: dict[str, Any] = json.loads(done.out)
    return record


def test_lists_of_debates(site: Site, tmp_path: Path) -> None:
    printed = command("topics", f"{site.url}/procon", "-o", str(tmp_path / "command.txt"))
    listed = conqret.list_debate_pages(
        f"{site.url}/procon", output=tmp_path / "function.txt", allow_private=True, delay=0
    )
    assert json.loads(json.dumps(listed.record())) == printed
    assert len(listed.debates) == 2
    assert (tmp_path / "function.txt").read_bytes() == (tmp_path / "command.txt").read_bytes()
    (tmp_path / "function.txt").write_text("my own list\n", encoding="utf-8")
    with pytest.raises(conqret.DeclarationError):
        conqret.list_debate_pages(f"{site.url}/procon", output=tmp_path / "function.txt", allow_private=True)


def test_debates_and_what_they_cite(site: Site, tmp_path: Path) -> None:
    urls = tmp_path / "urls.txt"
    urls.write_text("\n".join(site.debates[:1]), encoding="utf-8")
    printed = command("debates", str(urls), "-o", str(tmp_path / "command"))
    scraped = conqret.collect_debates(site.debates[:1], tmp_path / "function", allow_private=True, delay=0)
    assert json.loads(json.dumps(scraped.record())) == printed
    again = conqret.collect_debates(urls, tmp_path / "function", allow_private=True, delay=0)
    assert (again.read, again.kept) == ((), 1)

    figures = command("evidence", str(tmp_path / "command"))
    settings: dict[str, Any] = {"allow_private": True, "delay": 0}
    lines = []
    summary = conqret.collect_evidence(tmp_path / "function", on_line=lines.append, **settings)
    assert {**summary.record(), "seconds": 0} == {**figures, "seconds": 0}
    assert len(lines) == summary.cited > 0
    kept = conqret.collect_evidence(tmp_path / "function", **settings)
    assert (kept.kept, kept.pages) == (summary.cited, 0)
