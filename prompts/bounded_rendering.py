"""The environment of prompts: a sandbox in which a template of somebody else neither reaches Python nor goes on without
end.

Rounds of loops, calls and includes are counted for each block that is filled, and so are the characters that it writes;
numbers and texts that a template makes have a size. Nothing is measured in seconds, so that the same template fills, or
does not, on every machine.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, fields, is_dataclass
from types import CodeType
from typing import Any

from jinja2 import nodes, pass_context
from jinja2.compiler import CodeGenerator, Frame
from jinja2.exceptions import SecurityError
from jinja2.runtime import Context
from jinja2.sandbox import ImmutableSandboxedEnvironment
from jinja2.visitor import NodeTransformer

STEPS = 200_000
"""Rounds of loops, calls and includes of one block; more where it is given more than 5,000 documents."""
STEPS_EACH = 40
"""Such rounds for each place of the lists that a block is given."""
CHARACTERS = 200_000_000
"""Characters that one block writes, and of one text that it puts together: twenty of the longest texts of items."""
NUMBER = 1_000_000
"""The largest number that a template may hand to a function, and places of a list that it repeats."""
BITS = 10_000
"""Of the largest number that it may compute."""
TEMPLATES = 256
"""So many compiled templates are kept in a process; conqret's own are some sixty."""
KEPT = 1_000
"""So many decisions about an attribute of a type are kept; a prompt needs a dozen."""

_ROUNDS, _LENGTH = "_conqret_rounds", "_conqret_length"
_WIDE = re.compile(r"\d{7}")
"""A width in a format string that is beyond :data:`NUMBER`."""


@dataclass(slots=True)
class _RemainingBounds:
    variables: Mapping[str, Any]
    most: int = STEPS
    steps: int = STEPS
    characters: int = CHARACTERS

    def widened(self) -> bool:
        """Whether there are steps left once the lists of the variables are counted, which few prompts need."""
        most = max(STEPS, STEPS_EACH * sum(map(_places, self.variables.values())))
        self.steps, self.most = self.steps + most - self.most, most
        return self.steps >= 0


_codes: dict[tuple[Any, ...], CodeType] = {}
_left: ContextVar[_RemainingBounds | None] = ContextVar("left_of_a_block", default=None)


@contextmanager
def one_block(variables: Mapping[str, Any]) -> Iterator[None]:
    """Fill one block with ``variables``, within :data:`STEPS` or :data:`STEPS_EACH`, and :data:`CHARACTERS`."""
    before = _left.set(_RemainingBounds(variables))
    try:
        yield
    finally:
        _left.reset(before)


def _places(value: Any) -> int:
    """How many places the lists of a variable have, those of lists in lists included."""
    if isinstance(value, Mapping):
        value = list(value.values())
    elif is_dataclass(value):
        return sum(_places(getattr(value, field.name)) for field in fields(value))
    return len(value) + sum(map(_places, value)) if isinstance(value, list | tuple) else 0


def written(text: str) -> str:
    """The same text, its characters counted for the block that is filled."""
    left = _left.get()
    if left is not None:
        left.characters -= len(text)
        if left.characters < 0:
            raise SecurityError(f"it writes more than {CHARACTERS:,} characters")
    return text


class _Generator(CodeGenerator):
    """Does not escape for HTML what the environment's ``finalize`` has made ready: a quarter of the work."""

    def _output_child_pre(self, node: nodes.Expr, frame: Frame, finalize: Any) -> None:
        if frame.eval_ctx.volatile or not frame.eval_ctx.autoescape or finalize.src is None:
            super()._output_child_pre(node, frame, finalize)
        else:
            self.write(f"({finalize.src}")


class BoundedEnvironment(ImmutableSandboxedEnvironment):
    """The sandbox; what goes beyond a bound is a :class:`jinja2.exceptions.SecurityError`. Its ``finalize`` returns
    Markup."""

    code_generator_class = _Generator
    intercepted_binops = frozenset({"*", "**", "%"})

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.binop_table |= {"*": _product, "**": _power, "%": _rest}
        self.globals.pop("lipsum")
        self.filters = {name: _bounded(name, function) for name, function in self.filters.items()}
        self.filters |= {_ROUNDS: _rounds, _LENGTH: _length}
        self._safe: dict[tuple[type, str], bool] = {}

    def is_safe_attribute(self, obj: Any, attr: str, value: Any) -> bool:
        """Whether a template may read the attribute, which the type of the object decides."""
        known = self._safe.get((type(obj), attr))
        if known is None:
            if len(self._safe) >= KEPT:
                self._safe.clear()
            known = self._safe[type(obj), attr] = super().is_safe_attribute(obj, attr, value)
        return known

    def call(__self, __context: Context, __obj: Any, *args: Any, **kwargs: Any) -> Any:  # noqa: N805 - as in the base
        """Call what a template calls, counted."""
        _take(1)
        called = getattr(__obj, "__wrapped__", __obj)  # the sandbox wraps str.format
        text = getattr(called, "__self__", None)
        method = isinstance(text, str)
        args = _checked(called.__name__, text, args, kwargs) if method else _small(args, kwargs)
        return super().call(__context, __obj, *args, **kwargs)

    def _load_template(self, name: str, globals: Any) -> Any:  # noqa: A002 - as in the base
        _take(1)
        return super()._load_template(name, globals)

    def compile(self, source: Any, name: Any = None, filename: Any = None, *more: Any, **options: Any) -> Any:
        """Compile a template, each text once for all libraries of the process."""
        if more or options or not isinstance(source, str):
            return super().compile(source, name, filename, *more, **options)
        key = (source, name, filename, self.lexer, self.finalize, self.autoescape)
        code = _codes.get(key)
        if code is None:
            code = super().compile(source, name, filename)
            if len(_codes) >= TEMPLATES:
                _codes.clear()
            _codes[key] = code
        return code

    def _generate(self, source: nodes.Template, *more: Any, **options: Any) -> str:
        return super()._generate(_Counting().visit(source), *more, **options)


class _Counting(NodeTransformer):
    """Puts a filter that counts around what loops go over and what is joined."""

    def visit_For(self, node: nodes.For) -> nodes.Node:  # noqa: N802 - as in the base
        if node.recursive:
            raise SecurityError("recursive loops are not allowed in a prompt")
        self.generic_visit(node)
        node.iter = _filtered(node.iter, _ROUNDS)
        return node

    def visit_Concat(self, node: nodes.Concat) -> nodes.Node:  # noqa: N802 - as in the base
        self.generic_visit(node)
        return _filtered(node, _LENGTH)


def _filtered(node: nodes.Node, name: str) -> nodes.Filter:
    node_filter = nodes.Filter(node, name, [], [], None, None, lineno=node.lineno)
    node_filter.set_environment(node.environment)  # type: ignore[arg-type]
    return node_filter


@pass_context  # so that the compiler does not run it
def _rounds(context: Context, values: Iterable[Any]) -> Iterable[Any]:
    """What a loop goes over, counted."""
    try:
        size = len(values)  # type: ignore[arg-type]
    except TypeError:
        return _each(values)
    _take(size)
    return values


def _each(values: Iterable[Any]) -> Iterator[Any]:
    for value in values:
        _take(1)
        yield value


@pass_context
def _length(context: Context, text: str) -> str:
    _fits(len(text))
    return text


def _take(steps: int) -> None:
    left = _left.get()
    if left is not None:
        left.steps -= steps
        if left.steps < 0 and not left.widened():
            raise SecurityError(f"its loops, calls and includes take more than {left.most:,} steps")


def _fits(characters: int) -> None:
    if characters > CHARACTERS:
        raise SecurityError(f"it makes a text of more than {CHARACTERS:,} characters")


def _bounded(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """A filter whose numbers and texts have a size; what the compiler is told of it is kept."""
    before = 1 if hasattr(function, "jinja_pass_arg") else 0

    @functools.wraps(function)
    def bounded(*arguments: Any, **named: Any) -> Any:
        context, values = arguments[:before], arguments[before:]
        if name == "join" and values:
            values = (list(values[0]), *values[1:])
            _fits_joined(values[0], str([*values[1:], *named.values(), ""][0]))
        values = (values[0], *_checked(name, values[0], values[1:], named)) if values else values
        return function(*context, *values, **named)

    return bounded


def _checked(name: str, text: Any, args: tuple[Any, ...], named: Mapping[str, Any]) -> tuple[Any, ...]:
    """The arguments of a filter or method of a text, if what it makes of them has a size that fits."""
    args = _small(args, named)
    if not isinstance(text, str):
        return args
    numbers = [argument for argument in (*args, *named.values()) if isinstance(argument, int)]
    texts = [argument for argument in (*args, *named.values()) if isinstance(argument, str)]
    if name in ("format", "format_map") and _WIDE.search(text):
        raise SecurityError(f"a width in {text[:40]!r} is over {NUMBER:,}")
    if name == "join" and args and not isinstance(args[0], str):
        args = (list(args[0]), *args[1:])
        _fits_joined(args[0], text)
    if name == "replace" and len(texts) > 1:
        _fits((text.count(texts[0]) if texts[0] else len(text)) * len(texts[1]))
    if name in ("indent", "expandtabs"):
        width = max([4, *numbers, *map(len, texts)])
        _fits((text.count("\n") + text.count("\t") + 1) * width)
    return args


def _fits_joined(values: list[Any], between: str) -> None:
    _fits(sum(len(value) for value in values if isinstance(value, str)) + len(values) * len(between))


def _small(args: tuple[Any, ...], named: Mapping[str, Any]) -> tuple[Any, ...]:
    for argument in (*args, *named.values()):
        if isinstance(argument, int) and abs(argument) > NUMBER:
            raise SecurityError(f"a number over {NUMBER:,} is passed to a function")
    return args


def _product(left: Any, right: Any) -> Any:
    for value, times in ((left, right), (right, left)):
        if isinstance(times, int) and isinstance(value, str | list | tuple):
            most = CHARACTERS if isinstance(value, str) else NUMBER
            if len(value) * times > most:
                raise SecurityError(f"a text or list is repeated to more than {most:,} entries")
        if isinstance(value, int) and value.bit_length() > BITS:
            raise SecurityError(f"it computes a number of more than {BITS:,} bits")
    return left * right


def _power(left: Any, right: Any) -> Any:
    if isinstance(left, int) and isinstance(right, int) and left.bit_length() * abs(right) > BITS:
        raise SecurityError(f"it computes a number of more than {BITS:,} bits")
    return left**right


def _rest(left: Any, right: Any) -> Any:
    if isinstance(left, str):
        _small(right if isinstance(right, tuple) else (right,), {})
        if _WIDE.search(left):
            raise SecurityError(f"a width in {left[:40]!r} is over {NUMBER:,}")
    return left % right
