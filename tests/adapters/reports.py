"""Three systems' reports on three requests, for the tests of pipelines."""

from __future__ import annotations

from pathlib import Path
from typing import Any

TOPICS = {"leaf": "Why do leaves fall?", "rain": "Where does rain come from?", "bee": "How is honey made?"}
REQUESTS = [{"request_id": name, "title": title} for name, title in TOPICS.items()]
SAID = {
    "alpha": ["{about} has a cause that is well known.", "Many books tell of it."],
    "beta": [
        "{about} is told in many books, and here is much more of it, at length.",
        "So it goes on.",
        "And on.",
    ],
    "gamma": ["Nobody knows."],
}


def report(system: str, topic: str) -> dict[str, Any]:
    """What a system says of a topic: its first sentence cites both documents, the others none."""
    texts = [one.format(about=TOPICS[topic][:-1]) for one in SAID[system]]
    documents = {
        f"{topic}-{number}": {"id": f"{topic}-{number}", "text": text, "title": topic}
        for number, text in enumerate(
            (f"{TOPICS[topic][:-1]}: a cause is known.", "Something else."), start=1
        )
    }
    sentences = [
        {"text": text, "citations": [] if place else list(documents)} for place, text in enumerate(texts)
    ]
    metadata = {"team_id": system[0], "run_id": system, "topic_id": topic}
    return {"metadata": metadata, "responses": sentences, "documents": documents}


def reports() -> list[dict[str, Any]]:
    """All nine, by system."""
    return [report(system, topic) for system in SAID for topic in TOPICS]


def stop_words(folder: Path) -> Path:
    """A folder for NLTK's data with the English stop words that AutoJudge wants when it is imported, and would load
    from the network."""
    words = folder / "nltk" / "corpora" / "stopwords" / "english"
    words.parent.mkdir(parents=True)
    words.write_text("the\na\nof\n", encoding="utf-8")
    return folder / "nltk"
