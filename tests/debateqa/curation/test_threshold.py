"""Pairs to label, the threshold that labels speak for, and which questions are debatable."""

import numpy as np
import pytest

from conqret.debateqa.curation import deduplication as similarity
from conqret.debateqa.curation.deduplication import COLUMNS, draw_pairs, duplicate_threshold
from conqret.errors import DeclarationError, ItemsError
from conqret.io.safe_files import csv_text


def circle(degrees):
    """Points on a circle: the cosine of two is that of the angle between them."""
    angles = np.radians(degrees)
    return np.stack([np.cos(angles), np.sin(angles)], axis=1)


def test_as_many_pairs_come_from_each_band(monkeypatch):
    vectors = circle(np.arange(0, 60))
    drawn = draw_pairs(vectors, 30)
    by_band = {band: [one for one in drawn if one.band == band] for band in {one.band for one in drawn}}
    assert {band: len(rows) for band, rows in by_band.items()} == dict.fromkeys(
        np.round(np.arange(0.5, 1, 0.05), 6), 3
    )
    cosines = [np.cos(np.radians(b - a)) for a in range(60) for b in range(a + 1, 60)]
    for band, rows in by_band.items():
        assert {row.band_pairs for row in rows} == {sum(band <= cosine < band + 0.05 for cosine in cosines)}
        assert all(band - 1e-6 <= row.similarity <= band + 0.05 for row in rows)
    assert draw_pairs(vectors, 30) == drawn
    monkeypatch.setattr(similarity, "BLOCK", 7)
    again = draw_pairs(vectors, 30)
    assert [one.band_pairs for one in again] == [one.band_pairs for one in drawn]


def sheet(path, rows):
    path.write_text(
        csv_text(COLUMNS, [(n, *row[:3], "a", "b", "A?", "B?", row[3]) for n, row in enumerate(rows)])
    )
    return path


def test_the_threshold_follows_the_labels_with_bands_by_their_size(tmp_path):
    file = sheet(
        tmp_path / "s.csv",
        [
            (0.97, 0.95, 2, "yes"),
            (0.96, 0.95, 2, "yes"),
            (0.83, 0.8, 10, "yes"),
            (0.81, 0.8, 10, "no"),
            (0.62, 0.6, 100, "no"),
            (0.61, 0.6, 100, "no"),
            (0.6, 0.6, 100, ""),
        ],
    )
    found = duplicate_threshold(file)
    assert (found.none_below, found.labelled_below, found.unlabelled) == (0.83, 3, 1)
    assert found.at_most_below == pytest.approx(1 - 0.05 ** (1 / 3))
    # From .82 on: hits 1 + 1 + 5 pairs, none wrong, none missed.
    assert (found.best_f1, found.precision, found.recall, found.f1) == (0.82, 1.0, 1.0, 1.0)
    assert [(band.band, band.pairs, band.labelled, band.duplicates) for band in found.bands] == [
        (0.95, 2, 2, 2),
        (0.8, 10, 2, 1),
        (0.6, 100, 2, 0),
    ]
    low = sheet(tmp_path / "low.csv", [(0.9, 0.9, 2, "yes"), (0.62, 0.6, 100, "yes"), (0.61, 0.6, 100, "no")])
    found = duplicate_threshold(low)
    # All pairs from .62 on: hits 2 + 50; at .62 nothing wrong is let in.
    assert (found.none_below, found.best_f1) == (0.62, 0.62)


def test_a_sheet_without_use_is_refused(tmp_path):
    with pytest.raises(DeclarationError, match=r"no pair of .* is labeled"):
        duplicate_threshold(sheet(tmp_path / "s.csv", [(0.9, 0.9, 2, "")]))
    with pytest.raises(DeclarationError, match=r"none of the 1 labeled pairs"):
        duplicate_threshold(sheet(tmp_path / "s.csv", [(0.9, 0.9, 2, "no")]))
    with pytest.raises(ItemsError, match=r"'maybe', which is not a valid label"):
        duplicate_threshold(sheet(tmp_path / "s.csv", [(0.9, 0.9, 2, "maybe")]))
