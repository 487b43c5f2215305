"""Items at every level of a perturbation, from a file into a file."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Unpack

from conqret.data import Item
from conqret.errors import DeclarationError, strict_options
from conqret.io import CheckedItems, item_record, open_items
from conqret.io.jsonl import json_lines
from conqret.io.overwriting import check_new, write_new
from conqret.judging.judge_settings import (
    AnswerSettings,
    ClientSettings,
    ItemSettings,
    as_path,
    client_options,
)
from conqret.llm.client_options import ClientOptions
from conqret.perturb.document_pool import Pool
from conqret.perturb.perturbation import PERTURBATIONS, SEED, Materials, Perturbation
from conqret.perturb.versions import (
    LeftOutItem,
    Level,
    NoItemChangedError,
    at_levels,
    counted_reasons,
    perturb_items,
)
from conqret.runs.run_folder import stem
from conqret.runs.session import SessionCounts


class PerturbSettings(ClientSettings, AnswerSettings, ItemSettings, total=False):
    """What rewrites sentences, where a perturbation needs a model, and how items are read."""

    model: str | ClientOptions | None
    prompts: str | Path | None


@dataclass(frozen=True, slots=True)
class Perturbed:
    """The items by level, those that could not be changed and why, those that the model failed to rewrite, and the file
    that holds all versions; and what was asked."""

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
    **settings: Unpack[PerturbSettings],
) -> Perturbed:
    """Perturb items by known amounts: every level of every item, with a record of what was changed where.

    Args:
        name: the perturbation.
        items: the items, in any layout that :func:`conqret.judge` reads.
        levels: rising levels in the perturbation's own unit, or shares such as ``25%``; by default its own.
        pool: where documents of other topics come from, a corpus directory or a file of items; by default the others.
        output: the file to write, by default ``ITEMS-NAME.jsonl``.
        overwrite: replace the file where it has other content, which may be corrected by hand.
        seed: draws what is changed.
        on_check: gets what the check of the items found.
        settings: what rewrites, and how items are read: :class:`PerturbSettings`.

    Raises:
        DeclarationError: anything wrong with the call or the items.
    """
    perturbation, chosen = rising_levels(PERTURBATIONS[name], levels)
    client, replay = client_options(settings.get("model"), settings), as_path(settings.get("replay"))
    if perturbation.rewriting:
        client.backend.check_can_ask("the question for a rewrite")
    needs = dict.fromkeys(sorted(perturbation.needs), f"{perturbation.name} changes it")
    opened = open_items(
        items,
        columns=settings.get("columns"),
        skip_invalid=settings.get("skip_invalid"),
        language=settings.get("language"),
    )
    source = replace(opened, needs=needs)
    on_check(source.check())
    found = list(source)
    documents = Pool()
    if perturbation.pool:
        documents = Pool.open(pool) if pool else Pool.from_items(found)
    target = as_path(output) or Path(f"{stem(Path(items))}-{perturbation.name}.jsonl")
    materials, failed, session = Materials(documents), list[LeftOutItem](), SessionCounts()
    if perturbation.rewriting and not (client.backend.baseline and replay is None):
        from conqret.perturb.rewriting import rewrite_with_model

        store = as_path(settings.get("recordings")) or target.with_suffix(".recordings.sqlite")
        if not (replay or store.exists()):  # or else the same content may come again without calls
            check_new([target], overwrite=overwrite)
        materials, failed, session = rewrite_with_model(
            found, perturbation, chosen, client,
            recordings=store, replay=replay, seed=seed, prompts=as_path(settings.get("prompts")),
        )  # fmt: skip
    lost = {one.item for one in failed}
    rest = (item for item in found if item.id not in lost)
    changed, left_out = perturb_items(rest, perturbation, chosen, seed=seed, materials=materials)
    if not failed and not any(changed.values()):
        reasons = counted_reasons([omission.reason for omission in left_out])
        raise NoItemChangedError(f"{perturbation.name} can change none of the items: {reasons}", left_out)
    records = (item_record(item) for level in changed.values() for item in level)
    write_new({target: json_lines(records)}, overwrite=overwrite)
    return Perturbed(perturbation, changed, left_out, failed, target, session)


def rising_levels(
    perturbation: Perturbation, levels: Sequence[Level] = ()
) -> tuple[Perturbation, tuple[float, ...]]:
    """The perturbation that has these levels, and the levels as numbers; its own where none are given.

    Raises:
        DeclarationError: as :func:`conqret.perturb.at_levels`, or they do not rise.
    """
    perturbation, chosen = at_levels(perturbation, levels)
    if any(low >= high for low, high in pairwise(chosen)):
        raise DeclarationError(f"levels must rise, but {', '.join(map(str, levels))} do not")
    return perturbation, chosen
