"""The same items come back from every kind of file and frame, with the same digest."""

import contextlib
import csv
import gzip
import io
import json

import polars
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from conqret.data import Document, Item
from conqret.errors import ItemsError
from conqret.io import item_record, open_items

pandas = pytest.importorskip("pandas")

characters = st.characters(
    exclude_categories=["Cs"], exclude_characters="".join(map(chr, [*range(9), *range(14, 32), 127]))
)
texts = st.text(characters, min_size=1, max_size=40).filter(
    lambda text: text.strip() and any(c.isalnum() for c in text)
)
ids = st.text(st.characters(categories=["L", "N", "P"]), min_size=1, max_size=12)
documents = st.lists(
    st.builds(Document, id=ids, text=texts, title=st.text(characters, max_size=8), url=st.just("")),
    max_size=3,
    unique_by=lambda document: document.id,
)
metadata = st.dictionaries(ids, st.integers(-(2**40), 2**40) | texts | st.booleans(), max_size=2)
items = st.builds(
    Item,
    id=ids,
    topic=texts,
    stance=st.sampled_from(["pro", "con", "none"]),
    documents=documents.map(tuple),
    argument=st.none() | texts,
    second_argument=st.none() | texts,
    metadata=metadata,
)
files = st.lists(items, min_size=1, max_size=4, unique_by=lambda item: item.id)


def cells(record):
    packed = {key: json.dumps(record[key]) for key in ("documents", "metadata")}
    return {**record, **packed}


def as_csv(records):
    out = io.StringIO(newline="")
    writer = csv.DictWriter(out, fieldnames=list(records[0]))
    writer.writeheader()
    writer.writerows(map(cells, records))
    return out.getvalue().encode()


def as_parquet(records):
    out = io.BytesIO()
    polars.DataFrame(tabular(records), infer_schema_length=None).write_parquet(out)
    return out.getvalue()


def tabular(records):
    """Metadata differ in their keys, so a column of a table holds them as JSON."""
    return [{**record, "metadata": json.dumps(record["metadata"])} for record in records]


def as_lines(records):
    return "".join(json.dumps(record) + "\n" for record in records).encode()


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(expected=files)
def test_every_form_gives_the_same_items(expected, tmp_path):
    records = [item_record(item) for item in expected]
    digests = {open_items(expected).check().digest}
    forms = {
        "a.jsonl": as_lines(records),
        "b.jsonl.gz": gzip.compress(as_lines(records), 1),
        "c.json": json.dumps(records, ensure_ascii=False, indent=1).encode(),
        "d.csv": as_csv(records),
        "e.parquet": as_parquet(records),
    }
    sources = [polars.DataFrame(tabular(records), infer_schema_length=None), pandas.DataFrame(records)]
    for name, content in forms.items():
        (tmp_path / name).write_bytes(content)
        sources.append(tmp_path / name)
    for source in map(open_items, sources):
        assert list(source) == expected
        digests.add(source.check().digest)
    assert len(digests) == 1


@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    content=st.binary(max_size=200),
    name=st.sampled_from(["a.jsonl", "a.json", "a.csv", "a.parquet", "a.gz", "a"]),
)
def test_no_bytes_crash(content, name, tmp_path):
    path = tmp_path / name
    path.write_bytes(content)
    with contextlib.suppress(ItemsError):
        opened = open_items(path)
        assert opened.check().count == len(list(opened)) > 0
