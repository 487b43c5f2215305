"""The option of the file of a page, for commands that print a result with a page."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from conqret.console.option_groups import OptionGroup
from conqret.console.printing import at, result, tell

if TYPE_CHECKING:
    from conqret.show.report_page import ReportPage
    from conqret.show.table import Table

T = TypeVar("T")


@dataclass(frozen=True)
class PageFile(OptionGroup):
    """The file of a page, where one is wanted.

    Args:
        output (--output, -o): The output file. Its ending chooses the form: an HTML page (.html), Markdown (.md), or
            only the chart at the top of the page (.svg).

    Raises:
        DeclarationError: no page can be written into a file of this ending.
    """

    output: Path | None = None

    def __post_init__(self) -> None:
        if self.output is not None:
            from conqret.show.report_page import check_ending

            check_ending(self.output)

    def show(
        self, value: object, page: ReportPage, tables: Iterable[Table] | None = None, *, as_json: bool | None
    ) -> None:
        """Print the answer and the tables of a page, and write the page if ``--output`` is set.

        ``tables`` replaces the page's own tables, and ``value`` is printed instead as JSON if ``as_json``
        is true.
        """
        result(value, page.tables if tables is None else tables, as_json=as_json, answer=page.answer)
        self.write(lambda _: page, value)

    def write(self, page: Callable[[T], ReportPage], value: T, what: str = "written") -> None:
        """Write the page that ``page(value)`` returns to the ``--output`` file, if set, and print its
        path after ``what``."""
        if self.output is not None:
            from conqret.show.report_page import write_page

            tell(at(write_page(page(value), self.output), what))
