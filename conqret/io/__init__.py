"""Items in: files, frames and objects, checked whole before the first call; and safe writing."""

from conqret.io.columns import DIALECTS, Dialect
from conqret.io.frames import FrameKind, frame_kind, to_frame
from conqret.io.item_check import CheckedItems
from conqret.io.rows import item_record
from conqret.io.source import ItemSource, open_items

__all__ = [
    "DIALECTS",
    "CheckedItems",
    "Dialect",
    "FrameKind",
    "ItemSource",
    "frame_kind",
    "item_record",
    "open_items",
    "to_frame",
]
