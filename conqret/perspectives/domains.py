"""A detector out of its domain: tuned on the pairs of one, and tried on those of every other (BeRDS, B.3, Table 18).

Under one folder lie the detectors, one a domain, and under ``tested/`` what each says of the pairs of the others, so
that a run that was stopped goes on.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path

from conqret.data.digest import gathered
from conqret.data.item import Frozen
from conqret.errors import DeclarationError
from conqret.io.pairs import Pair
from conqret.perspectives.detecting import DetectedFolder, detect_locally
from conqret.perspectives.detection_calibration import quality_of
from conqret.perspectives.detector import DetectorQuality, load_detector
from conqret.perspectives.detector_run import USUAL, DetectorFolder, DetectorSettings
from conqret.perspectives.detector_tuning import Parts, parted, tune_detector


class DomainTrial(Frozen):
    """A detector of one domain on the pairs of another; on its own domain, on the questions that were held out."""

    trained_on: str
    tested_on: str
    quality: DetectorQuality


def domains_of(pairs: Sequence[Pair]) -> dict[str, list[Pair]]:
    """The labelled pairs of each domain.

    Raises:
        DeclarationError: there are fewer than two domains, a labelled pair is of none, or a domain's name makes no
            folder of its own.
    """
    found = gathered((one.domain, one) for one in pairs if one.label is not None)
    if len(found) < 2:
        told = f"all are of {next(iter(found))!r}" if any(found) else "no labelled pair has one"
        raise DeclarationError(
            f"--across needs pairs of two domains or more in a column domain or subset; {told}"
        )
    if "" in found:
        raise DeclarationError(f"{len(found[''])} labelled pairs are of no domain: fill in the column domain")
    if len({_folder(name) for name in found}) < len(found):
        raise DeclarationError("two domains have names that differ in marks alone; give them others")
    return found


def across_domains(
    pairs: Sequence[Pair],
    model: Path,
    folder: Path,
    settings: DetectorSettings = USUAL,
    *,
    overwrite: bool = False,
    on_start: Callable[[Parts, int, int], None] = lambda parts, steps, done: None,
    on_step: Callable[[int, float], None] = lambda step, loss: None,
) -> tuple[DomainTrial, ...]:
    """Tune a detector on each domain, and hold each beside the labels of all domains.

    Raises what :func:`domains_of` and :func:`~conqret.perspectives.detector_tuning.tune_detector` raise; nothing is
    trained where the pairs of any domain are too few.
    """
    domains = domains_of(pairs)
    for own in domains.values():
        parted(own, settings)
    found = []
    for name, own in domains.items():
        place = DetectorFolder(folder / _folder(name))
        card = tune_detector(
            own, model, place, settings, overwrite=overwrite, on_start=on_start, on_step=on_step
        )
        detector = load_detector(place.path)
        for other, tested in domains.items():
            quality = card.held_out
            if other != name:
                kept = DetectedFolder(folder / "tested" / f"{_folder(name)}-on-{_folder(other)}")
                chances = detect_locally(tested, detector, kept, overwrite=overwrite)
                scores = list(map(detector.score_of, chances))
                quality = quality_of(tested, scores, detector.probability, detector.threshold)
            found.append(DomainTrial(trained_on=name, tested_on=other, quality=quality))
    return tuple(found)


def _folder(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-") or "domain"
