"""``judge_wave``: the anchors judged once more, beside the waves before."""

from __future__ import annotations

import contextlib
import datetime as dt
import re
from pathlib import Path
from typing import Any, Unpack

from conqret.data.topic_keys import TopicKeys
from conqret.errors import DeclarationError
from conqret.io import CheckedItems, ItemSource
from conqret.judging.judge import judge_checked
from conqret.judging.judge_folder import JudgeFolder, JudgeRecord
from conqret.judging.judge_run import judge_record
from conqret.judging.judge_settings import JudgeSettings
from conqret.judging.judgments import Judgments
from conqret.judging.setup import Setup
from conqret.judging.summary import Summary
from conqret.runs.management import run_folders
from conqret.runs.run_folder import RECORD_NAME
from conqret.studies.drift.result import WavePlan
from conqret.studies.drift.waves import check_alike

_NAME = re.compile(r"\w[\w.-]{0,99}")


def judge_wave(
    items: Any,
    folder: str | Path,
    wave: str | None = None,
    planned: WavePlan | None = None,
    **settings: Unpack[JudgeSettings],
) -> Judgments:
    """Judge the anchors ``items`` into ``folder``/``wave``, by default the day's date (UTC). A wave that is
    there already is finished, and never asked twice; each has recordings of its own, so that the model is asked anew.

    With ``batch``, and no name for the wave, one that waits for its batch goes on.

    Raises:
        AnswersAwaited: judgments wait for a batch; the same call collects them.
        DeclarationError: as :func:`conqret.judge`; the name is no name of a folder; or the waves that are there are
            of other anchors or another format; or what is ``planned`` cannot be charted. Nothing is asked or written
            then.
    """
    place = wave_folder(folder, wave, batch=settings.get("batch", False))

    def check(source: ItemSource, checked: CheckedItems, setup: Setup) -> None:
        (planned or WavePlan()).check(TopicKeys.of(source).count)
        first = _first(Path(folder))
        if first is not None:
            check_alike(first, judge_record(source, checked, setup), str(place))

    judgments: Judgments = judge_checked(items, {**settings, "output": place}, check)
    return judgments.whole()


def wave_folder(folder: str | Path, wave: str | None = None, *, batch: bool = False) -> Path:
    """Where a wave goes: with ``batch``, where none is named, to the one that waits for its batch, whatever the day.

    Raises:
        DeclarationError: the name is none, or the folder holds a run itself.
    """
    if wave is None and batch:
        wave = _awaited(Path(folder))
    name = dt.datetime.now(dt.UTC).date().isoformat() if wave is None else wave
    if not _NAME.fullmatch(name):
        raise DeclarationError(f"the name of a wave may contain letters, digits, -, _ and ., unlike {name!r}")
    if (Path(folder) / RECORD_NAME).exists():
        raise DeclarationError(
            f"{folder} contains a run: give another folder with -o, for the runs of all waves"
        )
    return Path(folder) / name


def _awaited(folder: Path) -> str | None:
    """The newest wave in a folder of which some anchors have no judgment yet."""
    names = []
    for place in folder.iterdir() if folder.is_dir() else ():
        with contextlib.suppress(DeclarationError):
            run = JudgeFolder(place)
            if run.result(run.summary_file, Summary).outstanding:
                names.append((run.record().created, place.name))
    return max(names, default=(None, None))[1]


def _first(folder: Path) -> JudgeRecord | None:
    """The record of the first wave in a folder."""
    if not folder.is_dir():
        return None
    records = [JudgeFolder(path).record() for path in run_folders(folder)]
    return min(records, key=lambda record: record.created, default=None)
