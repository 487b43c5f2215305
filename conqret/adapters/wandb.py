"""conqret in Weights & Biases: a judged run as a summary, a table of all measures, and an artifact."""

from __future__ import annotations

import json
from typing import Any

from conqret._optional import require
from conqret.adapters.tracked import COLUMNS, Run, numbers, parameters, rows, run_folder, without_number

wandb: Any = require("wandb", extra="wandb")


def log_run(run: Run, into: Any = None) -> None:
    """Log a finished run of a judge ``into`` a run of W&B (by default the one that is going on).

    Its config says what the run was made with, its summary has means with interval, bounds and counts
    (:func:`conqret.adapters.tracked.numbers`), and under ``no_number`` why others are missing. The table ``judgments``
    has a row for each measure; one without a value is empty there, with the reason beside it, and no 0. Report and
    scores are an artifact.

    Raises:
        DeclarationError: there is no finished run.
        ValueError: no run of W&B is going on.
    """
    into = wandb.run if into is None else into
    if into is None:
        raise ValueError("there is no active W&B run: call wandb.init() first, or give a run")
    with run_folder(run) as folder:
        record, summary = folder.record(), folder.summary()
        into.config.update({"conqret": parameters(record)})
        into.summary.update({**numbers(summary), "no_number": without_number(summary)})
        table = [
            [json.dumps(row[name]) if name == "parts" else row[name] for name in COLUMNS]
            for judgment in folder.judgments()
            for row in rows(judgment)
        ]
        into.log({"judgments": wandb.Table(columns=list(COLUMNS), data=table)})
        artifact = wandb.Artifact(f"conqret-{record.fingerprint}", type="judged-run")
        for file in (folder.report_file, folder.summary_file, folder.scores_file):
            if file.is_file():
                artifact.add_file(str(file))
        into.log_artifact(artifact)
