"""Parsing in other processes: hangs, crashes and any bytes cost one page and never the run."""

import asyncio
import os
import signal
import time
from collections.abc import Callable, Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from conqret.scrapers.extract import Extraction, Extractor
from tests.scrapers.pdf_file import pdf_file
from tests.scrapers.raw_server import PROSE, page

PAGE = page(PROSE).encode()


async def test_a_hang_costs_one_page(monkeypatch: pytest.MonkeyPatch) -> None:
    async with Extractor(1, seconds=20.0) as extractor:
        assert (await extractor.extract(PAGE)).ok
        extractor._seconds = 0.05
        started = time.monotonic()
        slow = await extractor.extract(page(PROSE * 5_000).encode(), "text/html")
        assert slow.problem == "parsing took more than 0.05 seconds"
        assert time.monotonic() - started < 15  # and not the 20 that a page may take
        extractor._seconds = 20.0
        assert (await extractor.extract(PAGE)).ok


async def test_a_crash_costs_one_page() -> None:
    async with Extractor(1) as extractor:
        assert (await extractor.extract(PAGE)).ok
        process = extractor._workers[0]._process
        assert process is not None
        os.kill(process.pid, signal.SIGSTOP)
        task = asyncio.create_task(extractor.extract(PAGE))
        await asyncio.sleep(0.05)
        os.kill(process.pid, signal.SIGKILL)
        assert (await task).problem == "the parser crashed"
        assert (await extractor.extract(PAGE)).ok


async def test_no_process_is_left() -> None:
    async with Extractor(2) as extractor:
        await asyncio.gather(extractor.extract(PAGE), extractor.extract(PAGE))
        pids = [worker._process.pid for worker in extractor._workers if worker._process]
    assert pids
    for pid in pids:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


async def test_keys_are_not_handed_to_the_parser(monkeypatch: pytest.MonkeyPatch) -> None:
    from conqret.scrapers.extract.worker_pool import _environment

    monkeypatch.setenv("BRAVE_API_KEY", "x")
    monkeypatch.setenv("SOME_SECRET", "x")
    assert {"BRAVE_API_KEY", "SOME_SECRET"}.isdisjoint(_environment())
    assert "PATH" in _environment()


TAGS = (
    "div p b table tr td ul li script style svg math template select option form a body html head title "
    "frameset plaintext xmp"
).split()
PIECES = st.one_of(
    st.sampled_from([f"<{tag}>" for tag in TAGS] + [f"</{tag}>" for tag in TAGS]),
    st.sampled_from(
        [
            "<",
            ">",
            "<!",
            "<!--",
            "-->",
            "<![CDATA[",
            "]]>",
            "<?",
            "&",
            "&#",
            "&#x110000;",
            "&#0;",
            "&lt;b&gt;",
            "\x00",
            "<p ",
            "='",
            '"',
            "<p style='",
            "display:none",
            "<style>.a{",
            "}",
            "<meta charset=utf-7>",
            "<base href=//x>",
        ]
    ),
    st.text(max_size=20),
    st.just(PROSE),
)
HTML = st.lists(PIECES, max_size=40).map("".join).map(lambda text: text.encode("utf-8", "surrogatepass"))


@st.composite
def damaged_pdf(draw: st.DrawFn) -> bytes:
    data = bytearray(pdf_file([[PROSE[:80]], [PROSE[80:160]]], "T"))
    for _ in range(draw(st.integers(0, 8))):
        place = draw(st.integers(0, len(data) - 1))
        cut = draw(st.integers(0, 30))
        data[place : place + cut] = draw(
            st.one_of(
                st.binary(max_size=20),
                st.sampled_from(
                    [b"1 0 R", b"/Kids [2 0 R]", b"<<", b">>", b"99999999999", b"/Parent 3 0 R", b"/Length 0"]
                ),
            )
        )
        if not data:
            break
    return b"%PDF-1.4\n" + bytes(data)


BODIES = st.one_of(
    HTML,
    damaged_pdf(),
    st.binary(max_size=300),
    st.binary(max_size=100).map(lambda tail: b"%PDF-1.7\n" + tail),
)
CLAIMS = st.sampled_from(
    ["", "text/html", "text/plain", "application/pdf", "application/xhtml+xml", "image/png"]
)


Pages = list[tuple[bytes, str, str]]


@pytest.fixture
def extract() -> Iterator[Callable[[Pages], list[Extraction]]]:
    """Two processes for all examples: each takes half a second to start."""
    extractor = Extractor(2, seconds=10.0)

    async def run(pages: Pages) -> list[Extraction]:
        async with asyncio.timeout(100):
            return list(await asyncio.gather(*(extractor.extract(*page) for page in pages)))

    with asyncio.Runner() as runner:
        runner.run(extractor.__aenter__())
        yield lambda pages: runner.run(run(pages))
        runner.run(extractor.__aexit__(None, None, None))


@settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    st.lists(
        st.tuples(BODIES, CLAIMS, st.sampled_from(["", "utf-8", "utf-16", "shift_jis", "x"])),
        min_size=20,
        max_size=40,
    )
)
def test_any_bytes_end_in_a_text_or_a_problem(
    extract: Callable[[Pages], list[Extraction]], cases: Pages
) -> None:
    for result in extract(cases):
        assert bool(result.text) is result.ok
        assert result.problem != "the parser crashed"
        assert "took more than" not in result.problem
        assert "<script" not in result.text.lower()
        assert all(char.isprintable() or char.isspace() for char in result.text)
