"""YAML files: reading one, and the line of what stands in it, as :mod:`conqret.io.toml` does for TOML."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from conqret.errors import DeclarationError
from conqret.io.bounded import declared_text
from conqret.io.faults import quoted
from conqret.io.toml import Place, large_integers, line_of_digits, too_large


def read_yaml(path: Path) -> tuple[Any, Callable[[Place], int]]:
    """What a YAML file says, and the line of a place in it.

    Raises:
        DeclarationError: it is not there, too large, no YAML, has aliases, or an integer of over 64 bits.
    """
    import yaml

    text = declared_text(path)
    try:
        events = yaml.parse(text, yaml.SafeLoader)
        alias = next((event for event in events if isinstance(event, yaml.AliasEvent)), None)
        if alias is not None:  # a few lines of them unpack to gigabytes
            raise DeclarationError(
                f"{path}:{alias.start_mark.line + 1} has an alias ({quoted('*' + alias.anchor)}), and aliases are not "
                "read: write the value in its place"
            )
        top, data = yaml.compose(text, yaml.SafeLoader), yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise DeclarationError(f"{path} is not valid YAML: {' '.join(str(error).split())}") from None
    except (RecursionError, ValueError) as error:
        if digits := line_of_digits(text):
            raise too_large(str(path), digits) from None
        raise DeclarationError(f"{path} cannot be used: {error}") from None

    def line(place: Place) -> int:
        node, found = top, 1
        for step in place:
            inner: Any = None
            if isinstance(node, yaml.MappingNode):
                inner = next(
                    (value for key, value in node.value if getattr(key, "value", None) == step), None
                )
            elif isinstance(node, yaml.SequenceNode) and isinstance(step, int) and step < len(node.value):
                inner = node.value[step]
            if inner is None:
                break
            node, found = inner, inner.start_mark.line + 1
        return found

    for place in large_integers(data):
        raise too_large(str(path), line(place))
    return data, line
