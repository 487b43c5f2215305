"""What ``conqret perspectives tune`` tells of its parts, and the same across domains."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from conqret.console.printing import at, progress, result
from conqret.console.shared_options import OutputOptions
from conqret.errors import number
from conqret.io.pairs import Pair
from conqret.perspectives.detector_run import DetectorSettings
from conqret.perspectives.detector_tuning import Parts


def tune_across(
    pairs: Sequence[Pair],
    model: Path,
    folder: Path,
    settings: DetectorSettings,
    *,
    overwrite: bool,
    dry_run: bool,
    shown: OutputOptions,
) -> None:
    """Tune a detector on each domain, and show its F1 on all."""
    from conqret.perspectives.detection_tables import across_table
    from conqret.perspectives.detector_tuning import parted
    from conqret.perspectives.domains import across_domains, domains_of

    if dry_run:
        parts = {name: parted(own, settings) for name, own in domains_of(pairs).items()}
        facts = {name: counts_of(one) for name, one in parts.items()}
        lines = [f"{name}: {told(one)}" for name, one in parts.items()]
        result(facts, lines, as_json=shown.json_output)
        return
    names = iter(domains_of(pairs))
    with progress("tuning", quiet=shown.quiet) as bar:

        def started(parts: Parts, steps: int, done: int) -> None:
            shown.tell(f"{next(names)}: {told(parts)}")
            bar.reach(done, total=steps)

        found = across_domains(
            pairs, model, folder, settings, overwrite=overwrite, on_start=started,
            on_step=lambda step, loss: bar.reach(step, f"loss {loss:.3f}"),
        )  # fmt: skip
    result(
        [one.model_dump() for one in found],
        [across_table(found), "", at(folder, "detectors")],
        as_json=shown.json_output,
    )


def counts_of(parts: Parts) -> dict[str, dict[str, int]]:
    """Pairs, questions and yes of each part."""
    named = {"train": parts.train, "calibration": parts.calibration, "held_out": parts.held_out}
    return {
        name: {
            "pairs": len(own),
            "questions": len({one.question or one.id for one in own}),
            "yes": sum(one.label is True for one in own),
        }
        for name, own in named.items()
    }


def told(parts: Parts) -> str:
    """The same in words."""
    said = [
        f"{number(one['pairs'], 'pair')} of {number(one['questions'], 'question')} ({one['yes']:,} yes)"
        for one in counts_of(parts).values()
    ]
    return f"{said[0]} to train on, {said[1]} to calibrate on, {said[2]} held out"
