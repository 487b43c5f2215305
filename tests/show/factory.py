"""Runs for the report's tests: items from the fixtures, judgments of every format and every status, seeded.

Nothing here judges: the values are drawn around the fixtures' own labels, so that pages look like real ones.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from conqret.data import Call, Document, Flag, Item, Judgment, Measure, Part, Reason, Status, Trace, Trim
from conqret.judging.dimensions import DIMENSIONS
from conqret.judging.judge_folder import JudgeFolder, JudgeRecord

TOPICS = Path(__file__).resolve().parents[2] / "fixtures" / "topics"
FORMATS = {
    "rag-fine-grained": ("context_relevance", "predicted_precision", "answer_relevance", "groundedness"),
    "rag-direct": (
        *(
            f"{prefix}{name}"
            for name in ("context_relevance", "answer_relevance", "groundedness")
            for prefix in ("", "second.")
        ),
        "preference",
    ),
    "rag-rubric": (
        "context_relevance",
        "answer_relevance",
        "second.answer_relevance",
        "groundedness",
        "second.groundedness",
        "preference",
    ),
    "g-eval": ("context_relevance", "groundedness", "preference"),
    "direct": ("context_relevance", "groundedness", "preference"),
    "listwise": (),
    "citation-support": ("citation_precision", "citation_recall"),
}
QUALITY = {"rag-fine-grained", "listwise"}
SAYS = (
    "Most of what is said bears on the question, though two passages repeat each other.",
    "The figures agree with the sources; one of them is quoted for the wrong year.",
    "The point is made plainly and the reader is told where it comes from.",
    "Reports a study with its numbers, which an argument on this side can use.",
    "Names the question only in passing; the rest concerns something else.",
)


@lru_cache(maxsize=1)
def items() -> tuple[Item, ...]:
    """An item for each stance of each topic of the fixtures, in the order of their names."""
    return tuple(
        _item(json.loads(file.read_text(encoding="utf-8")), stance)
        for file in sorted(TOPICS.glob("*.json"))
        for stance in ("pro", "con")
    )


def _item(topic: dict[str, Any], stance: str) -> Item:
    numbers = {document["id"]: n for n, document in enumerate(topic["documents"], start=1)}

    def text(argument: dict[str, Any]) -> str:
        return " ".join(
            sentence["text"] + "".join(f" [{numbers[name]}]" for name in sentence["cites"])
            for sentence in argument["sentences"]
        )

    fields = ("id", "text", "title", "url")
    return Item(
        id=f"{topic['slug']}-{stance}",
        topic=topic["question"],
        stance=stance,  # type: ignore[arg-type]
        documents=tuple(Document(**{k: d[k] for k in fields}) for d in topic["documents"]),
        argument=text(topic["arguments"][stance]),
        second_argument=text(topic["second_arguments"][stance]),
        metadata={"source": "fixtures"},
    )


def judge_all(
    given: Sequence[Item], name: str, *, seed: int = 7, faults: bool = True, samples: int = 1
) -> list[Judgment]:
    """A judgment of every item; with ``faults`` every reason comes up in turn, and flags and trims."""
    rng = random.Random(f"{seed}:{name}")
    reasons = list(Reason)
    rng.shuffle(reasons)
    judgments = []
    for index, item in enumerate(given):
        reason = reasons[index // 6 % len(reasons)] if faults and index % 6 == 4 else None
        judgments.append(
            judge(item, name, rng, reason=reason, samples=samples, faults=faults and index % 5 == 1)
        )
    return judgments


def judge(
    item: Item,
    name: str,
    rng: random.Random,
    *,
    reason: Reason | None = None,
    samples: int = 1,
    faults: bool = False,
) -> Judgment:
    """One judgment; ``reason`` spoils its last metric, or all of them if no answer came."""
    metrics = [*FORMATS[name], *(d.name for d in DIMENSIONS if name in QUALITY)]
    measures = {metric: _measure(metric, item, name, rng, samples) for metric in metrics}
    if reason is not None:
        lost = metrics if reason.status is Status.FAILED else metrics[-1:]
        measures |= dict.fromkeys(lost, Measure.missing(reason, "as the provider put it: code 42"))
    failed = reason is not None and reason.status is Status.FAILED
    injected = [d for d in item.documents if "evaluat" in d.text.lower() and "instruction" in d.text.lower()]
    flags = [Flag(where=f"document:{d.id}", kind="override", excerpt=_excerpt(d.text)) for d in injected[:1]]
    return Judgment(
        item=item.id,
        topic=item.topic,
        stance=item.stance,
        format=name,
        model="gpt-4o-mini",
        fingerprint="3f9c0a7be1d24586",
        measures=measures,
        flags=tuple(flags) if faults else (),
        trims=(Trim(document=item.documents[0].id, before=5310, after=2870),)
        if faults and item.documents
        else (),
        trace=Trace(calls=(_call(name, rng, failed),)),
    )


def _excerpt(text: str) -> str:
    start = text.lower().index("instruction")
    return " ".join(text[max(0, start - 60) : start + 60].split()[1:-1])


def _call(name: str, rng: random.Random, failed: bool) -> Call:
    tokens = rng.randint(5200, 7400)
    return Call(
        key=f"{rng.getrandbits(128):032x}",
        ask=name,
        attempts=4 if failed else 1,
        prompt_tokens=None if failed else tokens,
        completion_tokens=None if failed else rng.randint(500, 900),
        cached_tokens=None if failed else 1024,
        cost_usd=None if failed else tokens * 1.9e-7,
        seconds=rng.uniform(2, 9),
        finish_reason=None if failed else "stop",
        recorded=rng.random() < 0.2,
        error="the server answered 503" if failed else "",
    )


def _measure(metric: str, item: Item, name: str, rng: random.Random, samples: int) -> Measure:
    if metric == "preference":
        return _preference(name, rng)
    if metric.startswith("citation"):
        return _citations(metric, item, rng)
    parts = _parts(metric, item, name, rng)
    if parts:
        value = sum(part.value or 0 for part in parts) / len(parts)
        raws = [part.raw for part in parts if part.raw is not None]
        return _scored(
            value, raw=sum(raws) / len(raws) if raws else None, explanation=rng.choice(SAYS), parts=parts
        )
    steps = 2 if name == "listwise" else 4 if name in {"g-eval", "rag-direct"} else 5
    drawn = [min(max(round(rng.gauss(0.66, 0.22) * steps), 0), steps) / steps for _ in range(max(samples, 1))]
    value = sum(drawn) / len(drawn)
    return _scored(
        value,
        raw=value * steps + (0 if steps == 5 else 1),
        explanation="" if name in {"direct", "g-eval"} else rng.choice(SAYS),
        method=rng.choice(("logprobs", "rating")) if name == "g-eval" else None,
        majority=max(drawn, key=drawn.count) if samples > 1 else None,
        samples=(*drawn[:-1], None) if samples > 1 else (),
    )


def _scored(value: float, **fields: Any) -> Measure:
    return Measure(status=Status.SCORED, value=value, **fields)


def _preference(name: str, rng: random.Random) -> Measure:
    label = rng.choice(("first", "first", "second", "tie"))
    flipped = label == "tie" and rng.random() < 0.7
    parts = tuple(
        Part(id=f"nugget {n} of the debate", label=rng.choice(("first", "second", "tie")))
        for n in range(1, 21)
    )
    return _scored(
        {"first": 1.0, "second": 0.0, "tie": 0.5}[label],
        label=label,
        flipped=flipped,
        explanation=rng.choice(SAYS),
        parts=parts if name.endswith("-rubric") else (),
    )


def _parts(metric: str, item: Item, name: str, rng: random.Random) -> tuple[Part, ...]:
    if name == "rag-fine-grained" and metric == "context_relevance":
        ratings = [min(max(round(rng.gauss(3.4 - 0.16 * n, 1.3)), 0), 5) for n in range(len(item.documents))]
        return tuple(
            Part(id=d.id, value=r / 5, raw=r, explanation=rng.choice(SAYS))
            for d, r in zip(item.documents, ratings, strict=True)
        )
    if name == "rag-rubric":
        return tuple(
            Part(id=f"nugget {n} of the debate", value=(r - 1) / 4, raw=r)
            for n in range(1, 21)
            for r in [rng.randint(1, 5)]
        )
    return ()


def _citations(metric: str, item: Item, rng: random.Random) -> Measure:
    from conqret.judges.citation_support import pairs

    labels = ("supports", "supports", "contradicts", "silent")
    parts = tuple(
        Part(
            id=f"sentence {s}, document {d}",
            value=float(label == "supports"),
            label=label,
            explanation=rng.choice(SAYS),
        )
        for s, d in pairs(item)
        for label in [rng.choice(labels)]
    )
    value = sum(part.value or 0 for part in parts) / max(len(parts), 1)
    return _scored(value, parts=parts if metric == "citation_precision" else ())


def make_run(
    folder: Path,
    given: Iterable[Item],
    judgments: Iterable[Judgment],
    *,
    total: int | None = None,
    **record: Any,
) -> JudgeFolder:
    """A run directory with these items and judgments, written as the pipeline writes it."""
    folder.mkdir(parents=True, exist_ok=True)
    run = JudgeFolder(folder)
    written = 0
    with run.items_file.open("w", encoding="utf-8") as lines:
        for item in given:
            lines.write(item.model_dump_json() + "\n")
            written += 1
    first: Judgment | None = None
    with run.judgments_file.open("w", encoding="utf-8") as lines:
        for judgment in judgments:
            first = first or judgment
            lines.write(judgment.model_dump_json() + "\n")
    name = first.format if first else "rag-fine-grained"
    fields: dict[str, Any] = {
        "conqret": "0.1.0",
        "created": "2026-11-20T12:40:00+00:00",
        "format": name,
        "model": first.model if first else "offline",
        "baseline": False,
        "fingerprint": first.fingerprint if first else "",
        "metrics": list(first.measures) if first else [],
        "options": {"samples": 1, "order": "given", "seed": 13, "relevant_from": 3, "metrics": []},
        "model_options": {"temperature": 0.0},
        "identity": {f"prompt {name}": "b1946ac92492d234"},
        "items_name": "items.jsonl",
        "items_layout": "conqret",
        "items_count": written if total is None else total,
        "items_digest": "9a0364b9e99bb480dd25e1f0284c8555",
        "notes": [],
    }
    run.record_file.write_text(JudgeRecord(**{**fields, **record}).model_dump_json(), encoding="utf-8")
    return run
