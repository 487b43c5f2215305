"""The things that conqret talks about: items and judgments, as frozen pydantic models, and criteria.

``criterion`` has the criteria of judges that users write, and parses them from a sentence.
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
