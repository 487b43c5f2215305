"""What people found wrong in a sample of made questions, by subset (BeRDS, B.4 and Table 19)."""

from __future__ import annotations

from pathlib import Path

from conqret.data.digest import gathered
from conqret.data.item import Frozen
from conqret.errors import DeclarationError
from conqret.io.checks import filled, text
from conqret.io.files import file_rows
from conqret.io.pairs import ANSWERS
from conqret.io.schema import Field, Schema, TableReader
from conqret.stats import Estimate, mean_interval

SHEET = Schema(
    "an inspected question",
    {
        "subset": Field(("subset",), filled, needed="Say which subset the question is of"),
        "error": Field(("error",), text, ""),
    },
)


class SubsetErrors(Frozen):
    """A subset: the questions that were looked at, how many have an error and what share, and how many were not
    looked at."""

    subset: str
    inspected: int
    errors: int
    share: Estimate
    left: int


def read_errors(sheet: Path) -> tuple[SubsetErrors, ...]:
    """Count the errors of a filled-in ``inspect.csv``: "no" or 0 is none, a blank was not looked at, and anything else
    (yes, or what is wrong in words) is an error.

    Raises:
        ItemsError: rows have faults.
        DeclarationError: there is no row, or nobody has filled one in.
    """
    reader = TableReader(file_rows(sheet), SHEET)
    parts = gathered((row["subset"], row["error"].strip()) for row in reader)
    reader.finish(wanted="questions")
    if not any(error for own in parts.values() for error in own):
        raise DeclarationError(f"{sheet}: nobody has filled in the column error: write no, or what is wrong")
    return tuple(_counted(subset, own) for subset, own in parts.items())


def _counted(subset: str, own: list[str]) -> SubsetErrors:
    wrong = [ANSWERS.get(error.casefold(), True) for error in own if error]
    share = mean_interval(wrong, scale="share", reason="nobody has looked at any")
    return SubsetErrors(
        subset=subset, inspected=len(wrong), errors=sum(wrong), share=share, left=len(own) - len(wrong)
    )
