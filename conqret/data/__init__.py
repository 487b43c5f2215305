"""The things that conqret talks about: items and judgments, as frozen pydantic models, and criteria.

- ``item``: `Item`, `Document`, `Turn`, `Nugget`, and `Debate` with its arguments and sources
- ``judgment``: `Judgment`, `Measure` with status and reason, `Part`, `Trace` of calls, and topics merged with
  translations
- ``criterion``: criteria of judges that users write, parsed from a sentence or a record
- ``corpus``: topics with splits, qrels, ledger of sources, and the figures of ConQRet's Table 2
- ``digest``: digests of data, texts and files; the grouping of pairs by key
"""

from conqret.data.item import Debate, DebateArgument, Document, Item, Nugget, Source, Stance, Turn, Version
from conqret.data.judgment import Call, Flag, Judgment, Measure, Part, Reason, Status, Trace, Trim

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
