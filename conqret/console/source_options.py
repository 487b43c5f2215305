"""Options that name where documents come from, and by what they are found: a pool, encoders, the folder of
a suite, the web."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from conqret.console.option_groups import OptionGroup, option
from conqret.options import FILES

DocumentPool = Annotated[
    Path | None,
    option(
        None,
        "Where documents of other topics come from: a corpus directory or a file of items. Default: the other items.",
    ),
]
EncoderFolder = Annotated[
    str | None,
    option(
        None,
        "The folder of the embedding model of a `dense` index, if it has been moved since the index was built.",
    ),
]
MmrEncoder = Annotated[
    str | None, option(None, "Compare documents by this encoder's vectors for MMR. Default: by their words.")
]
SuiteFolder = Annotated[
    Path | None,
    option(
        FILES,
        "The folder with the files of the suite (public test set), or a folder of such folders. Default: the files "
        "that `conqret suite list NAME --fetch` stored, or else the folder in the environment variable CONQRET_DATA.",
        "--from",
    ),
]


@dataclass(frozen=True)
class WebSearch(OptionGroup):
    """How the web is searched.

    Files:
        search: Search the web with `google` (GOOGLE_API_KEY, GOOGLE_CSE_ID), `brave` (BRAVE_API_KEY) or `searxng`
            (CONQRET_SEARXNG_URL), with keys from the environment. Several, comma-separated, are tried in this order.
        user_agent: The user agent that web sites see; name a contact in it.
    """

    search: str | None = None
    user_agent: str | None = None
