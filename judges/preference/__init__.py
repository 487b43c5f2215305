"""Judging two arguments in both orders."""

from conqret.judges.preference.orders import both_orders, swap_item

__all__ = ["both_orders", "swap_item"]
