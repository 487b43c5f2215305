"""Items in: files, frames and objects, checked whole before the first call; and safe writing."""

from conqret.io.columns import DIALECTS as DIALECTS
from conqret.io.columns import Dialect as Dialect
from conqret.io.item_check import CheckedItems as CheckedItems
from conqret.io.rows import FrameKind as FrameKind
from conqret.io.rows import frame_kind as frame_kind
from conqret.io.rows import item_record as item_record
from conqret.io.rows import to_frame as to_frame
from conqret.io.source import ItemSource as ItemSource
from conqret.io.source import open_items as open_items
