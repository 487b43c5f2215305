"""Detection in memory: what the trials of pairs give."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from conqret.io.pairs import Pair
from conqret.perspectives.detection import Detection, trials
from conqret.runs.session import Session
from conqret.runs.trials import collect


def detect(pairs: Sequence[Pair], session: Session) -> list[Detection]:
    """The detections of the pairs, in their order."""
    works = [(trial.key, partial(trial.work, {})) for trial in trials(pairs, session)]
    return session.run(lambda client: collect(works, in_flight=client.in_flight))
