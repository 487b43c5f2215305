"""The things that conqret talks about: items and judgments, as frozen pydantic models."""

from conqret.data.item import Argument, Document, Item, Stance, Topic
from conqret.data.judgment import Call, Flag, Judgment, Measure, Part, Reason, Status, Trace, Trim

__all__ = [
    "Argument",
    "Call",
    "Document",
    "Flag",
    "Item",
    "Judgment",
    "Measure",
    "Part",
    "Reason",
    "Stance",
    "Status",
    "Topic",
    "Trace",
    "Trim",
]
