"""The layouts that labels come in, each turned into raw labels: one cell of one person on one thing."""

from conqret.io.label_layouts.raw import LabelLayout, RawLabel, RawLabels
from conqret.io.label_layouts.registry import LAYOUTS, raw_labels

__all__ = ["LAYOUTS", "LabelLayout", "RawLabel", "RawLabels", "raw_labels"]
