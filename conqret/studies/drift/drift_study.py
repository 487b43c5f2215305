"""``judge_wave``: the anchors judged once more, beside the waves before."""

from __future__ import annotations

import datetime as dt
import re
from pathlib import Path
from typing import Any, Unpack

from conqret.errors import DeclarationError
from conqret.io import CheckedItems, ItemSource
from conqret.judging.judge import judge_checked
from conqret.judging.judge_folder import JudgeFolder, JudgeRecord
from conqret.judging.judge_run import judge_record
from conqret.judging.judge_settings import JudgeSettings
from conqret.judging.judgments import Judgments
from conqret.judging.setup import Setup
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

    Raises:
        DeclarationError: as :func:`conqret.judge`; the name is no name of a folder; or the waves that are there are
            of other anchors or another format; or what is ``planned`` cannot be charted. Nothing is asked or written
            then.
    """
    place = wave_folder(folder, wave)

    def check(source: ItemSource, checked: CheckedItems, setup: Setup) -> None:
        (planned or WavePlan()).check(len({item.topic for item in source}))
        first = _first(Path(folder))
        if first is not None:
            check_alike(first, judge_record(source, checked, setup), str(place))

    judgments: Judgments = judge_checked(items, {**settings, "output": place}, check)
    return judgments


def wave_folder(folder: str | Path, wave: str | None = None) -> Path:
    """Where a wave goes. Raises DeclarationError where the name is none, or the folder holds a run itself."""
    name = dt.datetime.now(dt.UTC).date().isoformat() if wave is None else wave
    if not _NAME.fullmatch(name):
        raise DeclarationError(f"a wave is named with letters, digits, -, _ and ., not {name!r}")
    if (Path(folder) / RECORD_NAME).exists():
        raise DeclarationError(
            f"{folder} holds a run: give another folder with -o, for the runs of all waves"
        )
    return Path(folder) / name


def _first(folder: Path) -> JudgeRecord | None:
    """The record of the first wave in a folder."""
    if not folder.is_dir():
        return None
    records = [JudgeFolder(path).record() for path in run_folders(folder)]
    return min(records, key=lambda record: record.created, default=None)
