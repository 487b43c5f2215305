import pytest

from conqret.llm import failed_requests


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Waits between retries of milliseconds."""
    monkeypatch.setattr(failed_requests, "BACKOFF_BASE", 0.01)
