"""What the benchmarks share: data sets, files, tables in Markdown, the interval of a correlation."""

from __future__ import annotations

import argparse
import csv
import gzip
import io
import json
import os
import sys
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from conqret.data import Item
from conqret.stats.estimate import Estimate
from conqret.stats.resampling import leave_one_out

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))
DEMO = ROOT / "fixtures" / "demo" / "items.jsonl"


def arguments(doc: str | None) -> argparse.ArgumentParser:
    """Return a parser of a benchmark's arguments, which shows what the benchmark says of itself."""
    return argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)


def data(*names: str) -> Path:
    """Return the folder that CONQRET_DATA names, which holds these data sets.

    Raises:
        SystemExit: CONQRET_DATA names no folder with all of them.
    """
    if not has_data(*names):
        sys.exit("set CONQRET_DATA to the folder that holds the data sets")
    return Path(os.environ["CONQRET_DATA"]).expanduser()


def has_data(*names: str) -> bool:
    """Return whether CONQRET_DATA names a folder with all of these data sets; print that they are left out if not."""
    root = os.environ.get("CONQRET_DATA")
    there = root is not None and all((Path(root).expanduser() / name).exists() for name in names)
    if not there:
        print(f"skipped: CONQRET_DATA names no folder with {' and '.join(names)}", file=sys.stderr)
    return there


def csv_rows(path: Path, **options: Any) -> list[dict[str, str]]:
    """Return the rows of a CSV file, which may be gzipped."""
    csv.field_size_limit(sys.maxsize)
    content = path.read_bytes()
    text = (gzip.decompress(content) if path.suffix == ".gz" else content).decode("utf-8")
    return list(csv.DictReader(io.StringIO(text, newline=""), **options))


def json_rows(path: Path) -> list[Any]:
    """Return the rows of a file of JSON Lines, which may be gzipped."""
    text = path.read_bytes()
    lines = gzip.decompress(text) if path.suffix == ".gz" else text
    return [json.loads(line) for line in lines.decode("utf-8").splitlines()]


def write_rows(path: Path, rows: Iterable[Any]) -> None:
    """Write items or other rows as JSON Lines."""
    path.parent.mkdir(parents=True, exist_ok=True)
    plain = (
        row.model_dump(mode="json", exclude_defaults=True) if isinstance(row, Item) else row for row in rows
    )
    lines = (f"{json.dumps(row, ensure_ascii=False)}\n" for row in plain)
    path.write_text("".join(lines), encoding="utf-8")


def put_tables(page: Path | None, tables: str) -> None:
    """Replace what stands under the heading Tables on a page, its last; without a page print the tables."""
    if page is None:
        print(tables)
        return
    heading = "## Tables\n"
    before = page.read_text("utf-8").partition(heading)[0]
    page.write_text(f"{before}{heading}\n{tables.rstrip()}\n", encoding="utf-8")


def table(heads: Sequence[object], rows: Iterable[Sequence[object]]) -> Iterator[str]:
    """Yield the lines of a table in Markdown, with an empty one at the end."""
    yield f"| {' | '.join(map(str, heads))} |"
    yield f"| --- |{' ---: |' * (len(heads) - 1)}"
    for row in rows:
        yield f"| {' | '.join(map(str, row))} |"
    yield ""


def print_table(heads: Sequence[object], rows: Iterable[Sequence[object]]) -> None:
    """Print a table in Markdown, row by row as they come."""
    for line in table(heads, rows):
        print(line, flush=True)


def interval(statistic: Callable[[NDArray[np.intp]], float], clusters: Sequence[Hashable]) -> Estimate:
    """Return a correlation of all rows with its 95% interval over the clusters of rows.

    Args:
        statistic: The correlation of rows by their places.
        clusters: The cluster of each row; whole clusters are left out one after another.
    """
    left_out = leave_one_out(clusters)

    def values(weights: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.array([statistic(np.flatnonzero(row[left_out.cluster])) for row in weights])

    return left_out.sampled(values, len(clusters), scale="correlation").estimate()


def long_items(path: Path, count: int, *, documents: int = 10, words: int = 300) -> list[Mapping[str, Any]]:
    """Write items of the demo set, each with ten documents that are cut or filled to about 300 words."""
    demo = json_rows(DEMO)
    items = []
    for number in range(count):
        item = demo[number % len(demo)]
        texts = [document["text"].split(" ") for document in item["documents"][:documents]]
        filled = [" ".join((text * (words // len(text) + 1))[:words]) for text in texts]
        own = [document | {"text": text} for document, text in zip(item["documents"], filled, strict=False)]
        named = {"id": f"item-{number}", "topic": f"{item['topic']} ({number})", "documents": own}
        items.append(item | named)
    write_rows(path, items)
    return items
