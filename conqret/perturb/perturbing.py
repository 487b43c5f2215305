"""Perturb the items of a file at every level, and write the versions to a file
(:func:`write_perturbations`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from types import MappingProxyType
from typing import Unpack

from conqret.data import Item
from conqret.errors import DeclarationError, strict_options
from conqret.io import CheckedItems, item_record, open_items
from conqret.io.jsonl import json_lines
from conqret.io.safe_files import check_new, write_new
from conqret.judging.judge_settings import ItemSettings
from conqret.llm.client_options import ClientOptions, ClientSettings, client_options
from conqret.perturb import PERTURBATIONS, SEED, Materials, Perturbation, Pool, at_levels, perturb_items
from conqret.perturb.rewriting import rewrite_items
from conqret.perturb.versions import LeftOutItem, Level, NoItemChangedError, counted_reasons
from conqret.runs.run_folder import as_path, stem
from conqret.runs.session import Session, SessionCounts


class RewritingSettings(ClientSettings, ItemSettings, total=False):
    """The settings of the model that rewrites items, and of how items are read."""

    model: str | ClientOptions | None
    prompts: str | Path | None
    recordings: str | Path | None
    replay: str | Path | None


def read_items(
    items: str | Path,
    settings: RewritingSettings,
    on_check: Callable[[CheckedItems], object],
    needs: Mapping[str, str] = MappingProxyType({}),
) -> list[Item]:
    """Read and check the items of a file, and return them as a list.

    ``needs`` maps each required field to the reason, and ``on_check`` gets the summary of the check.

    Raises:
        ItemsError: items have faults.
        DeclarationError: a setting is invalid.
    """
    opened = open_items(
        items,
        columns=settings.get("columns"),
        skip_invalid=settings.get("skip_invalid"),
        language=settings.get("language"),
    )
    source = replace(opened, needs=needs)
    on_check(source.check())
    return list(source)


def rewriter(client: ClientOptions, target: Path, settings: RewritingSettings, *, overwrite: bool) -> Session:
    """Return a session with the model (``client``) that rewrites, whose responses are recorded next to
    ``target`` unless ``settings`` name a store or a replay.

    Raises:
        DeclarationError: the file has other content, and there are no recordings to reproduce it from; with
            ``overwrite`` it may.
    """
    replay = as_path(settings.get("replay"))
    store = as_path(settings.get("recordings")) or target.with_suffix(".recordings.sqlite")
    if not replay:
        if not store.exists():  # or else the same content may come again without calls
            check_new([target], overwrite=overwrite)
        store.parent.mkdir(parents=True, exist_ok=True)
    prompts = as_path(settings.get("prompts"))
    return Session(client, recordings=None if replay else store, replay=replay, prompts=prompts)


@dataclass(frozen=True, slots=True)
class Perturbed:
    """The result of perturbing a file of items.

    ``changed`` has the versions by level. ``left_out`` are the items that could not be perturbed, and
    ``failed`` those that the model failed to rewrite, each with the reason. ``file`` is the output file, and
    ``session`` counts requests.
    """

    perturbation: Perturbation
    changed: dict[float, list[Item]]
    left_out: list[LeftOutItem]
    failed: list[LeftOutItem]
    file: Path
    session: SessionCounts


@strict_options
def write_perturbations(
    name: str,
    items: str | Path,
    *,
    levels: Sequence[Level] = (),
    pool: str | Path | None = None,
    output: str | Path | None = None,
    overwrite: bool = False,
    seed: int = SEED,
    on_check: Callable[[CheckedItems], object] = lambda checked: None,
    **settings: Unpack[RewritingSettings],
) -> Perturbed:
    """Perturb all items at all levels, write every version to a file, and return a summary.

    Each version has a record of its changes.

    Args:
        name: the name of the perturbation.
        items: the items, in any layout that :func:`conqret.judge` reads.
        levels: ascending levels in the perturbation's unit, or shares such as ``25%``; by default its
            own.
        pool: a corpus directory or a file of items with documents of other topics; by default those of
            the other items.
        output: the file to write, by default ``ITEMS-NAME.jsonl``.
        overwrite: replace the file if it has other content, which may have been corrected by hand.
        seed: the random seed that draws what is changed.
        on_check: a function that gets the summary of the items' check.
        settings: the model that rewrites, and how items are read: :class:`RewritingSettings`.

    Raises:
        DeclarationError: an argument or the items are invalid.
        NoItemChangedError: the perturbation can change none of the items.
    """
    perturbation, chosen = at_levels(PERTURBATIONS[name], levels)
    if any(low >= high for low, high in pairwise(chosen)):
        raise DeclarationError(f"levels must rise, but {', '.join(map(str, levels))} do not")
    client = client_options(settings.get("model"), settings)
    if perturbation.rewriting:
        client.backend.check_can_request("the question for a rewrite")
    needs = dict.fromkeys(sorted(perturbation.needs), f"{perturbation.name} changes it")
    found = read_items(items, settings, on_check, needs)
    documents = Pool()
    if perturbation.pool:
        documents = Pool.open(pool) if pool else Pool.from_items(found)
    target = as_path(output) or Path(f"{stem(Path(items))}-{perturbation.name}.jsonl")
    materials, failed, counts = Materials(documents), list[LeftOutItem](), SessionCounts()
    if perturbation.rewriting and not (client.backend.baseline and settings.get("replay") is None):
        session = rewriter(client, target, settings, overwrite=overwrite)
        materials, failed = session.run(
            lambda client: rewrite_items(
                found, perturbation, chosen, client, seed=seed, library=session.library
            )
        )
        counts = session.counts
    lost = {one.item for one in failed}
    rest = (item for item in found if item.id not in lost)
    changed, left_out = perturb_items(rest, perturbation, chosen, seed=seed, materials=materials)
    if not failed and not any(changed.values()):
        reasons = counted_reasons([omission.reason for omission in left_out])
        raise NoItemChangedError(f"{perturbation.name} can change none of the items: {reasons}", left_out)
    records = (item_record(item) for level in changed.values() for item in level)
    write_new({target: json_lines(records)}, overwrite=overwrite)
    return Perturbed(perturbation, changed, left_out, failed, target, counts)
