from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from conqret.errors import Fault, ItemsError
from conqret.io import open_items


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    """Write text (as UTF-8) or bytes into a file of the test's folder."""

    def write(name: str, content: str | bytes) -> Path:
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
        return path

    return write


@pytest.fixture
def faults_of() -> Callable[..., tuple[Fault, ...]]:
    """Return the faults that opening and checking a source finds."""

    def faults_of(source: Any, needs: Any = None, **options: Any) -> tuple[Fault, ...]:
        with pytest.raises(ItemsError) as caught:
            open_items(source, **options).check(needs)
        return caught.value.faults

    return faults_of


@pytest.fixture
def fault_of(faults_of: Callable[..., tuple[Fault, ...]]) -> Callable[..., Fault]:
    """Return the one fault of a source."""

    def fault_of(source: Any, needs: Any = None, **options: Any) -> Fault:
        faults = faults_of(source, needs, **options)
        assert len(faults) == 1, faults
        return faults[0]

    return fault_of
