"""Short ways to set up and make a run."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from conqret import Item
from conqret.data import Judgment
from conqret.io import item_record, open_items
from conqret.judging.judge_folder import JudgeFolder
from conqret.judging.judge_options import JudgeOptions
from conqret.judging.judgments import JudgePlan, Judgments, judge_items
from conqret.judging.setup import check_items, set_up
from conqret.llm.client_options import ClientOptions
from conqret.runs.session import Session
from tests.contract.items import demo


def write_items(path: Path, items: Iterable[Item]) -> Path:
    path.write_text("".join(json.dumps(item_record(item)) + "\n" for item in items), encoding="utf-8")
    return path


def some(folder: Path, count: int) -> Path:
    """The first items of the demo."""
    return write_items(folder / "items.jsonl", demo()[:count])


def execution(
    out: Path,
    items: Any = None,
    *,
    name: str = "direct",
    client: ClientOptions | None = None,
    prompts: Path | None = None,
    recordings: Path | None = None,
    replay: Path | None = None,
    **options: Any,
) -> JudgePlan:
    setup = set_up(name, client or ClientOptions("offline"), JudgeOptions(**options), prompts)
    source = open_items(demo()[:4] if items is None else items)
    checked, setup = check_items(source, setup)
    session = Session(setup.client, recordings=recordings, replay=replay, prompts=setup.library)
    return JudgePlan((session,), JudgeFolder(out), source, checked, setup)


def execute(plan: JudgePlan, **how: Any) -> Judgments:
    return plan.sessions[0].run(lambda client: judge_items(plan, **how))


def watching(
    advance: Callable[[Any], object] = lambda row: None,
    start: Callable[[Any, int], object] = lambda run, kept: None,
) -> Any:
    """Who looks on at a run."""
    return SimpleNamespace(start=start, advance=advance)


def run(out: Path, items: Any = None, *, overwrite: bool = False, **settings: Any) -> Judgments:
    return execute(execution(out, items, **settings), overwrite=overwrite)


def said(judgments: Iterable[Judgment]) -> list[dict[str, Any]]:
    """All that the judgments say, but for how the answers came."""
    return [judgment.model_dump(mode="json", exclude={"trace"}) for judgment in judgments]
