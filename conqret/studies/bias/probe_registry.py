"""The probes by name: conqret's own, a module of :mod:`conqret.studies.bias.probes` each, and those of plug-ins."""

from __future__ import annotations

from conqret.registry import Registry
from conqret.studies.bias.contrast import Probe

PROBES = Registry(
    "probe",
    "conqret.probes",
    Probe,
    package="conqret.studies.bias.probes",
    attribute="PROBE",
    first=(
        "repeatability", "dimension-order", "document-order", "position", "length", "authority", "stance",
        "self-preference", "injection",
    ),
)  # fmt: skip
"""Every probe by its name, in the order of the table."""


def default_probes() -> list[str]:
    """The names of the probes that are made where none is named."""
    return [name for name, probe in PROBES.items() if probe.default]
