"""Items of ten documents of some 300 words, for what is timed (``overhead.py``, ``peers.py``)."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DOCUMENTS, WORDS = 10, 300


def write_items(path: Path, count: int) -> None:
    """``count`` items from the demo set: ten documents each, cut or filled to about 300 words."""
    demo = [json.loads(line) for line in (ROOT / "fixtures/demo/items.jsonl").open(encoding="utf-8")]
    with path.open("w", encoding="utf-8") as file:
        for number, item in zip(range(count), itertools.cycle(demo), strict=False):
            documents = [
                document
                | {"text": " ".join(itertools.islice(itertools.cycle(document["text"].split(" ")), WORDS))}
                for document in item["documents"][:DOCUMENTS]
            ]
            row = item | {
                "id": f"item-{number}",
                "topic": f"{item['topic']} ({number})",
                "documents": documents,
            }
            file.write(json.dumps(row, ensure_ascii=False) + "\n")
