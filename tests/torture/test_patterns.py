"""No regular expression of the package takes time with the square of a text, whatever is repeated in it."""

from __future__ import annotations

import ast
import contextlib
import importlib
import inspect
import itertools
import re
import time
from collections.abc import Callable, Iterable, Iterator
from types import ModuleType
from typing import Any

from conqret.errors import ConqretError
from tests.runs.killed import ROOT

PACKAGES = {"conqret": "conqret", "judges": "conqret.judges", "scrapers": "conqret.scrapers"}
UNITS = (
    *"aZ0 \t\n.,;:!?-_'\"`*#>|<=&%$/\\@+~^()[]{}\u2026\u2013\u201c\u3002\u0301\u200b\xa0",
    *"ab|a |a.|. |.\n|a\n|1 |1.|12 > |-a|A. |Ab |[1]|[1|[1] |[1,|(a)|**a|"
    "<a|<a>|<!--|&amp;|{{|{%|://|http://a.b/c |a@b.c |a: |a=b|.)|5%|a, ".split("|"),
)
"""What texts are made of, many times."""
FEW, SHORT, LONG = 24, 1_000, 4_000
"""Characters: for few, only what grows exponentially takes any time; a square takes a millisecond for the next."""
SLOW, ENDLESS, GROWTH = 0.001, 0.05, 7.0
"""Seconds that a linear pattern takes a fraction of, and that it never takes; and the growth from a short to a long
text: 4 for what is linear, 16 for a square."""


def modules() -> Iterator[ModuleType]:
    """All modules that can be imported here."""
    for folder, name in PACKAGES.items():
        for file in sorted((ROOT / folder).rglob("*.py")):
            parts = file.relative_to(ROOT / folder).with_suffix("").parts
            if parts[-1] not in ("__main__", "pytest_plugin"):
                with contextlib.suppress(ImportError, ConqretError):  # an optional library that is not here
                    yield importlib.import_module(".".join((name, *parts)).removesuffix(".__init__"))


def patterns() -> dict[re.Pattern[Any], tuple[str, bool]]:
    """Each pattern with the place where it is written, and whether texts are searched for it or only matched whole."""
    found = dict[re.Pattern[Any], tuple[str, bool]]()
    every = [*modules()]
    sources = "".join(inspect.getsource(module) for module in every)
    whole = {name for name, _ in re.findall(r"(\w+)\.(fullmatch|match)\(", sources)}
    whole -= {name for name, _ in re.findall(r"(\w+)\.(search|subn?|findall|finditer|split)\(", sources)}
    for module in every:
        for name, value in vars(module).items():
            place = f"{module.__name__}.{name}", name not in whole
            found |= dict.fromkeys(_inside(value, module.__name__), place)
        for line, act, pattern in _written(module):
            found.setdefault(pattern, (f"{module.__name__}:{line}", act not in ("re.fullmatch", "re.match")))
    return found


def _inside(value: Any, module: str, depth: int = 0) -> Iterator[re.Pattern[Any]]:
    """Patterns in a value: itself, in collections, and in classes of the module."""
    inner: Iterable[Any] = ()
    if isinstance(value, re.Pattern):
        yield value
    elif isinstance(value, list | tuple | set | frozenset):
        inner = value
    elif isinstance(value, dict):
        inner = value.values()
    elif inspect.isclass(value) and value.__module__ == module:
        inner = vars(value).values()
    for one in inner if depth < 4 else ():
        yield from _inside(one, module, depth + 1)


def _written(module: ModuleType) -> Iterator[tuple[int, str, re.Pattern[Any]]]:
    """Patterns that stand in a call of ``re`` as they are."""
    for node in ast.walk(ast.parse(inspect.getsource(module))):
        if not isinstance(node, ast.Call) or not ast.unparse(node.func).startswith("re.") or not node.args:
            continue
        if isinstance(first := node.args[0], ast.Constant) and isinstance(first.value, str | bytes):
            flags = [getattr(re, one.attr, 0) for one in ast.walk(node) if isinstance(one, ast.Attribute)]
            flags = [one for one in flags if isinstance(one, re.RegexFlag)]
            yield node.lineno, ast.unparse(node.func), re.compile(first.value, sum({*flags}, re.RegexFlag(0)))


def slow(pattern: re.Pattern[Any], searched: bool = True) -> Iterator[str]:
    """The texts on which a pattern grows faster than their length."""
    empty = pattern.pattern[:0]
    words = re.findall(r"(?<![\\\w])[a-zA-Z]{2,20}", str(pattern.pattern))[:6]
    texts = [("", unit) for unit in (*UNITS, *words)]
    for start, unit in [*texts, *((word, unit) for word in words for unit in (" ", "a", "1"))]:

        def made(length: int, start: str = start, unit: str = unit) -> Any:
            text = start + unit * (length // len(unit)) + "\n\x01"
            return text if isinstance(empty, str) else text.encode()

        acts = [pattern.fullmatch, *([lambda text: pattern.sub(empty, text)] if searched else [])]
        for act in acts:
            first = max(seconds(act, made(FEW)), seconds(act, made(SHORT)))
            if first > ENDLESS or (first > SLOW and growth(act, made) > GROWTH):
                yield f"{start!r} + {unit!r} * n"


def growth(act: Callable[[Any], object], made: Callable[[int], Any]) -> float:
    """What else runs on the machine makes a measurement longer, never shorter."""
    short, long = (min(seconds(act, made(length)) for _ in range(4)) for length in (SHORT, LONG))
    return long / max(short, SLOW / 4)


def seconds(act: Callable[[Any], object], text: Any) -> float:
    began = time.process_time()
    act(text)
    return time.process_time() - began


def test_every_pattern_is_linear() -> None:
    found = patterns()
    assert len(found) > 100
    told = [
        f"{place} ({pattern.pattern[:60]!r}): {text}"
        for pattern, (place, searched) in found.items()
        for text in itertools.islice(slow(pattern, searched), 1)
    ]
    assert told == []
