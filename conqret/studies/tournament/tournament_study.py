"""``tournament``: the arguments of a topic ranked by comparisons of pairs, from Python."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from conqret.errors import DeclarationError, strict_options
from conqret.judging.asked_run import RunSettings, WatchSettings
from conqret.judging.criteria import COMPARISON, comparison_criterion, comparison_judge
from conqret.judging.judge import Items, prepared
from conqret.judging.judge_options import SampleSettings
from conqret.judging.judge_parts import Judge
from conqret.judging.judge_settings import ItemSettings, check_names, opened
from conqret.llm.client_options import ClientOptions
from conqret.runs.run_folder import default_folder, stem
from conqret.stats.comparative_judgment import check_sizes
from conqret.studies.tournament.item_groups import (
    BESIDE,
    Design,
    ItemGroup,
    PairSchedule,
    TournamentOptions,
    item_groups,
    item_systems,
)
from conqret.studies.tournament.result import PREFERENCE, Tournament
from conqret.studies.tournament.tournament_run import TournamentPlan, held

if TYPE_CHECKING:
    from conqret.judging.criterion import Criterion
    from conqret.llm.backends.function import Function

DEFAULT_FORMAT = "direct"
"""The format that compares where none is named: the preference alone, in the shortest prompt."""
NEEDS = {"argument": "a tournament compares arguments"}


class TournamentSettings(RunSettings, ItemSettings, SampleSettings, WatchSettings, total=False):
    """What :func:`tournament` can be told: who compares (``format`` and ``model``, or ``judge`` or ``server``, as in
    :func:`conqret.judge`; instead of a format a ``criterion``, which one argument meets better; of several models each
    compares every pair), and which pairs
    (:class:`conqret.studies.tournament.item_groups.TournamentOptions`)."""

    format: str | None
    criterion: Criterion | str | None
    model: str | ClientOptions | Sequence[str | ClientOptions] | None
    judge: str | Function | None

    by: str
    design: Design
    comparisons: float
    both_orders: bool
    reliability: float | None
    top: int | None
    system: str | None


def tournament_plan(
    items: Any, *, output: str | Path | bool | None = None, asks: bool = True, **settings: Any
) -> TournamentPlan:
    """A tournament that is ready to be held, or to be estimated; takes what :func:`tournament` takes. With ``output``
    of True its folder has the usual name; a server is asked what it judges only where ``asks``.

    Raises:
        DeclarationError: as there.
    """
    check_names("tournament", settings, TournamentSettings)
    own = {name: settings[name] for name in TournamentOptions.__annotations__ if name in settings}
    options = TournamentOptions(**own)
    source = opened(items, settings)
    apart = {*own, *ItemSettings.__annotations__, *WatchSettings.__annotations__}
    judging = {name: value for name, value in settings.items() if name not in apart}
    checked = source.check(NEEDS)
    groups = item_groups(source, options.fields)
    check_sizes([len(group.items) for group in groups])
    largest = max(len(group.items) for group in groups)
    if options.top is not None and options.top >= largest:
        raise DeclarationError(f"--top is {options.top}, but the largest group has only {largest} items")
    judging["format"] = _compared_by(judging)
    models = several(judging.pop("model", None))
    pairs = PairSchedule(groups, options).first_pairs()
    setups = []
    for model in models:
        pair_settings: Any = {**judging, "model": model, "metrics": (PREFERENCE,)}
        setups.append(setup := prepared(pairs, pair_settings, asks=asks)[2])
        name = setup.judge.name
        if name == COMPARISON and setup.client.backend.baseline:
            raise DeclarationError(
                "the offline baseline has no evidence for a criterion: name a model (--model)"
            )
        if PREFERENCE not in setup.judge.metrics:
            raise DeclarationError(
                f"the format {name} compares no arguments: choose a format with the metric preference"
            )
    if output is True:
        model = setups[0].client.model if len(setups) == 1 else "jury"
        output = default_folder(stem(Path(source.name)), "tournament", model)
    systems = item_systems(groups, options.system)
    folder, notes = Path(output) if output else None, tuple(_notes(groups))
    return TournamentPlan(folder, source, checked, tuple(setups), groups, options, systems, notes)


def several(models: Any) -> list[Any]:
    """The models that compare: one, or those of a list, each once.

    Raises:
        DeclarationError: the list is empty, or names one twice.
    """
    if not isinstance(models, list | tuple):
        return [models]
    if not models:
        raise DeclarationError("the list of models is empty: name one (--model)")
    names = [ClientOptions.of(model).model for model in models if model is not None]
    if twice := [name for name, count in Counter(names).items() if count > 1]:
        raise DeclarationError(f"the model {twice[0]} is named twice; name each model once")
    return list(models)


def _compared_by(judging: dict[str, Any]) -> str | Judge | None:
    """The format whose preference is asked, or the judge of the criterion; None for a judge of one's own.

    Raises:
        DeclarationError: the criterion is faulty, or another judge is named besides.
    """
    named = [name for name in ("format", "judge") if judging.get(name) is not None]
    criterion = judging.pop("criterion", None)
    if criterion is None:
        return judging.get("format") if named else DEFAULT_FORMAT
    if named:
        raise DeclarationError(f"a criterion defines the judge: leave {named[0]} out")
    return comparison_judge(comparison_criterion(criterion))


def _notes(groups: Sequence[ItemGroup]) -> Iterator[str]:
    """What is not shown of items, because those of a group differ in it."""
    for name in BESIDE:
        count = sum(
            any(getattr(item, name) != getattr(group.items[0], name) for item in group.items)
            for group in groups
        )
        if count:
            lead = f"in {count} of {len(groups)} groups the items have different {name.removesuffix('s')}s"
            yield f"{lead}, and those that differ are compared without them"


@strict_options
def tournament(
    items: Items, *, output: str | Path | None = None, **settings: Unpack[TournamentSettings]
) -> Tournament:
    """Rank the arguments of each topic by comparisons of pairs (comparative judgment).

    Args:
        items: a file, a frame, or items; each has an argument, and each topic at least two items.
        output: the run's folder, where the same call goes on; None keeps everything in memory.
        settings: who compares, which pairs, and how models are asked:
            :class:`TournamentSettings`.

    Raises:
        DeclarationError: anything wrong with the call, the items or the folder. No model is asked then.
    """
    asks = not settings.get("dry_run")
    return held(tournament_plan(items, output=output, asks=asks, **settings), **settings)
