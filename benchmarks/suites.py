"""Public test sets (conqret suite): published figures recomputed from the released files, and judges beside them.

    CONQRET_DATA=… python benchmarks/suites.py            # writes docs/results/suites.md

Reads the results under docs/results/suites/, the suite.json of runs, and the suites' files under
CONQRET_DATA. It asks no model.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from conqret.suites.leaderboard_page import leaderboard_page  # noqa: E402 - after the checkout is on the path
from conqret.suites.suite import SUITES  # noqa: E402 - likewise
from conqret.suites.suite_report import suite_report  # noqa: E402 - likewise

RESULTS = ROOT / "docs" / "results" / "suites"
PAGE = ROOT / "docs" / "results" / "suites.md"
INTRODUCTION = (
    "\nThis page is made by `python benchmarks/suites.py` from the results in `docs/results/suites/` (each by `conqret "
    "suite run`) and the suites' released files (`CONQRET_DATA`, of which part is kept back: what a copy lacks is "
    "said). What a figure means: [public test sets](../suites.md).\n\n`openai/claude`: answers by a frontier LLM "
    "(Anthropic Claude, November 2026), forty items of each suite. Several requests were read in one context, so these "
    "are no independent draws, and there is no price; the two orders of a pair were read apart. `offline` is the "
    "lexical baseline on the same items. The prompts `comparison` (JudgeBench, RAGChecker) and `perspective-detection` "
    "(BeRDS) have been reworded since.\n\n"
)


def main() -> None:
    if not os.environ.get("CONQRET_DATA"):
        raise SystemExit("set CONQRET_DATA to the folder with the data sets")
    found = suite_report([RESULTS] if RESULTS.exists() else [], suites=list(SUITES))
    head, _, rest = leaderboard_page(found).markdown().partition("\n\n")
    PAGE.write_text(f"{head}\n{INTRODUCTION}{rest}", encoding="utf-8")
    print(*found.answer, sep="\n")


if __name__ == "__main__":
    main()
