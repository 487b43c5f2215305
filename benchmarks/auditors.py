"""What finds a first place that wins 60%, and what raises an alarm at nothing: conqret and seven other libraries.

    python benchmarks/auditors.py --kept auditors.jsonl                            # all: 25 minutes of one core
    python benchmarks/auditors.py --kept auditors.jsonl --only 'conqret;judgecal'  # these alone; what is kept stays
    python benchmarks/auditors.py --kept auditors.jsonl --only '' --page docs/results/auditors.md

Each gets the same simulated judges (simulated_pairs.py), by the same seeds. Of conqret everything behind the judgments
is what the command does: comparisons, primary rows, tests. The others are installed each in an environment of its own
(``audited/libraries.txt`` has the releases) and asked as they say they are to be asked (``audited/with_NAME.py``).
Every answer is kept as it comes; the same command goes on.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).parent))
from audited.page import FILE, NOT_ASKED, RATE, Z_TEST, Cell, LibraryAnswer, Tables, cells_of
from side_by_side.environments import default_folder, libraries, python_of, version_of
from simulated_pairs import NOTHING, SimulatedJudge

from conqret import __version__
from conqret.data import Judgment, Measure
from conqret.studies.bias.bias_run import BiasPlan
from conqret.studies.bias.contrast import ONE_ORDER, Key
from conqret.studies.bias.probes.position import SWAPPED
from conqret.studies.bias.result import bias_rows
from conqret.studies.power.bias_power import pairs_plan

Z = 1.959964
"""Beyond which a standard normal value lies in 5% of cases."""
PROBES = ("position", "length", "authority", "injection")
"""What can be asked of pairs without documents and labels."""
DESIGNS = {"position": PROBES[:1], "position and length": PROBES[:2], "four probes": PROBES}
"""The probes that are made together, and corrected together."""
FEWER = {"judgecal": 30, "judgemetry": 100, "judge-audit": 200}
"""Judges for each cell, of libraries that resample at length."""
JUDGED = {
    value: Judgment.model_construct(
        measures={"preference": Measure.model_construct(value=value, label=label)}
    )
    for value, label in ((0.0, "second"), (0.5, "tie"), (1.0, "first"))
}
Answers = Mapping[str, str | bool | None]
Auditor = Callable[[Sequence[SimulatedJudge], str], Iterator[Answers]]


def judged(plan: BiasPlan, judge: SimulatedJudge) -> dict[Key, Judgment]:
    """What the simulated judge says of every version, asked in every way."""
    verdicts: dict[str, list[tuple[bool, bool]]] = {}
    readings = {}
    for way, versions in plan.versions.items():
        for item in versions:
            original, _, change = item.id.removesuffix(SWAPPED).partition("+")
            if change not in verdicts:
                verdicts[change] = both(judge.first_wins(change), judge.first_wins(change, swapped=True))
            given, swapped = verdicts[change][int(original.removeprefix("pair-"))]
            if way == ONE_ORDER:
                value = float(swapped if item.id.endswith(SWAPPED) else given)
            else:  # both orders, of which a flip is a tie
                value = (given + 1 - swapped) / 2
            readings[way, item.id] = JUDGED[value]
    return readings


def both(given: NDArray[Any], swapped: NDArray[Any]) -> list[tuple[Any, Any]]:
    """What is said in the one order beside what is said in the other."""
    return list(zip(given.tolist(), swapped.tolist(), strict=True))


def audited(judges: Sequence[SimulatedJudge], design: str) -> Iterator[Answers]:
    """What ``conqret bias`` says with the probes of this design."""
    found = pairs_plan(judges[0].pairs, judges[0].topics, DESIGNS[design])
    for judge in judges:
        rows = bias_rows(found.contrasts, judged(found, judge), seed=judge.seed)
        yield {row.probe: row.verdict for row in rows if row.primary}


def z_test(judges: Sequence[SimulatedJudge], design: str) -> Iterator[Answers]:
    """The answer of whoever takes pairs for independent, and looks at the position alone: a z test at 5%."""
    for judge in judges:
        off = judge.first_wins() * 1.0 + judge.first_wins(swapped=True) - 1
        yield {"position": bool(abs(off.mean()) > Z * off.std(ddof=1) / np.sqrt(len(off)))}


def elsewhere(name: str, python: Path) -> Auditor:
    """What another library says, in its environment."""

    def audit(judges: Sequence[SimulatedJudge], design: str) -> Iterator[Answers]:
        driver = Path(__file__).parent / "audited" / f"with_{name.replace('-', '_')}.py"
        command = [str(python), str(driver)]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
            if process.stdin is None or process.stdout is None:
                raise RuntimeError("no pipe could be opened")
            for judge in judges:
                process.stdin.write(json.dumps(told(judge, design)) + "\n")
                process.stdin.flush()
                line = process.stdout.readline()
                if not line:
                    raise RuntimeError(f"{name} gave up: exit code {process.wait()}")
                yield json.loads(line)
            process.stdin.close()

    return audit


def told(judge: SimulatedJudge, design: str) -> dict[str, object]:
    """A data set as other libraries get it (audited/answers.py): what the design judges, and nothing more."""
    padding = "padding-5"
    pairs = {
        "seed": judge.seed,
        "pairs": both(judge.first_wins(), judge.first_wins(swapped=True)),
        "people": judge.people().tolist(),
    }
    if design == "position":
        return {**pairs, "padded": [], "itself": [], "scores": []}
    return {
        **pairs,
        "padded": both(judge.first_wins(padding), judge.first_wins(padding, swapped=True)),
        "itself": both(
            judge.first_wins_beside_itself(padding, swapped=True), judge.first_wins_beside_itself(padding)
        ),
        "scores": both(judge.scores(), judge.scores(padding)),
    }


def main() -> None:
    """Audit what is not kept yet, and print the tables."""
    others = libraries(FILE)
    names = ["conqret", Z_TEST, *others]
    reader = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    reader.add_argument("--environments", type=Path, default=default_folder(), help="where they are made")
    reader.add_argument("--kept", type=Path, required=True, help="the answers, a line each; more are added")
    reader.add_argument("--only", default=";".join(names), help="some of them, with semicolons between")
    reader.add_argument("--nulls", type=int, default=500, help="judges without a bias, in each cell")
    reader.add_argument("--biased", type=int, default=250, help="judges whose first place wins 60%%")
    reader.add_argument("--page", type=Path, help="write the page there, from all that is kept")
    asked = reader.parse_args()
    chosen = [name for name in asked.only.split(";") if name]
    if unknown := set(chosen) - set(names):
        reader.error(f"there is no {', '.join(sorted(unknown))}; there are {'; '.join(names)}")
    usual = {NOTHING: asked.nulls, RATE: asked.biased}
    kept = read(asked.kept)
    for name in chosen:
        if name == "conqret":
            add(asked.kept, kept, name, __version__, audited, usual)
        elif name not in others:
            add(asked.kept, kept, name, "", z_test, usual)
        else:
            python = python_of(name, asked.environments, FILE)
            version = version_of(name, python)
            if name in NOT_ASKED:
                keep(asked.kept, kept, [LibraryAnswer(name, version, Cell("", 0, 0, 0.0, 0.0), 0, {})])
            else:
                add(asked.kept, kept, name, version, elsewhere(name, python), usual)
    tables = Tables(kept, names, usual)
    print(tables.all())
    if asked.page:
        asked.page.write_text(tables.page(), encoding="utf-8")


def add(
    path: Path,
    kept: list[LibraryAnswer],
    name: str,
    version: str,
    auditor: Auditor,
    usual: Mapping[float, int],
) -> None:
    """Audit what is not kept of this one, and keep it."""
    there = {(one.cell, one.seed) for one in kept if one.by == name}
    for cell in cells_of(name):
        most = min(usual[cell.rate], FEWER.get(name, usual[cell.rate]))
        judges = [
            SimulatedJudge(cell.pairs, cell.topics, cell.icc, cell.rate, seed)
            for seed in range(most)
            if (cell, seed) not in there
        ]
        if not judges:
            continue
        print(f"{name}: {len(judges)} judges, {cell}", file=sys.stderr)
        new = [
            LibraryAnswer(name, version, cell, judge.seed, dict(answers))
            for judge, answers in zip(judges, auditor(judges, cell.design), strict=True)
        ]
        keep(path, kept, new)


def read(path: Path) -> list[LibraryAnswer]:
    """What is kept; nothing where there is no such file yet."""
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return [LibraryAnswer.read(line) for line in lines]


def keep(path: Path, kept: list[LibraryAnswer], new: Sequence[LibraryAnswer]) -> None:
    """Add to what is kept."""
    kept.extend(new)
    with path.open("a", encoding="utf-8") as file:
        file.writelines(document.line() + "\n" for document in new)


if __name__ == "__main__":
    main()
