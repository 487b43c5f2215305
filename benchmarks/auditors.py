"""What finds a first place that wins 60%, and what raises an alarm at nothing: conqret and seven other libraries.

    python benchmarks/auditors.py --kept auditors.jsonl                         # all of them: some hours on two cores
    python benchmarks/auditors.py --kept auditors.jsonl --only conqret,judgecal  # these alone, beside what is kept
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
from audited.page import CELLS, FILE, NOT_ASKED, RATE, Said, page, table
from side_by_side.environments import default_folder, libraries, python_of, version_of
from simulated_pairs import NOTHING, SimulatedJudge

from conqret import __version__
from conqret.data import Judgment, Measure
from conqret.studies.bias.bias_run import BiasPlan
from conqret.studies.bias.contrast import ONE_ORDER, Key
from conqret.studies.bias.probes.position import SWAPPED
from conqret.studies.bias.result import bias_rows
from conqret.studies.power.selftest import pairs_plan

Z = 1.959964
"""Beyond which a standard normal value lies in 5% of cases."""
PROBES = ("position", "length", "authority", "injection")
"""What can be asked of pairs without documents and labels."""
OWN = {"conqret": PROBES, "conqret, position and length": PROBES[:2], "conqret, position": PROBES[:1]}
"""The probes that are made together, and corrected together."""
JUDGED = {
    value: Judgment.model_construct(
        measures={"preference": Measure.model_construct(value=value, label=label)}
    )
    for value, label in ((0.0, "second"), (0.5, "tie"), (1.0, "first"))
}
Answers = Mapping[str, str | bool | None]
Auditor = Callable[[Sequence[SimulatedJudge]], Iterator[Answers]]


def judged(found: BiasPlan, judge: SimulatedJudge) -> dict[Key, Judgment]:
    """What the simulated judge says of every version, asked in every way."""
    verdicts: dict[str, list[tuple[bool, bool]]] = {}
    readings = {}
    for way, versions in found.versions.items():
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


def audited(probes: Sequence[str]) -> Auditor:
    """What ``conqret bias`` says with these probes."""

    def audit(judges: Sequence[SimulatedJudge]) -> Iterator[Answers]:
        found = pairs_plan(judges[0].pairs, judges[0].topics, probes)
        for judge in judges:
            rows = bias_rows(found.contrasts, judged(found, judge), seed=judge.seed)
            yield {row.probe: row.verdict for row in rows if row.primary}

    return audit


def z_test(judges: Sequence[SimulatedJudge]) -> Iterator[Answers]:
    """The answer of whoever takes pairs for independent, and looks at the position alone: a z test at 5%."""
    for judge in judges:
        off = judge.first_wins() * 1.0 + judge.first_wins(swapped=True) - 1
        yield {"position": bool(abs(off.mean()) > Z * off.std(ddof=1) / np.sqrt(len(off)))}


def elsewhere(name: str, python: Path) -> Auditor:
    """What another library says, in its environment."""

    def audit(judges: Sequence[SimulatedJudge]) -> Iterator[Answers]:
        driver = Path(__file__).parent / "audited" / f"with_{name.replace('-', '_')}.py"
        command = [str(python), str(driver)]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
            if process.stdin is None or process.stdout is None:
                raise RuntimeError("no pipe could be opened")
            for judge in judges:
                process.stdin.write(json.dumps(told(judge)) + "\n")
                process.stdin.flush()
                line = process.stdout.readline()
                if not line:
                    raise RuntimeError(f"{name} gave up: exit code {process.wait()}")
                yield json.loads(line)
            process.stdin.close()

    return audit


def told(judge: SimulatedJudge) -> dict[str, object]:
    """A data set as other libraries get it (audited/answers.py)."""
    padding = "padding-5"
    return {
        "seed": judge.seed,
        "pairs": both(judge.first_wins(), judge.first_wins(swapped=True)),
        "padded": both(judge.first_wins(padding), judge.first_wins(padding, swapped=True)),
        "itself": both(
            judge.first_wins_beside_itself(padding, swapped=True), judge.first_wins_beside_itself(padding)
        ),
        "scores": both(judge.scores(), judge.scores(padding)),
        "people": judge.people().tolist(),
    }


def main() -> None:
    """Audit what is not kept yet, and print the tables."""
    others = libraries(FILE)
    names = [*OWN, "z test of pairs", *others]
    reader = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    reader.add_argument("--environments", type=Path, default=default_folder(), help="where they are made")
    reader.add_argument("--kept", type=Path, required=True, help="the answers, a line each; more are added")
    reader.add_argument("--only", default=";".join(names), help="some of them, with semicolons between")
    reader.add_argument("--nulls", type=int, default=1000, help="judges without a bias, in each cell")
    reader.add_argument("--biased", type=int, default=500, help="judges whose first place wins 60%%")
    reader.add_argument("--page", type=Path, help="write the page there, from all that is kept")
    asked = reader.parse_args()
    chosen = [name for name in asked.only.split(";") if name]
    if unknown := set(chosen) - set(names):
        reader.error(f"there is no {', '.join(sorted(unknown))}; there are {'; '.join(names)}")
    kept = read(asked.kept)
    for name in chosen:
        if name in OWN:
            add(asked, kept, name, __version__, audited(OWN[name]))
        elif name not in others:
            add(asked, kept, name, "", z_test)
        else:
            python = python_of(name, asked.environments, FILE)
            version = version_of(name, python)
            if name in NOT_ASKED:
                keep(asked.kept, kept, [Said(name, version, 0, 0, 0.0, 0, {})])
            else:
                add(asked, kept, name, version, elsewhere(name, python))
    print(table(kept, names))
    if asked.page:
        asked.page.write_text(page(kept, names), encoding="utf-8")


def add(asked: argparse.Namespace, kept: list[Said], name: str, version: str, auditor: Auditor) -> None:
    """Audit what is not kept of this one, and keep it."""
    there = {(one.pairs, one.topics, one.rate, one.seed) for one in kept if one.by == name}
    for pairs, topics in CELLS:
        for rate, most in ((NOTHING, asked.nulls), (RATE, asked.biased)):
            judges = [
                SimulatedJudge(pairs, topics, rate, seed)
                for seed in range(most)
                if (pairs, topics, rate, seed) not in there
            ]
            if not judges:
                continue
            print(
                f"{name}: {len(judges)} judges, {pairs} pairs on {topics} topics, {rate:.0%}", file=sys.stderr
            )
            for judge, answers in zip(judges, auditor(judges), strict=True):
                said = Said(name, version, pairs, topics, rate, judge.seed, dict(answers))
                keep(asked.kept, kept, [said])


def read(path: Path) -> list[Said]:
    """What is kept; nothing where there is no such file yet."""
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return [Said(**json.loads(line)) for line in lines]


def keep(path: Path, kept: list[Said], new: Sequence[Said]) -> None:
    """Add to what is kept."""
    kept.extend(new)
    with path.open("a", encoding="utf-8") as file:
        file.writelines(one.line() + "\n" for one in new)


if __name__ == "__main__":
    main()
