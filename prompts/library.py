"""Find, check and render prompt files.

A prompt file is front matter in TOML between two lines ``+++``, then a Jinja template with two blocks:
``system`` (what is asked; the same text for every item, so that a provider's prompt cache helps) and
``user`` (the item). Front matter: ``id``, ``version``, ``asks`` (one line for readers), ``source`` (paper and
section), whatever else the template needs under ``[data]``, and under ``[variables]`` a sentence for each variable
that ``variables.toml`` does not explain.

A plug-in's prompts lie in a package of its own, laid out alike, which it names in its ``pyproject.toml``::

    [project.entry-points."conqret.prompts"]
    my-plugin = "my_plugin.prompts"
"""

from __future__ import annotations

import hashlib
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property, lru_cache, partial
from importlib import resources
from importlib.metadata import entry_points
from importlib.resources.abc import Traversable
from pathlib import Path
from types import MappingProxyType
from typing import Any

from jinja2 import BaseLoader, Environment, FunctionLoader, StrictUndefined, Template, meta, nodes
from jinja2.exceptions import TemplateError
from jinja2.sandbox import ImmutableSandboxedEnvironment
from markupsafe import Markup

from conqret.errors import DeclarationError, UnknownNameError, first_line
from conqret.prompts.neutralizing import neutralise

SUFFIX = ".j2"
PLUG_INS = "conqret.prompts"
"""The group of entry points by which plug-ins name the packages of their prompts."""

KEPT = 64
"""System blocks that are kept of a prompt."""
TEXTS = 256
"""Templates of which is kept what they include and use: each run makes a library of the same texts."""

_FENCE = "+++\n"
_REQUIRED = {"id": str, "version": int, "asks": str, "source": str}
_COMMENT = re.compile(r"\{#.*?#\}\n?", re.DOTALL)


@dataclass(frozen=True, slots=True)
class RenderedPrompt:
    """A filled prompt: the static part (``system``) and the part with the item's texts (``user``)."""

    system: str
    user: str


def _alone(identifier: str) -> Prompt:
    raise UnknownNameError("prompt", identifier, ())


@dataclass(frozen=True)
class Prompt:
    """One prompt file with its template.

    ``digest`` changes with any change of its text or of an included part, except comments of the template,
    which are never sent. ``variables`` describes the variables that only this prompt has. ``beside`` returns
    another prompt of the library by its id. ``systems`` caches filled system blocks by their settings.
    """

    id: str
    version: int
    asks: str
    source: str
    data: Mapping[str, Any]
    text: str = field(repr=False)
    digest: str
    template: Template = field(repr=False)
    variables: Mapping[str, str] = field(default_factory=dict)
    beside: Callable[[str], Prompt] = field(default=_alone, repr=False, compare=False)
    systems: dict[Any, str] = field(default_factory=dict, repr=False, compare=False)

    @cached_property
    def used(self) -> Mapping[str, tuple[str, ...]]:
        """A mapping from each block of the template to the variables that it uses, in alphabetical order."""
        _, body = split_front_matter(self.text, self.id)
        return dict(_used(body))

    def render(
        self, variables: Mapping[str, Any], settings: Mapping[str, Any] | None = None
    ) -> RenderedPrompt:
        """Fill the template and return the prompt; every string among ``variables`` is neutralized
        (:func:`neutralise`).

        The ``system`` block gets only ``settings`` (hashable values that are the same for many items), so
        that no item text can reach it. The ``user`` block gets both.

        Raises:
            DeclarationError: the template uses a variable that is missing, or fails in another way.
        """
        settings = settings or {}
        name = tuple(settings.items())
        if name not in self.systems:
            if len(self.systems) >= KEPT:  # where items have criteria of their own, each item has other ones
                self.systems.clear()
            self.systems[name] = self._block("system", settings)
        return RenderedPrompt(self.systems[name], self._block("user", {**settings, **variables}))

    def _block(self, name: str, variables: Mapping[str, Any]) -> str:
        try:
            context = self.template.new_context({"data": self.data, **variables})
            return "".join(self.template.blocks[name](context)).strip()
        except (
            *(TemplateError, ArithmeticError, AttributeError, LookupError, TypeError, ValueError),
            *(RecursionError, MemoryError),
        ) as error:
            raise DeclarationError(f"prompt {self.id!r} does not render: {error}") from error


class Library:
    """The prompts of conqret and of plug-ins, overridden by those in ``overlay`` (a folder with the same
    layout).

    ``asked`` are ids of further prompts that the overlay may contain: those of a user-defined judge.

    Raises:
        DeclarationError: ``overlay`` is not a folder, or contains a prompt that is never used; or a plug-in's
            prompts are missing, or have an id that exists.
    """

    def __init__(self, overlay: Path | None = None, asked: Iterable[str] = ()) -> None:
        self.overlay, self.asked = overlay, tuple(asked)
        self._folders: tuple[Traversable, ...] = (resources.files("conqret.prompts"), *_plugged())
        self._environment = _environment(FunctionLoader(self._part))
        self._prompts: dict[str, Prompt] = {}
        if overlay is not None:
            if not overlay.is_dir():
                raise DeclarationError(
                    f"{overlay} is not a folder; give --prompts a folder laid out like prompts/"
                )
            known = {*self.ids(), *self.asked}
            if strangers := [identifier for identifier in _walk(overlay) if identifier not in known]:
                unknown = UnknownNameError("prompt", strangers[0], known)
                raise DeclarationError(f"nothing asks for {self.path(strangers[0])}: {unknown}")
            self._folders = (overlay, *self._folders)

    def __reduce__(self) -> tuple[type[Library], tuple[Path | None, tuple[str, ...]]]:
        """A copy elsewhere reads the files again: templates cannot be sent."""
        return Library, (self.overlay, self.asked)

    def __getitem__(self, identifier: str) -> Prompt:
        if identifier in self._prompts:
            return self._prompts[identifier]
        try:
            text = self.source(identifier + SUFFIX)
        except KeyError:
            raise UnknownNameError("prompt", identifier, self.ids()) from None
        front, body = split_front_matter(text, identifier)
        try:
            template = self._environment.from_string(body)
            included = self._included(body, identifier).values()
            texts = list(map(partial(_COMMENT.sub, ""), (body, *included)))
        except (TemplateError, RecursionError, MemoryError) as error:
            raise DeclarationError(f"prompt {identifier!r} is not a valid template: {error}") from error
        if absent := {"system", "user"} - set(template.blocks):
            raise DeclarationError(f"prompt {identifier!r} lacks the block {' and '.join(sorted(absent))}")
        texts[0] = text.removesuffix(body) + texts[0]
        self._prompts[identifier] = prompt = Prompt(
            id=identifier,
            version=front["version"],
            asks=front["asks"],
            source=front["source"],
            data=front.get("data", {}),
            text=text,
            digest=hashlib.sha256("\0".join(texts).encode()).hexdigest()[:16],
            template=template,
            variables=front.get("variables", {}),
            beside=self.__getitem__,
        )
        return prompt

    def ids(self) -> tuple[str, ...]:
        """Return the ids of all prompts, sorted."""
        return tuple(sorted({identifier for folder in self._folders for identifier in _walk(folder)}))

    def path(self, identifier: str) -> Path:
        """Return the path of this prompt's file in the overlay, existing or not.

        Raises:
            DeclarationError: the library has no overlay.
        """
        if self.overlay is None:
            raise DeclarationError("there is no folder of prompts to write to: give one with --prompts")
        return self.overlay / (identifier + SUFFIX)

    def source(self, name: str) -> str:
        """Return the text of the file ``name`` (with suffix), from the overlay first.

        Raises:
            KeyError: the file does not exist.
            DeclarationError: the file is not UTF-8.
        """
        parts = name.split("/")
        if "\\" in name or not {"", ".", ".."}.isdisjoint(parts):
            raise KeyError(name)
        for folder in self._folders:
            if (file := folder.joinpath(*parts)).is_file():
                try:
                    return file.read_text(encoding="utf-8")
                except UnicodeDecodeError as error:
                    where = f"{error.reason} at byte {error.start}"
                    raise DeclarationError(f"{file} is not UTF-8 ({where})") from error
        raise KeyError(name)

    def used(self, identifier: str) -> dict[str, tuple[str, ...]]:
        """Return a mapping from each block of a prompt to the variables that it uses, in alphabetical
        order.
        """
        return dict(self[identifier].used)

    def included(self, identifier: str) -> dict[str, str]:
        """Return the texts of all files that a prompt includes or imports, directly or not, by file name."""
        _, body = split_front_matter(self.source(identifier + SUFFIX), identifier)
        return self._included(body, identifier)

    def _part(self, name: str) -> str | None:
        """The text of a shared part, which templates include: its name begins with an underscore."""
        try:
            return self.source(name)
        except KeyError:
            return None

    def _included(self, body: str, identifier: str) -> dict[str, str]:
        found, bodies = dict[str, str](), [body]
        while bodies:
            for name in _referenced(bodies.pop()):
                if name in found:
                    continue
                try:
                    found[name] = self.source(name)
                except KeyError:
                    raise DeclarationError(
                        f"prompt {identifier!r} includes {name!r}, which does not exist"
                    ) from None
                bodies.append(found[name])
        return found


def _environment(loader: BaseLoader | None = None) -> Environment:
    """Return Jinja's sandbox, in which a template from elsewhere does not reach Python. All variables are escaped, and
    an unknown one is an error."""
    return ImmutableSandboxedEnvironment(
        loader=loader,
        autoescape=True,
        finalize=_finalize,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=False,
    )


@lru_cache(maxsize=TEXTS)
def _referenced(body: str) -> tuple[str, ...]:
    """The names of the files that a template includes or imports, sorted."""
    return tuple(sorted(filter(None, meta.find_referenced_templates(_environment().parse(body)))))


@lru_cache(maxsize=TEXTS)
def _used(body: str) -> Mapping[str, tuple[str, ...]]:
    """Return by block the variables that a template uses, in alphabetical order."""
    environment, variables = _environment(), {}
    for block in environment.parse(body).find_all(nodes.Block):
        alone = nodes.Template(block.body, lineno=block.lineno)
        alone.environment = environment
        variables[block.name] = tuple(sorted(meta.find_undeclared_variables(alone)))
    return MappingProxyType(variables)


def split_front_matter(text: str, identifier: str) -> tuple[dict[str, Any], str]:
    """Split a prompt file into its front matter and its template, and return both.

    Raises:
        DeclarationError: the front matter is missing or not TOML, or a field is missing or has another type.
    """
    if not text.startswith(_FENCE) or (end := text.find("\n" + _FENCE, len(_FENCE) - 1)) < 0:
        raise DeclarationError(f"prompt {identifier!r} must begin with front matter between two lines '+++'")
    try:
        front = tomllib.loads(text[len(_FENCE) : end + 1])
    except (ValueError, RecursionError) as error:
        raise DeclarationError(
            f"the front matter of prompt {identifier!r} is not valid TOML: {error}"
        ) from error
    missing, wrong_types = list[str](), list[str]()
    for key, kind in _REQUIRED.items():
        if key not in front:
            missing.append(key)
        elif type(front[key]) is not kind:
            wrong_types.append(key)
    if missing or front["id"] != identifier:
        wrong = f"lacks {', '.join(missing)}" if missing else f"calls itself {front['id']!r}"
        raise DeclarationError(f"the front matter of prompt {identifier!r} {wrong}")
    if wrong_types:
        raise DeclarationError(
            f"the front matter of prompt {identifier!r} is wrong in {', '.join(wrong_types)}: "
            "version must be a whole number, the others texts"
        )
    return front, text[end + 1 + len(_FENCE) :]


@lru_cache(maxsize=1)
def _plugged() -> tuple[Traversable, ...]:
    """Return the folders of the plug-ins' prompts.

    Raises:
        DeclarationError: a folder cannot be found, or a plug-in declares a prompt that another has.
    """
    if not (entries := entry_points(group=PLUG_INS)):
        return ()
    folders: dict[str, Traversable] = {}
    owners = dict.fromkeys(_walk(resources.files("conqret.prompts")), "conqret")
    for entry in sorted(entries, key=lambda entry_point: entry_point.name):
        try:
            folders[entry.name] = resources.files(entry.value)
        except ImportError as error:
            raise DeclarationError(
                f"the prompts of {entry.name} ({entry.value}) cannot be found: {first_line(error)}"
            ) from error
        for identifier in _walk(folders[entry.name]):
            if identifier in owners:
                raise DeclarationError(
                    f"{entry.name} declares the prompt {identifier!r}, which {owners[identifier]} already has; "
                    "give it another name"
                )
            owners[identifier] = entry.name
    return tuple(folders.values())


def _finalize(value: Any) -> Any:
    """Escape for a prompt instead of for HTML; what our own macros made (Markup) is left alone."""
    return value if isinstance(value, Markup) else Markup(neutralise(str(value)))  # noqa: S704 - no HTML


def _walk(folder: Traversable, prefix: str = "") -> Iterator[str]:
    for entry in folder.iterdir():
        if entry.name.startswith(("_", ".")):
            continue
        if entry.is_dir():
            yield from _walk(entry, f"{prefix}{entry.name}/")
        elif entry.name.endswith(SUFFIX):
            yield prefix + entry.name.removesuffix(SUFFIX)


@cache
def known_variables() -> Mapping[str, str]:
    """Return what each variable of the prompts that come with conqret holds (``variables.toml``)."""
    text = resources.files("conqret.prompts").joinpath("variables.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


_INTRODUCTION = (
    "Variables that this prompt can use. This comment is never sent, and may go. The block `system` is the same for "
    "every item: change what is asked there. The block `user` shows the item: keep the tags around its texts."
)


def explained(prompt: Prompt, variables: Mapping[str, Iterable[str]]) -> str:
    """Return the text of a prompt file with a comment after its front matter that explains the variables.

    ``variables`` maps each block to its variables. The comment changes neither what is sent nor the prompt's
    digest.
    """
    known = {**known_variables(), **prompt.variables}
    lines = [
        f"  {block}: {name} - {known.get(name, 'given by the format')}"
        for block, names in variables.items()
        for name in sorted(names)
    ]
    _, body = split_front_matter(prompt.text, prompt.id)
    comment = "\n".join(["{# " + _INTRODUCTION, *lines, "#}", ""])
    return prompt.text.removesuffix(body) + comment + body
