"""What the probes found in sentences: alarms first, a real example, and what to do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from textwrap import wrap

from conqret.data.digest import gathered
from conqret.errors import number, shortened
from conqret.show import words
from conqret.studies.bias.contrast import PROBES, Probe, probe_name
from conqret.studies.bias.result import UNRELATED, BiasRow, BiasTable, Verdict, falls_unasked

SHOWN = 100
"""Characters of an item's id and of its topic."""
ORDER: tuple[Verdict, ...] = ("alarm", "inconclusive", "clear", "no value", "measured", "exploratory")
MARKS: Mapping[Verdict, str] = {
    "alarm": "ALARM", "inconclusive": "inconclusive", "clear": "equivalent", "no value": "no value",
    "measured": "measured", "exploratory": "seen",
}  # fmt: skip
NO_RISE, FALLS = "no rise", "falls"
"""What a clear row is called where only a rise is a bias."""
CLEAR: Mapping[str, str] = {
    MARKS["clear"]: "equivalent within the margin",
    NO_RISE: "no higher scores",
    FALLS: "lower scores, which are no bias here",
}
"""What is said of rows without an alarm, by their marks."""


def pointed(heading: str, texts: Sequence[str]) -> Iterator[str]:
    """Texts as points under a heading, with an empty line before it; nothing where there are none."""
    if texts:
        yield from ("", f"{heading}:")
    for text in texts:
        yield from wrap(f"- {text}", 80, initial_indent="  ", subsequent_indent="    ")


def mark(row: BiasRow) -> str:
    """The verdict in a word or two: where only a rise is a bias, nothing else is said to be equivalent."""
    if row.verdict == "clear" and row.adverse == "rise":
        fell = row.effect is not None and falls_unasked(row.adverse, row.effect)
        return FALLS if fell else NO_RISE
    return MARKS[row.verdict]


def headlines(table: BiasTable) -> list[str]:
    """Which probes found what, and one real example."""
    rows = gathered((mark(row), row) for row in table.primary)
    of = f"{number(table.record.items, 'item')}, {number(table.topics, 'topic')}"
    probes = number(len(table.primary), "probe")
    count = f"No bias detected by {probes} ({of})"
    if table.alarms:
        found = ", ".join(f"{row.probe} ({felt(row)})" for row in table.alarms)
        count = f"Bias detected by {len(table.alarms)} of {probes} ({of}): {found}"
    if inconclusive := table.having("inconclusive"):
        count += f"; inconclusive: {', '.join(row.probe for row in inconclusive)}"
    for name, description in CLEAR.items():
        if clear := rows.get(name):
            count += f"; {description}: {', '.join(row.probe for row in clear)}"
    if silent := valueless(table):
        count += f"; without a value: {', '.join(row.probe for row in silent)}"
    sentences = [f"{count}."]
    shown = [row for row in main_rows(table) if row.example is not None]
    example = max(shown, key=lambda row: (-ORDER.index(row.verdict), _size(row)), default=None)
    if example is None:
        return sentences
    lead = (
        "An example is"
        if example.verdict == "alarm"
        else f"The largest difference of a single item was found by the probe {example.probe}:"
    )
    return [*sentences, f"{lead} {example_of(example)}"]


def _size(row: BiasRow) -> float:
    return 0.0 if row.effect is None else abs(row.effect.value)


def ordered(rows: Sequence[BiasRow]) -> list[BiasRow]:
    """Alarms first."""
    return sorted(rows, key=lambda row: ORDER.index(row.verdict))


def felt(row: BiasRow) -> str:
    """What was found of a row, in rates that people feel, and why pairs have no value."""
    return _moved(row) + lacking(row)


def lacking(row: BiasRow) -> str:
    """Why pairs of a row have no value, and how many have one; nothing where all have."""
    if not (reasons := lost(row.missing)):
        return ""
    if row.effect is None:
        return f": {reasons}"
    return f"; {row.effect.n} of {number(row.effect.n + sum(row.missing.values()), 'pair')} have a value: {reasons}"


def lost(missing: Mapping[str, int]) -> str:
    """Why the judge left pairs without a value, the most frequent reason first."""
    counts = Counter(missing)
    del counts[UNRELATED]  # what the row says itself
    return "; ".join(words.reason(name) for name, _ in counts.most_common())


def _moved(row: BiasRow) -> str:
    effect = row.effect
    if effect is None or effect.p is None:
        return row.words
    if row.places:
        side, rate = ("first", effect.value) if effect.value >= 0 else ("second", -effect.value)
        rates = f"{side} place won {0.5 + rate / 2:.0%}, {effect.share:.0%} of verdicts flip"
        return rates if row.verdict == "alarm" else f"{rates}; {row.words}"
    if row.observed:
        return f"{row.name} won {0.5 + effect.value / 2:.0%} of {number(effect.n, 'verdict')}: {row.words}"
    moved = f"{effect.value:+.2f} {words.label(row.metric).lower()}: "
    return moved + row.words


def example_of(row: BiasRow) -> str:
    """The item of a row that moved furthest, in words."""
    example = row.example
    if example is None:
        return ""
    what = f"{shortened(example.item, SHOWN)} ({shortened(example.topic, SHOWN)})"
    if row.places:
        verdicts = [_verdict(example.base, "first", "second"), _verdict(example.changed, "first", "second")]
        return (
            f"{what}: the {verdicts[0]} place wins, and with the two arguments in each other's place the "
            f"{verdicts[1]} place wins{' again' if verdicts[0] == verdicts[1] else ''}."
        )
    metric = words.label(row.metric).lower()
    if example.other:
        return (
            f"{shortened(example.topic, SHOWN)}: {shortened(example.item, SHOWN)} has {metric} {example.base:.2f}, "
            f"{shortened(example.other, SHOWN)} has {example.changed:.2f} ({row.name})."
        )
    return f"{what}: {metric} {example.base:.2f} {row.against}, {example.changed:.2f} with {row.name}."


def _verdict(value: float, high: str, low: str) -> str:
    return high if value > 0.5 else low if value < 0.5 else "neither"


def valueless(table: BiasTable) -> list[BiasRow]:
    """A row of each probe that has none which could raise an alarm, because no pair has a value."""
    found = {row.probe for row in table.primary}
    return list({row.probe: row for row in table.having("no value") if row.probe not in found}.values())


def main_rows(table: BiasTable) -> list[BiasRow]:
    """The primary rows, alarms first, and one of each probe that is only measured or observed."""
    rest = {row.probe: row for row in table.rows if row.verdict == "measured" or row.observed}
    primary = {row.probe: row for row in table.rows if row.primary or row.verdict == "no value"}
    primary |= {row.probe: row for row in table.primary}
    return ordered([*primary.values(), *(row for name, row in rest.items() if name not in primary)])


def _advice(probe: str) -> str:
    """Of a probe that another installation has, nothing is known but its name."""
    name = probe_name(probe)
    return PROBES[name].advice if name in PROBES else Probe.advice


def to_do(table: BiasTable) -> Iterator[str]:
    """What to do about alarms, rows that are inconclusive, and hints."""
    alarms: dict[str, list[str]] = {}
    for row in table.alarms:
        alarms.setdefault(_advice(row.probe), []).append(row.probe)
    for advice, probes in alarms.items():
        yield f"{', '.join(dict.fromkeys(probes))}: {advice}"
    unsure = [row.probe for row in table.having("inconclusive")]
    if unsure:
        yield f"{', '.join(unsure)}: judge more topics; `conqret judges power --for bias` computes how many are needed"
    besides = [row for row in table.having("exploratory") if not row.observed]
    if hints := sum(row.words.startswith("a hint") for row in besides):
        yield (
            f"{number(hints, 'exploratory row')} of {len(besides)} hint at a further bias: probe "
            "that metric alone (--metric) on other items"
        )
    if table.left_out:
        yield f"not probed (the page says why): {', '.join(table.left_out)}"
