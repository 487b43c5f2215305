"""An OpenAI-compatible server on the loopback that misbehaves by plan."""

from tests.server.answers import fill
from tests.server.app import FaultServer
from tests.server.faults import FAULTS, FaultPlan

__all__ = ["FAULTS", "FaultPlan", "FaultServer", "fill"]
