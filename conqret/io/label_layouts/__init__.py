"""The layouts that labels come in (see :mod:`conqret.io.label_files`).

- ``annotation_tools``: exports of Argilla (1.x and 2.x) and of Label Studio
- ``label_tables``: tables with a label a row, or a column for each annotator or dimension; returned forms of
  ``conqret labels sample``
- ``published_labels``: Dagstuhl-15512 ArgQuality (experts and novices), Webis-ArgQuality-20, and files of items that
  carry grades
"""

from conqret.io.label_layouts import annotation_tools, label_tables, published_labels

LAYOUTS = (*annotation_tools.LAYOUTS, *published_labels.LAYOUTS, *label_tables.LAYOUTS)
"""All layouts; their ``order`` says which is tried first."""
