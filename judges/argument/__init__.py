"""The fifteen dimensions of argument quality."""

from conqret.judges.argument.dimensions import DIMENSIONS, Dimension, Order, ordered

__all__ = ["DIMENSIONS", "Dimension", "Order", "ordered"]
