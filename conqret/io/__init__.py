"""Read items, labels and other tables, checked whole before the first request; and write files safely.

Any table:

- ``files``: the kind of a file by its content; Parquet, folders, remote files, ``.eval`` logs of inspect_ai
- ``csv_files``: CSV and TSV
- ``jsonl``: JSON and JSON Lines
- ``rows``: objects, pandas, polars and pyarrow in memory; the list of faults
- ``schema``: rows as dataclasses, columns by name, all faults at once; ``checks``: the checks of single values
- ``cell_values``: lists and objects written in a cell, missing values, numpy and pandas types
- ``limits``: how large a file, line or unpacked file may be; gzip, UTF-8
- ``zip_files``: one file of a zip archive (Zstandard, too)
- ``toml``: TOML and YAML with the line of each fault (``conqret.toml`` is applied in
  ``conqret.judging.command``)

Items:

- ``source``: opens anything that holds items, and checks them; ``items``: one record as an item
- ``columns``: names of columns in other tools' files
- ``benchmarks``: SQuAD, BEIR, PyTerrier's long tables and samples of inspect_ai as items (its scores as verdicts:
  ``conqret.studies.check.tool_results``)
- ``conversations``: messages of OpenAI, Anthropic, Gemini, LangChain and others as items
- ``images``: images in messages and documents
- ``reports``: reports of TREC RAG, RAGTIME and AutoJudge, and AutoNuggetizer's assignments, as items
- ``nuggets``: nuggets in an item's column; ``nugget_banks``: nuggets of whole topics from a file
- ``rubric_files``: rubrics (also ResearchRubrics, HealthBench, DRAGUN) read; ``rubric_set``: the rubric of each item

Labels and preferences:

- ``labels``: reads human labels; ``label_files``: finds the files and their layout; ``label_layouts/``: the layouts
- ``label_set``: labels, units and scales as values
- ``pairs``: labeled pairs for perspectives, and pairwise preferences

Corpora, rankings and questions:

- ``corpus_folder``: a corpus directory
- ``corpus_sources``: documents, topics and qrels of one's own
- ``release``: the ConQRet release
- ``trec``: TREC runs and qrels
- ``leaderboards``: scores of systems by topic
- ``questions``: DELPHI, ConflictingQA and own lists

Writing:

- ``safe_files``: files whole or not at all, appended logs, locks, CSV without formulas, no overwriting of edited
  files
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
