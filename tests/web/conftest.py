"""A browser for the tests of local servers."""

from tests.report.conftest import browser

__all__ = ["browser"]
