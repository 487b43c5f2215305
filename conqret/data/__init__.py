"""The things that conqret talks about: items and judgments, as frozen pydantic models, and criteria.

- ``item``: `Item`, `Document`, `Turn`, `Nugget`
- ``judgment``: `Judgment`, `Measure` with status and reason, `Part`, `Trace` of calls, and topics merged with
  translations
- ``criterion``: criteria of judges that users write, parsed from a sentence or a record
- ``corpus``: `Debate` with its arguments and sources, topics with splits, qrels, ledger of sources, and the figures of
  ConQRet's Table 2
- ``digest``: digests of data, texts and files; the grouping of pairs by key
"""

from typing import TYPE_CHECKING, Any

from conqret.data.item import Document, Item, Nugget, Stance, Turn, Version
from conqret.data.judgment import Call, Flag, Judgment, Measure, Part, Reason, Status, Trace, Trim

if TYPE_CHECKING:
    from conqret.data.corpus import Debate, DebateArgument, Source

__all__ = [
    "Call",
    "Debate",
    "DebateArgument",
    "Document",
    "Flag",
    "Item",
    "Judgment",
    "Measure",
    "Nugget",
    "Part",
    "Reason",
    "Source",
    "Stance",
    "Status",
    "Trace",
    "Trim",
    "Turn",
    "Version",
]


def __getattr__(name: str) -> Any:
    if name in ("Debate", "DebateArgument", "Source"):  # of a corpus, which few need
        from conqret.data import corpus

        return getattr(corpus, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
