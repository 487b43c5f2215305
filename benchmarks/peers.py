"""conqret beside ragas and DeepEval, on one server, with the same items.

Each is asked for what it has that is nearest to groundedness and to the relevance of an answer, in an environment of
its own (``side_by_side/libraries.txt`` has the releases, ``side_by_side/with_NAME.py`` what is asked for). The server
answers at once what each wants to read; with faults, a fifth of the questions gets a 429, a 500, no JSON, half an
answer, a broken connection or none at all.

    python benchmarks/peers.py --kept peers.jsonl                        # half an hour on two cores
    python benchmarks/peers.py --kept peers.jsonl --only ragas,conqret   # these alone, beside what is kept
    python benchmarks/peers.py --kept peers.jsonl --only ''              # the tables of what is kept
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from harness import arguments, json_rows, long_items, write_rows
from side_by_side.environments import default_folder, libraries, python_of, version_of
from side_by_side.page import tables
from side_by_side.trials import Trial, alone, killed


def main() -> None:
    names = list(libraries())
    parser = arguments(__doc__)
    parser.add_argument("--environments", type=Path, default=default_folder(), help="where they are made")
    parser.add_argument("--kept", type=Path, required=True, help="the runs, a line each; more are added")
    parser.add_argument("--only", default=",".join(names), help="some of them, with commas between")
    parser.add_argument("--rounds", type=int, default=3, help="of plain runs, each library in turn")
    parser.add_argument("--items", type=int, default=40, help="of plain and killed runs")
    parser.add_argument("--faulty", type=int, default=200, help="items of runs with faults")
    options = parser.parse_args()
    chosen = [name for name in options.only.split(",") if name]
    if unknown := set(chosen) - set(names):
        parser.error(f"there is no library {', '.join(sorted(unknown))}; there are {', '.join(names)}")
    if chosen:
        run(options, chosen)
    print(tables([Trial(**row) for row in json_rows(options.kept)], names))


def run(options: argparse.Namespace, chosen: list[str]) -> None:
    """Install what is missing, and make the runs, each kept as it is done."""
    pythons = {}
    with options.kept.open("a", encoding="utf-8") as file, tempfile.TemporaryDirectory() as folder:

        def keep(trial: Trial) -> None:
            trial.version = trial.version or version_of(trial.library, pythons[trial.library])
            file.write(trial.line() + "\n")
            file.flush()
            result = trial.fault or f"{trial.seconds:.1f} s, {trial.cpu:.1f} s of CPU, {trial.counts}"
            print(f"{trial.library}, {trial.kind}: {result}", file=sys.stderr)

        for name in chosen:
            try:
                pythons[name] = python_of(name, options.environments)
            except RuntimeError as error:
                keep(Trial(name, "installed", fault=str(error), version=" ".join(libraries()[name])))
        one, few, many = (Path(folder) / f"{size}.jsonl" for size in ("one", "few", "many"))
        write_distinct(one, 1)
        write_distinct(few, options.items)
        write_distinct(many, options.faulty)
        calls: dict[str, list[int]] = {name: [] for name in pythons}
        for turn in range(options.rounds):
            order = list(pythons)[turn % len(pythons) :] + list(pythons)[: turn % len(pythons)]
            for name in order:
                keep(alone(name, pythons[name], one, "one"))
                trial = alone(name, pythons[name], few, "plain")
                calls[name].append(trial.counts["calls"])
                keep(trial)
        for name, python in pythons.items():
            keep(killed(name, python, few, int(statistics.median(calls[name]))))
            keep(alone(name, python, many, "faults"))


def write_distinct(path: Path, count: int) -> None:
    """Items of ten documents, no argument and no first document twice: a cache has nothing to spare in one run."""
    rows = long_items(path, count)
    for number, row in enumerate(rows):
        row["argument"] += f" That is argument {number}."
        row["documents"][0]["text"] += f" (page {number})"
    write_rows(path, rows)


if __name__ == "__main__":
    main()
