"""``judge`` and ``ajudge``: items in, judgments out, in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, overload

from conqret.data import Item, Judgment
from conqret.io import open_items, to_frame
from conqret.judging.base import RELEVANT_FROM, Judge, JudgeOptions
from conqret.judging.dimensions import Order
from conqret.judging.execute import judged
from conqret.judging.folder import judgment_key, trial_key
from conqret.judging.registry import DEFAULT_FORMAT
from conqret.judging.setup import check_items, set_up
from conqret.judging.summary import Summary, summarise
from conqret.judging.tables import score_rows, wide_row
from conqret.llm.options import OFFLINE_MODEL, ClientOptions
from conqret.runs.loop import Loop
from conqret.runs.session import Session
from conqret.runs.trials import Memory


@dataclass(frozen=True, repr=False)
class Judgments(Sequence[Judgment]):
    """The judgments of all items, in the order of the items.

    Iterate over them, or look at ``summary``, ``scores()`` (a polars frame, one row a score) and
    ``failures`` (those that are not scored).
    """

    judgments: tuple[Judgment, ...]
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.judgments)

    def __repr__(self) -> str:
        return f"<Judgments: {len(self)} items, {len(self) - len(self.failures)} scored>"

    def __iter__(self) -> Iterator[Judgment]:
        return iter(self.judgments)

    @overload
    def __getitem__(self, index: int) -> Judgment: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Judgment]: ...
    def __getitem__(self, index: int | slice) -> Judgment | Sequence[Judgment]:
        return self.judgments[index]

    @property
    def summary(self) -> Summary:
        """Means with n of N, bounds, reasons, tokens and cost."""
        return summarise(self.judgments)

    @property
    def failures(self) -> tuple[Judgment, ...]:
        """The judgments in which at least one measure has no value."""
        return tuple(judgment for judgment in self.judgments if judgment.status != "scored")

    def scores(self) -> Any:
        """A polars frame with one row for each measure and each of its parts (see ``scores.parquet``)."""
        return to_frame([row for judgment in self.judgments for row in score_rows(judgment)], "polars")


async def ajudge(
    items: str | Path | Iterable[Item | Mapping[str, object]] | Any,
    *,
    format: str | Judge = DEFAULT_FORMAT,  # noqa: A002 - the word that users know
    model: str = OFFLINE_MODEL,
    metrics: Sequence[str] = (),
    samples: int = 1,
    order: Order = "given",
    seed: int = 13,
    relevant_from: int = RELEVANT_FROM,
    temperature: float | None = None,
    columns: Mapping[str, str] | None = None,
    prompts: str | Path | None = None,
    recordings: str | Path | None = None,
    replay: str | Path | None = None,
    on_judgment: Callable[[Judgment], None] | None = None,
    **client: Any,
) -> Any:
    """Judge items with one format and one model.

    Args:
        items: a file, a list of items or dictionaries, or a polars or pandas frame.
        format: the name of a format (``conqret formats`` lists them), or a judge itself.
        model: any litellm model name, ``local/FOLDER`` for a transformers model that is read (format
            ``likelihood``), or ``offline`` for the lexical baseline.
        metrics: a selection among those of the format; all that the items allow, if empty.
        samples: repetitions of each question, combined by mean and majority (self-consistency).
        order: the order of the fifteen dimensions; ``seed`` draws the shuffled ones.
        relevant_from: the rating, 0 to 5, from which a document counts towards predicted precision.
        temperature: the model's; 0 unless given, or 0.7 with several samples.
        columns: which column of ``items`` holds which field, over what is recognised.
        prompts: a folder with prompts of your own, laid out like ``prompts/``.
        recordings: a store of answers, read and added to; None keeps none.
        replay: a store, an export or a run to answer from; nothing is ever sent.
        on_judgment: called with each judgment as it is done.
        client: further settings of :class:`conqret.llm.options.ClientOptions` (``api_base``, ``timeout``,
            ``max_concurrency``, ``budget_usd`` …).

    Returns:
        :class:`Judgments`; or, where ``items`` is a frame, a frame of the same library with a row for each
        item: id, status, reason, and a column for each metric with its value in [0, 1] or null.

    Raises:
        DeclarationError: anything wrong with the call or the items; what the world does wrong becomes
            judgments that are ``failed``, with a reason.
    """
    source = open_items(items, columns=columns)
    options = JudgeOptions(tuple(metrics), samples, order, seed, relevant_from, temperature)
    setup = set_up(format, ClientOptions(model, **client), options, Path(prompts) if prompts else None)
    _, setup = check_items(source, setup)
    found = Memory(judgment_key)
    async with Session(
        setup.client, recordings=recordings, replay=replay, prompts=setup.library
    ) as open_client:
        instrument = setup.instrument(open_client)
        async for judgment in judged(source, instrument, found, in_flight=open_client.in_flight):
            if on_judgment is not None:
                on_judgment(judgment)
    result = Judgments(
        tuple(found.rows[trial_key(instrument.fingerprint, item.id)] for item in source), setup.notes
    )
    if source.frame_kind is not None:
        return to_frame([wide_row(judgment) for judgment in result], source.frame_kind)
    return result


def judge(items: Any, **options: Any) -> Any:
    """Judge items and wait for the result; takes and returns what :func:`ajudge` does.

    It may be called where an event loop is running already (a notebook): the work is then done in a thread.
    """
    with Loop() as loop:
        return loop.run(ajudge(items, **options))
