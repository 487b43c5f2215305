import pytest

from conqret.llm import retry


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Waits between retries of milliseconds."""
    monkeypatch.setattr(retry, "BACKOFF_BASE", 0.01)
