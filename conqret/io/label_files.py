"""Which files hold the labels: several files, a pattern and a folder are joined, one annotator a file where none is
named in it."""

from __future__ import annotations

import glob
from collections.abc import Iterable, Iterator
from pathlib import Path

from conqret.errors import DeclarationError
from conqret.io.rows import listed

SUFFIXES = (".csv", ".tsv", ".jsonl", ".ndjson", ".json", ".parquet", ".pq", ".zip", ".xlsx", ".xls", ".ods")
"""The files that are taken from a folder; workbooks, too, whose error says how to save them."""
BESIDE = (".plan.json", ".config.xml")
"""What ``conqret labels sample`` writes beside a sheet."""
RESULTS = b'"schema_name": "conqret.'
"""What stands first in a result of a command (a judge card, a calibration), which may lie in the folder of sheets."""
STUDY, RUN = "labels.sqlite", "run.json"
"""What tells the folder of a study, or of a run, from a folder of label files."""


def label_files(paths: Iterable[Path]) -> list[Path]:
    """The files behind ``paths``: themselves, those that fit a pattern such as ``labels/*.csv``, those in a folder.

    Raises:
        DeclarationError: a pattern or a folder has no file, a folder is that of a study or of a run, or a file is named
            twice.
    """
    files: dict[Path, Path] = {}
    for path in (file for pattern in paths for file in _expanded(pattern)):
        first = files.setdefault(path.resolve(), path)
        if first is not path:
            raise DeclarationError(f"{path} is given twice as a file of labels: leave one out")
    return list(files.values())


def annotator_of(file: Path) -> str:
    """The annotator whose labels a file holds, where it names none: its name without the ending."""
    name = file.name.removesuffix(".gz")
    return Path(name).stem


def _expanded(path: Path) -> Iterator[Path]:
    if path.is_dir():
        yield from _in_folder(path)
    elif not path.exists() and glob.has_magic(str(path)):
        below = Path(path.anchor)
        fitting = sorted(match for match in below.glob(str(path.relative_to(below))) if match.is_file())
        if not fitting:
            raise DeclarationError(f"no file matches the pattern {str(path)!r}: check the path")
        yield from fitting
    else:
        yield path


def _in_folder(folder: Path) -> list[Path]:
    if (folder / STUDY).exists():
        raise DeclarationError(
            f"{folder} is a study of conqret labels collect: run conqret labels export {folder} -o labels.csv to get "
            f"its labels"
        )
    if (folder / RUN).exists():
        raise DeclarationError(
            f"{folder} contains a run and no labels: give the file or folder of the labels"
        )
    files = sorted(path for path in folder.iterdir() if path.is_file() and not path.name.startswith("."))
    fitting = []
    for file in files:
        name = file.name.casefold()
        known = name.removesuffix(".gz").endswith(SUFFIXES) and not name.endswith(BESIDE)
        if known and not (name.endswith(".json") and is_result(file)):
            fitting.append(file)
    if not fitting:
        there = f" (it contains {listed((file.name for file in files), 5)})" if files else ""
        raise DeclarationError(
            f"{folder} contains no file of labels{there}: its name must end in {', '.join(SUFFIXES[:6])}, …"
        )
    return fitting


def is_result(file: Path) -> bool:
    """Whether a file is a result that a command wrote, and not what people did."""
    with file.open("rb") as opened:
        return RESULTS in opened.read(100)
