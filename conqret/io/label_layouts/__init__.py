"""The layouts that labels come in (see :mod:`conqret.io.label_files`): exports of annotation tools, published corpora,
and tables."""

from conqret.io.label_layouts import annotation_tools, label_tables, published_labels

LAYOUTS = (*annotation_tools.LAYOUTS, *published_labels.LAYOUTS, *label_tables.LAYOUTS)
"""All layouts; their ``order`` says which is tried first."""
