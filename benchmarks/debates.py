"""DEBATunE's Table 1 on the published statements, beside the printed figures: controversy controllability (right half),
and with ``--quality`` response quality against DEBATunE 7B (left half).

    CONQRET_DATA=… python benchmarks/debates.py --per-model 60 -o statements.jsonl

draws statements of each of the models that are there, balanced over the sides and over different topics where it can,
and writes them for a model to be asked::

    conqret debate score statements.jsonl --model gpt-4o-mini -o runs/debatune
    CONQRET_DATA=… python benchmarks/debates.py --per-model 60 --model gpt-4o-mini --replay runs/debatune

The second prints the scores beside Table 1's. For response quality it is ``conqret debate score --against SYSTEM``,
with ``--quality`` in both calls here; ``--per-model 160`` is then one instruction of each topic and side, as many as
the paper has. Without ``--model`` it is the offline baseline; ``--per-model 480`` takes every statement.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import random
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from rich.console import Console

from conqret import judge
from conqret.debate.debatune.debate_files import read_statements
from conqret.debate.debatune.statement_scores import (
    CONTROLLABILITY,
    GOOD_FROM,
    RESPONSE_QUALITY,
    Controllability,
    controllability_by_system,
    controllability_table,
    pair,
    quality,
    quality_table,
)
from conqret.show.table import Table

FILES = {
    "DEBATunE 7B": "statements_DEBATunE_7b.jsonl.gz",
    "Vicuna 7B v1.5": "statements_vicuna_7b_15.jsonl.gz",
    "LLaMA2 Chat 7B": "statements_Llama_2_7b_chat.jsonl.gz",
}
PRINTED = {
    "DEBATunE 7B": (0.958, 0.979, 0.969),
    "Vicuna 7B v1.5": (0.900, 0.796, 0.848),
    "LLaMA2 Chat 7B": (0.196, 0.429, 0.313),
}
"""Positive, negative and overall by GPT-4 on all 480 statements (DEBATunE, Table 1)."""
WIN_SCORES = {"Vicuna 7B v1.5": 0.19, "LLaMA2 Chat 7B": 0.12}
"""Against DEBATunE 7B by GPT-4 on 160 instructions (DEBATunE, Table 1)."""
PER_MODEL = 60
SEED = 13
SIDES = ("affirmative", "negative")


def drawn(rows: Sequence[Mapping[str, str]], count: int, seed: int) -> list[Mapping[str, str]]:
    """``count`` statements, half of each side, in an order that ``seed`` draws: first one of each topic, then a second
    one, and so on."""
    found: list[Mapping[str, str]] = []
    for side in SIDES:
        rng = random.Random(f"{seed} {side}")
        own = [row for row in rows if row["side"] == side]
        rng.shuffle(own)
        rank, before = {}, dict[str, int]()
        for row in own:
            before[row["topic"]] = before.get(row["topic"], -1) + 1
            rank[id(row)] = before[row["topic"]]
        found += sorted(own, key=lambda row: rank[id(row)])[: count // len(SIDES)]
    return found


def statements(data: Path, count: int, seed: int) -> Iterator[Mapping[str, str]]:
    """The drawn statements of every model, each with an id of its own."""
    for system, file in FILES.items():
        with gzip.open(data / "debatune" / file, "rt", encoding="utf-8") as lines:
            rows = [
                {**json.loads(line), "system": system, "id": f"{system} {n}"}
                for n, line in enumerate(lines, 1)
            ]
        yield from drawn(rows, count, seed)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument(
        "--per-model", type=int, default=PER_MODEL, help="statements of each model, an even number"
    )
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("-o", "--output", type=Path, help="where to write the statements (.jsonl)")
    parser.add_argument("--model", default="offline")
    parser.add_argument("--replay", type=Path, help="the run or recordings that hold the model's answers")
    parser.add_argument("--quality", action="store_true", help="response quality instead of controllability")
    parser.add_argument("--good-from", type=int, default=GOOD_FROM)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="conqret-bench-") as folder:
        output = args.output or Path(folder) / "statements.jsonl"
        with output.open("w", encoding="utf-8") as file:
            for row in statements(Path(os.environ["CONQRET_DATA"]), args.per_model, args.seed):
                file.write(json.dumps(row, ensure_ascii=False) + "\n")
        items = read_statements([output])
        console = Console()
        if args.quality:
            pairs = pair(items)
            wins = quality(pairs, judge(pairs, format=RESPONSE_QUALITY, model=args.model, replay=args.replay))
            console.print(quality_table(wins, "DEBATunE 7B"))
            scores = [(win.system, WIN_SCORES[win.system], win.score.value) for win in wins]
            console.print(
                Table(f"{args.model} beside Table 1 (GPT-4)", ("system", "printed", "here"), scores)
            )
            return
        judged = judge(items, format=CONTROLLABILITY, model=args.model, replay=args.replay)
        found = controllability_by_system(items, judged, good_from=args.good_from)
    console.print(controllability_table(found, args.good_from))
    console.print(
        Table(
            f"{args.model} beside Table 1 (GPT-4)",
            ("system", "positive, printed", "here", "negative, printed", "here", "overall, printed", "here"),
            [(one.system, *beside(one)) for one in found],
        )
    )


def beside(one: Controllability) -> Iterator[float | None]:
    """Each printed figure, and the one that is found here."""
    for printed, own in zip(PRINTED[one.system], (one.positive, one.negative, one.overall), strict=True):
        yield from (printed, own.value)


if __name__ == "__main__":
    main()
