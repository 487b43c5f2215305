"""A small corpus on disk, with sides."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

TOPICS = {"cats": "Should cats be kept indoors?", "trams": "Should cities build trams?"}
TEXTS = {
    "cats-pro-1": "We support keeping cats indoors: indoor cats live longer, and it protects wild birds from harm.",
    "cats-pro-2": "In favour of indoor cats. Keeping cats indoors is safe and beneficial for their health.",
    "cats-con-1": "I am against keeping cats indoors. Indoor cats suffer from stress, boredom and obesity.",
    "cats-con-2": "Cats should not be kept indoors; the confinement is cruel and causes harmful problems.",
    "trams-pro-1": "Cities should build trams. Trams improve access, are efficient and reduce pollution.",
    "trams-pro-2": "We support trams: cities that build them gain safe, clean and reliable transport.",
    "trams-con-1": "I oppose trams. Building trams burdens cities with excessive costs and years of disruption.",
    "trams-con-2": "Cities should not build trams, which are expensive, inflexible and dangerous for cyclists.",
    "bread": "Knead the dough, let it rest, and bake it for forty minutes.",
    "pokemon": "The caf\u00e9 sells Pok\u00e9mon cards; the owner\u2019s cards are rare.",
}


def write_corpus(
    folder: Path, texts: dict[str, str], topics: dict[str, str], titles: dict[str, str] | None = None
) -> Path:
    """Documents and topics, and qrels read off the ids (``TOPIC-SIDE-n``)."""
    (folder / "qrels").mkdir(parents=True, exist_ok=True)
    rows = [
        {"id": name, "title": (titles or {}).get(name, ""), "url": "", "text": text}
        for name, text in texts.items()
    ]
    (folder / "documents.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    (folder / "topics.jsonl").write_text(
        "".join(
            json.dumps({"id": name, "question": text, "split": "test"}) + "\n"
            for name, text in topics.items()
        ),
        encoding="utf-8",
    )
    for view in ("pro", "con", "all"):
        lines = [
            f"{topic} 0 {name} 1\n"
            for topic in topics
            for name in texts
            if name.startswith(topic + "-") and (view == "all" or f"-{view}-" in name)
        ]
        (folder / "qrels" / f"{view}.test.qrels").write_text("".join(lines), encoding="utf-8")
        (folder / "qrels" / f"{view}.train.qrels").write_text("", encoding="utf-8")
    return folder


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    return write_corpus(tmp_path / "corpus", TEXTS, TOPICS)
