"""People in a real browser, on the pages that the command serves: by keyboard, with a broken connection and the back
button, on two days; every label as it was meant, and agreement, export and validation as those labels give them."""

from __future__ import annotations

import contextlib
import http.server
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from conqret.labels.answer_ledger import Ledger
from tests.labels.studies import items
from tests.show.chromium import Chromium
from tests.web.annotators import Annotator, come_in, until
from tests.web.commands import started, written_items


def test_what_annotators_meant_is_in_the_file(browser: Chromium, tmp_path: Path) -> None:
    file, labels = written_items(tmp_path / "items.jsonl", items(4)), tmp_path / "labels"
    meant = {}
    with (
        started(
            "labels", "collect", file, "--task", "rating", "--annotators", "ben,carl", "-o", labels
        ) as server,
        contextlib.closing(Ledger(labels)) as ledger,
    ):
        for name, view in {"ben": {}, "carl": {"width": 390, "height": 844}}.items():
            page = browser.apart(**view)
            annotator = Annotator(name, page, ledger, server.base, trouble=name == "ben")
            annotator.work(server.links[name])
            faults = [what for what in page.complaints if "ERR_INTERNET_DISCONNECTED" not in what]
            assert not faults, faults
            page.close()
            assert len(annotator.said) == 4
            meant |= {(name, *unit): answers for unit, answers in annotator.said.items()}
        assert meant == {
            (record.annotator.name, record.screen.item, record.screen.part): dict(record.answers)
            for record in ledger.finished_answers()
        }


@pytest.fixture
def elsewhere(tmp_path: Path) -> Iterator[str]:
    """Another site on this machine: it serves ``page.html`` of its folder."""

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_request(self, *arguments: object) -> None:
            pass

    folder = tmp_path / "elsewhere"
    folder.mkdir()
    with http.server.ThreadingHTTPServer(
        ("127.0.0.1", 0), lambda *given: Quiet(*given, directory=str(folder))
    ) as server:
        threading.Thread(target=server.serve_forever).start()
        yield f":{server.server_port}/page.html"
        server.shutdown()


def test_a_form_of_another_page_changes_nothing(browser: Chromium, tmp_path: Path, elsewhere: str) -> None:
    labels = tmp_path / "labels"
    with started(
        *("labels", "collect", written_items(tmp_path / "items.jsonl", items(2)), "--open", 2),
        *("--overlap", 1, "-o", labels),
    ) as server:
        (tmp_path / "elsewhere" / "page.html").write_text(
            f"<meta name=referrer content=no-referrer><form method=post action='{server.links['everyone who joins']}'>"
            "<input name=name value=mallory></form><p>"
        )
        page = browser.apart()
        page.go(f"http://localhost{elsewhere}")
        page.js("setTimeout(() => document.forms[0].submit())")
        until(page, f"location.origin == '{server.base}'")
        assert (
            page.js("document.body.innerText")
            == "The request comes from a page of another site and is refused."
        )
        page.go(f"http://localhost{elsewhere}")  # a link of others leads here all the same
        page.js(
            f"document.querySelector('p').innerHTML = `<a href='{server.links['everyone who joins']}'>join</a>`"
        )
        page.js("setTimeout(() => document.querySelector('a').click())")
        until(page, "document.querySelector('#name') !== null")
        page.close()
    with contextlib.closing(Ledger(labels)) as ledger:
        assert ledger.annotators() == []


def test_on_a_phone_the_texts_and_a_whole_question_are_seen_together(
    browser: Chromium, tmp_path: Path
) -> None:
    asked = ("labels", "collect", written_items(tmp_path / "items.jsonl", items(1)), "--task", "dimensions")
    with started(*asked, "--annotators", "anna", "-o", tmp_path / "labels") as server:
        page = browser.apart(width=390, height=844)
        come_in(page, server.links["anna"])
        until(page, "document.querySelector('#questions fieldset.now')")
        top = "document.querySelector('{}').getBoundingClientRect()"
        texts, bar = page.js(f"{top.format('.texts')}.height"), page.js(f"{top.format('.stays')}.top")
        assert texts > 150
        assert page.js(f"{top.format('fieldset')}.bottom") < bar
        assert page.js(f"{top.format('.reach')}.bottom") < page.js(f"{top.format('fieldset')}.top")
        page.close()
