"""A browser for the tests of local servers, and the command line."""

from tests.cli.conftest import cli
from tests.show.conftest import browser

__all__ = ["browser", "cli"]
