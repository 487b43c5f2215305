"""What a run of probes compares and asks, what it keeps, and what it refuses."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from conqret.errors import DeclarationError, UnknownNameError
from conqret.runs.dry_run import costs_of
from conqret.studies.bias.bias_run import BiasFolder, bias, plan_bias, run_bias
from conqret.studies.bias.contrast import ProbeContext
from tests.studies.planted import items, probe_context, setup
from tests.studies.sensitivity_plans import Stopping


def test_places_are_compared_in_what_other_probes_change_and_nothing_more_is_asked() -> None:
    """Position costs nothing beside probes that ask in both orders anyway. What tells the judge what to say does not
    count, and what that is held against does; a turned question stays with its topic."""
    few = items()[:8]
    found = plan_bias(ProbeContext(few, setup()), ["injection", "position", "length", "yes-bias"])
    (places,) = (contrast for contrast in found.contrasts if contrast.mirrored)
    versions = [pair.base.item.id for pair in places.pairs]
    changes = {name.partition("+")[2] for name in versions}
    assert set(versions[:8]) == {one.id for one in few}
    assert "padding-5" in changes
    assert {change for change in changes if change.startswith("inject")} == {
        "inject-argument-control-1",
        "inject-document-control-100",
    }
    assert len(versions) == len(set(versions))
    assert {(pair.original, pair.cluster) for pair in places.pairs} == {(one.id, one.topic) for one in few}
    assert places.notes == (f"position: {len(versions) - 8} versions of pairs by other probes count, too",)
    without = plan_bias(found.context, ["injection", "length", "yes-bias"])
    sent, fewer = (
        sum(one.calls for one in costs_of(lambda plan=plan: run_bias(plan, dry_run=True)))
        for plan in (found, without)
    )
    assert sent == fewer
    table = run_bias(found)
    assert table.session.sent == sent
    (row,) = (row for row in table.rows if row.probe == "position")
    assert row.effect is not None
    assert row.effect.n == len(versions)


def test_probes_that_cannot_be_made_say_why() -> None:
    found = plan_bias(ProbeContext(items(), setup()))
    assert "family (offline baseline)" in found.left_out["self-preference"]
    assert "several dimensions" in found.left_out["dimension order"]
    with pytest.raises(DeclarationError, match="no probe fits these items: stance"):
        plan_bias(ProbeContext(items(), setup()), ["stance"])
    with pytest.raises(UnknownNameError, match="length"):
        plan_bias(probe_context(), ["lenght"])


def test_a_run_of_probes_is_kept_resumed_and_told_apart(tmp_path: Path) -> None:
    few = items()[:8]
    folder = BiasFolder(tmp_path / "bias")
    plan = plan_bias(ProbeContext(few, setup()), ["repeatability", "position"])
    with pytest.raises(KeyboardInterrupt):
        run_bias(plan, folder.path, watch=Stopping(5))
    with pytest.raises(DeclarationError, match="contains no finished run"):
        folder.table()
    table = run_bias(plan, folder.path)
    whole = run_bias(plan, tmp_path / "whole")
    assert (table.session.kept, table.judgments) == (5, plan.judgments)
    assert table.rows == whole.rows == folder.table().rows
    ways = {judgment.fingerprint.removeprefix(table.record.fingerprint) for judgment in folder.judgments()}
    assert ways == {"", "/again 1", "/again 2", "/one order"}


def test_another_run_in_the_same_folder_is_refused(tmp_path: Path) -> None:
    how: dict[str, Any] = {"format": "rag-direct", "probes": ["length"], "output": tmp_path / "run"}
    bias(items()[:8], **how)
    before = (tmp_path / "run" / "bias.json").read_bytes()
    with pytest.raises(DeclarationError, match=r"What differs: items, labels or requests(.|\n)*--overwrite"):
        bias(items()[:6], **how)
    assert (tmp_path / "run" / "bias.json").read_bytes() == before
    assert bias(items()[:6], **how, overwrite=True).judgments
