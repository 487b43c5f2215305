"""Pure functions on arrays: significance and intervals. No model, no file; randomness comes in as ``rng``."""

from conqret.stats.estimate import Estimate
from conqret.stats.resampling import mean_interval
from conqret.stats.significance import PairedTest, holm, paired_t_test

__all__ = ["Estimate", "PairedTest", "holm", "mean_interval", "paired_t_test"]
