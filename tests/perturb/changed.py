"""What was done to an item."""

from conqret.data import Item
from conqret.perturb import records


def where(item: Item) -> set[str]:
    return {change.where for record in records(item) for change in record.changes}
