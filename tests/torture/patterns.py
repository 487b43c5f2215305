"""All regular expressions of the package, and texts that make one slow which tries the same places over and over.

A pattern that backtracks takes time with the square of a text's length (or worse) where one thing stands in it many
times: each place is tried as a beginning, and each tries all that follows. The texts are runs of units: common ones,
those that a pattern itself names, and for each of its repetitions the beginning that leads there, then what is
repeated, many times.
"""

from __future__ import annotations

import ast
import contextlib
import importlib
import inspect
import math
import re
import time
from collections.abc import Callable, Iterator, Mapping
from re import _constants as kinds  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from types import ModuleType
from typing import Any

from conqret.errors import ConqretError
from tests.runs.killed import ROOT
from tests.torture.effort import FULL, times

PACKAGES = {
    "conqret": "conqret", "judges": "conqret.judges", "prompts": "conqret.prompts", "scrapers": "conqret.scrapers"
}  # fmt: skip
UNITS = (
    *"aZ0 \t\n.,;:!?-_'\"`*#>|<=&%$/\\@+~^()[]{}\u2026\u2013\u2019\u201c\u201d\u3002\u00e9\u0301\u200b\ud800\u00a0\x00",
    "ab", "a ", " a", "a.", ". ", ".\n", "a\n", "\n\n", "  \n", "1 ", "1,", "1.", "12 > ", "1>", "> ", " - ", "-a",
    "A. ", "A ", "Ab ", "A.B.", "[1]", "[1", "[1] ", "[1, 2]", "[1,", " [1].", "[[", "]]", "] [", "(1)", "(a)", "((",
    "))", "**", "**a", "__", "<a", "<a>", "</a>", "<!--", "-->", "<p>a</p>", "&amp;", "{{", "}}", "{%", "{#", "#}",
    "*/", "//", "/*", "://", "http://", "http://a.b/c ", "www.", "a@b.c ", "a:b", "a: ", "a=b", "a;b", "\"a\"", "'a'",
    "...", ".\"", ".)", "!!", "a! ", "5%", "$5", "1 to ", "1/2/2020 ", "2020-01-01", "May 5, 2020 ", "e.g. ", "a, b, ",
)  # fmt: skip
"""Some hundred units of which runs are made."""
ENDINGS = ("\n\x01", "")[: times(1, 2)]
"""What makes a run fail at its very end."""
FEW = 24
"""Characters for which only what grows exponentially takes any time."""
SHORT, LONG = (times(250, 400), times(1_000, 2_000)), 32_000
"""Characters: at the first two, a pattern that looks slow is found (there even a cube takes no second); up to the other
its growth is taken."""
SLOW, ENOUGH, GROWTH = times(400, 1_500) / 10**6, 0.02, 3.0
"""Seconds for a short run, of which nearly all linear patterns take less than a third; seconds from which on a growth
can be taken; and the growth with a doubled length, which is 2 for a linear pattern and 4 for a square."""

TRIES = 6
"""Measurements of what looks slow, of which the shortest counts."""

Attack = Callable[[int], str]


def modules() -> Iterator[ModuleType]:
    """All modules that can be imported here."""
    for folder, name in PACKAGES.items():
        for file in sorted((ROOT / folder).rglob("*.py")):
            parts = file.relative_to(ROOT / folder).with_suffix("").parts
            if parts[-1] not in ("__main__", "pytest_plugin"):
                with contextlib.suppress(ImportError, ConqretError):  # an optional library that is not here
                    yield importlib.import_module(".".join((name, *parts)).removesuffix(".__init__"))


def patterns() -> dict[str, re.Pattern[Any]]:
    """Each pattern by the place where it is written: names of modules and classes, and calls of ``re``."""
    found = dict[re.Pattern[Any], str]()
    for module in modules():
        for name, value in vars(module).items():
            for pattern in _inside(value, module.__name__):
                found.setdefault(pattern, f"{module.__name__}.{name}")
        for line, pattern in _written(module):
            found.setdefault(pattern, f"{module.__name__}:{line}")
    return {place: pattern for pattern, place in found.items()}


def attacks(pattern: re.Pattern[Any]) -> Iterator[tuple[str, Attack]]:
    """Texts for a pattern, by what they are made of, as functions of their length."""
    pairs = dict.fromkeys(("", unit) for unit in UNITS)
    if isinstance(pattern.pattern, str):
        pairs |= dict.fromkeys(("", unit) for unit in _literals(pattern.pattern))
        pairs |= dict.fromkeys(_repetitions(parser.parse(pattern.pattern, pattern.flags)))
    for start, unit in pairs:
        for ending in ENDINGS:
            yield f"{start!r} + {unit!r} * n + {ending!r}", _run(start, unit, ending)


def slow(pattern: re.Pattern[Any]) -> Iterator[tuple[str, str, float]]:
    """The runs on which a pattern grows faster than their length: what was tried, on what, and the growth."""
    ways: Mapping[str, Callable[[Any], object]] = {
        "search": lambda text: pattern.sub(text[:0], text), "fullmatch": pattern.fullmatch
    }  # fmt: skip
    for told, attack in attacks(pattern):
        for way, act in ways.items():
            made = _texts(pattern, attack)
            if _seconds(act, made(FEW)) > SLOW and _seconds(act, made(FEW), TRIES) > SLOW:
                yield way, told, math.inf
            elif (FULL or way == "search" or told[:2] != "''") and _looks_slow(act, made):
                growth = _growth(act, made)
                if growth > GROWTH:
                    yield way, told, growth


def _looks_slow(act: Callable[[Any], object], made: Callable[[int], Any]) -> bool:
    first = _seconds(act, made(SHORT[0]))
    if first > ENOUGH:
        return True
    second = _seconds(act, made(SHORT[1]))
    return second > SLOW and second > 1.5 * SHORT[1] / SHORT[0] * first


def _growth(act: Callable[[Any], object], made: Callable[[int], Any]) -> float:
    """The growth with a doubled length, at lengths where a square takes no minute.

    What else runs on the machine makes a measurement longer, never shorter: the shortest of several count, taken in
    turns, and as many as it takes until the growth is that of a linear pattern.
    """
    length = SHORT[0]
    while _seconds(act, made(length)) < ENOUGH and length < LONG:
        length *= 2
    once, twice, growth = math.inf, math.inf, math.inf
    for number in range(TRIES):
        once = min(once, _seconds(act, made(length)))
        twice = min(twice, _seconds(act, made(2 * length)))
        growth = twice / max(1e-9, once)
        if number > 1 and growth <= GROWTH:
            break
    return growth


def _seconds(act: Callable[[Any], object], text: Any, often: int = 1) -> float:
    best = float("inf")
    for _ in range(often):
        began = time.process_time()
        act(text)
        best = min(best, time.process_time() - began)
        if best > 5 * ENOUGH:
            break
    return best


def _texts(pattern: re.Pattern[Any], attack: Attack) -> Callable[[int], Any]:
    if isinstance(pattern.pattern, str):
        return attack
    return lambda length: attack(length).encode("utf-8", "surrogatepass")


def _run(start: str, unit: str, ending: str) -> Attack:
    return lambda length: start + unit * (length // len(unit)) + ending


def _inside(value: Any, module: str, depth: int = 0) -> Iterator[re.Pattern[Any]]:
    """Patterns in a value: itself, in collections, in classes of the module and in what they hold."""
    if isinstance(value, re.Pattern):
        yield value
    elif depth < 4 and isinstance(value, dict):
        for one in value.values():
            yield from _inside(one, module, depth + 1)
    elif depth < 4 and isinstance(value, list | tuple | set | frozenset):
        for one in value:
            yield from _inside(one, module, depth + 1)
    elif depth < 4 and str(getattr(value, "__module__", "")).startswith("conqret"):
        own = inspect.isclass(value) and value.__module__ == module
        held = vars(value) if own or (not callable(value) and hasattr(value, "__dict__")) else {}
        slots = getattr(type(value), "__slots__", ()) if not callable(value) else ()
        for one in (*held.values(), *(getattr(value, name, None) for name in slots)):
            yield from _inside(one, module, depth + 1)


def _written(module: ModuleType) -> Iterator[tuple[int, re.Pattern[Any]]]:
    """Patterns that stand in a call of ``re`` as they are."""
    written = inspect.getsource(module)
    for node in ast.walk(ast.parse(written)) if "re." in written and "import re\n" in written else ():
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and isinstance(node.func.value, ast.Name)
            and node.func.value.id == "re"
            and node.args
            and isinstance(node.args[0], ast.Constant)
            and isinstance(node.args[0].value, str | bytes)
        ):
            flags = [name.attr for name in ast.walk(node) if isinstance(name, ast.Attribute)]
            values = [
                getattr(re, name) for name in flags if isinstance(getattr(re, name, None), re.RegexFlag)
            ]
            yield node.lineno, re.compile(node.args[0].value, sum(set(values), re.RegexFlag(0)))


def _literals(written: str) -> list[str]:
    """Words and marks that a pattern names."""
    words = re.findall(r"(?<![\\\w])\w{2,20}", written)
    return list(dict.fromkeys([*words[:12], *(f"{word} " for word in words[:12])]))


def _repetitions(parsed: Any, before: str = "") -> Iterator[tuple[str, str]]:
    """For each repetition without an end: what leads to it, and what it repeats."""
    for kind, value in parsed:
        if kind in (kinds.MAX_REPEAT, kinds.MIN_REPEAT, kinds.POSSESSIVE_REPEAT):
            _, most, body = value
            if most > 200:
                units = list(filter(None, _some(body)))
                yield from ((before, unit) for unit in units)
                if before:
                    yield from (("", before + unit) for unit in ("", *units[:2]))
            yield from _repetitions(body, before)
        elif kind is kinds.SUBPATTERN:
            yield from _repetitions(value[3], before)
        elif kind is kinds.BRANCH:
            for branch in value[1]:
                yield from _repetitions(branch, before)
        elif kind is kinds.ATOMIC_GROUP:
            yield from _repetitions(value, before)
        before += next(iter(_some([(kind, value)])), "")


def _some(parsed: Any) -> list[str]:
    """A few texts that a parsed pattern may match."""
    texts = [""]
    for kind, value in parsed:
        texts = [text + more for text in texts for more in _node(kind, value)][:6]
    return texts


def _node(kind: Any, value: Any) -> list[str]:
    if kind is kinds.LITERAL:
        return [chr(value)]
    if kind is kinds.NOT_LITERAL or kind is kinds.ANY:
        return ["a", " ", "."]
    if kind is kinds.IN:
        return _members(value)
    if kind is kinds.BRANCH:
        return [text for branch in value[1] for text in _some(branch)[:1]][:4]
    if kind is kinds.SUBPATTERN:
        return _some(value[3])
    if kind is kinds.ATOMIC_GROUP:
        return _some(value)
    if kind in (kinds.MAX_REPEAT, kinds.MIN_REPEAT, kinds.POSSESSIVE_REPEAT):
        return [text * max(1, min(value[0], 20)) for text in _some(value[2])]
    return [""]


def _members(members: Any) -> list[str]:
    classes = {
        kinds.CATEGORY_DIGIT: "1", kinds.CATEGORY_SPACE: " ", kinds.CATEGORY_WORD: "a",
        kinds.CATEGORY_NOT_SPACE: "a", kinds.CATEGORY_NOT_DIGIT: "a", kinds.CATEGORY_NOT_WORD: ".",
    }  # fmt: skip
    negated = members[0][0] is kinds.NEGATE
    found = []
    for kind, value in members[negated:]:
        if kind is kinds.LITERAL:
            found.append(chr(value))
        elif kind is kinds.RANGE:
            found.append(chr(value[0]))
        elif kind is kinds.CATEGORY:
            found.append(classes.get(value, "a"))
    if not negated:
        return found[:6]
    return [mark for mark in ("a", " ", ".", "1", "(", "\n") if mark not in found][:4]
