"""Whatever bytes a server sends, a fetch ends in time with a word of the ledger."""

import asyncio
import contextlib
import gzip
import zlib

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from conqret.scrapers.fetch import (
    Fetcher,
    FetchError,
    FetchOptions,
    FetchStatus,
    Limits,
    Page,
    Policy,
    Retries,
)
from conqret.scrapers.fetch.wire import checked_url
from tests.scrapers.raw_server import RawServer

LIMITS = Limits(max_bytes=200_000, total_seconds=1.0, connect_seconds=1.0, read_seconds=0.3)
OPTIONS = FetchOptions(
    delay=0.0,
    per_host=64,
    concurrency=64,
    robots=False,
    retries=Retries(1, 0.0),
    policy=Policy(allow_private=True),
    limits=LIMITS,
)
HEADERS = [
    b"Content-Length: 5",
    b"Content-Length: 5000",
    b"Content-Length: 0",
    b"Content-Length: x",
    b"Content-Encoding: gzip",
    b"Content-Encoding: deflate",
    b"Transfer-Encoding: chunked",
    b"Transfer-Encoding: gzip",
    b"Location: /",
    b"Location: //",
    b"Location: http://[",
    b"Location: \xff",
    b"Content-Type: text/html; charset=\xff",
    b"Content-Type: ;;;",
    b"Connection: close",
    b"Retry-After: 0",
    b"Retry-After: Mon, 99 Foo",
    b"X: \x01",
    b": empty",
    b"Upgrade: h2c",
    b"Trailer: x",
]
BODIES = st.one_of(
    st.binary(max_size=300),
    st.binary(max_size=300).map(gzip.compress),
    st.binary(max_size=300).map(zlib.compress),
    st.binary(max_size=300).map(lambda body: gzip.compress(body)[:-5]),
    st.just(gzip.compress(bytes(2_000_000))),
    st.binary(max_size=50).map(lambda body: b"%x\r\n%s\r\n0\r\n\r\n" % (len(body), body)),
    st.binary(max_size=50).map(lambda body: b"%x\r\n%s" % (len(body) + 3, body)),
)
STATUS_LINES = st.one_of(
    st.sampled_from(
        [
            b"HTTP/1.1 200 OK",
            b"HTTP/1.0 200 OK",
            b"HTTP/1.1 200",
            b"HTTP/2 200",
            b"ICY 200 OK",
            b"HTTP/1.1 204 x",
            b"HTTP/1.1 302 x",
            b"HTTP/1.1 304 x",
            b"HTTP/1.1 103 x",
            b"HTTP/1.1 503 x",
            b"HTTP/1.1 000 x",
        ]
    ),
    st.binary(max_size=40),
)
ANSWERS = st.one_of(
    st.binary(max_size=400),
    st.builds(
        lambda line, headers, body: b"\r\n".join([line, *headers, b"", body]),
        STATUS_LINES,
        st.lists(st.sampled_from(HEADERS), max_size=4),
        BODIES,
    ),
)


async def fetch_all(answers: list[bytes]) -> list[Page]:
    def once(answer: bytes):  # type: ignore[no-untyped-def]
        async def send(writer: asyncio.StreamWriter) -> None:
            writer.write(answer)
            await writer.drain()

        return send

    routes = {f"/{n}": once(answer) for n, answer in enumerate(answers)}
    async with RawServer(routes) as server, Fetcher(OPTIONS) as client:
        async with asyncio.timeout(20):
            return list(await asyncio.gather(*(client.fetch(server.url(path)) for path in routes)))


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(ANSWERS, min_size=20, max_size=40))
def test_any_bytes_end_in_a_word(answers: list[bytes]) -> None:
    for page in asyncio.run(fetch_all(answers)):
        assert isinstance(page.status, FetchStatus)
        assert page.ok or page.detail
        assert len(page.body) <= LIMITS.max_bytes


@given(st.text(max_size=80))
def test_any_text_is_a_url_or_refused(text: str) -> None:
    for candidate in (text, f"http://{text}", f"http://{text}/", f"http://a.test/{text}"):
        url = None
        with contextlib.suppress(FetchError):
            url = checked_url(candidate, Policy())
        if url is not None:
            assert url.scheme in ("http", "https")
            assert url.user is None
            assert url.port in (80, 443)
            assert str(checked_url(str(url), Policy())) == str(url)
