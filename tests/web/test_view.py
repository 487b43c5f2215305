"""The viewer: what it shows, whom it refuses, and that it changes nothing."""

from __future__ import annotations

import hashlib
import http.client
import re
import shutil
import socket
import sys
import threading
from collections.abc import Iterator
from html import unescape
from pathlib import Path

import pytest

from conqret.io.labels import read_labels
from tests.cli.conftest import Cli
from tests.cli.conftest import cli as cli
from tests.contract.items import demo
from tests.show import factory

REASON = "the extra web is not installed: it brings starlette and uvicorn"
pytest.importorskip("starlette", reason=REASON)
pytest.importorskip("uvicorn", reason=REASON)

from conqret.serve.view_app import view_server  # noqa: E402

HOSTILE = 'a<script>alert(1)<|script> "&'


class Viewer:
    """A viewer at a port of its own."""

    def __init__(self, root: Path) -> None:
        found = view_server(root, 0)
        self.root, self.server = root, found.uvicorn
        self.port = found.listening.getsockname()[1]
        self.thread = threading.Thread(target=found.run, args=(lambda address: None,))
        self.thread.start()

    def ask(self, path: str, method: str = "GET", **headers: str) -> tuple[int, str, http.client.HTTPMessage]:
        """The answer to a request that is sent as it stands."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        connection.putrequest(method, path, skip_host="Host" in headers)
        for name, value in headers.items():
            connection.putheader(name.replace("_", "-"), value)
        connection.endheaders()
        answer = connection.getresponse()
        found = answer.status, answer.read().decode(), answer.headers
        connection.close()
        return found

    def text(self, path: str) -> str:
        status, text, _ = self.ask(path)
        assert status == 200, text
        return text


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished run with answers, one that goes on, one with a hostile name, and three that cannot be opened."""
    import conqret

    root = tmp_path_factory.mktemp("view") / "runs"
    conqret.judge(demo()[:2], format="direct", metrics=("groundedness",), output=root / "offline")
    labels, (first, second) = root.parent / "labels.csv", demo()[:2]
    labels.write_text(f"item,groundedness\n{first.id},4\n{second.id},3\n")
    conqret.validate(root / "offline", labels=read_labels(labels, scales=["1:5"]), output=root / "card")
    conqret.judge(demo()[2:4], format="direct", metrics=("groundedness",), output=root / "others")
    given = list(factory.items()[:4])
    judged = factory.judge_all(given, "direct", faults=False)
    factory.make_run(root / "half", given, judged[:3])
    factory.make_run(root / "inner" / HOSTILE, given, judged)
    (root / "broken").mkdir()
    (root / "broken" / "run.json").write_text("{")
    factory.make_run(root / "torn", given, judged).judgments_file.write_text("{}\n")
    secret = root.parent / "secret.json"
    shutil.copy(root / "half" / "run.json", secret)
    (root / "leading").mkdir()
    (root / "leading" / "run.json").symlink_to(secret)
    (root / "away").symlink_to(root.parent)
    (root / "half" / "loop").symlink_to("loop")
    factory.make_run(root.parent / "outside", given, judged)
    return root


@pytest.fixture(scope="module")
def viewer(runs: Path) -> Iterator[Viewer]:
    before = digests(runs)
    found = Viewer(runs)
    yield found
    found.server.should_exit = True
    found.thread.join(60)
    assert not found.thread.is_alive()
    assert digests(runs) == before, "the viewer changed something"


def digests(folder: Path) -> dict[Path, str]:
    files = [file for file in folder.rglob("*") if file.is_file()]
    return {file: hashlib.sha256(file.read_bytes()).hexdigest() for file in files}


def rows(page: str) -> dict[str, str]:
    """The lines of the list by the run's name."""
    found = re.findall(r'<tr><th scope="row"[^>]*>(.*?)</th>(.*?)</tr>', page, re.DOTALL)
    return {unescape(re.sub("<[^>]+>", "", name)): re.sub("<[^>]+>", " ", rest) for name, rest in found}


def test_the_list_says_of_each_run_what_it_is_and_what_is_wrong(viewer: Viewer) -> None:
    page = viewer.text("/")
    found = rows(page)
    wanted = {"offline", "others", "card", "half", "broken", "torn", "leading", f"inner/{HOSTILE}"}
    assert found.keys() == wanted
    assert re.search(r"judge\s+direct, offline, .*finished: 2 of 2 items\s+\d", found["offline"])
    assert re.search(r"not finished, last written \d\d:\d\d:\d\d UTC: 3 of 4 items", found["half"])
    assert "run.json cannot be read" in found["broken"]
    assert "leads out of the folder" in found["leading"]
    assert "direct" not in found["leading"], "nothing of a file elsewhere is shown"
    assert "<script>alert" not in page
    (hostile,) = re.findall(r'href="(/runs/inner/[^"]+)"', page)
    assert "4 items judged" in viewer.text(unescape(hostile))
    assert re.search(r"validation\s+direct, offline", found["card"])
    assert page.count("<a href") == 6, "what cannot be opened is no link"


def test_search_finds_runs_with_all_words_and_shows_them_escaped(viewer: Viewer) -> None:
    assert rows(viewer.text("/?q=offline+direct+judge")).keys() == {"offline", "others"}
    page = viewer.text("/?q=%22%3E%3Cscript%3Ealert(2)")
    assert (rows(page), "<script>alert" in page, "No run has all of these words" in page) == ({}, False, True)


def test_a_report_leads_to_what_was_asked(viewer: Viewer) -> None:
    report = viewer.text("/runs/offline/report.html")
    assert 'href="asked/2.html"' in report
    page = viewer.text("/runs/offline/asked/2.html")
    assert "raw answer" in page
    assert 'href="../report.html#i2"' in page
    assert "has no item 3" in viewer.ask("/runs/offline/asked/3.html")[1]


def test_validation_and_card_are_made_of_what_the_folder_holds(viewer: Viewer) -> None:
    page = viewer.text("/runs/card/validation.html")
    assert "Does direct with offline agree with annotators?" in page
    assert 'href="/">All runs</a> · <a href="validation.html">Validation</a> · <a href="card.html">' in page
    assert "Known limits" in viewer.text("/runs/card/card.html")
    assert "does not exist: run conqret validate with -o" in viewer.ask("/runs/offline/validation.html")[1]
    file = viewer.root / "card" / "validation.json"
    before = file.read_bytes()
    file.write_text("{}")
    assert "not in the format that conqret validate writes" in viewer.ask("/runs/card/validation.html")[1]
    assert "not in the format that conqret validate writes" in rows(viewer.text("/"))["card"]
    file.write_bytes(before)


def test_a_run_is_compared_with_another(viewer: Viewer) -> None:
    (to,) = re.findall(r'href="([^"]+)">Compare', viewer.text("/runs/offline/report.html"))
    choice = viewer.text(unescape(to))
    assert "half" not in choice, "it is not finished"
    (other,) = [one for one in re.findall(r'href="(/diff[^"]+)"', choice) if "second=others" in one]
    status, page, _ = viewer.ask(unescape(other))
    assert (status, "share no" in page, 'href="/">All runs' in page) == (409, True, True)
    assert "What differs between two runs" in viewer.text("/diff?first=offline&second=offline")
    assert "Pick the run that “offline” is compared with." in viewer.text("/diff?first=offline")
    assert viewer.ask("/diff")[0] == 404
    assert viewer.ask("/diff?first=../outside&second=offline")[0] == 409


def test_a_run_that_goes_on_is_shown_as_far_as_it_came(viewer: Viewer) -> None:
    _, page, headers = viewer.ask("/runs/half/report.html")
    assert "1 of 4 items have no judgment yet" in page
    assert headers["Refresh"] == "30"
    assert viewer.ask("/runs/offline/report.html")[2]["Refresh"] is None
    file = viewer.root / "half" / "judgments.jsonl"
    before, (line, *_) = file.read_bytes(), file.read_bytes().splitlines(keepends=True)
    file.write_bytes(before + line)
    assert "4 of 4 items" in rows(viewer.text("/"))["half"]
    file.write_bytes(before)


@pytest.mark.parametrize("name", ["broken", "torn", "leading"])
def test_what_cannot_be_shown_says_why(viewer: Viewer, name: str) -> None:
    status, page, _ = viewer.ask(f"/runs/{name}/report.html")
    assert status in (404, 409)
    assert re.search("cannot be read|is not a judgment|leads out of the folder", page)
    assert 'href="/"' in page


@pytest.mark.parametrize(
    "path",
    [
        "/runs/%2e%2e/outside/report.html",
        "/runs/..%2foutside/report.html",
        "/runs/away/outside/report.html",
        "/runs/offline/run.json",
        "/runs/offline%00/report.html",
        f"/runs/{'a' * 5000}/report.html",
        "/secret.json",
    ],
)
def test_no_address_leads_out_of_the_folder_or_to_a_file_itself(viewer: Viewer, path: str) -> None:
    status, page, _ = viewer.ask(path)
    assert status == 404
    assert re.search("There is no (run at|such run)", page)


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Host": "evil.example"}, 421),
        ({"Origin": "http://evil.example"}, 403),
        ({"Sec_Fetch_Site": "cross-site", "Sec_Fetch_Dest": "image"}, 403),
        ({"Sec_Fetch_Site": "same-site", "Sec_Fetch_Dest": "empty"}, 403),
        ({"Sec_Fetch_Site": "cross-site", "Sec_Fetch_Dest": "document"}, 200),
        ({"Host": "localhost:PORT", "Origin": "http://localhost:PORT"}, 200),
    ],
)
def test_other_pages_get_nothing(viewer: Viewer, headers: dict[str, str], status: int) -> None:
    own = {name: value.replace("PORT", str(viewer.port)) for name, value in headers.items()}
    found, text, _ = viewer.ask("/", **own)
    assert (found, "offline" in text) == (status, status == 200)


def test_it_can_only_be_read(viewer: Viewer) -> None:
    status, _, headers = viewer.ask("/runs/offline/report.html", "POST")
    assert (status, headers["Allow"]) == (405, "GET, HEAD")


def test_every_answer_forbids_what_no_page_needs(viewer: Viewer) -> None:
    for path in ("/", "/runs/offline/report.html", "/nothing"):
        _, page, headers = viewer.ask(path)
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Cross-Origin-Resource-Policy"] == "same-origin"
        assert headers["Content-Security-Policy"] == "frame-ancestors 'none'"
        assert headers["Cache-Control"] == "no-store"
        assert [name for name in headers if name.lower().startswith("access-control")] == []
        (policy,) = re.findall(r'Content-Security-Policy" content="([^"]+)"', page)
        assert unescape(policy).startswith("default-src 'none'; style-src 'sha256-")


def test_wrong_calls_are_a_sentence(cli: Cli, runs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    missing = cli("serve", "view", runs / "none")
    assert (missing.code, "there is no such folder" in missing.err) == (2, True)
    with socket.create_server(("127.0.0.1", 0)) as other:
        taken = cli("serve", "view", runs, "--port", other.getsockname()[1])
    assert (taken.code, "is taken by another program; choose another with --port" in taken.err) == (2, True)
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    lacking = cli("serve", "view", runs)
    assert (lacking.code, "pip install 'conqret[web]'" in lacking.err) == (2, True)
