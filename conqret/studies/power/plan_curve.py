"""What plans of different sizes reach, the smallest that reaches a goal, and the picture of both."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from conqret.show.charts import Chart, ChartLine, Point, reach
from conqret.show.words import number

Size = tuple[int, int]
"""Topics, and items a topic."""


@dataclass(frozen=True, slots=True)
class PlanCurve:
    """The value of each plan by its size (None: it has none), and the ``goal`` that a value has to reach: at least that
    much, or, where ``lower`` is better, at most."""

    values: Mapping[Size, float | None]
    goal: float
    lower: bool = False

    @property
    def smallest(self) -> Size | None:
        """The plan with the fewest items in all that reaches the goal; None where no plan does."""
        return min(
            filter(self.reaches, self.values), key=lambda size: (size[0] * size[1], size), default=None
        )

    @property
    def best(self) -> Size | None:
        """The plan with the best value; None where no plan has one."""
        known = {size: value for size, value in self.values.items() if value is not None}
        return (min if self.lower else max)(known, key=lambda size: known[size], default=None)

    def reaches(self, size: Size) -> bool:
        """Whether a plan of this size reaches the goal."""
        value = self.values[size]
        return value is not None and (value <= self.goal if self.lower else value >= self.goal)

    def topics_needed(self) -> str:
        """The fewest topics that reach the goal, for each number of items a topic, in a sentence."""
        sizes: dict[int, list[int]] = {}
        for topics, items in self.values:
            sizes.setdefault(items, []).append(topics)
        parts = []
        for items, counts in sizes.items():
            enough = [topics for topics in counts if self.reaches((topics, items))]
            needed = str(min(enough)) if enough else f"more than {max(counts)}"
            parts.append(f"{needed} with {number(items, 'item')} a topic")
        return f"Topics needed: {'; '.join(parts)}."

    def chart(self, title: str, y: str, goal: str) -> Chart:
        """Values over topics, a line for each number of items a topic, the ``goal`` as a line of that name, and the
        smallest plan that reaches it as a stem below its point."""
        lines = list(self._lines(goal))
        ends = (0.0, 1.0) if not self.lower else reach(lines, 0.0)
        return Chart(title, "Topics", y, lines, logarithmic=True, ends=ends)

    def _lines(self, goal: str) -> Iterator[ChartLine]:
        counts = [topics for topics, _ in self.values]
        for each in dict.fromkeys(items for _, items in self.values):
            points = [
                Point(topics, value)
                for (topics, items), value in self.values.items()
                if items == each and value is not None
            ]
            if points:
                yield ChartLine(f"{number(each, 'item')} a topic", points)
        yield ChartLine(
            goal, [Point(min(counts), self.goal), Point(max(counts), self.goal)], place=6, marked=False
        )
        if self.smallest is not None:
            topics, value = self.smallest[0], self.values[self.smallest] or 0.0
            stem = [Point(topics, 0.0), Point(topics, value)]
            yield ChartLine(f"Smallest plan: {of_size(self.smallest)}", stem, place=7)


def of_size(size: Size) -> str:
    """The size of a plan, for a sentence."""
    return f"{number(size[0], 'topic')} with {number(size[1], 'item')} each"


def in_all(size: Size) -> str:
    """The size of a plan, with the number of its items."""
    return f"{of_size(size)}, {number(size[0] * size[1], 'item')} in all"
