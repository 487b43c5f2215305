"""The options by which labels are read and compared, shared by the subcommands that take them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from conqret.console.option_groups import OptionGroup, option
from conqret.console.result_options import Confidence as Confidence
from conqret.console.shared_options import ITEM_COLUMNS, Columns, Language, SkipInvalid, column_map
from conqret.io.columns import FIELDS

if TYPE_CHECKING:
    from conqret.io.label_set import LabelSet

PANEL = "Labels"
SEVERAL = (
    "Several files, a folder of files, or a quoted pattern such as `'labels/*.csv'` are joined. If a file has "
    "no column of annotators, its name is taken as the annotator's (anna.csv: anna)."
)
"""The end of the help text of every option that takes label files."""


def label_files(what: str, name: str = "--labels", panel: str | None = None) -> Any:
    """Return the option of a command for label files; ``what`` is the beginning of its help text, ``name``
    its name, and ``panel`` its group in the help.
    """
    return option(panel, f"{what} May be repeated. {SEVERAL}", name)


Labels = Annotated[list[Path], label_files("Human labels of the items.")]


@dataclass(frozen=True)
class LabelFileOptions(OptionGroup):
    """How a file of labels is read where `--columns` names the columns of the items, too.

    Labels:
        level: The labels' level of measurement, for all dimensions (`nominal`, `ordinal`, `interval` or `ratio`) or for
            one (`preference=nominal`). May be repeated. Default: that of the file's layout, or `ordinal`.
        scale: Lowest and highest label, for example `1:3`, or for one dimension, `overall_quality=1:5`. May be
            repeated. Default: that of the file's layout, or what a form of `conqret labels sample` says.
        words (--map): The number that each word in the labels stands for: `low=1,medium=2,high=3`.
        dimension: Read only the labels of this dimension; others are ignored. If the label file has no column of
            dimensions, this is the name of its only dimension. May be repeated.
        layout: The layout of the file of labels, by name: `dagstuhl`, `argilla`, `table`, … (an unknown name prints the
            list). Default: detected from the file.
        cannot_judge: A text in the label file that means that an annotator could not judge; it then counts as a missing
            label. May be repeated.
        number_annotators: For label files without a column of annotators: take the first label of each item as
            annotator 1's, the second as annotator 2's, and so on.
    """

    level: list[str] | None = None
    scale: list[str] | None = None
    words: list[str] | None = None
    dimension: list[str] | None = None
    layout: str | None = None
    cannot_judge: list[str] | None = None
    number_annotators: bool = False

    def read(self, paths: Sequence[Path], columns: Mapping[str, str]) -> LabelSet:
        """Read the label files with these options; ``columns`` maps their fields to columns."""
        from conqret.io.labels import read_labels

        return read_labels(
            paths,
            level=self.level,
            scales=self.scale or (),
            words=self.words or (),
            columns=columns,
            dimensions=self.dimension or (),
            layout=self.layout,
            cannot_judge=self.cannot_judge or (),
            numbered=self.number_annotators,
        )


@dataclass(frozen=True)
class LabelReading(LabelFileOptions):
    """How a file of labels is read.

    Labels:
        columns: Name the columns of the label file, as FIELD=COLUMN with the fields item, annotator, dimension and
            label: `item=doc_id,annotator=worker`. If the file has a column for each dimension, name it as
            DIMENSION=COLUMN: `clarity=Answer.clarity`.
    """

    columns: str | None = None

    def load(self, paths: Sequence[Path]) -> LabelSet:
        """Read the label files with these options."""
        return self.read(paths, column_map(self.columns, "item=doc_id,annotator=worker"))


@dataclass(frozen=True, kw_only=True)
class ItemOptions(OptionGroup):
    """How items are read, and which columns of them and of their labels `--columns` names."""

    columns: Columns = None
    skip_invalid: SkipInvalid = False
    language: Language = None

    @property
    def settings(self) -> dict[str, Any]:
        """Return the options as keyword arguments of the public functions."""
        columns = column_map(self.columns, ITEM_COLUMNS)
        return {"columns": columns, "skip_invalid": self.skip_invalid, "language": self.language}

    def apart(self, labels: object) -> tuple[dict[str, Any], dict[str, str]]:
        """Return :attr:`settings`, and the columns of the labels, by field: if there are ``labels``, fields
        that items lack are theirs (`item`, `annotator`, `label`, a dimension).
        """
        settings = self.settings
        of_labels = {
            name: column for name, column in settings["columns"].items() if labels and name not in FIELDS
        }
        settings["columns"] = {k: v for k, v in settings["columns"].items() if k not in of_labels}
        return settings, of_labels


Baseline = Annotated[
    Path | None,
    option(
        None,
        "The folder of a run of `conqret judge --model offline` over the same items: this baseline from word "
        "statistics is compared with the judge.",
    ),
]
