"""The judges: one file a format, each with its ``JUDGE`` (see :mod:`conqret.judging.judge_parts`)."""
