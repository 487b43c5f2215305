"""The suites by name: those that come with conqret, and those of installed plug-ins."""

from __future__ import annotations

from conqret.registry import Registry
from conqret.suites.suite import Suite

SUITES = Registry("suite", "conqret.suites", Suite, package="conqret.suites.catalog", attribute="SUITE")
