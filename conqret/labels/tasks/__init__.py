"""Tasks with screens of their own: one module each, with its ``TASK`` (see :mod:`conqret.labels.task`)."""
