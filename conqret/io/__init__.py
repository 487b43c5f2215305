"""Files in and files out: items, labels and other tables, checked whole before the first call; and safe writing.

Any table: ``files`` (Parquet, logs of inspect_ai, folders), ``csv_files``, ``jsonl`` and ``rows`` (frames, too) give
records; ``schema``
reads them as dataclasses or dictionaries with the checks of ``checks`` and ``cell_values``; ``limits`` bounds what is
read; ``toml`` reads files of settings.
Items: ``source`` opens and checks them, ``columns`` and ``benchmarks`` know the layouts of other tools, ``items`` reads
one, ``conversations`` and ``images`` its messages, ``nuggets`` its nuggets
and those of its topic.
Labels: ``labels`` reads them, ``label_files`` and ``label_layouts`` say from which files and layouts, ``label_set`` has
scales and labels.
Others: ``reports`` and ``trec`` (TREC), ``leaderboards``, ``pairs``, ``questions``, ``corpus_folder``, ``release``.
Writing: ``safe_files``.
"""

from conqret.io.columns import DIALECTS as DIALECTS
from conqret.io.columns import Dialect as Dialect
from conqret.io.rows import FrameKind as FrameKind
from conqret.io.rows import frame_kind as frame_kind
from conqret.io.rows import item_record as item_record
from conqret.io.rows import to_frame as to_frame
from conqret.io.source import CheckedItems as CheckedItems
from conqret.io.source import ItemSource as ItemSource
from conqret.io.source import open_items as open_items
