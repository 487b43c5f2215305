"""Detection in a folder of its own."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

from conqret.io.pairs import Pair
from conqret.llm.client_options import ClientOptions
from conqret.perspectives.detection import Detection
from conqret.perspectives.detection_study import detected, detection_run


def detect(pairs: Sequence[Pair], model: str | ClientOptions) -> tuple[Detection, ...]:
    """The detections of the pairs, in their order."""
    with (
        tempfile.TemporaryDirectory() as folder,
        detection_run(pairs, Path(folder), ClientOptions.from_model(model), {}) as run,
    ):
        return detected(run, pairs).rows
