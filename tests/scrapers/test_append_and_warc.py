"""Files that grow while fetching, and what a kill at any byte leaves of them."""

import json
from pathlib import Path

from warcio.archiveiterator import ArchiveIterator

from conqret.scrapers.warc import INDEX_NAME, WARC_NAME, WarcWriter
from conqret.scrapers.wire import FetchedResponse, FetchError, FetchStatus


def some_reply(url: str, body: bytes = b"hello") -> FetchedResponse:
    return FetchedResponse(url, 200, "OK", (("Content-Type", "text/html; charset=utf-8"),), body)


async def write(corpus: Path, *replies: FetchedResponse) -> None:
    writer = WarcWriter(corpus, "test")
    for reply in replies:
        await writer.write(reply)
    writer.close()


async def test_the_file_is_warc_that_others_read(tmp_path: Path) -> None:
    cut = FetchedResponse(
        "http://a.test/big", 200, "OK", (), b"start of", fault=FetchError(FetchStatus.TOO_LARGE, "x")
    )
    await write(tmp_path, some_reply("http://a.test/x"), cut)
    await write(tmp_path, some_reply("http://a.test/y"))
    with (tmp_path / WARC_NAME).open("rb") as file:
        names = ("WARC-Target-URI", "WARC-Truncated")
        records = [
            (r.rec_type, *map(r.rec_headers.get_header, names), r.content_stream().read())
            for r in ArchiveIterator(file, check_digests="raise")
        ]
    assert [record[:3] for record in records] == [
        ("warcinfo", None, None),
        ("response", "http://a.test/x", None),
        ("response", "http://a.test/big", "length"),
        ("response", "http://a.test/y", None),
    ]
    assert [record[3] for record in records[1:]] == [b"hello", b"start of", b"hello"]


async def test_a_kill_at_any_byte_loses_only_what_was_being_written(tmp_path: Path) -> None:
    first = tmp_path / "first"
    first.mkdir()
    await write(first, some_reply("http://a.test/1", b"one"), some_reply("http://a.test/2", b"two"))
    warc, index = (first / WARC_NAME).read_bytes(), (first / INDEX_NAME).read_bytes()
    length = json.loads(index.splitlines()[-1])["length"]
    for lost in (1, length // 2, length):
        killed = tmp_path / f"killed{lost}"
        killed.mkdir()
        (killed / WARC_NAME).write_bytes(warc[:-lost])
        (killed / INDEX_NAME).write_bytes(
            index.splitlines(keepends=True)[0] + index[-5:-3]
        )  # and a torn line
        await write(killed, some_reply("http://a.test/3", b"three"))
        with (killed / WARC_NAME).open("rb") as file:
            kept = [
                r.rec_headers.get_header("WARC-Target-URI")
                for r in ArchiveIterator(file)
                if r.rec_type == "response"
            ]
        assert kept == ["http://a.test/1", "http://a.test/3"]
