"""Pure functions on arrays: significance and intervals. No model, no file; randomness comes in as ``rng``."""

from conqret.stats.effects import holm
from conqret.stats.estimate import Estimate
from conqret.stats.resampling import mean_interval

__all__ = ["Estimate", "holm", "mean_interval"]
