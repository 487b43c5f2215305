"""Pure functions on arrays: significance and intervals. No model, no file; randomness comes in as ``rng``."""

from conqret.stats.bootstrap import Interval, bootstrap_interval
from conqret.stats.significance import PairedTest, holm, paired_t_test

__all__ = ["Interval", "PairedTest", "bootstrap_interval", "holm", "paired_t_test"]
