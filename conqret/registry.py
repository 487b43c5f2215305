"""Look up extensions by name: conqret's own, one module each, and those of installed plug-ins.

A registry is a package of modules, each with one declared object, and a group of entry points. A module is found by
its file's name and imported only when it is requested; a plug-in says in its ``pyproject.toml``::

    [project.entry-points."conqret.judges"]
    my-format = "my_package.my_format:JUDGE"
"""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator, Mapping
from functools import cached_property
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Generic, TypeVar

from conqret.errors import DeclarationError, UnknownNameError, first_line

T = TypeVar("T")


class Registry(Mapping[str, T], Generic[T]):
    """A read-only mapping from name to the objects of one kind, built-in and from plug-ins.

    Hyphens, underscores, spaces and upper or lower case in names make no difference.

    Args:
        kind: the word for one object in messages (``format``).
        group: the group of entry points for plug-ins (``conqret.judges``).
        member_type: the type that each object must have.
        package: the package whose modules each hold a built-in object in ``attribute``; modules with a
            leading underscore are skipped. It may also be a package or module that holds all of them
            as a tuple of that name. Without a package, all objects come from plug-ins.
        first: names that come first; the others follow in alphabetical order.
        shared: True if the group also holds other kinds, so that objects of other types are ignored.
            All objects of the group are then imported.

    Raises:
        UnknownNameError: on use, there is no such name; the message suggests the closest.
        DeclarationError: on use, a plug-in repeats a name, cannot be imported or has another type; or
            an object's ``name`` differs from its registered name.
    """

    def __init__(
        self,
        kind: str,
        group: str,
        member_type: type[T],
        *,
        package: str = "",
        attribute: str = "",
        first: tuple[str, ...] = (),
        shared: bool = False,
    ) -> None:
        self.kind, self.group = kind, group
        self._member_type, self._package, self._attribute = member_type, package, attribute
        self._first, self._shared = first, shared

    def __getitem__(self, name: str) -> T:
        home = self._homes.get(_plain(name))
        if home is None:
            raise UnknownNameError(self.kind, name, self._homes)
        if isinstance(home, str):
            where, declared = home, getattr(import_module(home), self._attribute)
            if isinstance(declared, tuple):
                declared = next(member for member in declared if _plain(member.name) == _plain(name))
        else:
            where, declared = _source(home), self._loaded(home)
        if not isinstance(declared, self._member_type):
            raise DeclarationError(
                f"{where} declares no {self.kind}: it must be a {self._member_type.__name__}, not a "
                f"{type(declared).__name__}"
            )
        declared_name = getattr(declared, "name", name)
        if _plain(declared_name) != _plain(name):
            raise DeclarationError(
                f"{where} declares the {self.kind} {declared_name!r} under the name {name!r}; use one name for both"
            )
        return declared

    def __iter__(self) -> Iterator[str]:
        return iter(self._homes)

    def __len__(self) -> int:
        return len(self._homes)

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and _plain(name) in self._homes

    def resolve(self, wanted: str | T) -> T:
        """Return the object with this name; an object is returned unchanged.

        Raises:
            UnknownNameError: there is no such name.
        """
        return self[wanted] if isinstance(wanted, str) else wanted

    def plugged(self, name: str) -> str | None:
        """Return the package of the plug-in that provides ``name``; None for a built-in object."""
        home = self._homes[_plain(name)]
        return None if isinstance(home, str) else _source(home)

    @cached_property
    def _homes(self) -> Mapping[str, str | EntryPoint]:
        """Return by name the module of conqret's own members, or the entry point of a plug-in's; own ones come first.

        Raises:
            DeclarationError: a plug-in declares a name that is taken.
        """
        modules: dict[str, str] = {}
        spec = importlib.util.find_spec(self._package) if self._package else None
        if spec is not None:
            for declared in getattr(import_module(self._package), self._attribute, ()):
                modules[_plain(declared.name)] = self._package
            for place in spec.submodule_search_locations or () if not modules else ():
                for file in Path(place).glob("[!_]*.py"):
                    modules[_plain(file.stem)] = f"{self._package}.{file.stem}"
        homes: dict[str, str | EntryPoint] = {}
        for name in (*self._first, *sorted(modules)):
            homes[name] = modules[name]
        for entry in sorted(entry_points(group=self.group), key=lambda entry_point: entry_point.name):
            if self._shared and not isinstance(self._loaded(entry), self._member_type):
                continue
            taken = homes.get(_plain(entry.name))
            if taken is not None:
                other = "conqret" if isinstance(taken, str) else _source(taken)
                raise DeclarationError(
                    f"{_source(entry)} declares the {self.kind} {entry.name!r}, which {other} already has; "
                    "give it another name, or uninstall one of them"
                )
            homes[_plain(entry.name)] = entry
        return homes

    def _loaded(self, entry: EntryPoint) -> object:
        try:
            return entry.load()
        except (ImportError, AttributeError) as error:
            raise DeclarationError(
                f"the {self.kind} {entry.name!r} of {_source(entry)} cannot be loaded: {first_line(error)}"
            ) from error


def _plain(name: str) -> str:
    return name.replace("_", "-").replace(" ", "-").lower()


def _source(entry: EntryPoint) -> str:
    return entry.dist.name if entry.dist is not None else entry.value
