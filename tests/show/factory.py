"""Runs for the report's tests: items from the fixtures, judgments of several formats and every status, seeded.

Nothing here judges: the values are drawn, so that pages look like real ones.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from conqret.data import Call, Flag, Item, Judgment, Measure, Part, Reason, Status, Trace, Trim
from conqret.io import open_items
from conqret.judges.citation_support import pairs
from conqret.judging.dimensions import DIMENSIONS
from conqret.judging.judge_folder import JudgeFolder, JudgeRecord

DEMO = Path(__file__).resolve().parents[2] / "fixtures" / "demo" / "items.jsonl"
FORMATS = {
    "rag-fine-grained": (
        *("context_relevance", "predicted_precision", "answer_relevance", "groundedness"),
        *(dimension.name for dimension in DIMENSIONS),
    ),
    "rag-rubric": (
        *("context_relevance", "answer_relevance", "second.answer_relevance", "groundedness"),
        *("second.groundedness", "preference"),
    ),
    "g-eval": ("context_relevance", "groundedness", "preference"),
    "direct": ("context_relevance", "groundedness", "preference"),
    "citation-support": ("citation_precision", "citation_recall"),
}
SAYS = (
    "The figures agree with the sources; one of them is quoted for the wrong year.",
    "The point is made plainly and the reader is told where it comes from.",
)


@lru_cache(maxsize=1)
def items() -> tuple[Item, ...]:
    """An item for each stance of each topic of the fixtures, in the order of their names."""
    return tuple(open_items(DEMO))


def judge_all(given: Sequence[Item], name: str, *, faults: bool = True, samples: int = 1) -> list[Judgment]:
    """A judgment of every item; with ``faults`` every reason comes up in turn, and flags and trims."""
    rng = random.Random(f"7:{name}")
    reasons = list(Reason)
    rng.shuffle(reasons)
    judgments = []
    for index, item in enumerate(given):
        reason = reasons[index // 6 % len(reasons)] if faults and index % 6 == 4 else None
        judgments.append(judge(item, name, rng, reason, samples, faults=faults and index % 5 == 1))
    return judgments


def judge(
    item: Item, name: str, rng: random.Random, reason: Reason | None, samples: int, *, faults: bool
) -> Judgment:
    """One judgment; ``reason`` spoils its last metric, or all of them if no answer came."""
    metrics = FORMATS[name]
    measures = {metric: _measure(metric, item, name, rng, samples) for metric in metrics}
    failed = reason is not None and reason.status is Status.FAILED
    if reason is not None:
        lost = metrics if failed else metrics[-1:]
        measures |= dict.fromkeys(lost, Measure.missing(reason, "as the provider put it: code 42"))
    first = item.documents[0]
    flag = Flag(where=f"document:{first.id}", kind="override", excerpt=first.text[40:80])
    call = Call(
        key=f"{rng.getrandbits(128):032x}",
        ask=name,
        attempts=4 if failed else 1,
        prompt_tokens=None if failed else rng.randint(5200, 7400),
        completion_tokens=None if failed else rng.randint(500, 900),
        cost_usd=None if failed else 0.0012,
        seconds=rng.uniform(2, 9),
        finish_reason=None if failed else "stop",
        error="the server answered 503" if failed else "",
    )
    return Judgment(
        item=item.id,
        topic=item.topic,
        stance=item.stance,
        format=name,
        model="gpt-4o-mini",
        fingerprint="3f9c0a7be1d24586",
        measures=measures,
        flags=(flag,) if faults and item.stance == "con" else (),
        trims=(Trim(document=first.id, before=5310, after=2870),) if faults else (),
        trace=Trace(calls=(call,)),
    )


def _measure(metric: str, item: Item, name: str, rng: random.Random, samples: int) -> Measure:
    label = rng.choice(("first", "first", "second", "tie"))
    says, parts = rng.choice(SAYS), _parts(metric, item, name, rng)
    if metric == "preference":
        value = {"first": 1.0, "second": 0.0, "tie": 0.5}[label]
        return _scored(value, label=label, flipped=label == "tie", explanation=says, parts=parts)
    if parts:
        value = sum(part.value or 0 for part in parts) / len(parts)
        raws = [part.raw for part in parts if part.raw is not None]
        return _scored(value, raw=sum(raws) / len(raws) if raws else None, explanation=says, parts=parts)
    drawn = [min(max(round(rng.gauss(0.66, 0.22) * 5), 0), 5) / 5 for _ in range(samples)]
    value = sum(drawn) / len(drawn)
    many: dict[str, Any] = {"majority": max(drawn, key=drawn.count), "samples": (*drawn[:-1], None)}
    return _scored(
        value,
        raw=value * 5,
        explanation="" if name in {"direct", "g-eval"} else says,
        method=rng.choice(("logprobs", "rating")) if name == "g-eval" else None,
        **many if samples > 1 else {},
    )


def _scored(value: float, **fields: Any) -> Measure:
    return Measure(status=Status.SCORED, value=value, **fields)


def _parts(metric: str, item: Item, name: str, rng: random.Random) -> tuple[Part, ...]:
    if name == "rag-fine-grained" and metric == "context_relevance":
        ratings = [(document.id, rng.randint(0, 5)) for document in item.documents]
        return tuple(Part(id=n, value=r / 5, raw=r, explanation=rng.choice(SAYS)) for n, r in ratings)
    if name == "rag-rubric":
        nuggets = [(f"nugget {n} of the debate", rng.randint(1, 5)) for n in range(1, 21)]
        if metric == "preference":
            return tuple(Part(id=n, label=rng.choice(("first", "second", "tie"))) for n, _ in nuggets)
        return tuple(Part(id=n, value=(r - 1) / 4, raw=r) for n, r in nuggets)
    if metric == "citation_precision":
        labels = [(pair, rng.choice(("supports", "contradicts", "silent"))) for pair in pairs(item)]
        return tuple(
            Part(id=f"sentence {s}, document {d}", value=float(said == "supports"), label=said)
            for (s, d), said in labels
        )
    return ()


def make_run(
    folder: Path, given: Iterable[Item], judgments: Iterable[Judgment], **record: Any
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
        "items_count": written,
        "items_digest": "9a0364b9e99bb480dd25e1f0284c8555",
        "notes": [],
    }
    run.record_file.write_text(JudgeRecord(**{**fields, **record}).model_dump_json(), encoding="utf-8")
    return run
