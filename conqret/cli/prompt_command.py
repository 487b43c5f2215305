"""``conqret info prompt``: the prompt files, as they are and as they are sent."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from pathlib import Path
from typing import Any

from rich.text import Text

from conqret.console import shared_options as options
from conqret.console.printing import at, entry, note, note_left_out, out, result, say
from conqret.data import Item
from conqret.errors import DeclarationError, UnknownNameError, metric_name
from conqret.errors import number as counted
from conqret.io import open_items
from conqret.io.safe_files import write_new
from conqret.judges.g_eval import generate_steps, with_steps
from conqret.judging.instrument import filled, prompt_variables
from conqret.judging.judge_parts import JUDGES, Case, JudgePrompt
from conqret.judging.setup import PROBE
from conqret.llm.client_options import ClientOptions
from conqret.prompts import Library, RenderedPrompt
from conqret.prompts.library import SUFFIX, explained

COMMON = ("item", "items", "metric", "prompts", "copy", "model", "json_output")
"""The options that ``--help`` shows."""

DEMO_ITEMS = Path("fixtures/demo/items.jsonl")
"""Shown where no items are given, in a checkout."""


def prompt(
    name: str | None = None,
    *,
    item: str | None = None,
    items: Path | None = None,
    language: options.Language = None,
    metric: options.Metric = None,
    prompts: Path | None = None,
    copy: Path | None = None,
    overwrite: options.Replace = False,
    model: str | None = None,
    calls: options.Calls,
    json_output: options.Printed = None,
) -> None:
    """List the prompts, show one or the very text that is sent for an item, or copy prompts to change them.

    A copy explains its variables; parts that prompts share need no copy.

    Args:
        name: A judge format, for all its prompts (`conqret info formats` lists them), or one prompt. Default: list all
            prompts.
        item: Fill the prompts of a judge with this item, given by its id or its number in the file (from 1).
        items: The file of items. Default: fixtures/demo/items.jsonl if it is there, else a made-up item.
        prompts: A folder with prompts of your own, laid out like prompts/.
        copy: Copy the prompts into this folder, to change them there: `conqret judge --prompts` takes it.
        model (--model, -m): Have this model write new evaluation steps for a prompt of the format g-eval, from its
            criteria (G-Eval; ConQRet, D.3); with `--copy` into the copy. `offline` writes fixed steps without a model.

    Examples:

    conqret info prompt

    conqret info prompt rag-fine-grained --items items.jsonl --item 3

    conqret info prompt rag-fine-grained --copy my-prompts
    """
    if name is None:
        _list_prompts(Library(prompts), json_output=json_output)
        return
    if model is not None:
        base = copy if prompts is None and copy is not None and copy.exists() else prompts
        _new_steps(Library(base), name, calls.for_model(model), copy, overwrite=overwrite)
        return
    library = Library(prompts)
    judge_prompts = _judge_prompts_of(name, library, metric or ())
    if copy is not None:
        _copy(library, judge_prompts, copy, overwrite=overwrite)
    elif item is None:
        out().out("\n".join(library[identifier].text for identifier in judge_prompts), highlight=False)
    else:
        _show(library, judge_prompts, _find_item(items, item, language=language))


def _list_prompts(library: Library, *, json_output: bool | None) -> None:
    """Print all prompts: id, version, what each is for, and where it is from."""
    library_prompts = [library[identifier] for identifier in library.ids()]
    names = ("id", "version", "asks", "source")
    rows = [{name: getattr(prompt, name) for name in names} for prompt in library_prompts]
    entries = (
        entry(prompt.id, f"version {prompt.version}", (prompt.asks, f"source: {prompt.source}"))
        for prompt in library_prompts
    )
    result(rows, chain.from_iterable(entries), as_json=json_output)


def _show(library: Library, judge_prompts: dict[str, JudgePrompt[Any] | None], item: Item) -> None:
    """Print prompts as they are sent for an item; those that cannot be filled are noted.

    Raises:
        DeclarationError: none of them can be.
    """

    faults = []
    for identifier, judge_prompt in judge_prompts.items():
        try:
            rendered, remark = shown(library, identifier, judge_prompt, item)
        except DeclarationError as error:
            faults.append(str(error))
            continue
        for role, text in (("system", rendered.system), ("user", rendered.user)):
            out().rule(Text(f"{identifier} · {role}"), align="left")
            out().out(text, highlight=False)
        note(*filter(None, [remark]))
    if len(faults) == len(judge_prompts):
        raise DeclarationError("\n".join(faults))
    note(*faults)


def _copy(
    library: Library, judge_prompts: dict[str, JudgePrompt[Any] | None], folder: Path, *, overwrite: bool
) -> None:
    """Copy prompts into a folder, with their variables explained, and print the names of the files.

    Raises:
        DeclarationError: a file exists, without ``overwrite``.
    """

    texts = {}
    for identifier, judge_prompt in judge_prompts.items():
        blocks = library.used(identifier)
        if judge_prompt is not None:
            system, user = prompt_variables(judge_prompt, Case(PROBE))
            data = ["data"] if library[identifier].data else []
            blocks = {"system": (*data, *system), "user": (*data, *system, *user)}
        texts[folder / f"{identifier}{SUFFIX}"] = explained(library[identifier], blocks)
    for written in write_new(texts, overwrite=overwrite):
        say(at(written))
    note(f"edit the copies, and use them with --prompts {folder}")


def _new_steps(
    library: Library, name: str, client: ClientOptions, folder: Path | None, *, overwrite: bool
) -> None:
    """Have a model write the evaluation steps of a prompt anew, and print them; with a ``folder``, write a copy of the
    prompt with these steps into it.

    Raises:
        DeclarationError: there is no such prompt, or the copy exists (without ``overwrite``).
    """

    prompt = library[name.replace("_", "-")]
    evaluation_steps = generate_steps(prompt, client, library)
    for number, step in enumerate(evaluation_steps, start=1):
        say(f"{number}. {step}")
    if folder is not None:
        texts = {folder / f"{prompt.id}{SUFFIX}": with_steps(prompt, evaluation_steps)}
        for written in write_new(texts, overwrite=overwrite):
            say(f"written to {written}; use it with: conqret judge … --format g-eval --prompts {folder}")


def _judge_prompts_of(
    name: str, library: Library, metrics: Sequence[str] = ()
) -> dict[str, JudgePrompt[Any] | None]:
    """Return the prompts of a format, or a prompt alone, by id, each with a judge prompt that uses it (None: no judge
    does).

    Raises:
        DeclarationError: the format sends no requests, or ``metrics`` are named with a prompt.
        UnknownNameError: there is no such format, prompt or metric.
    """
    name = name if name in JUDGES or name in library.ids() else name.replace("_", "-")
    if name in JUDGES:
        wanted = tuple(metric_name(metric) for metric in metrics)
        by_prompt: dict[str, JudgePrompt[Any] | None] = {}
        for judge_prompt in JUDGES[name].select(wanted):
            by_prompt.setdefault(judge_prompt.prompt, judge_prompt)
        if not by_prompt:
            raise DeclarationError(f"the format {name} sends no requests to a model, so it has no prompt")
        return by_prompt
    if metrics:
        raise DeclarationError(f"--metric goes with a format (conqret info formats), and {name!r} is none")
    judge_prompts = {part.prompt: part for judge in JUDGES.values() for part in judge.judge_prompts}
    return {library[name].id: judge_prompts.get(name)}


def _find_item(file: Path | None, wanted: str, *, language: str | None) -> Item:

    path, ids = file or DEMO_ITEMS, []
    if file is None and not path.exists():
        note(
            "no items were given, so the prompt shows an invented example: give --items FILE to use your own"
        )
        return PROBE
    source = open_items(path, skip_invalid=True, language=language)
    note_left_out(source.check())
    for number, item in enumerate(source, start=1):
        if item.id == wanted or str(number) == wanted:
            return item
        ids.append(item.id)
    if wanted.isdigit():
        raise DeclarationError(f"{path} has {counted(len(ids), 'item')}; there is no item number {wanted}")
    raise UnknownNameError("item", wanted, ids[:50])


def shown(
    library: Library, identifier: str, judge_prompt: JudgePrompt[Any] | None, item: Item
) -> tuple[RenderedPrompt, str]:
    """Fill a prompt with ``item``; return the rendered prompt and a remark for the reader (empty: none).

    Args:
        judge_prompt: the judge prompt that uses it; None where no judge does.

    Raises:
        DeclarationError: no judge sends the prompt, or the item lacks what it shows.
    """
    if judge_prompt is None:
        raise DeclarationError(f"no judge sends the prompt {identifier!r} for an item: leave out --item")
    if lacking := [
        need for need in sorted(judge_prompt.needs | judge_prompt.against) if not getattr(item, need)
    ]:
        raise DeclarationError(f"{identifier}: item {item.id} has no {' and no '.join(lacking)}")
    remark = ""
    if "dimension" in library.used(identifier)["system"]:
        metric = judge_prompt.metrics[0]
        remark = f"{identifier} is sent once for each metric; this is {metric}, and --metric shows another"
    return filled(library[identifier], judge_prompt, Case(item)), remark
